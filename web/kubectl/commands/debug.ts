// `kubectl debug`: adds an ephemeral container to a pod, or creates a pod on a node.
import { type JsonObject, copyJson } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { arrayFlag, boolFlag, stringFlag } from "../flag.ts";
import { asError, Exit } from "../errors.ts";
import { listAt, metadataOf, nameOf, objectAt, textOf } from "../object.ts";
import { patchTypes } from "../writes/send.ts";
import { objectNamed } from "../resources/pods.ts";
import { nodeSecurityOf, profileNamed, removeProbes, securityOf } from "./debug-profiles.ts";
import { attachTo } from "./exec.ts";
import { watchUntil } from "./wait.ts";

const legacyWarning =
  '--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a profile, for example "--profile=general".\n';

export const debug: Command = {
  name: "debug",
  use: "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ] [options]",
  short: "Create debugging sessions for troubleshooting workloads and nodes",
  completes: "pods",
  flags: [
    stringFlag("image", "Container image to use for debug container."),
    stringFlag("container", "Container name to use for debug container.", { short: "c" }),
    stringFlag("target", "When using an ephemeral container, target processes in this container name."),
    stringFlag("copy-to", "Create a copy of the target Pod with this name."),
    arrayFlag("env", "Environment variables to set in the container."),
    stringFlag("image-pull-policy", "The image pull policy for the container."),
    stringFlag("profile", 'Options are "general", "baseline", "restricted", "netadmin" or "sysadmin".', {
      default: "general",
    }),
    boolFlag(
      "attach",
      "If true, wait for the container to start running, and then attach as if 'kubectl attach ...' were called.",
    ),
    boolFlag("stdin", "Keep stdin open on the container(s) in the pod, even if nothing is attached.", { short: "i" }),
    boolFlag("tty", "Allocate a TTY for the debugging container.", { short: "t" }),
    boolFlag("quiet", "If true, suppress informational messages.", { short: "q" }),
    arrayFlag("set-image", "When used with '--copy-to', a list of name=image pairs for changing container images."),
    boolFlag("arguments-only", "If specified, everything after -- will be passed to the new container as Args."),
    boolFlag("same-node", "When used with '--copy-to', schedule the copy of target Pod on the same node."),
    boolFlag("replace", "When used with '--copy-to', delete the original Pod."),
    boolFlag("keep-labels", "If true, keep the original pod labels."),
    boolFlag("keep-annotations", "If true, keep the original pod annotations."),
    boolFlag("keep-liveness", "If true, keep the original pod liveness probes."),
    boolFlag("keep-readiness", "If true, keep the original pod readiness probes."),
    boolFlag("keep-startup", "If true, keep the original startup probes."),
    boolFlag("keep-init-containers", "Run the init containers for the pod.", { default: true }),
    boolFlag("share-processes", "When used with '--copy-to', enable process namespace sharing in the copy.", {
      default: true,
    }),
  ],
  run: async (call) => {
    const { args, dash, flags } = call;
    const names = dash >= 0 ? args.slice(0, dash) : args;
    const [name] = names;
    const copies = flags.text("copy-to") !== "";
    const hasCommand = dash >= 0 && args.length > dash;
    profileNamed(flags.text("profile"));
    if (copies && !flags.text("image") && !hasCommand && flags.list("set-image").length === 0)
      throw new Error("you must specify --image, --set-image or command arguments.");
    if (copies && hasCommand && !flags.text("container") && !flags.text("image"))
      throw new Error("you must specify an existing container or a new image when specifying args.");
    if (!copies && !flags.text("image")) throw new Error("you must specify --image when not using --copy-to.");
    if (name === undefined) throw new Error("NAME or filename is required for debug");
    if (names.length > 1) throw usageError(call, "only one NAME is supported");
    if (flags.text("target") && copies)
      throw new Error("--target is incompatible with --copy-to. Use --share-processes instead.");
    if (flags.bool("tty") && !flags.bool("stdin"))
      throw new Error("-i/--stdin is required for containers with -t/--tty=true");
    if (flags.text("profile") === "legacy") call.streams.err(legacyWarning);
    const object = await objectNamed(call, name);
    if (object.kind === "Node") return debugNode(call, object);
    if (object.kind !== "Pod") throw new Error(`${JSON.stringify(object.kind)} not supported by debug`);
    return flags.text("copy-to") ? debugCopy(call, object) : debugPod(call, object);
  },
};

