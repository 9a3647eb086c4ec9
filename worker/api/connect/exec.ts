// pods/{name}/exec: runs a command in a container. The edge holds the client's socket and polls this for output.
import { must } from "../../../shared/base/assert.ts";
import {
  internalHeaders,
  type SessionOpened,
  type SessionStep,
  type SessionStepped,
} from "../../../shared/contract/cluster-object.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection, requireCreate } from "./admission.ts";
import { exited, failed, succeeded } from "./endings.ts";
import { requireReachable, sessionOnMachine, sessionPath } from "./kubelet-session.ts";
import { sessionBegins, sessionEnds, sessionGoesOn } from "./open-sessions.ts";
import { nothingSent } from "./progress.ts";
import {
  horizonMs,
  isRunning,
  kubeletError,
  notUpgraded,
  requirePlacedContainer,
  readStep,
  outputUntil,
} from "./session.ts";
import { datedNow, inRealTime, sessionNowMs } from "./session-time.ts";
import { admittedOptions, optionsObject, type StreamOptions, streamOptions } from "./stream-options.ts";

/** The exit code of a command in a container that is killed. */
const killed = 137;

export async function exec(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const execOptions = streamOptions(req.url.searchParams);
  if (isSessionStep(req)) return stepped(req, execOptions, () => requirePlacedContainer(req, kind, info, execOptions));
  const admitted = await admitConnection(req, kind, info, optionsObject("PodExecOptions", execOptions));
  const options = admittedOptions(admitted);
  requireCreate(req, kind, info);
  const { pod, container } = requirePlacedContainer(req, kind, info, options);
  const kubelet = requireReachable(req, pod);
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw ApiError.badRequest("you must specify at least 1 of stdin, stdout, stderr");
  }
  if (kubelet) return sessionOnMachine(req, kubelet, sessionPath("exec", pod, container, options));
  if (!isRunning(pod, container)) return kubeletError(`container not found (${JSON.stringify(container)})`);
  return opened(req);
}

/** Runs a command on a simulated node itself, as a login with ssh does. */
export async function nodeExec(req: ApiRequest, kind: Kind, info: ResourceInfo, name: string): Promise<Response> {
  const options = streamOptions(req.url.searchParams);
  const onNode = (startMs: number) => must(req.server.containers, "containers").onNode(name, startMs);
  if (isSessionStep(req)) return stepped(req, options, ({ startMs }) => onNode(startMs));
  requireCreate(req, kind, info);
  onNode(req.server.registry.clock.nowMs());
  if (options.command.length === 0) throw ApiError.badRequest("you must specify at least one command for the node");
  return opened(req);
}

/** Reports whether the edge polls an open session. */
export function isSessionStep({ request }: ApiRequest): boolean {
  return request.headers.get(internalHeaders.session) === "step";
}

function opened(req: ApiRequest): Response {
  const { registry } = req.server;
  // A client that fails over WebSockets retries without them, and shows the error of the retry.
  req.server.load.sessions.requireRoom();
  if (req.request.headers.get(internalHeaders.session) !== "open") throw notUpgraded(req);
  sessionBegins(req);
  const session: SessionOpened = { nowMs: registry.clock.nowMs(), realMs: req.server.nowMs(), sent: nothingSent };
  return Response.json(session, { headers: uncached });
}

async function stepped(
  req: ApiRequest,
  options: StreamOptions,
  place: (step: SessionStep) => { readonly pod: Pod; readonly container: string },
): Promise<Response> {
  const step = await readStep(req);
  const { server } = req;
  const containers = must(server.containers, "containers");
  const { pod, container } = place(step);
  const nowMs = sessionNowMs(server, step);
  const input = { typed: step.typed, hasEnded: step.hasEnded, isTerminal: options.tty };
  const command = { words: options.command, startMs: step.startMs, untilMs: nowMs + horizonMs, input };
  const isSame = isRunning(pod, container) && !isAnother(pod, container, step.startMs);
  const done = isSame ? await containers.execute(pod, container, command) : undefined;
  const protocols = req.request.headers.get("sec-websocket-protocol") ?? "";
  const answered = (): SessionStepped => {
    if (!done) return { nowMs, output: [], sent: step.sent, status: exited(killed, options.command, protocols) };
    if ("missing" in done) return { nowMs, output: [], sent: step.sent, status: failed(done.missing, pod, protocols) };
    return outputUntil(done, step, nowMs, (code) =>
      code === 0 ? succeeded : exited(code, options.command, protocols),
    );
  };
  const changes = done && "changes" in done ? done.changes.filter((change) => change.atMs <= nowMs) : [];
  if (changes.length > 0) server.turn(() => containers.keep(pod, container, datedNow(server, changes)));
  const answer = inRealTime(server, answered());
  if (answer.status || step.hasLeft) sessionEnds(req);
  else sessionGoesOn(req);
  return Response.json(answer, { headers: uncached });
}

/**
 * Reports whether the container has restarted since the command started. Stored times are in whole seconds, so a start may be slightly in
 * the future.
 */
function isAnother({ status }: Pod, container: string, sinceMs: number): boolean {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  const containerStatus = all.flatMap((list) => list ?? []).find((candidate) => candidate.name === container);
  const endedMs = Date.parse(containerStatus?.lastState.terminated?.finishedAt ?? "") + 999;
  return Date.parse(containerStatus?.state.running?.startedAt ?? "") > sinceMs && endedMs >= sinceMs;
}
