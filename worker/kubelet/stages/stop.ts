// Stopping a container: preStop, SIGTERM, and SIGKILL when its grace is over.
import { type ContainerLife, isRunning, type PodLife, recordEvent, type Stop } from "../life.ts";
import type { ContainerStatus, Effect } from "../../containers/cri.ts";
import { runHook } from "../prober/prober.ts";
import { runHookOnce, besideOf, terminationMessage, reasonOf, runOfContainer, stopContainer } from "./running.ts";

/** Upstream's `minimumGracePeriodInSeconds`: the least time between SIGTERM and SIGKILL. */
const leastGraceMs = 2_000;

/** Returns when and how a running container ends if it is stopped at `fromMs`. */
export function stopOf(life: PodLife, container: ContainerLife, fromMs: number, grace?: number): Stop {
  const { metadata, spec: pod } = life.pod;
  const seconds = metadata.deletionGracePeriodSeconds ?? grace ?? pod.terminationGracePeriodSeconds ?? 30;
  const graceMs = seconds * 1000;
  const key = `${container.spec.name}/${container.status.containerID ?? ""}/${fromMs}/${seconds}`;
  const planned = life.stopPlan.end;
  if (planned?.key === key) return planned.stop;
  const hook = hookOf(life, container, fromMs, graceMs);
  const termMs = fromMs + Math.min(hook.tookMs, graceMs);
  const killMs = Math.max(fromMs + graceMs, termMs + leastGraceMs);
  const { status, end } = stopContainer(life, container, { atMs: termMs, timeoutMs: killMs - termMs });
  const atMs = Math.max(end.atMs, fromMs);
  const stop = {
    atMs,
    exitCode: end.exitCode,
    reason: reasonOf(end),
    message: terminationMessage(life, container, status, atMs, end.exitCode),
    hookFailed: !hook.ok,
    effects: hook.effects,
  };
  if (isForeseeable(life, container, status)) life.stopPlan.end = { key, stop };
  return stop;
}

/** Reports whether nothing that happens before the end of a deleted pod's container can change it: no hook, other container, file or object. */
function isForeseeable({ pod, containers }: PodLife, { spec }: ContainerLife, status: ContainerStatus): boolean {
  return (
    pod.metadata.deletionTimestamp !== undefined &&
    containers.length === 1 &&
    !spec.lifecycle?.preStop &&
    !spec.stdin &&
    !status.asksOthers &&
    !status.awaitsOthers &&
    status.waitsFor.size === 0 &&
    (pod.spec.volumes ?? []).every(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken))
  );
}

function hookOf(
  life: PodLife,
  container: ContainerLife,
  fromMs: number,
  graceMs: number,
): { tookMs: number; ok: boolean; effects: readonly Effect[] } {
  const hook = container.spec.lifecycle?.preStop;
  if (!hook || graceMs === 0) return { tookMs: 0, ok: true, effects: [] };
  const { pod, podIp = "" } = life;
  const run = runOfContainer(life, container, fromMs);
  const beside = besideOf(life, container, fromMs);
  const probedContainer = { pod, container: container.spec, runtime: life.node.runtime, podIp, run, beside };
  const { containerID = "" } = container.status;
  const key = JSON.stringify(["preStop", container.spec.name, containerID, fromMs, graceMs, beside.length]);
  const { ok, tookMs, effects } = runHookOnce(life, key, () => runHook(probedContainer, hook, graceMs, fromMs));
  return { tookMs, ok: ok || tookMs >= graceMs, effects };
}

/** Returns when each running container ends if the pod is stopped: sidecars end after the others, in reverse order. */
export function stopAll(life: PodLife, fromMs: number): ReadonlyMap<ContainerLife, Stop> {
  const running = life.containers.filter(isRunning);
  const stops = new Map<ContainerLife, Stop>();
  let lastMs = fromMs;
  for (const container of running.filter((container) => container.role !== "sidecar")) {
    const stop = stopOf(life, container, fromMs);
    stops.set(container, stop);
    lastMs = Math.max(lastMs, stop.atMs);
  }
  for (const container of running.filter((container) => container.role === "sidecar").reverse()) {
    const stop = stopOf(life, container, lastMs);
    stops.set(container, stop);
    lastMs = Math.max(lastMs, stop.atMs);
  }
  return stops;
}

export function announceStops(life: PodLife, stops: ReadonlyMap<ContainerLife, Stop>): void {
  for (const [container, stop] of stops) {
    recordEvent(life, "Normal", "Killing", `Stopping container ${container.spec.name}`, container);
    life.effects.push(...stop.effects);
    if (stop.hookFailed) recordEvent(life, "Warning", "FailedPreStopHook", "PreStopHook failed", container);
  }
}
