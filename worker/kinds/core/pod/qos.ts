// Computes the quality of service class of a pod: upstream's `ComputePodQOS`.
import type { PodQOSClass, PodSpec, ResourceRequirements } from "../../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../../shared/k8s/quantity.ts";

type Sums = Map<string, bigint>;

export function computePodQos(spec: PodSpec): PodQOSClass {
  const requests: Sums = new Map();
  const limits: Sums = new Map();
  let isGuaranteed = true;
  for (const resources of qosResources(spec)) {
    add(requests, resources.requests);
    const limited = add(limits, resources.limits);
    if (!limited.includes("cpu") || !limited.includes("memory")) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isEqual = [...requests].every(([name, sum]) => limits.get(name) === sum);
  return isGuaranteed && isEqual && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Returns the pod-level resources, or those of the containers. */
function qosResources(spec: PodSpec): readonly ResourceRequirements[] {
  if (spec.resources) return [spec.resources];
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => resources);
}

/** Adds the positive amounts that affect the class. Returns their names. */
function add(sums: Sums, list: Readonly<Record<string, string>> | undefined): string[] {
  const names: string[] = [];
  for (const name of ["cpu", "memory"]) {
    const nanos = parseQuantity(list?.[name] ?? "0")?.nanos ?? 0n;
    if (nanos <= 0n) continue;
    names.push(name);
    sums.set(name, (sums.get(name) ?? 0n) + nanos);
  }
  return names;
}
