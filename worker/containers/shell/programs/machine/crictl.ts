// crictl on a node: prints what the container runtime knows of the pods on it. It is read-only.
import { listNodePods, readLog } from "../../system-call.ts";
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { parseTime } from "../../../../../shared/k8s/time.ts";
import type { ContainerStatus, Pod } from "../../../../../shared/k8s/api/core-v1.ts";
import {
  configurationOf,
  environmentOfImage,
  imageOf,
  type NamedImage,
  pulledImageOf,
} from "../../../images/image-lookup.ts";
import { parseImage } from "../../../images/reference.ts";
import { newestRelease } from "../../../../../shared/k8s/settings/release.ts";
import { systemImagesOf } from "../../../../machine/machine.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { isRuntimeRunning } from "../../../node/units.ts";
import type { ProgramCall } from "../../program.ts";
import type { Chunk } from "../../process.ts";

const socket = "/run/containerd/containerd.sock";
const shortLength = 13;
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

interface Contained {
  readonly pod: Pod;
  readonly status: ContainerStatus;
  readonly id: string;
  readonly state: "Running" | "Exited" | "Created";
  readonly createdMs: number;
  readonly exitedMs: number | undefined;
}

export function* crictl(call: ProgramCall): Task<number> {
  const { args, process, err } = call;
  const [verb = "", ...rest] = args.filter(
    (arg, at) =>
      !/^(-r|--runtime-endpoint|--config)(=|$)/.test(arg) &&
      !/^(-r|--runtime-endpoint|--config)$/.test(args[at - 1] ?? ""),
  );
  const node = process.world.node;
  if (!node || process.files.get(socket)?.text === undefined || !isRuntimeRunning(process.files, process.clockMs)) {
    err(
      `time="${new Date(process.clockMs).toISOString().slice(0, 19)}Z" level=fatal msg="validate service connection: validate CRI v1 runtime API for endpoint \\"unix://${socket}\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix ${socket}: connect: no such file or directory\\""\n`,
    );
    return 1;
  }
  const pods = yield* listNodePods(process);
  charge(process, 20 + pods.length * 2);
  const flags = flagsOf(rest);
  const verbs: Readonly<Record<string, () => number | Task<number>>> = {
    ps: () => ps(call, pods, flags),
    pods: () => listPods(call, pods, flags),
    images: () => images(call, pods, flags),
    logs: () => logs(call, pods, flags),
    inspect: () => inspect(call, pods, flags),
    inspectp: () => inspectPod(call, pods, flags),
    inspecti: () => inspectImage(call, pods, flags),
    version: () =>
      printed(call, "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v2.2.1\nRuntimeApiVersion:  v1\n"),
  };
  const aliases: Readonly<Record<string, string>> = { image: "images", img: "images" };
  const canonicalVerb = Object.hasOwn(aliases, verb) ? aliases[verb] : verb;
  const runVerb = canonicalVerb !== undefined && Object.hasOwn(verbs, canonicalVerb) ? verbs[canonicalVerb] : undefined;
  if (runVerb) return yield* finished(runVerb());
  err(`crictl: ${verb === "" ? "help" : verb} is not simulated in this sandbox\n`);
  return 127;
}

interface Flags {
  readonly on: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
}

const long: Readonly<Record<string, string>> = {
  a: "all",
  q: "quiet",
  p: "pod",
  s: "state",
  o: "output",
  f: "follow",
  t: "timestamps",
  n: "last",
  l: "latest",
  v: "verbose",
};
const withValue = new Set([
  "pod",
  "state",
  "output",
  "name",
  "namespace",
  "image",
  "label",
  "tail",
  "since",
  "last",
  "id",
]);

function flagsOf(args: readonly string[]): Flags {
  const on = new Set<string>();
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-")) {
      rest.push(arg);
      continue;
    }
    const [flagName = "", attachedValue] = arg.replace(/^--?/, "").split(/=(.*)/s);
    const name = arg.startsWith("--") ? flagName : (long[flagName] ?? flagName);
    if (!withValue.has(name)) on.add(name);
    else values.set(name, attachedValue ?? args[++at] ?? "");
  }
  return { on, values, rest };
}

