// The columns READY, STATUS and RESTARTS of `kubectl get pods`.
import type { Container, ContainerStatus, Pod } from "./api/core-v1.ts";
import { humanDuration, parseTime } from "./time.ts";

export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  /** Milliseconds; NaN if no container was restarted. */
  readonly lastRestartMs: number;
}

/** Upstream's `printPod`. */
export function summarize(pod: Pod): PodSummary {
  return summaryOf(pod, failureOf);
}

/** Upstream's `printPod` before 1.35, where the failure of a container beside a completed one is not shown. */
export function summarizeBefore135(pod: Pod): PodSummary {
  return summaryOf(pod, () => "");
}

function summaryOf(pod: Pod, failureReason: (status: ContainerStatus) => string): PodSummary {
  const { spec, status } = pod;
  const started = summarizeInit(pod);
  let { ready, restarts, lastRestartMs } = started;
  let reason = started.reason || firstReason(pod);
  if (!started.reason || hasTrue(pod, "Initialized")) {
    restarts = started.sidecarRestarts;
    lastRestartMs = started.sidecarRestartMs;
    let hasRunning = false;
    let failure = "";
    for (const container of [...(status.containerStatuses ?? [])].reverse()) {
      restarts += container.restartCount;
      lastRestartMs = later(lastRestartMs, container);
      const why = containerReason(container);
      failure = failureReason(container) || failure;
      if (why) reason = why;
      else if (container.ready && container.state.running) {
        hasRunning = true;
        ready += 1;
      }
    }
    if (reason === "Completed" && hasRunning && hasTrue(pod, "Ready")) reason = "Running";
    else if (reason === "Completed") reason = failure || (hasRunning ? "NotReady" : reason);
  }
  if (pod.metadata.deletionTimestamp && status.reason === "NodeLost") reason = "Unknown";
  else if (pod.metadata.deletionTimestamp && !isFinished(pod)) reason = "Terminating";
  const total = spec.containers.length + (spec.initContainers ?? []).filter(isSidecar).length;
  return { ready, total, reason, restarts, lastRestartMs };
}

/** `3 (5m ago)`. */
export function restartsText({ restarts, lastRestartMs }: PodSummary, nowMs: number): string {
  const isKnown = restarts !== 0 && !Number.isNaN(lastRestartMs);
  return isKnown ? `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)` : String(restarts);
}

export function isFinished({ status }: Pick<Pod, "status">): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

interface InitSummary {
  ready: number;
  restarts: number;
  lastRestartMs: number;
  sidecarRestarts: number;
  sidecarRestartMs: number;
  /** `Init:...` until all init containers have ended, else "". */
  reason: string;
}

function summarizeInit({ spec, status }: Pod): InitSummary {
  const initContainers = spec.initContainers ?? [];
  const summary: InitSummary = {
    ready: 0,
    restarts: 0,
    lastRestartMs: Number.NaN,
    sidecarRestarts: 0,
    sidecarRestartMs: Number.NaN,
    reason: "",
  };
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const runsOn = isSidecar(initContainers.find(({ name }) => name === container.name));
    summary.restarts += container.restartCount;
    summary.lastRestartMs = later(summary.lastRestartMs, container);
    if (runsOn) {
      summary.sidecarRestarts += container.restartCount;
      summary.sidecarRestartMs = later(summary.sidecarRestartMs, container);
    }
    if (container.state.terminated?.exitCode === 0) continue;
    if (runsOn && container.started) {
      if (container.ready) summary.ready += 1;
      continue;
    }
    summary.reason = `Init:${initReason(container) || `${index}/${initContainers.length}`}`;
    break;
  }
  return summary;
}

function initReason({ state }: ContainerStatus): string {
  if (state.terminated) return terminatedReason(state.terminated);
  const waiting = state.waiting?.reason ?? "";
  return waiting === "PodInitializing" ? "" : waiting;
}

function containerReason({ state }: ContainerStatus): string {
  if (state.waiting?.reason) return state.waiting.reason;
  return state.terminated ? terminatedReason(state.terminated) : "";
}

function failureOf({ state: { waiting, terminated } }: ContainerStatus): string {
  return terminated && terminated.exitCode !== 0 && !waiting?.reason ? terminatedReason(terminated) : "";
}

function terminatedReason({
  reason,
  signal,
  exitCode,
}: {
  reason?: string;
  signal?: number;
  exitCode: number;
}): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function firstReason({ status }: Pod): string {
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : status.reason || (status.phase ?? "");
}

function hasTrue({ status }: Pod, condition: string): boolean {
  return status.conditions?.some((entry) => entry.type === condition && entry.status === "True") ?? false;
}

function later(ms: number, { lastState }: ContainerStatus): number {
  const finished = lastState.terminated?.finishedAt;
  const finishedMs = finished ? parseTime(finished) : Number.NaN;
  return Number.isNaN(ms) || finishedMs > ms ? finishedMs : ms;
}

/** Reports whether an init container keeps running beside the others. */
function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}
