// pods/{name}/attach: streams the output of a container's main process from now on, and its input. The edge polls this, as for exec.
import { must } from "../../../shared/base/assert.ts";
import { internalHeaders, type SessionStepped } from "../../../shared/contract/cluster-object.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { admitConnection, requireCreate } from "./admission.ts";
import { succeeded } from "./endings.ts";
import { requireReachable, sessionOnMachine, sessionPath } from "./kubelet-session.ts";
import { sessionBegins, sessionEnds, sessionGoesOn } from "./open-sessions.ts";
import { nothingSent, sentOf } from "./progress.ts";
import { isRunning, kubeletError, notUpgraded, requirePlacedContainer, readStep, outputUntil } from "./session.ts";
import { inRealTime, sessionNowMs } from "./session-time.ts";
import { admittedOptions, optionsObject, type StreamOptions, streamOptions } from "./stream-options.ts";

export async function attach(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { command: _, ...query } = streamOptions(req.url.searchParams);
  const session = req.request.headers.get(internalHeaders.session);
  if (session === "step") return answerStep(req, kind, info, query);
  const admitted = await admitConnection(req, kind, info, optionsObject("PodAttachOptions", query));
  const options = admittedOptions(admitted);
  requireCreate(req, kind, info);
  const { pod, container } = requirePlacedContainer(req, kind, info, options);
  const kubelet = requireReachable(req, pod);
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw ApiError.badRequest("you must specify at least 1 of stdin, stdout, stderr");
  }
  if (kubelet) return sessionOnMachine(req, kubelet, sessionPath("attach", pod, container, options));
  if (!isRunning(pod, container)) {
    return kubeletError(`container ${container} not found in pod ${info.name}_${info.namespace}`);
  }
  // A client that fails over WebSockets retries without them, and shows the error of the retry.
  req.server.load.sessions.requireRoom();
  if (session !== "open") throw notUpgraded(req);
  sessionBegins(req);
  const { registry, containers } = req.server;
  const nowMs = registry.clock.nowMs();
  const begun = await must(containers, "containers").attach(pod, container, { startMs: nowMs, nowMs });
  return Response.json(
    {
      nowMs,
      realMs: req.server.nowMs(),
      sent: sentOf(
        (begun?.chunks ?? []).filter(({ atMs }) => atMs <= nowMs),
        nothingSent,
      ),
    },
    { headers: uncached },
  );
}

async function answerStep(
  req: ApiRequest,
  kind: Kind,
  info: ResourceInfo,
  options: Omit<StreamOptions, "command">,
): Promise<Response> {
  const step = await readStep(req);
  const { server } = req;
  const containers = must(server.containers, "containers");
  const nowMs = sessionNowMs(server, step);
  const { pod, container, isLeft } = server.turn(() => {
    const place = requirePlacedContainer(req, kind, info, options);
    const spec = must(specOf(place.pod, place.container), "container");
    const input = { typed: step.typed, hasEnded: step.hasEnded && spec.stdinOnce === true };
    const isTypedTo = options.stdin && spec.stdin === true;
    if (isTypedTo) containers.type(place.pod, place.container, step.startMs, input);
    return { ...place, isLeft: isTypedTo && step.hasEnded && !input.hasEnded && spec.tty !== true };
  });
  const done = await containers.attach(pod, container, { startMs: step.startMs, nowMs });
  const stepped: SessionStepped = done
    ? outputUntil(done, step, nowMs, () => succeeded)
    : { nowMs, output: [], sent: step.sent, status: succeeded };
  // If the container keeps its stdin open, the process continues without this client, and the runtime stops streaming the output.
  const answer = inRealTime(server, isLeft ? { ...stepped, status: succeeded } : stepped);
  if (answer.status || step.hasLeft) sessionEnds(req);
  else sessionGoesOn(req);
  return Response.json(answer, { headers: uncached });
}

function specOf({ spec }: Pod, name: string): Pick<Container, "name" | "stdin" | "stdinOnce" | "tty"> | undefined {
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  return all.find((container) => container.name === name);
}
