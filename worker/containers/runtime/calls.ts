// The kubelet's calls to a running container: a command, an HTTP request, a connection.
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PortRequest } from "../../../shared/k8s/port-request.ts";
import type {
  CallRequest,
  CallResponse,
  Effect,
  ExecSyncRequest,
  ExecSyncResponse,
  HttpRequest,
  HttpResponse,
  PodNetwork,
  RunningContainer,
  Wrote,
} from "../cri.ts";
import { softwareName } from "../images/image-lookup.ts";
import { filesAt } from "../run/files-at.ts";
import { hostnameOf } from "../run/hosts.ts";
import { execIn } from "../run/run.ts";
import type { Affects, ClusterView, Network } from "../run/world.ts";
import type { Files } from "../shell/files.ts";
import { streamOf } from "../shell/outside-input.ts";
import type { Contact, Reached } from "../shell/contact.ts";
import { addressIn, getentCommand } from "../shell/programs/names/getent.ts";
import { dated, type PageEdit } from "../shell/server.ts";
import { unknownServer } from "../shell/not-simulated.ts";
import type { Trace } from "../shell/trace.ts";
import { probeVisitId, visitEdit, visitPath } from "../wasm/visits.ts";
import { type Listener, listenersOf, traceOf } from "./handles.ts";

/** A container that is called, with its run and the runs beside it. */
interface Called {
  readonly pod: Pod;
  readonly podIp: string;
  readonly container: RunningContainer["container"];
  readonly view: ClusterView;
  readonly run: Trace;
  readonly beside: readonly Listener[];
}

/** A call and the receiver of its effects. */
interface Call {
  readonly called: Called;
  readonly effects: Effect[];
  /** Receives the effects of the call; undefined if it is not recorded. */
  readonly affects: Affects | undefined;
}

function callOf(view: ClusterView, { run, beside, ...container }: RunningContainer, isRecorded: boolean): Call {
  const effects: Effect[] = [];
  const affects: Affects = (pod, name, edits) => void effects.push({ pod, container: name, edits });
  const called = {
    ...container,
    view: isRecorded ? (view.affecting?.(affects) ?? view) : view,
    run: traceOf(run),
    beside: listenersOf(beside),
  };
  return { called, effects, affects: isRecorded ? affects : undefined };
}

/** The work of a command, in addition to what it does. */
const execWork = 30;
const forever = Number.POSITIVE_INFINITY;

export function execSync(view: ClusterView, running: RunningContainer, request: ExecSyncRequest): ExecSyncResponse {
  const { called, effects } = callOf(view, running, request.isRecorded);
  const { command, atMs, timeoutMs } = request;
  const { pod, container, run } = called;
  const ownMs = Math.min(editedMs(run, atMs), changesMs(called, atMs));
  const done = execIn({
    pod,
    container,
    view: called.view,
    words: command,
    files: filesAt(run, atMs),
    ports: portsOf(called),
    nowMs: atMs,
    untilMs: atMs + timeoutMs,
    work: request.work ?? limits.probeWork,
  });
  if ("missing" in done) {
    const error = `rpc error: code = Unknown desc = failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: ${done.missing}`;
    return { error, tookMs: 0, untilMs: ownMs, effects };
  }
  const waitsFor = [...done.waitsFor];
  const untilMs = Math.min(ownMs, ...waitsFor.map((key) => writtenMs(called.view, key, atMs)));
  const common = { untilMs, waitsFor, work: done.work + execWork, effects, assumed: done.assumed };
  if (!done.end) return { ...common, tookMs: timeoutMs };
  const output = done.chunks.map((chunk) => chunk.text).join("");
  return { ...common, exitCode: done.end.exitCode, output, tookMs: done.end.atMs - atMs };
}

/** Returns when an object that a command waited for, such as `service/<namespace>/<name>`, is written; Infinity if it is not. */
function writtenMs(view: ClusterView, key: string, afterMs: number): number {
  const [kind, namespace = "", name = ""] = key.split("/");
  if (kind !== "service") return forever;
  const writes = (["service", "endpoints"] as const).map(
    (written) => view.writesOf?.(written, namespace, name, afterMs)[0],
  );
  return Math.min(forever, ...writes.filter((atMs) => atMs !== undefined));
}

