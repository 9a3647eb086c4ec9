// Counts pods towards quotas.
import type {
  Container,
  Pod,
  PodAffinityTerm,
  ScopedResourceSelectorRequirement,
} from "../../../../shared/k8s/api/core-v1.ts";
import type { Quantity } from "../../../../shared/k8s/quantity.ts";
import { parseTime } from "../../../../shared/k8s/time.ts";
import { computePodQos } from "../pod/qos.ts";
import { containerResources, isNativeResource } from "../pod/resources.ts";
import { type Amounts, addTo, amountsOf, oneObject } from "./amounts.ts";
import { type Evaluator, scopeMatches } from "./evaluator.ts";

const compute = ["cpu", "memory", "ephemeral-storage"];
const resources = [
  "count/pods",
  "pods",
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
];
/** The resources that every container must specify if a quota limits them. */
const mustBeStated = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

export const podEvaluator: Evaluator<Pod> = {
  handles({ operation, subresource, object, previous }) {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource !== "") return false;
    return operation === "CREATE" || (previous !== undefined && hasDeadline(object) !== hasDeadline(previous));
  },
  counts(resource) {
    if (resources.includes(resource) || /^(requests\.)?hugepages-/.test(resource)) return true;
    const isOfDevices = resource.startsWith("requests.deviceclass.resource.kubernetes.io/");
    return resource.startsWith("requests.") && (isOfDevices || !isNativeResource(resource));
  },
  usage(pod, nowMs) {
    const counted = new Map<string, Quantity>([["count/pods", oneObject]]);
    if (!quotaV1Pod(pod, nowMs)) return counted;
    addTo(counted, podComputeUsageHelper(podAmounts(pod, "requests"), podAmounts(pod, "limits")));
    return counted;
  },
  isAffected(next, previous, nowMs) {
    if (hasDeadline(next) !== hasDeadline(previous)) return true;
    if (quotaV1Pod(next, nowMs) !== quotaV1Pod(previous, nowMs)) return true;
    if (next.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp) return true;
    return requestedClass(next) !== requestedClass(previous);
  },
  inScope,
  lack(pod, limited) {
    // Pod-level resources satisfy the requirement.
    if (pod.spec.resources?.requests || pod.spec.resources?.limits) return undefined;
    const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
    const texts = mustBeStated
      .filter((name) => limited.includes(name))
      .sort()
      .flatMap((name) => {
        const without = containers.filter((container) => !states(container, name)).map((container) => container.name);
        return without.length > 0 ? [`${name} for: ${[...new Set(without)].sort().join(",")}`] : [];
      });
    return texts.length > 0 ? `must specify ${texts.join("; ")}` : undefined;
  },
};

/** Reports whether a pod counts: it has not ended and its deletion is not overdue. */
function quotaV1Pod({ metadata, status }: Pod, nowMs: number): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return false;
  return nowMs <= overdueMs(metadata);
}

/** Returns when the deletion of a pod becomes overdue, so that it no longer counts. */
export function overdueMs({ deletionTimestamp, deletionGracePeriodSeconds }: Pod["metadata"]): number {
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return Number.POSITIVE_INFINITY;
  return parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podComputeUsageHelper(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>([["pods", oneObject]]);
  for (const [name, quantity] of requests) {
    const isHugePages = name.startsWith("hugepages-");
    if (compute.includes(name) || isHugePages) usage.set(name, quantity);
    if (compute.includes(name) || isHugePages || !isNativeResource(name)) usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of limits) if (compute.includes(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

/** Returns upstream's `PodRequests` or `PodLimits`. */
export function podAmounts({ spec }: Pod, list: "limits" | "requests"): Amounts {
  const sums = new Map(containerResources(spec, list));
  for (const [name, quantity] of amountsOf(spec.resources?.[list])) sums.set(name, quantity);
  const overhead = amountsOf(spec.overhead);
  // The overhead does not create limits that the pod does not have.
  addTo(sums, list === "requests" ? overhead : new Map([...overhead].filter(([name]) => sums.has(name))));
  return sums;
}

function states({ resources: { requests, limits } }: Container, name: string): boolean {
  const resource = name.replace(/^(requests|limits)\./, "");
  return (name.startsWith("limits.") ? limits : requests)?.[resource] !== undefined;
}

function requestedClass({ spec }: Pod): string {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return JSON.stringify([spec.resources, ...all.map((container) => container.resources)]);
}

function inScope(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return computePodQos(pod.spec) === "BestEffort";
    case "NotBestEffort":
      return computePodQos(pod.spec) !== "BestEffort";
    case "PriorityClass":
      return scopeMatches(scope, pod.spec.priorityClassName);
    case "CrossNamespacePodAffinity":
      return looksElsewhere(pod);
    default:
      return false;
  }
}

function hasDeadline({ spec }: Pod): boolean {
  return (spec.activeDeadlineSeconds ?? -1) >= 0;
}

function looksElsewhere({ spec: { affinity } }: Pod): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((affinityGroup): PodAffinityTerm[] => [
    ...(affinityGroup?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinityGroup?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
  return terms.some(({ namespaces, namespaceSelector }) => namespaces?.length || namespaceSelector);
}
