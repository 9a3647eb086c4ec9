// GET pods/{name}/log: returns the output of a container. The edge polls this to follow a log.
import { internalHeaders, joining, type Sent } from "../../../shared/contract/cluster-object.ts";
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import { countBefore } from "../../../shared/base/partition.ts";
import { utf8Length } from "../../../shared/base/utf8.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Printed, PrintedLine } from "./containers.ts";
import { kubeletCall, podPath, type RealKubelet, realKubeletOf, streamed } from "./kubelet-connection.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { type LogOptions, logOptions } from "./log-options.ts";
import { sessionBegins, sessionEnds, sessionGoesOn } from "./open-sessions.ts";
import { containerOf, podOf } from "./pod-of.ts";
import { firstUnsent, nothingSent, sentOf } from "./progress.ts";
import { waitMsUntil } from "./session-time.ts";

/** The position of a follower. */
interface Position {
  /** The id of the run in the runtime. */
  readonly id: string;
  readonly sent: Sent;
  /** The remaining bytes of the limit. */
  readonly left?: number;
}

export async function log(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { registry, containers } = req.server;
  const options = logOptions(req.url.searchParams, info.name, registry.clock.nowMs());
  const pod = podOf(registry, kind, info);
  const container = containerOf(pod, options.container);
  if (!pod.spec.nodeName) return new Response(null, { status: 204, headers: uncached });
  const kubelet = realKubeletOf(req, pod.spec.nodeName);
  if (kubelet) return kubeletLog(req, kubelet, podPath("containerLogs", pod, container), options);
  const header = req.request.headers.get(internalHeaders.logPosition);
  if (req.server.present) return pastLog(req, pod, container, options);
  if (header === joining) return must(containers?.news, "sockets")(pod, container);
  // The edge returns the position that it received from here.
  const since = header ? (JSON.parse(header) as Position) : undefined;
  const run = runOf(pod, container, options.previous, since);
  const read = { previous: run?.isPrevious ?? false, follows: options.follow };
  const printed = run && (await must(containers, "containers").printed(pod, container, read));
  if (!run || !printed) return new Response(null, { headers });
  const from = firstShown(printed, options, since);
  const left = since?.left ?? options.limitBytes;
  const rest = left === undefined ? undefined : left - measured(printed, from, options, left);
  const body = rendered(req, printed, from, options, left);
  const goesOn = options.follow && !printed.hasEnded && rest !== 0;
  if (!goesOn) sessionEnds(req);
  else if (since) sessionGoesOn(req);
  else sessionBegins(req);
  if (!goesOn) return new Response(body, { headers });
  const position: Position = {
    id: run.id,
    sent: sentOf(printed.lines, since?.sent ?? nothingSent, printed.count),
    ...(rest === undefined ? {} : { left: rest }),
  };
  const { nextOutputMs } = printed;
  const waitMs = nextOutputMs === undefined ? undefined : waitMsUntil(req.server, nextOutputMs);
  return new Response(body, {
    headers: {
      ...headers,
      [internalHeaders.logPosition]: JSON.stringify(position),
      ...(waitMs === undefined ? {} : { [internalHeaders.logWait]: String(waitMs) }),
    },
  });
}

/** Returns the log of a container on a machine that is a node. */
function kubeletLog(req: ApiRequest, kubelet: RealKubelet, path: string, { follow }: LogOptions): Response {
  if (req.server.present) throw ApiError.badRequest("at: a real node keeps no past logs");
  const pathAndQuery = path + logQuery(req.url.searchParams);
  return streamed(req, kubelet, kubeletCall(kubelet, pathAndQuery, { isLong: follow }), {
    failure: (dialError) => new ApiError(500, "", `Get "https://${kubelet.address}${pathAndQuery}": ${dialError}`),
    worded: logError,
  });
}

/** Returns the error for a kubelet's error response (upstream: `GenericHttpResponseChecker`). */
function logError(status: number, text: string): ApiError {
  if (status === 400) return ApiError.badRequest(text);
  if (status >= 500) return ApiError.internal(text);
  return new ApiError(status, status === 404 ? "NotFound" : "", text);
}

/**
 * Returns the log of a container as it was at a past moment: the lines up to then. The run is that of the pod as it was. If the present pod
 * no longer has the run, what it printed is computed from the past pod.
 */
async function pastLog(req: ApiRequest, past: Pod, container: string, options: LogOptions): Promise<Response> {
  const { registry, present, containers } = req.server;
  const run = must(runOf(past, container, options.previous, undefined), "the run of a first read");
  const { namespace = "", name = "", uid } = past.metadata;
  const presentPod = must(present, "the present").store.get({ resource: "pods", namespace, name }) as Pod | undefined;
  const source = (presentPod?.metadata.uid === uid && presentPod && runWithId(presentPod, container, run.id)) || {
    pod: past,
    previous: run.isPrevious,
  };
  const read = { previous: source.previous, follows: false };
  const printed = await must(containers, "containers").printed(source.pod, container, read);
  if (!printed) return new Response(null, { headers });
  const { lines } = printed;
  const untilMs = registry.clock.nowMs();
  const count = countBefore(lines.slice(0, printed.count), ({ atMs }) => atMs <= untilMs);
  const cut = { ...printed, count };
  return new Response(rendered(req, cut, firstShown(cut, options, undefined), options, options.limitBytes), {
    headers,
  });
}