/** Opens one network for each pod, whose cached runs serve all calls of a sync. */
function keepingNetworks(view: ClusterView): ClusterView {
  const networks = new Map<string, Network | undefined>();
  return {
    ...view,
    network: (pod, ...run) => {
      if (run.length > 0) return must(view.network?.(pod, ...run), "a network");
      const uid = pod.metadata.uid ?? "";
      if (!networks.has(uid)) networks.set(uid, view.network?.(pod));
      return must(networks.get(uid), "a network");
    },
  };
}

/** Returns the network of the node in a view of the cluster. */
export function podNetwork(clusterView: ClusterView): PodNetwork {
  const view = clusterView.network ? keepingNetworks(clusterView) : clusterView;
  return {
    httpGet: (running, request) => {
      const call = callOf(view, running, request.isRecorded);
      const isElsewhere = request.host !== running.podIp;
      return { ...(isElsewhere ? fetchedElsewhere(call, request) : fetched(call, request)), effects: call.effects };
    },
    connect: (running, port, atMs) => {
      const { called } = callOf(view, running, false);
      return { isOpen: listener(called, port, atMs) !== undefined, untilMs: changesMs(called, atMs) };
    },
  };
}

/** Returns the container of the pod that listens at a port: "any" if an unknown one may, undefined if none does. */
function listener({ run, container, beside }: Called, port: number, nowMs: number): Listener | "any" | undefined {
  const runs = [{ container, run }, ...beside];
  const listening = runs.find((candidate) => (candidate.run.ports.get(port) ?? forever) <= nowMs);
  if (listening) return listening;
  return runs.some((candidate) => candidate.run.server === unknownServer) ? "any" : undefined;
}

/** Returns when the listening servers may change. */
function changesMs({ run, beside }: Called, nowMs: number): number {
  const times = [run, ...beside.map((trace) => trace.run)].flatMap((trace) => [
    ...trace.ports.values(),
    trace.server?.changesMs?.(trace.ports, nowMs) ?? forever,
  ]);
  return Math.min(forever, ...times.filter((time) => time > nowMs));
}

/** Returns the address that a server sees: the node's end of the pod's link, or the node's own for a pod on the host network. */
function kubeletAddress({ pod, podIp }: Pick<Called, "pod" | "podIp">): string {
  if (pod.spec.hostNetwork) return pod.status.hostIP ?? podIp;
  return `${podIp.slice(0, Math.max(podIp.lastIndexOf("."), podIp.lastIndexOf(":")) + 1)}1`;
}

type Fetched = Unrecorded<HttpResponse>;
type Unrecorded<T> = T extends CallResponse ? Omit<T, "effects"> : never;

const timedOut = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

function fetched({ called, affects }: Call, httpRequest: HttpRequest): Fetched {
  const { path, port, scheme, headers, timeoutMs, atMs } = httpRequest;
  const listening = listener(called, port, atMs);
  let untilMs = changesMs(called, atMs);
  if (listening === "any") return { status: 200, tookMs: 0, untilMs };
  const { pod, podIp } = called;
  if (!listening) return { error: refused(`${podIp}:${port}`), tookMs: 0, untilMs };
  const { run, container } = listening;
  untilMs = Math.min(untilMs, editedMs(run, atMs));
  const files = filesAt(run, atMs);
  const image = softwareName(container.image, called.view);
  const serverFacts = { files, host: hostnameOf(pod), address: podIp, image, port };
  const request = { method: "GET", path, headers, body: "" };
  if (run.visited) return visitedBy(called, listening, { ...request, port }, httpRequest, { untilMs, affects });
  const onward = onwardFrom(called, listening, files, httpRequest);
  const isTls = scheme === "https";
  const sinceMs = run.ports.get(port) ?? atMs;
  const visit = { ...request, ...serverFacts, ...onward, isTls, sinceMs, nowMs: atMs, from: kubeletAddress(called) };
  const page = (run.server ?? unknownServer).answer(visit);
  untilMs = Math.min(untilMs, onward.validUntilMs(), page.isPassing ? atMs + 1 : forever);
  const waitsFor = onward.waitsFor();
  const tookMs = page.tookMs ?? 0;
  const wrote = wroteOf(container.name, page.edits);
  if (tookMs >= timeoutMs) return { error: timedOut, tookMs: timeoutMs, untilMs, wrote, waitsFor };
  if (page.edits?.length)
    affects?.(
      pod,
      container.name,
      page.edits.map((pageEdit) => dated(pageEdit, atMs)),
    );
  const location = page.headers?.find(([name]) => name.toLowerCase() === "location")?.[1];
  return { status: page.status ?? 200, location, tookMs, untilMs, wrote, waitsFor };
}

