// Defaults of resource requests, of containers and of pods.
import type { PodSpec, ResourceRequirements } from "../../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, parseQuantity } from "../../../../shared/k8s/quantity.ts";
import { aggregateContainerRequests, isOvercommitAllowed } from "./resources.ts";

const nanosPerMilli = 1_000_000n;

/** Sets requests from limits. */
export function defaultRequests(resources: ResourceRequirements): void {
  const { limits } = resources;
  if (!limits) return;
  const requests = resources.requests ?? {};
  for (const [name, limit] of Object.entries(limits)) requests[name] ??= limit;
  resources.requests = sortedByName(requests);
}

/** Rounds quantities up to thousandths. */
export function setDefaultsResourceList(list: Record<string, string> | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    const excess = (quantity?.nanos ?? 0n) % nanosPerMilli;
    if (!list || !quantity || excess === 0n) continue;
    const nanos = quantity.nanos - excess + (quantity.nanos > 0n ? nanosPerMilli : -nanosPerMilli);
    list[name] = formatQuantity({ nanos, format: quantity.format });
  }
}

/** Sets pod-level requests from pod-level limits, unless the containers request more. */
export function defaultPodResources(spec: PodSpec): void {
  const limits = spec.resources?.limits;
  if (!spec.resources || !limits || Object.keys(limits).length === 0) return;
  const requests = spec.resources.requests ?? {};
  for (const [name, quantity] of aggregateContainerRequests(spec)) {
    if (isPodLevel(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(quantity);
  }
  for (const [name, limit] of Object.entries(limits)) if (isPodLevel(name)) requests[name] ??= limit;
  if (Object.keys(requests).length > 0) spec.resources.requests = sortedByName(requests);
}

function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function sortedByName(list: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}
