// Functions shared by exec and attach sessions.
import type { SessionStep, SessionStepped } from "../../../shared/contract/cluster-object.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { readBody, text } from "../body/body.ts";
import type { Executed } from "./containers.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { containerOf, podOf } from "./pod-of.ts";
import { sentOf, unsent } from "./progress.ts";
import type { StreamOptions } from "./stream-options.ts";

/** How far beyond the current time a program is simulated. Also the maximum time between polls. */
export const horizonMs = 15_000;

/** Reads the body of a poll of a session. Only the edge sends these. */
export async function readStep({ request }: ApiRequest): Promise<SessionStep> {
  return JSON.parse(text(await readBody(request))) as SessionStep;
}

/** Returns the pod and its container. Throws 400 if the pod is not bound to a node. */
export function requirePlacedContainer(
  req: ApiRequest,
  kind: Kind,
  info: ResourceInfo,
  options: Pick<StreamOptions, "container">,
) {
  const pod = podOf(req.server.registry, kind, info);
  const container = containerOf(pod, options.container);
  if (!pod.spec.nodeName) throw ApiError.badRequest(`pod ${info.name} does not have a host assigned`);
  return { pod, container };
}

export function isRunning({ status }: Pod, container: string): boolean {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  return all.some((list) =>
    list?.some((containerStatus) => containerStatus.name === container && containerStatus.state.running),
  );
}

/** Returns an error of the kubelet, which is not a Status. */
export function kubeletError(message: string, status = 500): Response {
  return new Response(message, { status, headers: { ...uncached, "content-type": "text/plain; charset=utf-8" } });
}

/** Returns the error for SPDY without WebSockets. Its message says how to enable WebSockets. */
export function notUpgraded({ request }: ApiRequest): ApiError {
  if (!/^spdy/i.test(request.headers.get("upgrade") ?? "")) return ApiError.badRequest("Upgrade request required");
  return ApiError.badRequest(
    "this cluster speaks WebSockets and not SPDY: use kubectl 1.31 or later, or set KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true (1.29 and 1.30)",
  );
}

/** Returns the output that is due and was not sent yet, with the exit status or the time of the next poll. */
export function outputUntil(
  { chunks, end, changes, nextChangeMs }: Executed,
  { sent }: SessionStep,
  nowMs: number,
  statusOf: (exitCode: number) => object,
): SessionStepped {
  const dueChunks = chunks.filter((chunk) => chunk.atMs <= nowMs);
  const output = unsent(dueChunks, sent).map(({ stream, text }) => ({ stream, text }));
  const hasEnded = end !== undefined && end.atMs <= nowMs;
  const times = [...chunks, ...changes, ...(end ? [end] : [])].map((event) => event.atMs);
  const futureTimesMs = [...times, nextChangeMs ?? nowMs].filter((atMs) => atMs > nowMs);
  return {
    nowMs,
    output,
    sent: sentOf(dueChunks, sent),
    ...(hasEnded ? { status: statusOf(end.exitCode) } : { nextMs: Math.min(nowMs + horizonMs, ...futureTimesMs) }),
  };
}
