// Computes replicas from measurements (upstream's `ReplicaCalculator`). Pure.
import type { HorizontalPodAutoscaler } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { isPodReady } from "../common/pod-ready.ts";
import { groupPods, type Measured, type Metrics } from "./pod-groups.ts";
import { type Failure, calculateRequests } from "./requests.ts";

/** The share by which usage may differ from its target without a change. */
export interface Tolerance {
  readonly down: number;
  readonly up: number;
}

export interface Sizing {
  readonly replicas: number;
  /** The average usage in thousandths. */
  readonly usage: number;
  /** The usage in percent of the requests. */
  readonly utilization?: number;
}

/** The inputs of the computation. */
export interface Scene {
  readonly pods: readonly Pod[];
  readonly currentReplicas: number;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

interface Ratio {
  readonly ratio: number;
  readonly usage: number;
  readonly utilization?: number;
}

const defaultTolerance = 0.1;
const maxInt32 = 2 ** 31 - 1;
const noPods: Failure = { failure: "no pods returned by selector while calculating replica count" };

export function toleranceOf({ spec }: HorizontalPodAutoscaler): Tolerance {
  const share = (text: string | undefined) => {
    const nanos = text === undefined ? undefined : parseQuantity(text)?.nanos;
    return nanos === undefined ? defaultTolerance : Number(nanos) / 1e9;
  };
  return { down: share(spec.behavior?.scaleDown?.tolerance), up: share(spec.behavior?.scaleUp?.tolerance) };
}

/** Computes replicas for a target utilization. */
export function byUtilization(
  scene: Scene,
  metrics: Metrics,
  resource: string,
  container: string,
  targetPercent: number,
): Sizing | Failure {
  const requests = () => calculateRequests(scene.pods, container, resource);
  return sizeByRatio(scene, metrics, resource, requests, {
    ratioOf: (measured, requested) => utilizationRatio(measured, requested, targetPercent),
    assumedUsage: (name, requested) => Math.trunc(((requested.get(name) ?? 0) * Math.max(100, targetPercent)) / 100),
  });
}

/** Computes replicas for a target average value. `resource` is empty if the metric is not a resource. */
export function byValue(scene: Scene, metrics: Metrics, resource: string, target: number): Sizing | Failure {
  return sizeByRatio(scene, metrics, resource, () => new Map(), {
    ratioOf: (measured) => {
      const sum = [...measured.values()].reduce((total, { value }) => total + value, 0);
      const usage = Math.trunc(sum / measured.size);
      return { ratio: usage / target, usage };
    },
    assumedUsage: () => target,
  });
}

/** Computes replicas for a value that all replicas share. */
export function byTotal(scene: Scene, usage: number, target: number): Sizing | Failure {
  const { pods, currentReplicas, tolerance } = scene;
  const ratio = usage / target;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usage };
  if (isWithin(tolerance, ratio)) return { replicas: currentReplicas, usage };
  if (pods.length === 0) return { failure: `unable to calculate ready pods: ${noPods.failure}` };
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod)).length;
  return { replicas: Math.min(Math.ceil(ratio * ready), maxInt32), usage };
}

/** Computes replicas for a value of which each replica gets a part. */
export function byPart({ currentReplicas, tolerance }: Scene, usage: number, target: number): Sizing {
  const ratio = usage / (target * currentReplicas);
  const replicas = isWithin(tolerance, ratio) ? currentReplicas : Math.min(Math.ceil(usage / target), maxInt32);
  return { replicas, usage: Math.ceil(usage / currentReplicas) };
}

interface Measure {
  ratioOf(measured: Metrics, requests: ReadonlyMap<string, number>): Ratio | Failure;
  /** Returns the usage that is assumed for a pod without a measurement if the others suggest fewer replicas. */
  assumedUsage(name: string, requests: ReadonlyMap<string, number>): number;
}

function sizeByRatio(
  { pods, currentReplicas, tolerance, nowMs }: Scene,
  metrics: Metrics,
  resource: string,
  requestsNow: () => ReadonlyMap<string, number> | Failure,
  measure: Measure,
): Sizing | Failure {
  if (pods.length === 0) return noPods;
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, resource, nowMs);
  const counted = new Map([...metrics].filter(([name]) => !ignored.has(name) && !unready.has(name)));
  if (counted.size === 0) return { failure: "did not receive metrics for targeted pods (pods might be unready)" };
  const requests = requestsNow();
  if ("failure" in requests) return requests;
  const first = measure.ratioOf(counted, requests);
  if ("failure" in first) return first;
  const { ratio, ...sizing } = first;
  const unchanged = { replicas: currentReplicas, ...sizing };
  const growsDespiteUnready = unready.size > 0 && ratio > 1;
  if (!growsDespiteUnready && missing.size === 0) {
    return isWithin(tolerance, ratio) ? unchanged : { replicas: Math.ceil(ratio * ready), ...sizing };
  }
  for (const name of missing) {
    if (ratio < 1) counted.set(name, plain(measure.assumedUsage(name, requests)));
    else if (ratio > 1) counted.set(name, plain(0));
  }
  if (growsDespiteUnready) for (const name of unready) counted.set(name, plain(0));
  const second = measure.ratioOf(counted, requests);
  if ("failure" in second) return second;
  // With the assumed values, the change must still exceed the tolerance and keep its direction.
  const turns = (ratio < 1 && second.ratio > 1) || (ratio > 1 && second.ratio < 1);
  if (isWithin(tolerance, second.ratio) || turns) return unchanged;
  const replicas = Math.ceil(second.ratio * counted.size);
  const isAgainst =
    (second.ratio < 1 && replicas > currentReplicas) || (second.ratio > 1 && replicas < currentReplicas);
  return isAgainst ? unchanged : { replicas, ...sizing };
}

function plain(value: number): Measured {
  return { value, atMs: 0, windowMs: 0 };
}

function utilizationRatio(metrics: Metrics, requests: ReadonlyMap<string, number>, target: number): Ratio | Failure {
  let [used, requested, count] = [0n, 0n, 0];
  for (const [name, { value }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += BigInt(value);
    requested += BigInt(request);
    count++;
  }
  if (requested === 0n) return { failure: "no metrics returned matched known pods" };
  const utilization = Number((used * 100n) / requested);
  return { ratio: utilization / target, usage: Math.trunc(Number(used) / count), utilization };
}

function isWithin({ down, up }: Tolerance, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
