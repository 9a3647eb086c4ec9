// How many replicas a measurement asks for (upstream's `ReplicaCalculator`). Pure.
import type { HorizontalPodAutoscaler } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { isPodReady } from "../common/pod-ready.ts";
import { groupPods, type Measured, type Metrics } from "./pod-groups.ts";
import { type Failure, calculateRequests } from "./requests.ts";

/** By how much use may differ from its target, as a share, before anything is done. */
export interface Tolerance {
  readonly down: number;
  readonly up: number;
}

export interface Sizing {
  readonly replicas: number;
  /** What is used on average, in thousandths. */
  readonly usage: number;
  /** In percent of what is requested. */
  readonly utilization?: number;
}

/** What the replicas are computed of. */
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

/** For a share of what is requested. */
export function byUtilization(
  scene: Scene,
  metrics: Metrics,
  resource: string,
  container: string,
  targetPercent: number,
): Sizing | Failure {
  const requests = () => calculateRequests(scene.pods, container, resource);
  return sized(scene, metrics, resource, requests, {
    ratioOf: (measured, requested) => utilizationRatio(measured, requested, targetPercent),
    assumed: (name, requested) => Math.trunc(((requested.get(name) ?? 0) * Math.max(100, targetPercent)) / 100),
  });
}

/** For an average of plain values; `resource` is empty where they are none of a resource. */
export function byValue(scene: Scene, metrics: Metrics, resource: string, target: number): Sizing | Failure {
  return sized(scene, metrics, resource, () => new Map(), {
    ratioOf: (measured) => {
      const sum = [...measured.values()].reduce((total, { value }) => total + value, 0);
      const usage = Math.trunc(sum / measured.size);
      return { ratio: usage / target, usage };
    },
    assumed: () => target,
  });
}

/** For one value that all replicas share. */
export function byTotal(scene: Scene, usage: number, target: number): Sizing | Failure {
  const { pods, currentReplicas, tolerance } = scene;
  const ratio = usage / target;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usage };
  if (isWithin(tolerance, ratio)) return { replicas: currentReplicas, usage };
  if (pods.length === 0) return { failure: `unable to calculate ready pods: ${noPods.failure}` };
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod)).length;
  return { replicas: Math.min(Math.ceil(ratio * ready), maxInt32), usage };
}

/** For one value of which each replica is to have a part. */
export function byPart({ currentReplicas, tolerance }: Scene, usage: number, target: number): Sizing {
  const ratio = usage / (target * currentReplicas);
  const replicas = isWithin(tolerance, ratio) ? currentReplicas : Math.min(Math.ceil(usage / target), maxInt32);
  return { replicas, usage: Math.ceil(usage / currentReplicas) };
}

interface Measure {
  ratioOf(measured: Metrics, requests: ReadonlyMap<string, number>): Ratio | Failure;
  /** What a pod that was not measured is taken to use where the others call for fewer replicas. */
  assumed(name: string, requests: ReadonlyMap<string, number>): number;
}

function sized(
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
  const { ratio, ...told } = first;
  const unchanged = { replicas: currentReplicas, ...told };
  const growsDespiteUnready = unready.size > 0 && ratio > 1;
  if (!growsDespiteUnready && missing.size === 0) {
    return isWithin(tolerance, ratio) ? unchanged : { replicas: Math.ceil(ratio * ready), ...told };
  }
  for (const name of missing) {
    if (ratio < 1) counted.set(name, plain(measure.assumed(name, requests)));
    else if (ratio > 1) counted.set(name, plain(0));
  }
  if (growsDespiteUnready) for (const name of unready) counted.set(name, plain(0));
  const second = measure.ratioOf(counted, requests);
  if ("failure" in second) return second;
  // With what is not known of the others, it must still be worth a change, and one in the same direction.
  const turns = (ratio < 1 && second.ratio > 1) || (ratio > 1 && second.ratio < 1);
  if (isWithin(tolerance, second.ratio) || turns) return unchanged;
  const replicas = Math.ceil(second.ratio * counted.size);
  const isAgainst =
    (second.ratio < 1 && replicas > currentReplicas) || (second.ratio > 1 && replicas < currentReplicas);
  return isAgainst ? unchanged : { replicas, ...told };
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
