// Whose turn it is to be started: init containers in order, then the others, then what has to be started again.
import type { ContainerRestartRule } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, hasRun, isRunning, lastEnd, ofRole, type PodLife, timeMs } from "../life.ts";
import { parseGoDuration } from "../duration.ts";
import { startedMs } from "./probe-run.ts";
import { isMisconfigured } from "./configuration.ts";
import { isRefused } from "./pull.ts";

/** Containers that are started one after the other. */
export interface Pass {
  readonly containers: readonly ContainerLife[];
  readonly beginMs: number;
  /** Its beginning is seen in a status write, so the event of pulling was recorded then. */
  readonly announced: boolean;
  /** It takes no time. */
  readonly atOnce?: true;
}

export function passes(life: PodLife): Pass[] {
  const found: Pass[] = [];
  for (const one of ofRole(life, "ephemeral")) {
    // It is started as soon as it is seen; nothing tells when it was asked for.
    if (!hasRun(one) && !isHeld(life, one))
      found.push({ containers: [one], beginMs: life.nowMs, announced: false, atOnce: true });
  }
  const readyMs = initialize(life, found);
  const main = ofRole(life, "main");
  if (readyMs !== undefined) {
    const fresh = main.filter((one) => !hasRun(one) && !isHeld(life, one));
    if (fresh.length > 0) found.push({ containers: fresh, beginMs: readyMs, announced: !main.some(hasRun) });
  }
  for (const one of main) again(life, one, found);
  return found;
}

/** When all init containers have done their part; undefined before. What has to be started for it is added to `found`. */
export function initialize(life: PodLife, found: Pass[] = []): number | undefined {
  let readyMs = life.startMs;
  const begun = ofRole(life, "main").some(hasRun);
  for (const one of ofRole(life, "init", "sidecar")) {
    const { status } = one;
    if (!hasRun(one)) {
      if (!isHeld(life, one)) found.push({ containers: [one], beginMs: readyMs, announced: true });
      return undefined;
    }
    if (one.role === "sidecar") {
      if (!isRunning(one)) again(life, one, found);
      if (isRunning(one) && status.started)
        readyMs = Math.max(readyMs, Math.min(startedMs(life, one, life.nowMs), life.nowMs));
      else if (!begun) return undefined;
      continue;
    }
    const done = status.state.terminated;
    if (done?.exitCode !== 0) {
      again(life, one, found);
      return undefined;
    }
    readyMs = Math.max(readyMs, timeMs(done.finishedAt));
  }
  return readyMs;
}

/** A container that ended and is to be started again, after its back-off. */
function again(life: PodLife, container: ContainerLife, found: Pass[]): void {
  const ended = lastEnd(container.status);
  if (!ended || isHeld(life, container) || !restarts(life, container, ended.exitCode)) return;
  const beginMs = timeMs(ended.finishedAt) + backOffMs(life, container);
  found.push({ containers: [container], beginMs, announced: false });
}

/** Its image or its configuration was found wanting, and still is. */
function isHeld(life: PodLife, container: ContainerLife): boolean {
  return isRefused(life, container) || isMisconfigured(life, container);
}

const firstBackOffMs = 10_000;
const lastBackOffMs = 300_000;

/** A start that failed shows why, until its next start is waited for. */
export const startFailures: readonly string[] = ["RunContainerError", "PostStartHookError"];

/**
 * The wait between a container's end and its next start, upstream's `flowcontrol.Backoff`: none after the first end, then ten
 * seconds, doubled each time up to five minutes, forgotten after ten minutes. It follows from the last two runs: the next wait
 * is the double of the one before.
 */
export function backOffMs(life: PodLife, container: ContainerLife): number {
  const { state, lastState } = container.status;
  const told = /^back-off (\S+) restarting/.exec(state.waiting?.message ?? "")?.[1];
  if (told !== undefined) return parseGoDuration(told) ?? 0;
  // A start that fails does so at once: each wait is the double of the one before.
  if (lastEnd(container.status)?.reason === "StartError" || startFailures.includes(state.waiting?.reason ?? "")) {
    const { restartCount } = container.status;
    return restartCount === 0 ? 0 : Math.min(firstBackOffMs * 2 ** (restartCount - 1), lastBackOffMs);
  }
  const [ended, before] = [state.terminated, lastState.terminated];
  if (!ended || !before || imageChanged(life, container)) return 0;
  const ranMs = timeMs(ended.finishedAt) - timeMs(ended.startedAt);
  if (ranMs >= 2 * lastBackOffMs) return 0;
  const waitedMs = timeMs(ended.startedAt) - timeMs(before.finishedAt);
  // Pulling and starting are in what was waited, and times have whole seconds: take the step below.
  let step = 0;
  for (let next = firstBackOffMs; next <= waitedMs + 999 && next < lastBackOffMs; next *= 2) step = next;
  if (waitedMs + 999 >= lastBackOffMs) step = lastBackOffMs;
  return step === 0 ? firstBackOffMs : Math.min(step * 2, lastBackOffMs);
}

/** The container runs, or ran, another image than it should. */
export function imageChanged({ node }: PodLife, { spec, status }: ContainerLife): boolean {
  if (status.containerID === undefined) return false;
  const image = node.images.imageStatus(spec.image ?? "");
  return !("error" in image) && status.image !== image.name;
}

/** Upstream's `ContainerShouldRestart`: the container's own rules and policy, then the pod's. */
export function restarts(life: PodLife, { spec, role }: ContainerLife, exitCode: number): boolean {
  if (role === "ephemeral") return false;
  const own = spec.restartPolicy;
  if (own !== undefined && spec.restartPolicyRules?.some((rule) => applies(rule, exitCode))) return true;
  let policy = own ?? life.pod.spec.restartPolicy ?? "Always";
  // An init container that succeeded is never run again.
  if (role === "init" && policy === "Always") policy = "OnFailure";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function applies({ action, exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (action !== "Restart" || !exitCodes) return false;
  const listed = exitCodes.values?.includes(exitCode) ?? false;
  return exitCodes.operator === "NotIn" ? !listed : listed;
}
