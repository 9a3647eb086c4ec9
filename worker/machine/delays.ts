// The delays of a node's actions, in simulated time.
import { stableFraction } from "../../shared/base/stable.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export interface Delays {
  /** Pulling an image that the node does not have. */
  readonly pullMs: number;
  /** Creating the sandbox and the containers. */
  readonly createMs: number;
  /** Starting a container. */
  readonly startMs: number;
  /** The time from SIGTERM to the end of a process that handles it. */
  readonly stopMs: number;
  /** The time that a probe takes. */
  readonly probeMs: number;
  /** The time until kube-proxy writes changed endpoints into its rules (upstream: `minSyncPeriod` and the time of a sync). */
  readonly proxyMs: number;
  /** Share by which each delay varies from pod to pod, 0 to 1. The variation is stable: it follows from the pod's uid. */
  readonly jitter: number;
}

/** A Deployment is Available about two seconds after it was created, so that a person sees the phases. */
export const defaultDelays: Delays = {
  pullMs: 1200,
  createMs: 300,
  startMs: 200,
  stopMs: 800,
  probeMs: 500,
  proxyMs: 1000,
  jitter: 0.25,
};

/** Returns the default delays, divided by a factor. */
export function fasterDelays(factor: number): Delays {
  const { jitter, ...delays } = defaultDelays;
  const faster = Object.fromEntries(Object.entries(delays).map(([name, ms]) => [name, Math.round(ms / factor)]));
  return { ...defaultDelays, ...faster, jitter };
}

/** No delays: a pod goes from bound to Running and Ready in one reconcile and one write. For tests and measurements. */
export const zeroDelays: Delays = { pullMs: 0, createMs: 0, startMs: 0, stopMs: 0, probeMs: 0, proxyMs: 0, jitter: 0 };

/** Returns a delay of a pod, varied by `jitter`. It depends only on the pod's uid, so it is the same after the object wakes. */
export function delayOf({ jitter }: Delays, { metadata }: Pod, ms: number, what: string): number {
  if (ms === 0 || jitter === 0) return ms;
  return Math.round(ms * (1 + jitter * (2 * stableFraction(`${metadata.uid ?? ""}/${what}`) - 1)));
}
