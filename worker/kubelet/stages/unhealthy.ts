// The consequences of failing probes: an event for each failure, and the end of a container whose liveness or startup probe fails.
import { type ContainerLife, end, isBeingStopped, isRunning, type PodLife, recordEvent, type Stop } from "../life.ts";
import { shouldRestart } from "./order.ts";
import { probeHistory, killMs, probeKinds, probeOf, type ProbeKind } from "./probe-history.ts";
import type { ResultChange } from "./probe-result.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";
import { stopOf } from "./stop.ts";

const names = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

/** The number of failures that each have an event. From then on upstream's event aggregation leaves one in `aggregateIntervalMs`. */
const maxSingleEvents = 25;
const aggregateIntervalMs = 300_000;

export const recordFailures: Stage = {
  name: "record failures",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const running = life.containers.filter((container) => isRunning(container) && container.role !== "init");
    return earliestMove([
      ...running.flatMap((container) => probeKinds.map((kind) => nextFailure(life, container, kind, nowMs))),
      ...running.map((container) => beginKill(life, container, nowMs)),
    ]);
  },
};

/** Returns the move that records the next failure. */
function nextFailure(life: PodLife, container: ContainerLife, kind: ProbeKind, nowMs: number): Move | undefined {
  const { status } = container;
  if (!probeOf(container, kind)) return undefined;
  const { series, periodMs, changes, computedUntilMs } = probeHistory(life, container, kind, nowMs);
  const key = `${status.containerID ?? ""}/${kind}`;
  const recordedUntilMs = life.recordedMs.get(key) ?? life.sinceMs;
  let earlierFailures = 0;
  let firstFailureMs: number | undefined;
  for (const { firstMs, attempts, ok, errored, message } of series) {
    if (ok) continue;
    firstFailureMs ??= firstMs;
    const failures = { firstMs, attempts, periodMs, earlierFailures, firstFailureMs };
    const atMs = nextRecordedMs(failures, recordedUntilMs);
    earlierFailures += attempts;
    if (atMs === undefined) continue;
    if (atMs > lastAttemptMs(kind, changes, killOf(life, container, nowMs)?.atMs)) return undefined;
    const text = errored ? `errored and resulted in unknown state: ${message}` : `failed: ${message}`;
    return {
      atMs,
      writesNoStatus: true,
      apply: () => {
        life.recordedMs.set(key, atMs);
        recordEvent(life, "Warning", "Unhealthy", `${names[kind]} probe ${text}`, container);
      },
    };
  }
  // Later failures are not computed yet, so the next sync is then.
  return computedUntilMs > nowMs && computedUntilMs < Number.POSITIVE_INFINITY
    ? { atMs: computedUntilMs, writesNoStatus: true, apply: () => undefined }
    : undefined;
}

/**
 * Returns the time after which a probe makes no more attempts. A startup probe ends with its first success, and both startup and liveness
 * probes when the container is killed. A readiness probe continues until the container ends.
 */
function lastAttemptMs(kind: ProbeKind, changes: readonly ResultChange[], killedMs = Number.POSITIVE_INFINITY): number {
  if (kind === "readiness") return Number.POSITIVE_INFINITY;
  const succeededMs = kind === "startup" ? changes.find((change) => change.ok)?.atMs : undefined;
  return Math.min(killedMs, succeededMs ?? Number.POSITIVE_INFINITY);
}

/** Consecutive failures: the time of the first one, their number, and what failed before. */
interface Failures {
  readonly firstMs: number;
  readonly attempts: number;
  readonly periodMs: number;
  /** The number of failures before these. */
  readonly earlierFailures: number;
  /** The time of the probe's first failure. */
  readonly firstFailureMs: number;
}

/** Returns the time of the first of the failures after `recordedUntilMs` that has an event; undefined if none of them has. */
function nextRecordedMs(failures: Failures, recordedUntilMs: number): number | undefined {
  const { firstMs, attempts, periodMs, earlierFailures } = failures;
  const next = Math.max(0, Math.floor((recordedUntilMs - firstMs) / periodMs) + 1);
  const isSingle = earlierFailures + next < maxSingleEvents;
  const recorded = isSingle ? next : Math.max(next, firstAggregated(failures, recordedUntilMs));
  return recorded < attempts ? firstMs + recorded * periodMs : undefined;
}

/** Returns the index of the first failure in the interval of aggregation that follows `recordedUntilMs`. */
function firstAggregated({ firstMs, periodMs, firstFailureMs }: Failures, recordedUntilMs: number): number {
  const elapsedMs = Math.max(recordedUntilMs, firstFailureMs) - firstFailureMs;
  const nextIntervalMs = firstFailureMs + (Math.floor(elapsedMs / aggregateIntervalMs) + 1) * aggregateIntervalMs;
  return Math.ceil((nextIntervalMs - firstMs) / periodMs);
}

/** Returns when the container is killed because of a probe, and of which kind. */
function killOf(
  life: PodLife,
  container: ContainerLife,
  nowMs: number,
): { readonly atMs: number; readonly kind: "startup" | "liveness" } | undefined {
  const kills = (["startup", "liveness"] as const).flatMap((kind) => {
    const atMs = killMs(life, container, kind, nowMs);
    return atMs === undefined ? [] : [{ atMs, kind }];
  });
  return kills.sort((a, b) => a.atMs - b.atMs)[0];
}

/** Returns the move that begins a kill because of a probe: it records the event, and runs the effects of the preStop hook. */
function beginKill(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  const kill = killOf(life, container, nowMs);
  const key = `${container.status.containerID ?? ""}/kill`;
  if (!kill || kill.atMs <= (life.recordedMs.get(key) ?? life.sinceMs)) return undefined;
  return {
    atMs: kill.atMs,
    writesNoStatus: true,
    apply: () => {
      life.recordedMs.set(key, kill.atMs);
      // Upstream's event calls a sidecar an init container, and does not announce its restart.
      const which = container.role === "sidecar" ? "Init container" : "Container";
      const again = container.role !== "sidecar" && shouldRestart(life, container, 1) ? ", will be restarted" : "";
      recordEvent(
        life,
        "Normal",
        "Killing",
        `${which} ${container.spec.name} failed ${kill.kind} probe${again}`,
        container,
      );
      const stop = stopAfterKill(life, container, kill);
      life.effects.push(...stop.effects);
      if (stop.hookFailed) recordEvent(life, "Warning", "FailedPreStopHook", "PreStopHook failed", container);
    },
  };
}

/** Ends a container that was killed because of a probe. */
export const killUnhealthy: Stage = {
  name: "kill unhealthy",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const moves = life.containers.map((container): Move | undefined => {
      const kill = isRunning(container) && container.role !== "init" ? killOf(life, container, nowMs) : undefined;
      if (!kill) return undefined;
      const stop = stopAfterKill(life, container, kill);
      return { atMs: stop.atMs, apply: (_, atMs) => end(container, atMs, stop) };
    });
    return earliestMove(moves);
  },
};

function stopAfterKill(
  life: PodLife,
  container: ContainerLife,
  { atMs, kind }: { readonly atMs: number; readonly kind: ProbeKind },
): Stop {
  const grace = probeOf(container, kind)?.terminationGracePeriodSeconds;
  return stopOf(life, container, atMs, grace);
}
