// The order in which containers are started: init containers one by one, then main containers, then restarts.
import type { ContainerRestartRule } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, hasRun, isRunning, lastEnd, ofRole, type PodLife, timeMs } from "../life.ts";
import { parseGoDuration } from "../duration.ts";
import { startedMs } from "./probe-history.ts";
import { isMisconfigured } from "./configuration.ts";
import { isRefused } from "./pull.ts";

/** Containers that are started one after the other. */
export interface Pass {
  readonly containers: readonly ContainerLife[];
  readonly beginMs: number;
  /** Whether the event of pulling was already recorded, because a status write showed the beginning of the pass. */
  readonly announced: boolean;
  /** Whether the pass takes no time. */
  readonly atOnce?: true;
}

export function passes(life: PodLife): Pass[] {
  const duePasses: Pass[] = [];
  for (const container of ofRole(life, "ephemeral")) {
    // An ephemeral container is started in the sync that first sees it, because its spec has no time of creation.
    if (!hasRun(container) && !isBlocked(life, container))
      duePasses.push({ containers: [container], beginMs: life.nowMs, announced: false, atOnce: true });
  }
  const readyMs = initialize(life, duePasses);
  const main = ofRole(life, "main");
  if (readyMs !== undefined) {
    const fresh = main.filter((container) => !hasRun(container) && !isBlocked(life, container));
    if (fresh.length > 0) duePasses.push({ containers: fresh, beginMs: readyMs, announced: !main.some(hasRun) });
  }
  for (const container of main) addRestart(life, container, duePasses);
  return duePasses;
}

/**
 * Returns the time at which all init containers had completed and all sidecars had started; undefined before. Adds the passes that are still
 * needed to `duePasses`.
 */
export function initialize(life: PodLife, duePasses: Pass[] = []): number | undefined {
  let readyMs = life.startMs;
  const hasMainStarted = ofRole(life, "main").some(hasRun);
  for (const container of ofRole(life, "init", "sidecar")) {
    const { status } = container;
    if (!hasRun(container)) {
      if (!isBlocked(life, container)) duePasses.push({ containers: [container], beginMs: readyMs, announced: true });
      return undefined;
    }
    if (container.role === "sidecar") {
      if (!isRunning(container)) addRestart(life, container, duePasses);
      if (isRunning(container) && status.started)
        readyMs = Math.max(readyMs, Math.min(startedMs(life, container, life.nowMs), life.nowMs));
      else if (!hasMainStarted) return undefined;
      continue;
    }
    const terminated = status.state.terminated;
    if (terminated?.exitCode !== 0) {
      addRestart(life, container, duePasses);
      return undefined;
    }
    readyMs = Math.max(readyMs, timeMs(terminated.finishedAt));
  }
  return readyMs;
}

/** Adds the restart of a container that has ended, after its back-off. */
function addRestart(life: PodLife, container: ContainerLife, duePasses: Pass[]): void {
  const ended = lastEnd(container.status);
  if (!ended || isBlocked(life, container) || !shouldRestart(life, container, ended.exitCode)) return;
  const beginMs = timeMs(ended.finishedAt) + backOffMs(life, container);
  duePasses.push({ containers: [container], beginMs, announced: false });
}

/** Reports whether a problem with its image or its configuration keeps the container from starting. */
function isBlocked(life: PodLife, container: ContainerLife): boolean {
  return isRefused(life, container) || isMisconfigured(life, container);
}

const firstBackOffMs = 10_000;
const lastBackOffMs = 300_000;

/** The reasons of failed starts. The state keeps them until the container waits for its next start. */
export const startFailures: readonly string[] = ["RunContainerError", "PostStartHookError"];

/**
 * Returns the wait between a container's end and its next start (upstream: `flowcontrol.Backoff`). There is none after the first end. Then it is
 * ten seconds, doubled each time up to five minutes, and reset after ten minutes of running. It is computed from the last two runs: the
 * next wait is the double of the one before.
 */
export function backOffMs(life: PodLife, container: ContainerLife): number {
  const { state, lastState } = container.status;
  const recordedWait = /^back-off (\S+) restarting/.exec(state.waiting?.message ?? "")?.[1];
  if (recordedWait !== undefined) return parseGoDuration(recordedWait) ?? 0;
  // A start that fails does so at once: each wait is the double of the one before.
  if (lastEnd(container.status)?.reason === "StartError" || startFailures.includes(state.waiting?.reason ?? "")) {
    const { restartCount } = container.status;
    return restartCount === 0 ? 0 : Math.min(firstBackOffMs * 2 ** (restartCount - 1), lastBackOffMs);
  }
  const [ended, earlierEnd] = [state.terminated, lastState.terminated];
  if (!ended || !earlierEnd || imageChanged(life, container)) return 0;
  const ranMs = timeMs(ended.finishedAt) - timeMs(ended.startedAt);
  if (ranMs >= 2 * lastBackOffMs) return 0;
  const waitedMs = timeMs(ended.startedAt) - timeMs(earlierEnd.finishedAt);
  // The time between two runs includes pulling and starting, and times have whole seconds: use the step below it.
  let step = 0;
  for (let next = firstBackOffMs; next <= waitedMs + 999 && next < lastBackOffMs; next *= 2) step = next;
  if (waitedMs + 999 >= lastBackOffMs) step = lastBackOffMs;
  return step === 0 ? firstBackOffMs : Math.min(step * 2, lastBackOffMs);
}

/** Reports whether the container runs, or ran, another image than its spec names. */
export function imageChanged({ node }: PodLife, { spec, status }: ContainerLife): boolean {
  if (status.containerID === undefined) return false;
  const image = node.images.imageStatus(spec.image ?? "");
  return !("error" in image) && status.image !== image.name;
}

/** Reports whether a container is restarted by its own rules and policy, or else by its pod's (upstream: `ContainerShouldRestart`). */
export function shouldRestart(life: PodLife, { spec, role }: ContainerLife, exitCode: number): boolean {
  if (role === "ephemeral") return false;
  const containerPolicy = spec.restartPolicy;
  if (containerPolicy !== undefined && spec.restartPolicyRules?.some((rule) => applies(rule, exitCode))) return true;
  let policy = containerPolicy ?? life.pod.spec.restartPolicy ?? "Always";
  // An init container that succeeded is never restarted.
  if (role === "init" && policy === "Always") policy = "OnFailure";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function applies({ action, exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (action !== "Restart" || !exitCodes) return false;
  const listed = exitCodes.values?.includes(exitCode) ?? false;
  return exitCodes.operator === "NotIn" ? !listed : listed;
}
