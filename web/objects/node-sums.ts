// Sums the requests and usage of a node's pods. Independent of the page.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { isFinished } from "../../shared/k8s/pod-summary.ts";
import {
  type Quantity,
  addQuantities,
  formatQuantity,
  quantityMilliValue,
  zeroQuantity,
} from "../../shared/k8s/quantity.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import { podAmounts } from "../kubectl/describe/pod-amounts.ts";

export interface ResourceUsage {
  readonly name: "cpu" | "memory" | "pods";
  /** The sum of requests: `950m`. */
  readonly requested: string;
  readonly allocatable: string;
  /** The share of the allocatable amount, or 0 if it is unknown. */
  readonly requestedShare: number;
  readonly limitsShare: number;
  /** The measured usage. Undefined if there are no metrics. */
  readonly used: string | undefined;
  readonly usedShare: number | undefined;
}

/** Computes the usage of each resource. `usage` comes from the metrics API: `{ cpu: "120m", memory: "200Mi" }`. */
export function usageOf(
  node: KubeObject,
  pods: readonly Pod[],
  usage: Readonly<Record<string, string>> | undefined,
): ResourceUsage[] {
  const { allocatable = {} } = (node as Node).status;
  const running = pods.filter((pod) => !isFinished(pod));
  const sums = { requests: sum(running, "requests"), limits: sum(running, "limits") };
  const amounts = (["cpu", "memory"] as const).map((name): ResourceUsage => {
    const capacity = allocatable[name] ?? "0";
    const requested = formatQuantity(sums.requests.get(name) ?? zeroQuantity);
    const limits = formatQuantity(sums.limits.get(name) ?? zeroQuantity);
    const used = usage?.[name];
    return {
      name,
      requested,
      allocatable: capacity,
      requestedShare: share(requested, capacity),
      limitsShare: share(limits, capacity),
      used,
      usedShare: used === undefined ? undefined : share(used, capacity),
    };
  });
  const most = allocatable["pods"] ?? "0";
  const count = String(running.length);
  const requestedShare = share(count, most);
  const counted: ResourceUsage = {
    name: "pods",
    requested: count,
    allocatable: most,
    requestedShare,
    limitsShare: 0,
    used: undefined,
    usedShare: undefined,
  };
  return [...amounts, counted];
}

function sum(pods: readonly Pod[], form: "requests" | "limits"): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const pod of pods) {
    const json = pod as unknown as JsonObject; // the API's objects are JSON
    for (const [name, quantity] of podAmounts(json, form)) {
      total.set(name, addQuantities(total.get(name) ?? zeroQuantity, quantity));
    }
  }
  return total;
}

function share(amount: string, capacity: string): number {
  const capacityMilli = quantityMilliValue(capacity);
  return capacityMilli === 0 ? 0 : quantityMilliValue(amount) / capacityMilli;
}
