// When probes answer. The simulated processes always pass them; what takes time is the delay and the period that the probe asks for.
import type { Probe } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, delay, type PodLife, timeMs } from "../life.ts";

/** When a running container counts as started: at once, or when its startup probe first succeeded. */
export function startedMs(life: PodLife, { spec, status }: ContainerLife): number {
  const runsMs = timeMs(status.state.running?.startedAt);
  return spec.startupProbe ? successMs(life, spec.startupProbe, runsMs, runsMs, `startup/${spec.name}`) : runsMs;
}

/** When a started container counts as ready. */
export function readyMs(life: PodLife, container: ContainerLife): number {
  const { spec, status } = container;
  const probedMs = startedMs(life, container);
  if (!spec.readinessProbe) return probedMs;
  return successMs(life, spec.readinessProbe, timeMs(status.state.running?.startedAt), probedMs, `ready/${spec.name}`);
}

/**
 * The worker of a probe ticks once a period from the container's start, lets ticks before the initial delay pass, and is woken
 * at once for a container that just started.
 */
function successMs(life: PodLife, probe: Probe, runsMs: number, fromMs: number, what: string): number {
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const delayMs = (probe.initialDelaySeconds ?? 0) * 1000;
  const firstMs = Math.max(fromMs, runsMs + Math.ceil(delayMs / periodMs) * periodMs);
  const more = ((probe.successThreshold ?? 1) - 1) * periodMs;
  return firstMs + more + delay(life, life.delays.probeMs, what);
}
