// How long a node takes for what it does, in simulated time.
import { stableFraction } from "../../shared/base/stable.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export interface Delays {
  /** Pulling an image that the node does not have. */
  readonly pullMs: number;
  /** Making the sandbox and the containers. */
  readonly createMs: number;
  /** Starting a container. */
  readonly startMs: number;
  /** A process that handles SIGTERM ends after this. */
  readonly stopMs: number;
  /** A probe answers after this. */
  readonly probeMs: number;
  /** kube-proxy writes changed endpoints into its rules after this (upstream: `minSyncPeriod` and the time of a sync). */
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

/** The same, so many times faster. */
export function fasterDelays(factor: number): Delays {
  const { jitter, ...delays } = defaultDelays;
  const faster = Object.fromEntries(Object.entries(delays).map(([name, ms]) => [name, Math.round(ms / factor)]));
  return { ...defaultDelays, ...faster, jitter };
}

/** From bound to Running and Ready in one reconcile and one write: for tests and measurements. */
export const zeroDelays: Delays = { pullMs: 0, createMs: 0, startMs: 0, stopMs: 0, probeMs: 0, proxyMs: 0, jitter: 0 };

/** A delay of a pod: varied by `jitter`, the same after every waking. */
export function delayOf({ jitter }: Delays, { metadata }: Pod, ms: number, what: string): number {
  if (ms === 0 || jitter === 0) return ms;
  return Math.round(ms * (1 + jitter * (2 * stableFraction(`${metadata.uid ?? ""}/${what}`) - 1)));
}