function printed({ out }: ProgramCall, text: string): number {
  out(text);
  return 0;
}

function sandboxId({ metadata }: Pod): string {
  return stableHex(`sandbox/${metadata.uid ?? ""}`, 64);
}

function containersOf(pods: readonly Pod[]): readonly Contained[] {
  const contained = pods.flatMap((pod) =>
    [pod.status.containerStatuses, pod.status.initContainerStatuses, pod.status.ephemeralContainerStatuses]
      .flatMap((all) => all ?? [])
      .flatMap((status) => runsOf(pod, status)),
  );
  return contained.sort((a, b) => b.createdMs - a.createdMs);
}

/** Returns the present run and the previous one, which the runtime keeps. */
function runsOf(pod: Pod, status: ContainerStatus): readonly Contained[] {
  const { state, lastState, containerID = "" } = status;
  const of = (id: string, startedAt: string | null | undefined, endedAt?: string | null): Contained[] =>
    id === "" || !startedAt
      ? []
      : [
          {
            pod,
            status,
            id: id.replace(/^\w+:\/\//, ""),
            state: endedAt ? "Exited" : "Running",
            createdMs: parseTime(startedAt),
            exitedMs: endedAt ? parseTime(endedAt) : undefined,
          },
        ];
  const present = state.running
    ? of(containerID, state.running.startedAt)
    : of(state.terminated?.containerID ?? "", state.terminated?.startedAt, state.terminated?.finishedAt);
  const last = lastState.terminated;
  const before = of(last?.containerID ?? "", last?.startedAt, last?.finishedAt);
  return [
    ...present,
    ...before.map((run) => ({
      ...run,
      status: { ...status, restartCount: status.restartCount - (present.length > 0 ? 1 : 0) },
    })),
  ];
}

function imageId({ imageID = "", image }: ContainerStatus): string {
  const digest = /sha256:([0-9a-f]+)/.exec(imageID)?.[1] ?? stableHex(image, 64);
  return `sha256:${stableHex(`config/${digest}`, 64)}`;
}

function ps(call: ProgramCall, pods: readonly Pod[], { on, values, rest }: Flags): number {
  const { process } = call;
  const [name, pod, state] = [values.get("name"), values.get("pod"), values.get("state")];
  const selected = containersOf(pods)
    .filter((container) => on.has("all") || on.has("latest") || state !== undefined || container.state === "Running")
    .filter((container) => name === undefined || container.status.name.includes(name))
    .filter((container) => pod === undefined || sandboxId(container.pod).startsWith(pod))
    .filter((container) => state === undefined || container.state.toLowerCase() === state.toLowerCase())
    .filter((container) => rest.every((id) => container.id.startsWith(id)))
    .slice(0, on.has("latest") ? 1 : Number(values.get("last") ?? Number.POSITIVE_INFINITY));
  if (on.has("quiet")) return printed(call, selected.map((container) => `${container.id}\n`).join(""));
  const head = ["CONTAINER", "IMAGE", "CREATED", "STATE", "NAME", "ATTEMPT", "POD ID", "POD", "NAMESPACE"];
  const rows = selected.map((container) => [
    container.id.slice(0, shortLength),
    imageId(container.status).slice("sha256:".length, "sha256:".length + shortLength),
    `${humanDuration(process.clockMs - container.createdMs)} ago`,
    container.state,
    container.status.name,
    String(container.status.restartCount),
    sandboxId(container.pod).slice(0, shortLength),
    container.pod.metadata.name ?? "",
    container.pod.metadata.namespace ?? "",
  ]);
  return printed(call, table([head, ...rows]));
}

function startedMs({ status, metadata }: Pod): number {
  return parseTime(status.startTime ?? metadata.creationTimestamp ?? "1970-01-01T00:00:00Z");
}

function isReady({ status }: Pod): boolean {
  return status.phase !== "Succeeded" && status.phase !== "Failed";
}

function listPods(call: ProgramCall, pods: readonly Pod[], { on, values }: Flags): number {
  const [name, namespace] = [values.get("name"), values.get("namespace")];
  const selected = [...pods]
    .filter(({ metadata }) => name === undefined || metadata.name?.includes(name))
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .sort((a, b) => startedMs(b) - startedMs(a));
  if (on.has("quiet")) return printed(call, selected.map((selectedPod) => `${sandboxId(selectedPod)}\n`).join(""));
  const rows = selected.map((pod) => [
    sandboxId(pod).slice(0, shortLength),
    `${humanDuration(call.process.clockMs - startedMs(pod))} ago`,
    isReady(pod) ? "Ready" : "NotReady",
    pod.metadata.name ?? "",
    pod.metadata.namespace ?? "",
    "0",
    "(default)",
  ]);
  return printed(call, table([["POD ID", "CREATED", "STATE", "NAME", "NAMESPACE", "ATTEMPT", "RUNTIME"], ...rows]));
}

/** Returns the images that the node's pods have pulled, and the system's. */
function imagesOn({ process }: ProgramCall, pods: readonly Pod[]): readonly NamedImage[] {
  const { release = newestRelease } = process.world.node ?? {};
  const used = pods.flatMap(({ status }) => [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
  ]);
  const names = [
    ...used.filter(({ imageID }) => imageID).map(({ image }) => image),
    ...systemImagesOf(release),
    `registry.k8s.io/pause:${release.pause}`,
  ];
  const byReference = new Map<string, NamedImage>();
  for (const name of names) {
    const reference = parseImage(name);
    if (!("error" in reference)) byReference.set(reference.text, imageOf(reference, process.world.node ?? {}));
  }
  return [...byReference.values()].sort((a, b) => (a.reference.text < b.reference.text ? -1 : 1));
}

function configOf(image: NamedImage): string {
  const digest = /sha256:([0-9a-f]+)/.exec(pulledImageOf(image).id)?.[1] ?? "";
  return stableHex(`config/${digest}`, 64);
}

function images(call: ProgramCall, pods: readonly Pod[], { on, rest }: Flags): number {
  const selected = imagesOn(call, pods).filter(({ reference }) => rest.every((name) => reference.text.includes(name)));
  if (on.has("quiet")) return printed(call, selected.map((image) => `sha256:${configOf(image)}\n`).join(""));
  const rows = selected.map((image) => [
    image.reference.name,
    image.reference.tag ?? "<none>",
    configOf(image).slice(0, shortLength),
    humanSize(pulledImageOf(image).sizeBytes),
  ]);
  return printed(call, table([["IMAGE", "TAG", "IMAGE ID", "SIZE"], ...rows]));
}

function findContainer(call: ProgramCall, pods: readonly Pod[], id: string): Contained | undefined {
  const container = id === "" ? undefined : containersOf(pods).find((each) => each.id.startsWith(id));
  if (!container)
    fatal(
      call,
      id === ""
        ? "ID cannot be empty"
        : `rpc error: code = NotFound desc = an error occurred when try to find container \\"${id}\\": not found`,
    );
  return container;
}

function fatal({ err, process }: ProgramCall, text: string): number {
  err(`time="${new Date(process.clockMs).toISOString().slice(0, 19)}Z" level=fatal msg="${text}"\n`);
  return 1;
}

function* logs(call: ProgramCall, pods: readonly Pod[], { on, values, rest }: Flags): Task<number> {
  const { process, out, err } = call;
  const container = findContainer(call, pods, rest[0] ?? "");
  if (!container) return 1;
  const isPrevious = container.exitedMs !== undefined && container.status.state.terminated?.containerID === undefined;
  const lines = yield* readLog(process, container.pod, container.status.name, isPrevious);
  charge(process, lines.length / 8);
  const tail = values.get("tail");
  for (const line of tail === undefined || Number(tail) < 0
    ? lines
    : lines.slice(Math.max(0, lines.length - Number(tail)))) {
    const text = `${on.has("timestamps") ? `${nanoTime(line.atMs)} ` : ""}${line.text}\n`;
    if (line.stream === "stderr") err(text);
    else out(text);
  }
  return 0;
}

export function nanoTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000000Z");
}

