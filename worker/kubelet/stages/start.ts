// Starts containers: a pass pulls, creates and starts the containers that are due, one after the other.
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Image } from "../../containers/cri.ts";
import {
  attemptOf,
  type ContainerLife,
  isBeingStopped,
  isTerminalPhase,
  lastEnd,
  type PodLife,
  recordEvent,
} from "../life.ts";
import { goDuration } from "../duration.ts";
import { phaseOf } from "../status/phase.ts";
import { configurationProblem, reject, volumeProblem } from "./configuration.ts";
import { createdText, presentText, startedText } from "./event-texts.ts";
import { type Pull, pullOf, refuse, recordPull } from "./pull.ts";
import { type Pass, passes } from "./order.ts";
import { type Begin, failHook, failStart, postStart, startProblemOf } from "./post-start.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";
import { recordFromStart } from "./record-assumptions.ts";

export const start: Stage = {
  name: "start",
  next(life) {
    if (Number.isNaN(life.startMs) || isBeingStopped(life) || isTerminalPhase(phaseOf(life)) || volumeProblem(life))
      return undefined;
    const moves = passes(life).map((pass): Move => {
      const atMs = Math.max(pass.atOnce ? pass.beginMs : endOf(life, pass), life.blockedUntilMs);
      return { atMs, apply: (_, nowMs) => runPass(life, pass, nowMs) };
    });
    return earliestMove(moves);
  },
};

/** Records the event of pulling at the beginning of a pass. Only the first container has one, since no status is written in between. */
export function announcePull(life: PodLife, atMs: number): void {
  if (volumeProblem(life)) return;
  for (const pass of passes(life)) {
    const [first] = pass.containers;
    if (!first || !pass.announced || pass.beginMs > atMs) continue;
    const { outcome } = pullOf(life, first, pass.beginMs);
    if (outcome === "pull" || outcome === "fail") {
      recordPull(life, first);
    }
  }
}

function endOf(life: PodLife, pass: Pass): number {
  return pullsOf(life, pass).reduce(
    (atMs, { container, pull }) => {
      const startMs = atMs + durationOf(life, container, pull);
      return startMs + beginOf(life, container, pull, startMs).tookMs;
    },
    sandboxReadyMs(life, pass),
  );
}

/** Returns the outcome of each pull of a pass. An image that one container pulled is present for the next. */
function pullsOf(life: PodLife, pass: Pass): { readonly container: ContainerLife; readonly pull: Pull }[] {
  const pulled = new Set<string>();
  return pass.containers.map((container) => {
    const { image = "", imagePullPolicy } = container.spec;
    const pull = pullOf(life, container, pass.beginMs);
    const present = pull.outcome === "pull" && pulled.has(image) && imagePullPolicy !== "Always";
    pulled.add(image);
    return { container, pull: present ? { ...pull, outcome: "present", ms: 0 } : pull };
  });
}

/** Returns when the sandbox exists. It is created once, before the first container. */
function sandboxReadyMs(life: PodLife, pass: Pass): number {
  return pass.beginMs + (life.podIp === undefined ? life.node.runtime.latency.runPodSandbox(life.pod) : 0);
}

function durationOf(life: PodLife, container: ContainerLife, pull: Pull): number {
  if (pull.outcome !== "pull" && pull.outcome !== "present") return pull.ms;
  return pull.ms + life.node.runtime.latency.startContainer(life.pod, container.spec);
}

function beginOf(life: PodLife, container: ContainerLife, pull: Pull, startMs: number): Begin {
  const starts = pull.outcome === "pull" || pull.outcome === "present";
  return starts && !configurationProblem(life, container) ? postStart(life, container, startMs) : { tookMs: 0 };
}

function runPass(life: PodLife, pass: Pass, endMs: number): void {
  const { runtime } = life.node;
  const sandbox = life.podIp === undefined ? runtime.runPodSandbox(life.pod) : { ip: life.podIp };
  if (sandbox.error !== undefined) {
    recordEvent(life, "Warning", "FailedCreatePodSandBox", `Failed to create pod sandbox: ${sandbox.error}`);
    life.blockedUntilMs = endMs + 12_000;
    return;
  }
  const pulls = pullsOf(life, pass);
  // Computed before anything is changed, because the sync may continue in another turn.
  for (const { container } of pulls) startProblemOf(life, container);
  let atMs = Math.min(sandboxReadyMs(life, pass), endMs);
  if (life.podIp === undefined) life.effects.push(...runtime.disk.makeHostPaths(life.pod, atMs));
  life.podIp = sandbox.ip ?? life.node.ip;
  pulls.forEach(({ container, pull }, at) => {
    // A container that starts in the sync that first sees it is not dated ahead, because its log exists from then on.
    if (!pass.atOnce) atMs += durationOf(life, container, pull);
    const announced = pass.announced && at === 0;
    if (pull.outcome === "pull" || pull.outcome === "present") {
      const begin = beginOf(life, container, pull, atMs);
      startOne(life, container, pull, atMs, announced);
      life.effects.push(...(begin.effects ?? []));
      if (begin.failed && container.status.state.running) failHook(life, container, begin.failed);
      atMs += begin.tookMs;
    } else {
      refuse(life, container, pull, { isAnnounced: announced });
    }
  });
}

function startOne(life: PodLife, container: ContainerLife, pull: Pull, atMs: number, announced: boolean): void {
  const { images } = life.node;
  const image = container.spec.image ?? "";
  const pulled = images.imageStatus(image);
  if ("error" in pulled) return;
  if (pull.outcome === "pull") {
    if (!announced) recordPull(life, container);
    const { sizeBytes } = pulled;
    const took = goDuration(pull.ms);
    const message = `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${sizeBytes} bytes.`;
    recordEvent(life, "Normal", "Pulled", message, container);
    images.keepImage(pulled, atMs);
    if (pull.fault) life.pullFaults.push(pull.fault);
  } else {
    recordEvent(life, "Normal", "Pulled", presentText(life, image), container);
  }
  const problem = configurationProblem(life, container);
  if (problem) return reject(life, container, problem);
  recordEvent(life, "Normal", "Created", createdText(life, container), container);
  runningFrom(life, container, pulled, atMs);
  recordFromStart(life, container);
  const failed = startProblemOf(life, container);
  if (failed !== undefined) return failStart(life, container, failed, atMs);
  recordEvent(life, "Normal", "Started", startedText(life, container), container);
}

function runningFrom(life: PodLife, container: ContainerLife, image: Image, atMs: number): void {
  const { spec, status } = container;
  const restartCount = attemptOf(container);
  const created = life.node.runtime.createContainer(life.pod, spec, restartCount);
  const ended = lastEnd(status);
  const started = spec.startupProbe === undefined;
  container.status = {
    ...status,
    state: { running: { startedAt: rfc3339(atMs) } },
    lastState: ended ? { terminated: ended } : {},
    ready: started && spec.readinessProbe === undefined && container.role !== "init",
    restartCount,
    image: image.name,
    imageID: image.id,
    ...(created.error === undefined ? { containerID: created.containerId } : {}),
    started,
  };
}
