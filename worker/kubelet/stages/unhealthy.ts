// The consequences of failing probes: an event for each failure, and the end of a container whose liveness or startup probe fails.
import { type ContainerLife, end, isBeingStopped, isRunning, type PodLife, record } from "../life.ts";
import { shouldRestart } from "./order.ts";
import { course, killMs, probeKinds, probeOf, type ProbeKind } from "./probe-run.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";
import { type Stop, stopOf } from "./stop.ts";

const names = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

/** So many failures are recorded one by one, then one in five minutes, as upstream's event aggregation drops the rest. */
const singleEvents = 25;
const aggregateMs = 300_000;

export const recordFailures: Stage = {
  name: "record failures",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    const running = life.containers.filter((container) => isRunning(container) && container.role !== "init");
    return earliestMove([
      ...running.flatMap((container) => probeKinds.map((kind) => failure(life, container, kind, nowMs))),
      ...running.map((container) => announceKill(life, container, nowMs)),
    ]);
  },
};

/** Returns the move that records the next failure. */
function failure(life: PodLife, container: ContainerLife, kind: ProbeKind, nowMs: number): Move | undefined {
  const { status } = container;
  if (!probeOf(container, kind)) return undefined;
  const { stretches, periodMs, turns, knownMs } = course(life, container, kind, nowMs);
  const killedMs = killOf(life, container, nowMs)?.atMs ?? Number.POSITIVE_INFINITY;
  const startMs = kind === "startup" ? turns.find((turn) => turn.ok)?.atMs : undefined;
  const endMs = Math.min(
    kind === "readiness" ? Number.POSITIVE_INFINITY : killedMs,
    startMs ?? Number.POSITIVE_INFINITY,
  );
  const key = `${status.containerID ?? ""}/${kind}`;
  const lastMs = life.recordedMs.get(key) ?? life.sinceMs;
  let before = 0;
  let sinceMs: number | undefined;
  for (const { firstMs, count, ok, errored, message } of stretches) {
    if (ok) continue;
    sinceMs ??= firstMs;
    const atMs = nextRecordedMs(firstMs, count, periodMs, lastMs, before, sinceMs);
    before += count;
    if (atMs === undefined) continue;
    if (atMs > endMs) return undefined;
    const text = errored ? `errored and resulted in unknown state: ${message}` : `failed: ${message}`;
    return {
      atMs,
      quiet: true,
      apply: () => {
        life.recordedMs.set(key, atMs);
        record(life, "Warning", "Unhealthy", `${names[kind]} probe ${text}`, container);
      },
    };
  }
  // Later failures are not computed yet, so the next sync is then.
  return knownMs > nowMs && knownMs < Number.POSITIVE_INFINITY
    ? { atMs: knownMs, quiet: true, apply: () => undefined }
    : undefined;
}

/** Returns the first tick of a stretch after the last recorded failure; from the 25th failure on, one in five minutes. */
function nextRecordedMs(
  firstMs: number,
  count: number,
  periodMs: number,
  lastMs: number,
  before: number,
  sinceMs: number,
): number | undefined {
  const next = Math.max(0, Math.floor((lastMs - firstMs) / periodMs) + 1);
  if (next >= count) return undefined;
  const tickMs = firstMs + next * periodMs;
  if (before + next < singleEvents) return tickMs;
  const fromMs = sinceMs + (Math.floor((Math.max(lastMs, sinceMs) - sinceMs) / aggregateMs) + 1) * aggregateMs;
  const later = Math.max(next, Math.ceil((fromMs - firstMs) / periodMs));
  return later < count ? firstMs + later * periodMs : undefined;
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

function announceKill(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  const kill = killOf(life, container, nowMs);
  const key = `${container.status.containerID ?? ""}/kill`;
  if (!kill || kill.atMs <= (life.recordedMs.get(key) ?? life.sinceMs)) return undefined;
  return {
    atMs: kill.atMs,
    quiet: true,
    apply: () => {
      life.recordedMs.set(key, kill.atMs);
      const which = container.role === "sidecar" ? "Init container" : "Container";
      const again = container.role !== "sidecar" && shouldRestart(life, container, 1) ? ", will be restarted" : "";
      record(life, "Normal", "Killing", `${which} ${container.spec.name} failed ${kill.kind} probe${again}`, container);
      const stop = stopFor(life, container, kill);
      life.effects.push(...stop.effects);
      if (stop.hookFailed) record(life, "Warning", "FailedPreStopHook", "PreStopHook failed", container);
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
      const stop = stopFor(life, container, kill);
      return { atMs: stop.atMs, apply: (_, atMs) => end(container, atMs, stop) };
    });
    return earliestMove(moves);
  },
};

function stopFor(
  life: PodLife,
  container: ContainerLife,
  { atMs, kind }: { readonly atMs: number; readonly kind: ProbeKind },
): Stop {
  const grace = probeOf(container, kind)?.terminationGracePeriodSeconds;
  return stopOf(life, container, atMs, grace);
}
