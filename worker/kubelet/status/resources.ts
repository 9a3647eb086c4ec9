// Computes the resources of a pod (upstream: component-helpers' `PodRequests` and `PodLimits`).
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../shared/k8s/quantity.ts";
import type { Pod, PodStatus } from "../../../shared/k8s/api/core-v1.ts";

type List = Record<string, string>;

export function podResources(pod: Pod): Pick<PodStatus, "resources" | "allocatedResources"> {
  const requests = total(pod, "requests");
  const limits = total(pod, "limits");
  return {
    ...(requests ? { allocatedResources: requests } : {}),
    resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) },
  };
}

/** Returns the larger of two sums: all main containers and sidecars, or an init container with the sidecars before it. */
function total(pod: Pod, what: "requests" | "limits"): List | undefined {
  const { spec } = pod;
  let sum = new Map<string, Quantity>();
  for (const container of spec.containers) add(sum, container.resources[what]);
  let sidecars = new Map<string, Quantity>();
  let peak = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    const duringInit = new Map(sidecars);
    add(duringInit, container.resources[what]);
    if (container.restartPolicy === "Always") {
      add(sum, container.resources[what]);
      sidecars = duringInit;
    }
    peak = larger(peak, duringInit);
  }
  sum = larger(sum, peak);
  for (const [name, text] of Object.entries(spec.resources?.[what] ?? {})) set(sum, name, text);
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    if (what === "requests" || sum.has(name)) add(sum, { [name]: text });
  }
  if (sum.size === 0) return undefined;
  return Object.fromEntries([...sum].map(([name, value]) => [name, formatQuantity(value)]));
}

function add(sum: Map<string, Quantity>, list: List | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    const before = sum.get(name);
    if (quantity) sum.set(name, before ? addQuantities(before, quantity) : quantity);
  }
}

function set(sum: Map<string, Quantity>, name: string, text: string): void {
  const quantity = parseQuantity(text);
  if (quantity) sum.set(name, quantity);
}

function larger(a: ReadonlyMap<string, Quantity>, b: ReadonlyMap<string, Quantity>): Map<string, Quantity> {
  const most = new Map(a);
  for (const [name, quantity] of b) {
    const previous = most.get(name);
    if (!previous || compareQuantities(quantity, previous) > 0) most.set(name, quantity);
  }
  return most;
}
