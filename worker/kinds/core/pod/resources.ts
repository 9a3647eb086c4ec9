// Sums the resources of a pod spec, and classifies resource names.
import type { Container, PodSpec } from "../../../../shared/k8s/api/core-v1.ts";
import { type Quantity, addQuantities, compareQuantities, parseQuantity } from "../../../../shared/k8s/quantity.ts";

export function aggregateContainerRequests(spec: PodSpec): Map<string, Quantity> {
  return containerResources(spec, "requests");
}

/** Returns the sum of containers and sidecars, or the maximum of initialization if that is larger. */
export function containerResources(spec: PodSpec, list: "limits" | "requests"): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const { resources } of spec.containers) addTo(total, resources[list]);
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) {
      addTo(total, container.resources[list]);
      addTo(sidecars, container.resources[list]);
      raiseTo(starting, sidecars);
    } else {
      const alone = new Map(sidecars);
      addTo(alone, container.resources[list]);
      raiseTo(starting, alone);
    }
  }
  raiseTo(total, starting);
  return total;
}

/** Reports whether an init container keeps running. */
export function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}

/** Reports whether a resource has no domain or a kubernetes.io one. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

function addTo(sum: Map<string, Quantity>, list: Readonly<Record<string, string>> | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    const before = sum.get(name);
    if (quantity) sum.set(name, before ? addQuantities(before, quantity) : quantity);
  }
}

function raiseTo(sum: Map<string, Quantity>, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of amounts) {
    const before = sum.get(name);
    if (!before || compareQuantities(before, quantity) < 0) sum.set(name, quantity);
  }
}