/** Opens the connections that a server needs for its answer, and records which changes can change the answer. */
function onwardFrom(
  { pod, view }: Called,
  { run, container }: Listener,
  files: Files,
  { atMs, work = limits.probeWork }: CallRequest,
) {
  const waitsFor = new Set<string>();
  let validUntilMs = forever;
  const open = view.network?.(pod);
  const reach = (contact: Contact): Reached => {
    const reached = open?.(contact) ?? { kind: "dropped" };
    if (reached.validUntilMs !== undefined && reached.validUntilMs > atMs)
      validUntilMs = Math.min(validUntilMs, reached.validUntilMs);
    const { waitsFor: target, through, dependsOn = [] } = reached;
    for (const key of [target, through, ...dependsOn]) if (key !== undefined) waitsFor.add(key);
    return reached;
  };
  const resolve = (host: string) => {
    const words = ["/bin/sh", "-c", getentCommand(host)];
    const done = execIn({
      pod,
      container,
      view,
      words,
      files,
      ports: run.ports,
      nowMs: atMs,
      untilMs: atMs + resolveMs,
      work,
    });
    if ("missing" in done) return undefined;
    for (const key of done.waitsFor) waitsFor.add(key);
    return addressIn(done.chunks.map(({ text }) => text).join(""));
  };
  return { ...(open ? { reach } : {}), resolve, validUntilMs: () => validUntilMs, waitsFor: () => [...waitsFor] };
}

/** The time after which a query to a resolver is given up. */
const resolveMs = 10_000;

function wroteOf(container: string, edits: readonly PageEdit[] = []): Wrote[] {
  return edits.flatMap(({ path, text = "", textAt = () => text }) => {
    const stream = streamOf(path);
    return stream === undefined ? [] : [{ container, stream, textAt }];
  });
}

/** Lets a program's own code answer. The answer holds until a file changes, unless the program read its clock. */
function visitedBy(
  { pod, podIp }: Called,
  { run, container }: Listener,
  request: PortRequest & { readonly port: number },
  { atMs, timeoutMs }: CallRequest,
  call: { readonly untilMs: number; readonly affects: Affects | undefined },
): Fetched {
  const visitAt = (visitMs: number) => ({
    id: probeVisitId(visitMs),
    ...request,
    from: kubeletAddress({ pod, podIp }),
  });
  const visit = visitAt(atMs);
  const { answer, work } = must(run.visited, "a program that answers")(visit, { atMs, limitMs: timeoutMs });
  const editAt = (visitMs: number) => ({ atMs: visitMs, ...visitEdit(visitAt(visitMs)) });
  const wrote = [{ container: container.name, editAt }];
  call.affects?.(pod, container.name, [editAt(atMs)]);
  if (!answer) return { error: timedOut, tookMs: timeoutMs, untilMs: atMs + 1, work, wrote };
  const untilMs = answer.isPassing ? atMs + 1 : call.untilMs;
  const location = answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  return { status: answer.status, location, tookMs: answer.atMs - atMs, untilMs, work, wrote };
}

/** Sends a request to a host other than the pod, over the network. Hosts outside the cluster answer too. */
function fetchedElsewhere({ called: { pod, view } }: Call, { host, port, path, headers, atMs }: HttpRequest): Fetched {
  const request = { method: "GET", path, headers, body: "" };
  const reached = view.network?.(pod)({ address: host, port, atMs, request });
  const whenever = { tookMs: 0, untilMs: forever };
  if (!reached || reached.kind === "outside") return { status: 200, ...whenever };
  const { answer } = reached;
  return answer ? { status: answer.status, ...whenever } : { error: refused(`${host}:${port}`), ...whenever };
}

function refused(address: string): string {
  return `dial tcp ${address}: connect: connection refused`;
}

/** Returns when a run's files change next, or the end of what is known of them. */
function editedMs({ edits, outside, knownMs }: Trace, nowMs: number): number {
  const next = [edits, outside].map((list) => {
    return (
      list.find(({ atMs, path }) => atMs > nowMs && (!path.startsWith("/proc/") || path === visitPath))?.atMs ?? forever
    );
  });
  return Math.min(...next, knownMs > nowMs ? knownMs : forever);
}

function portsOf({ run, beside }: Called): ReadonlyMap<number, number> {
  return new Map([run, ...beside.map((trace) => trace.run)].flatMap((trace) => [...trace.ports]));
}