/** Formats a line as the runtime writes it to the container's log file. */
export function criLine({ atMs, stream, text }: Chunk): string {
  return `${nanoTime(atMs)} ${stream} F ${text}\n`;
}

function inspect(call: ProgramCall, pods: readonly Pod[], { rest }: Flags): number {
  const container = findContainer(call, pods, rest[0] ?? "");
  if (!container) return 1;
  const { pod, status, id, createdMs, exitedMs } = container;
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const ended = exitedMs === undefined ? undefined : (status.state.terminated ?? status.lastState.terminated);
  const time = (ms: number | undefined) =>
    ms === undefined ? "0001-01-01T00:00:00Z" : new Date(ms).toISOString().replace("Z", "000000Z");
  const inspection = {
    status: {
      annotations: { "io.kubernetes.container.restartCount": String(status.restartCount) },
      createdAt: time(createdMs),
      exitCode: ended?.exitCode ?? 0,
      finishedAt: time(exitedMs),
      id,
      image: { annotations: {}, image: status.image, runtimeHandler: "", userSpecifiedImage: "" },
      imageId: imageId(status),
      imageRef: status.imageID,
      labels: {
        "io.kubernetes.container.name": status.name,
        "io.kubernetes.pod.name": name,
        "io.kubernetes.pod.namespace": namespace,
        "io.kubernetes.pod.uid": uid,
      },
      logPath: `/var/log/pods/${namespace}_${name}_${uid}/${status.name}/${status.restartCount}.log`,
      message: ended?.message ?? "",
      metadata: { attempt: status.restartCount, name: status.name },
      mounts: (pod.spec.containers.find((each) => each.name === status.name)?.volumeMounts ?? []).map((mount) => ({
        containerPath: mount.mountPath,
        hostPath: `/var/lib/kubelet/pods/${uid}/volumes/${mount.name}`,
        readonly: mount.readOnly ?? false,
      })),
      reason: ended?.reason ?? "",
      startedAt: time(createdMs),
      state: exitedMs === undefined ? "CONTAINER_RUNNING" : "CONTAINER_EXITED",
    },
    info: { sandboxID: sandboxId(pod), removing: false, runtimeType: "io.containerd.runc.v2" },
  };
  return printed(call, `${JSON.stringify(inspection, null, 2)}\n`);
}

