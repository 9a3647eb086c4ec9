// What a simulated container uses of CPU and memory: what annotations say, or a little, the same at every look. Pure.
//
// `sandbar.dev/cpu-usage` and `sandbar.dev/memory-usage`, on a pod or on what controls it (a Deployment hands its annotations to
// its ReplicaSets), say what each container uses: a quantity (`250m`) or a share of its request (`80%`). Containers may be named:
// `web=200m,log=5%`. `sandbar.dev/cpu-load` on what controls pods is one load that those of them that are ready share.
import { stableFraction } from "../../../shared/base/stable.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { stressNanos } from "./load.ts";

export const usageAnnotations = { cpu: "sandbar.dev/cpu-usage", memory: "sandbar.dev/memory-usage" } as const;
export const loadAnnotation = "sandbar.dev/cpu-load";

type Resource = keyof typeof usageAnnotations;

/** What controls a pod, and how many of its pods are ready. */
export interface Controlling {
  readonly object: KubeObject;
  readonly readyPods: number;
  /** What is asked of all of them together, beside what is said. */
  readonly servedNanos?: bigint;
}

const billion = 1_000_000_000n;
const mebibyte = 1024n * 1024n * billion;

/** In billionths of a CPU, and in bytes times a billion, as quantities count. */
export function usageNanos(pod: Pod, container: Container, by: Controlling | undefined, resource: Resource): bigint {
  const shared = resource === "cpu" ? sharedLoad(pod, by) : undefined;
  return (
    shared ??
    told(pod, container, by, resource) ??
    stressNanos(container, resource) ??
    served(container, by, resource) ??
    idle(pod, container, resource)
  );
}

/** The share of a container in what is asked of those like it, as far as it may. */
function served({ resources }: Container, by: Controlling | undefined, resource: Resource): bigint | undefined {
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

function told(pod: Pod, container: Container, by: Controlling | undefined, resource: Resource): bigint | undefined {
  const key = usageAnnotations[resource];
  for (const text of [pod.metadata.annotations?.[key], by?.object.metadata.annotations?.[key]]) {
    const entries = (text ?? "").split(",").map((entry) => entry.trim().split("="));
    const named = entries.find(([name, value]) => name === container.name && value !== undefined)?.[1];
    const amount = amountOf(named ?? entries.find((parts) => parts.length === 1)?.[0] ?? "", container, resource);
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

/** A process that waits: one to three thousandths of a CPU, and 8 to 32 MiB, never more than it may. */
function idle({ metadata }: Pod, { name, resources }: Container, resource: Resource): bigint {
  const share = BigInt(Math.floor(stableFraction(`${metadata.uid ?? ""}/${name}/${resource}`) * 1000));
  const amount = resource === "cpu" ? 1_000_000n + share * 2000n : 8n * mebibyte + (share * 24n * mebibyte) / 1000n;
  const limit = parseQuantity(resources.limits?.[resource] ?? "")?.nanos;
  return limit !== undefined && amount > (limit * 4n) / 5n ? (limit * 4n) / 5n : amount;
}

/** What a node's own software uses, in billionths of a CPU and of a byte: 40 to 80 thousandths of a CPU, 400 to 600 MiB. */
export function systemUsage(node: string): { readonly cpu: bigint; readonly memory: bigint } {
  const share = (what: string) => BigInt(Math.floor(stableFraction(`${node}/${what}`) * 1000));
  return {
    cpu: 40_000_000n + share("cpu") * 40_000n,
    memory: 400n * mebibyte + (share("memory") * 200n * mebibyte) / 1000n,
  };
}

/** Whether somebody says, or the program tells, how much memory a container uses: others use a little, whatever they do. */
export function holdsMemory(pod: Pod, by: Controlling | undefined): boolean {
  const key = usageAnnotations.memory;
  if ((pod.metadata.annotations?.[key] ?? by?.object.metadata.annotations?.[key]) !== undefined) return true;
  return pod.spec.containers.some((one) => stressNanos(one, "memory") !== undefined);
}
