// Stopping a container: preStop, SIGTERM, and SIGKILL when its grace is over.
import { processOf } from "../images/process.ts";
import { type ContainerLife, delay, type PodLife, timeMs } from "../life.ts";
import { hookMs } from "./hooks.ts";

export interface Stop {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
}

/** Upstream's `minimumGracePeriodInSeconds`: a container that is asked to stop has at least this. */
const leastGraceMs = 2_000;

/** When and how a running container ends if it is asked to stop then. */
export function stopOf(life: PodLife, { spec, status }: ContainerLife, fromMs: number): Stop {
  const { metadata, spec: pod } = life.pod;
  const graceMs = (metadata.deletionGracePeriodSeconds ?? pod.terminationGracePeriodSeconds ?? 30) * 1000;
  const process = processOf(spec);
  const ownMs = timeMs(status.state.running?.startedAt) + process.runsMs;
  const termMs = fromMs + Math.min(hookMs(spec.lifecycle?.preStop), graceMs);
  const killMs = Math.max(fromMs + graceMs, termMs + leastGraceMs);
  const heededMs = termMs + delay(life, life.delays.stopMs, `stop/${spec.name}`);
  const stops: Stop[] = [{ atMs: killMs, exitCode: 137, reason: "Error" }];
  if (process.heedsTerm) stops.push({ atMs: heededMs, exitCode: 0, reason: "Completed" });
  if (ownMs >= fromMs) stops.push({ atMs: ownMs, exitCode: process.exitCode, reason: process.reason });
  return stops.reduce((first, one) => (one.atMs < first.atMs ? one : first));
}

/** When each running container ends if the whole pod is stopped: sidecars after the others, the last first. */
export function stopAll(life: PodLife, fromMs: number): ReadonlyMap<ContainerLife, Stop> {
  const running = life.containers.filter((one) => one.status.state.running !== undefined);
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