function inspectPod(call: ProgramCall, pods: readonly Pod[], { rest }: Flags): number {
  const [id = ""] = rest;
  const pod = id === "" ? undefined : pods.find((candidate) => sandboxId(candidate).startsWith(id));
  if (!pod)
    return fatal(
      call,
      id === ""
        ? "ID cannot be empty"
        : `rpc error: code = NotFound desc = an error occurred when try to find sandbox: not found`,
    );
  const { name = "", namespace = "", uid = "", labels = {}, annotations = {} } = pod.metadata;
  const status = {
    annotations,
    createdAt: new Date(startedMs(pod)).toISOString().replace("Z", "000000Z"),
    id: sandboxId(pod),
    labels: {
      ...labels,
      "io.kubernetes.pod.name": name,
      "io.kubernetes.pod.namespace": namespace,
      "io.kubernetes.pod.uid": uid,
    },
    linux: {
      namespaces: {
        options: { network: pod.spec.hostNetwork ? "NODE" : "POD", pid: pod.spec.hostPID ? "NODE" : "CONTAINER" },
      },
    },
    metadata: { attempt: 0, name, namespace, uid },
    network: { additionalIps: [], ip: pod.spec.hostNetwork ? "" : (pod.status.podIP ?? "") },
    runtimeHandler: "",
    state: isReady(pod) ? "SANDBOX_READY" : "SANDBOX_NOTREADY",
  };
  return printed(call, `${JSON.stringify({ status, info: { runtimeType: "io.containerd.runc.v2" } }, null, 2)}\n`);
}