function containerFor(call: CommandCall, name: string): JsonObject {
  const { flags, args, dash } = call;
  const command = dash >= 0 ? args.slice(dash) : [];
  const env = flags
    .list("env")
    .map((pair) => ({ name: pair.split("=")[0] ?? "", value: pair.slice(pair.indexOf("=") + 1) }));
  return {
    name,
    image: flags.text("image"),
    ...(command.length > 0 ? { [flags.bool("arguments-only") ? "args" : "command"]: command } : {}),
    ...(env.length > 0 ? { env } : {}),
    ...(flags.text("image-pull-policy") ? { imagePullPolicy: flags.text("image-pull-policy") } : {}),
    ...(flags.bool("stdin") ? { stdin: true } : {}),
    ...(flags.bool("tty") ? { tty: true } : {}),
  };
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";

function randomSuffix({ surroundings: { random } }: CommandCall): string {
  const letter = () => suffixLetters[Math.floor(random.next() * suffixLetters.length)];
  return Array.from({ length: 5 }, letter).join("");
}

function containerName(call: CommandCall): string {
  return call.flags.text("container") || `debugger-${randomSuffix(call)}`;
}

async function debugPod(call: CommandCall, pod: JsonObject): Promise<void> {
  const { flags, streams, cluster, namespace } = call;
  const name = containerName(call);
  if (!flags.bool("quiet")) {
    if (flags.text("target"))
      streams.out(
        `Targeting container ${JSON.stringify(flags.text("target"))}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
      );
    if (!flags.text("container")) streams.out(`Defaulting debug container name to ${name}.\n`);
  }
  const container = {
    ...containerFor(call, name),
    ...(flags.text("target") ? { targetContainerName: flags.text("target") } : {}),
    ...securityOf(flags.text("profile")),
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${nameOf(pod)}/ephemeralcontainers`;
  const patch = { spec: { ephemeralContainers: [...listAt(pod, "spec", "ephemeralContainers"), container] } };
  await cluster.json(path, { method: "PATCH", contentType: patchTypes.strategic, body: patch });
  await maybeAttach(call, nameOf(pod), name);
}

async function debugCopy(call: CommandCall, pod: JsonObject): Promise<void> {
  const { flags, cluster, namespace } = call;
  const spec = copyJson(objectAt(pod, "spec"));
  if (!flags.bool("same-node")) delete spec.nodeName;
  delete spec.ephemeralContainers;
  if (!flags.bool("keep-init-containers")) delete spec.initContainers;
  const name = debugContainer(call, spec);
  const containers = listAt(spec, "containers");
  removeProbes(containers, (probe) => flags.bool(`keep-${probe}`));
  if (flags.text("profile") !== "legacy" || flags.changed("share-processes"))
    spec.shareProcessNamespace = flags.bool("share-processes");
  const { labels, annotations } = metadataOf(pod);
  const metadata = {
    name: flags.text("copy-to"),
    ...(flags.bool("keep-labels") ? { labels } : {}),
    ...(flags.bool("keep-annotations") ? { annotations } : {}),
  };
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await cluster.json(path, { method: "POST", body: { apiVersion: "v1", kind: "Pod", metadata, spec } });
  if (flags.bool("replace"))
    await cluster.json(`${path}/${nameOf(pod)}`, { method: "DELETE", body: { gracePeriodSeconds: 0 } });
  if (name !== undefined) await maybeAttach(call, flags.text("copy-to"), name);
}

/** Changes images, and the debugging container or a new one. Returns its name; undefined if only images are set. */
function debugContainer(call: CommandCall, spec: JsonObject): string | undefined {
  const { flags } = call;
  const containers = listAt(spec, "containers");
  const images = new Map(
    flags.list("set-image").map((pair) => [pair.split("=")[0], pair.slice(pair.indexOf("=") + 1)]),
  );
  for (const container of containers) {
    const image = images.get(textOf(container.name)) ?? images.get("*");
    if (image !== undefined) container.image = image;
  }
  const existing = containers.find((container) => container.name === flags.text("container"));
  if (!existing && !flags.text("image")) {
    if (images.size > 0) return undefined;
    throw new Error("you must specify image when creating new container");
  }
  const name = containerName(call);
  if (!existing && !flags.text("container") && !flags.bool("quiet"))
    call.streams.out(`Defaulting debug container name to ${name}.\n`);
  const security = securityOf(flags.text("profile"));
  const changes = { ...containerFor(call, name), ...security };
  if (existing) Object.assign(existing, changes, flags.text("image") ? {} : { image: existing.image });
  else spec.containers = [...containers, changes];
  return name;
}

async function debugNode(call: CommandCall, node: JsonObject): Promise<void> {
  const { flags, streams, cluster, namespace } = call;
  const pod = `node-debugger-${nameOf(node)}-${randomSuffix(call)}`;
  const { usesHost, mountsHost } = profileNamed(flags.text("profile"));
  const container: JsonObject = {
    ...containerFor(call, flags.text("container") || "debugger"),
    ...nodeSecurityOf(flags.text("profile")),
    ...(mountsHost ? { volumeMounts: [{ mountPath: "/host", name: "host-root" }] } : {}),
  };
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod, labels: { "app.kubernetes.io/managed-by": "kubectl-debug" } },
    spec: {
      containers: [container],
      ...(usesHost ? { hostIPC: true, hostNetwork: true, hostPID: true } : {}),
      nodeName: nameOf(node),
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
      ...(mountsHost ? { volumes: [{ name: "host-root", hostPath: { path: "/" } }] } : {}),
    },
  };
  await cluster.json(`/api/v1/namespaces/${namespace}/pods`, { method: "POST", body: object });
  if (!flags.bool("quiet"))
    streams.out(`Creating debugging pod ${pod} with container ${textOf(container.name)} on node ${nameOf(node)}.\n`);
  await maybeAttach(call, pod, textOf(container.name));
}

async function maybeAttach(call: CommandCall, name: string, container: string): Promise<void> {
  const { flags, namespace, surroundings, streams } = call;
  if (!(flags.changed("attach") ? flags.bool("attach") : flags.bool("stdin"))) return;
  const mapping = await call.cluster.resource("pods");
  const isStarted = (pod: JsonObject) => {
    const { running, terminated } = stateOf(pod, container);
    return running !== undefined || terminated !== undefined;
  };
  const missing = () => {
    throw new Error(`pods ${JSON.stringify(name)} not found`);
  };
  const pod = await watchUntil(
    call,
    { mapping, namespace, name },
    surroundings.clock.nowMs() + 60_000,
    (_, state) => isStarted(state),
    missing,
  );
  // A container that has ended cannot be attached to, but its log has its output.
  const printLog = async () => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
    streams.out(await call.cluster.text(path, { query: { container }, accept: "*/*" }));
  };
  if (stateOf(pod, container).terminated !== undefined) return printLog();
  try {
    await attachTo(call, pod, {
      stdin: flags.bool("stdin"),
      tty: flags.bool("tty"),
      quiet: flags.bool("quiet"),
      container,
    });
  } catch (error) {
    if (streams.signal.aborted || error instanceof Exit) throw error;
    streams.err(`warning: couldn't attach to pod/${name}, falling back to streaming logs: ${asError(error).message}\n`);
    await printLog();
  }
}

/** Returns the state of a container from any of the pod's status lists, or an empty object before the kubelet reports it. */
function stateOf(pod: JsonObject, container: string): JsonObject {
  const statuses = ["containerStatuses", "ephemeralContainerStatuses"].flatMap((list) => listAt(pod, "status", list));
  return objectAt(statuses.find(({ name }) => name === container) ?? {}, "state");
}
