// Computes the CPU and memory usage of simulated containers, from annotations or as a small constant. Pure.
//
// The annotations `sandbar.dev/cpu-usage` and `sandbar.dev/memory-usage` set the usage of each container: a quantity (`250m`) or a share of
// its request (`80%`). They are on a pod or its controller; a Deployment copies its annotations to its ReplicaSets. Containers may be
// named: `web=200m,log=5%`. The annotation `sandbar.dev/cpu-load` on a controller is one load that its ready pods share.
import { stableFraction } from "../../../shared/base/stable.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { stressNanos } from "./load.ts";

export const usageAnnotations = { cpu: "sandbar.dev/cpu-usage", memory: "sandbar.dev/memory-usage" } as const;
export const loadAnnotation = "sandbar.dev/cpu-load";

type Resource = keyof typeof usageAnnotations;

/** The controller of a pod, and the number of its ready pods. */
export interface Controlling {
  readonly object: KubeObject;
  readonly readyPods: number;
  /** The total load of requests on all of them. */
  readonly servedNanos?: bigint;
}

const billion = 1_000_000_000n;
const mebibyte = 1024n * 1024n * billion;

/** Returns the usage in billionths of a CPU, or in bytes times a billion, as quantities count. */
export function usageNanos(pod: Pod, container: Container, by: Controlling | undefined, resource: Resource): bigint {
  const shared = resource === "cpu" ? sharedLoad(pod, by) : undefined;
  return (
    shared ??
    annotatedUsage(pod, container, by, resource) ??
    stressNanos(container, resource) ??
    servedShare(container, by, resource) ??
    idle(pod, container, resource)
  );
}

/** Returns a container's share of the request load, up to its limit. */
function servedShare({ resources }: Container, by: Controlling | undefined, resource: Resource): bigint | undefined {
  const load = by?.servedNanos ?? 0n;
  if (resource !== "cpu" || load === 0n || !by) return undefined;
  const share = load / BigInt(Math.max(by.readyPods, 1));
  const limit = parseQuantity(resources.limits?.cpu ?? "")?.nanos;
  return limit !== undefined && share > limit ? limit : share;
}

function sharedLoad(pod: Pod, by: Controlling | undefined): bigint | undefined {
  const load = parseQuantity(by?.object.metadata.annotations?.[loadAnnotation] ?? "")?.nanos;
  if (load === undefined || !by) return undefined;
  const isReady = pod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return isReady ? load / BigInt(Math.max(by.readyPods * pod.spec.containers.length, 1)) : 0n;
}

function annotatedUsage(
  pod: Pod,
  container: Container,
  by: Controlling | undefined,
  resource: Resource,
): bigint | undefined {
  const key = usageAnnotations[resource];
  for (const text of [pod.metadata.annotations?.[key], by?.object.metadata.annotations?.[key]]) {
    const entries = (text ?? "").split(",").map((entry) => entry.trim().split("="));
    const named = entries.find(([name, value]) => name === container.name && value !== undefined)?.[1];
    const amount = amountOf(named ?? entries.find((entry) => entry.length === 1)?.[0] ?? "", container, resource);
    if (amount !== undefined) return amount;
  }
  return undefined;
}

function amountOf(text: string, { resources }: Container, resource: Resource): bigint | undefined {
  if (!text.endsWith("%")) return parseQuantity(text)?.nanos;
  const percent = Number(text.slice(0, -1));
  const of = parseQuantity(resources.requests?.[resource] ?? resources.limits?.[resource] ?? "")?.nanos;
  return of === undefined || !Number.isFinite(percent) ? undefined : (of * BigInt(Math.round(percent * 100))) / 10_000n;
}

/** Returns the usage of an idle process: 1 to 3 thousandths of a CPU and 8 to 32 MiB, up to its limit. */
function idle({ metadata }: Pod, { name, resources }: Container, resource: Resource): bigint {
  const share = BigInt(Math.floor(stableFraction(`${metadata.uid ?? ""}/${name}/${resource}`) * 1000));
  const amount = resource === "cpu" ? 1_000_000n + share * 2000n : 8n * mebibyte + (share * 24n * mebibyte) / 1000n;
  const limit = parseQuantity(resources.limits?.[resource] ?? "")?.nanos;
  return limit !== undefined && amount > (limit * 4n) / 5n ? (limit * 4n) / 5n : amount;
}

/** Returns the usage of a node's own software: 40 to 80 thousandths of a CPU and 400 to 600 MiB. */
export function systemUsage(node: string): { readonly cpu: bigint; readonly memory: bigint } {
  const share = (what: string) => BigInt(Math.floor(stableFraction(`${node}/${what}`) * 1000));
  return {
    cpu: 40_000_000n + share("cpu") * 40_000n,
    memory: 400n * mebibyte + (share("memory") * 200n * mebibyte) / 1000n,
  };
}

/** Reports whether annotations or the program determine the memory usage. Otherwise it is small. */
export function usesMoreMemoryThanDefault(pod: Pod, by: Controlling | undefined): boolean {
  const key = usageAnnotations.memory;
  if ((pod.metadata.annotations?.[key] ?? by?.object.metadata.annotations?.[key]) !== undefined) return true;
  return pod.spec.containers.some((container) => stressNanos(container, "memory") !== undefined);
}