function inspectImage(call: ProgramCall, pods: readonly Pod[], { rest }: Flags): number {
  const [imageName = ""] = rest;
  const reference = parseImage(imageName);
  const image = imagesOn(call, pods).find(
    (each) =>
      configOf(each).startsWith(imageName.replace(/^sha256:/, "")) ||
      (!("error" in reference) && each.reference.text === reference.text),
  );
  if (imageName === "" || !image)
    return fatal(call, imageName === "" ? "ID cannot be empty" : `no such image \\"${imageName}\\" present`);
  const pulled = pulledImageOf(image);
  const configuration = configurationOf(image);
  const [user = ""] = configuration?.user.split(":", 1) ?? [];
  const isNumber = /^\d+$/.test(user);
  const status = {
    id: `sha256:${configOf(image)}`,
    pinned: false,
    repoDigests: [pulled.id],
    repoTags: [image.reference.text],
    size: String(pulled.sizeBytes),
    spec: { annotations: {}, image: "", runtimeHandler: "", userSpecifiedImage: "" },
    uid: isNumber ? { value: user } : null,
    username: isNumber ? "" : user,
  };
  const info = {
    chainID: `sha256:${stableHex(`chain/${configOf(image)}`, 64)}`,
    imageSpec: { architecture: "amd64", os: "linux", config: specConfig(image, configuration) },
  };
  return printed(call, `${JSON.stringify({ status, info }, null, 2)}\n`);
}

/** Returns an image's configuration without its empty fields. */
function specConfig(
  image: NamedImage,
  configuration: ReturnType<typeof configurationOf>,
): Readonly<Record<string, unknown>> {
  const { user, exposedPorts = [], workingDir, entrypoint = [], cmd = [] } = configuration ?? {};
  const variables = { PATH: usualPath, ...environmentOfImage(image) };
  return {
    ...(user ? { User: user } : {}),
    ...(exposedPorts.length > 0 ? { ExposedPorts: Object.fromEntries(exposedPorts.map((port) => [port, {}])) } : {}),
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    ...(entrypoint.length > 0 ? { Entrypoint: entrypoint } : {}),
    ...(cmd.length > 0 ? { Cmd: cmd } : {}),
    ...(workingDir ? { WorkingDir: workingDir } : {}),
  };
}

const least = 20;
const between = 3;

/** Formats a table. Each column is as wide as its widest cell, followed by three spaces. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(least, ...rows.map((row) => (row[at] ?? "").length + between)),
  );
  return rows
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join("")}\n`)
    .join("");
}

/** Formats a past time as containers' tools do. */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.round(minutes / 60);
  if (seconds < 1) return "Less than a second";
  if (seconds === 1) return "1 second";
  if (seconds < 60) return `${seconds} seconds`;
  if (minutes === 1) return "About a minute";
  if (minutes < 60) return `${minutes} minutes`;
  if (hours === 1) return "About an hour";
  if (hours < 48) return `${hours} hours`;
  if (hours < 24 * 7 * 2) return `${Math.floor(hours / 24)} days`;
  return hours < 24 * 30 * 2 ? `${Math.floor(hours / 24 / 7)} weeks` : `${Math.floor(hours / 24 / 30)} months`;
}

/** Formats a size with three digits, in powers of a thousand. */
function humanSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1000 && unit < 4; unit++) size /= 1000;
  return `${Number(size.toPrecision(3))}${["B", "kB", "MB", "GB", "TB"][unit] ?? ""}`;
}
