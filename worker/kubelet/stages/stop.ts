// Stopping a container: preStop, SIGTERM, and SIGKILL when its grace is over.
import { type ContainerLife, isRunning, type PodLife, record } from "../life.ts";
import type { Effect } from "../../containers/cri.ts";
import { askHook } from "../prober/ask.ts";
import { askedOnce, besideOf, lastWords, reasonOf, runOfContainer, stopContainer } from "./running.ts";

export interface Stop {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  /** Its preStop hook failed. */
  readonly hookFailed: boolean;
  readonly effects: readonly Effect[];
}

/** Upstream's `minimumGracePeriodInSeconds`: a container that is asked to stop has at least this. */
const leastGraceMs = 2_000;

/** When and how a running container ends if it is asked to stop then. */
export function stopOf(life: PodLife, container: ContainerLife, fromMs: number, grace?: number): Stop {
  const { metadata, spec: pod } = life.pod;
  const seconds = metadata.deletionGracePeriodSeconds ?? grace ?? pod.terminationGracePeriodSeconds ?? 30;
  const graceMs = seconds * 1000;
  const hook = hookOf(life, container, fromMs, graceMs);
  const termMs = fromMs + Math.min(hook.tookMs, graceMs);
  const killMs = Math.max(fromMs + graceMs, termMs + leastGraceMs);
  const { status, end } = stopContainer(life, container, { atMs: termMs, timeoutMs: killMs - termMs });
  const atMs = Math.max(end.atMs, fromMs);
  return {
    atMs,
    exitCode: end.exitCode,
    reason: reasonOf(end),
    message: lastWords(life, container, status, atMs, end.exitCode),
    hookFailed: !hook.ok,
    effects: hook.effects,
  };
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
  const asked = { pod, container: container.spec, runtime: life.node.runtime, podIp, run, beside };
  const { containerID = "" } = container.status;
  const key = JSON.stringify(["preStop", container.spec.name, containerID, fromMs, graceMs, beside.length]);
  const { ok, tookMs, effects } = askedOnce(life, key, () => askHook(asked, hook, graceMs, fromMs));
  return { tookMs, ok: ok || tookMs >= graceMs, effects };
}

/** When each running container ends if the whole pod is stopped: sidecars after the others, the last first. */
export function stopAll(life: PodLife, fromMs: number): ReadonlyMap<ContainerLife, Stop> {
  const running = life.containers.filter(isRunning);
  const stops = new Map<ContainerLife, Stop>();
  let lastMs = fromMs;
  for (const one of running.filter((container) => container.role !== "sidecar")) {
    const stop = stopOf(life, one, fromMs);
    stops.set(one, stop);
    lastMs = Math.max(lastMs, stop.atMs);
  }
  for (const one of running.filter((container) => container.role === "sidecar").reverse()) {
    const stop = stopOf(life, one, lastMs);
    stops.set(one, stop);
    lastMs = Math.max(lastMs, stop.atMs);
  }
  return stops;
}

export function announceStops(life: PodLife, stops: ReadonlyMap<ContainerLife, Stop>): void {
  for (const [one, stop] of stops) {
    record(life, "Normal", "Killing", `Stopping container ${one.spec.name}`, one);
    life.effects.push(...stop.effects);
    if (stop.hookFailed) record(life, "Warning", "FailedPreStopHook", "PreStopHook failed", one);
  }
}
