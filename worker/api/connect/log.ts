// GET pods/{name}/log: what a container printed. A log that is followed is asked for again and again, by the edge.
import { internalHeaders, type Sent } from "../../../shared/contract/cluster-object.ts";
import type { ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Printed, PrintedLine } from "../containers.ts";
import { uncached } from "../present.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";
import { type LogOptions, logOptions } from "./log-options.ts";
import { sessionBegins, sessionEnds, sessionGoesOn } from "./open-sessions.ts";
import { containerOf, podOf } from "./pod-of.ts";
import { nothingSent, sentOf, unsent } from "./progress.ts";

/** How far a follower has come. */
interface Position {
  /** The run's, as the runtime names it. */
  readonly id: string;
  readonly sent: Sent;
  /** Bytes that may still be sent. */
  readonly left?: number;
}

export async function log(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { registry, containers } = call.service;
  const options = logOptions(call.url.searchParams, info.name, registry.clock.nowMs());
  const pod = podOf(registry, kind, info);
  const container = containerOf(pod, options.container);
  if (!pod.spec.nodeName) return new Response(null, { status: 204, headers: uncached });
  const given = call.request.headers.get(internalHeaders.logPosition);
  // The edge gives back what it was given here.
  const since = given ? (JSON.parse(given) as Position) : undefined;
  const run = runOf(pod, container, options.previous, since);
  const printed = run && must(containers, "containers").printed(pod, container, run.isPrevious);
  if (!run || !printed) return new Response(null, { headers });
  const bytes = shown(printed, options, since);
  const left = since?.left ?? options.limitBytes;
  const body = left === undefined ? bytes : bytes.slice(0, left);
  const rest = left === undefined ? undefined : left - body.length;
  const goesOn = options.follow && !printed.hasEnded && rest !== 0;
  if (!goesOn) sessionEnds(call);
  else if (since) sessionGoesOn(call);
  else sessionBegins(call);
  const position: Position = {
    id: run.id,
    sent: sentOf(printed.lines, since?.sent ?? nothingSent),
    ...(rest === undefined ? {} : { left: rest }),
  };
  return new Response(body, {
    headers: { ...headers, ...(goesOn ? { [internalHeaders.logPosition]: JSON.stringify(position) } : {}) },
  });
}

// Never compressed: it may go on.
const headers = { ...uncached, "content-type": "text/plain" };

/** Which run is meant; undefined if that of a follower is gone. Throws the kubelet's reasons why there is none. */
function runOf(pod: Pod, container: string, previous: boolean, since: Position | undefined) {
  const { status } = pod;
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  const found = all.flatMap((list) => list ?? []).find((one) => one.name === container);
  const isAt = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (!found) throw ApiError.badRequest(`${isAt} is not available`);
  const before = found.lastState.terminated?.containerID ?? "";
  if (since) {
    if (since.id === presentId(found)) return { id: since.id, isPrevious: false };
    return since.id === before ? { id: before, isPrevious: true } : undefined;
  }
  if (previous) {
    if (before === "") throw ApiError.badRequest(`previous terminated ${isAt} not found`);
    return { id: before, isPrevious: true };
  }
  const id = presentId(found);
  if (id !== "") return { id, isPrevious: false };
  if (before !== "") return { id: before, isPrevious: true };
  if (found.state.terminated || found.lastState.terminated) throw ApiError.badRequest(`${isAt} is terminated`);
  throw ApiError.badRequest(`${isAt} is waiting to start${whyWaiting(found)}`);
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

function shown(
  { lines }: Printed,
  { tailLines, sinceMs, timestamps }: LogOptions,
  since: Position | undefined,
): Uint8Array<ArrayBuffer> {
  const tail = tailLines === undefined ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  const asked = since ? unsent(lines, since.sent) : tail;
  const wanted = asked.filter((line) => sinceMs === undefined || line.atMs >= sinceMs);
  const text = wanted.map((line) => printedLine(line, timestamps)).join("");
  return Uint8Array.from(new TextEncoder().encode(text));
}

function printedLine({ atMs, text, isOpen }: PrintedLine, timestamps: boolean): string {
  const time = timestamps ? `${new Date(atMs).toISOString().replace("Z", "000000Z")} ` : "";
  return `${time}${text}${isOpen ? "" : "\n"}`;
}