/** Returns the pod with the position of a run; undefined if the pod has had two later ones. */
function runWithId(pod: Pod, container: string, id: string) {
  const containerStatus = statusOf(pod, container);
  if (!containerStatus) return undefined;
  if (presentId(containerStatus) === id) return { pod, previous: false };
  return containerStatus.lastState.terminated?.containerID === id ? { pod, previous: true } : undefined;
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  return all.flatMap((list) => list ?? []).find(({ name }) => name === container);
}

/** Returns the query that upstream passes to the kubelet: the options of the log without the container, sorted as Go encodes them. */
function logQuery(query: URLSearchParams): string {
  const options = new URLSearchParams(query);
  options.delete("container");
  options.sort();
  return options.size === 0 ? "" : `?${options.toString()}`;
}

// The body is never compressed, because it may continue.
const headers = { ...uncached, "content-type": "text/plain" };

/** Returns the run of a request; undefined if a follower's run is gone. Throws the kubelet's error if there is none. */
function runOf(pod: Pod, container: string, previous: boolean, since: Position | undefined) {
  const containerStatus = statusOf(pod, container);
  const isAt = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (!containerStatus) throw ApiError.badRequest(`${isAt} is not available`);
  const before = containerStatus.lastState.terminated?.containerID ?? "";
  if (since) {
    if (since.id === presentId(containerStatus)) return { id: since.id, isPrevious: false };
    return since.id === before ? { id: before, isPrevious: true } : undefined;
  }
  if (previous) {
    if (before === "") throw ApiError.badRequest(`previous terminated ${isAt} not found`);
    return { id: before, isPrevious: true };
  }
  const id = presentId(containerStatus);
  if (id !== "") return { id, isPrevious: false };
  if (before !== "") return { id: before, isPrevious: true };
  if (containerStatus.state.terminated || containerStatus.lastState.terminated)
    throw ApiError.badRequest(`${isAt} is terminated`);
  throw ApiError.badRequest(`${isAt} is waiting to start${whyWaiting(containerStatus)}`);
}

function presentId({ state, containerID }: ContainerStatus): string {
  return (state.running ? containerID : state.terminated?.containerID) ?? "";
}

function whyWaiting({ state }: ContainerStatus): string {
  const reason = state.waiting?.reason;
  if (reason === "ErrImagePull") return ": image can't be pulled";
  if (reason === "ImagePullBackOff") return ": trying and failing to pull image";
  return reason === undefined ? " - no logs yet" : `: ${reason}`;
}

/** Returns the index of the first requested line. */
function firstShown(
  { lines, count }: Printed,
  { tailLines, sinceMs }: LogOptions,
  since: Position | undefined,
): number {
  const tail = tailLines === undefined ? 0 : Math.max(0, count - tailLines);
  const first = since ? firstUnsent(lines, since.sent) : tail;
  return sinceMs === undefined
    ? first
    : Math.max(
        first,
        countBefore(lines, ({ atMs }) => atMs < sinceMs),
      );
}

/** Measures the bytes of the log from a line on, up to a maximum. */
function measured({ lines, count }: Printed, from: number, { timestamps }: LogOptions, most: number): number {
  let bytes = 0;
  for (let at = from; at < count && bytes < most; at++) {
    const line = lines[at];
    if (line) bytes += utf8Length(printedLine(line, timestamps));
  }
  return Math.min(bytes, most);
}

/** Streams the lines in chunks on demand. Little is buffered beyond the lines, which all readers share, however slow the reader. */
function rendered(
  { server }: ApiRequest,
  { lines, count }: Printed,
  from: number,
  { timestamps }: LogOptions,
  most = Number.POSITIVE_INFINITY,
): ReadableStream<Uint8Array> | null {
  if (from >= count) return null;
  const encoder = new TextEncoder();
  let at = from;
  let left = most;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await server.pause?.();
      let text = "";
      for (; at < count && text.length < limits.logPieceCharacters; at++) {
        const line = lines[at];
        if (line) text += printedLine(line, timestamps);
      }
      const bytes = encoder.encode(text);
      if (bytes.length > 0) controller.enqueue(bytes.length > left ? bytes.slice(0, left) : bytes);
      left -= bytes.length;
      if (at >= count || left <= 0) controller.close();
    },
  });
}

function printedLine({ atMs, text, isOpen }: PrintedLine, timestamps: boolean): string {
  const time = timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ` : "";
  return `${time}${text}${isOpen ? "" : "\n"}`;
}
