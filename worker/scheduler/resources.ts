// Amounts of resources as the scheduler counts them, and the requests of a pod.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import {
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from "../../shared/k8s/quantity.ts";

/** Amounts of resources. CPU is in thousandths, memory and storage in bytes, everything else in whole units. */
export interface Resources {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** Extended resources, huge pages and attachable volumes, by name. */
  readonly scalars: Map<string, number>;
}

type ResourceList = Readonly<Record<string, string>> | undefined;

/** The assumed request of a container without requests when nodes are scored. */
const defaultMilliCpuRequest = 100;
const defaultMemoryRequest = 200 * 1024 * 1024;

export function noResources(): Resources {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() };
}

export function resourcesOf(list: ResourceList): Resources {
  const sum = noResources();
  for (const [name, text] of Object.entries(list ?? {})) {
    if (name === "cpu") sum.milliCpu = quantityMilliValue(text);
    else if (name === "memory") sum.memory = quantityValue(text);
    else if (name === "ephemeral-storage") sum.ephemeralStorage = quantityValue(text);
    else if (isScalarResourceName(name)) sum.scalars.set(name, quantityValue(text));
  }
  return sum;
}

/** Adds amounts in place. With `sign` -1, subtracts them. */
export function addResources(sum: Resources, addend: Resources, sign: 1 | -1 = 1): void {
  sum.milliCpu += sign * addend.milliCpu;
  sum.memory += sign * addend.memory;
  sum.ephemeralStorage += sign * addend.ephemeralStorage;
  for (const [name, value] of addend.scalars) sum.scalars.set(name, (sum.scalars.get(name) ?? 0) + sign * value);
}

export interface PodRequests {
  readonly requests: Resources;
  /** The requests with default amounts for containers without requests. Used by scores. */
  readonly nonZeroRequests: { readonly milliCpu: number; readonly memory: number };
}

/**
 * Sums the requests of a pod. With `asRunning`, a pod that is resized in place counts the largest of its requested, allocated and actual
 * resources.
 */
export function podRequests(pod: Pod, { asRunning = false }: { readonly asRunning?: boolean } = {}): PodRequests {
  const { spec } = pod;
  const podLevel = podLevelRequests(pod, asRunning);
  const overhead = resourcesOf(spec.overhead);
  const requested = asRunning ? determineEffectiveRequests(pod) : specRequests;
  const requests = containerRequests(spec, (container) => resourcesOf(requested(container)));
  if (podLevel) overrideWith(requests, podLevel);
  addResources(requests, overhead);
  const nonZero = containerRequests(spec, (container) => nonZeroContainerRequests(requested(container)));
  if (podLevel) overrideWith(nonZero, podLevel);
  addResources(nonZero, overhead);
  return { requests, nonZeroRequests: { milliCpu: nonZero.milliCpu, memory: nonZero.memory } };
}

function specRequests({ resources }: Container): ResourceList {
  return resources.requests;
}

/** Returns the effective requests of containers whose status the kubelet has reported. */
function determineEffectiveRequests({ spec, status }: Pod): (container: Container) => ResourceList {
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const nonSidecarInitContainers = new Set(
    spec.initContainers?.filter(({ restartPolicy }) => restartPolicy !== "Always"),
  );
  return (container) => {
    const containerStatus = nonSidecarInitContainers.has(container)
      ? undefined
      : statuses.find(({ name }) => name === container.name);
    const resourceRequests = container.resources.requests;
    if (!containerStatus?.resources) return resourceRequests;
    return largest(
      isResizeInfeasible(status) ? {} : resourceRequests,
      containerStatus.resources.requests,
      containerStatus.allocatedResources,
    );
  };
}

function podLevelRequests({ spec, status }: Pod, asRunning: boolean): ResourceList {
  const podRequirements = spec.resources?.requests;
  if (!podRequirements || !asRunning || !status.resources) return podRequirements;
  const effective = largest(
    isResizeInfeasible(status) ? {} : podRequirements,
    status.resources.requests,
    status.allocatedResources,
  );
  return Object.fromEntries(Object.keys(podRequirements).map((name) => [name, effective[name] ?? "0"]));
}

function isResizeInfeasible({ conditions }: Pod["status"]): boolean {
  return conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}

function largest(...lists: readonly ResourceList[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const list of lists) {
    for (const [name, text] of Object.entries(list ?? {})) {
      const current = result[name];
      if (current === undefined || isMore(text, current)) result[name] = text;
    }
  }
  return result;
}

function isMore(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a) ?? zeroQuantity, parseQuantity(b) ?? zeroQuantity) > 0;
}

/**
 * Sums the requests of containers. Init containers run one after another beside the sidecars that were started before them. Containers run
 * together with all sidecars.
 */
function containerRequests(spec: Pod["spec"], requestsOf: (container: Container) => Resources): Resources {
  const sum = noResources();
  for (const container of spec.containers) addResources(sum, requestsOf(container));
  const sidecarSum = noResources();
  const initPeak = noResources();
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(container);
    if (container.restartPolicy === "Always") {
      addResources(sum, requests);
      addResources(sidecarSum, requests);
      raiseToAtLeast(initPeak, sidecarSum);
    } else {
      addResources(requests, sidecarSum);
      raiseToAtLeast(initPeak, requests);
    }
  }
  raiseToAtLeast(sum, initPeak);
  return sum;
}

function nonZeroContainerRequests(requests: ResourceList): Resources {
  const amounts = resourcesOf(requests);
  if (requests?.cpu === undefined) amounts.milliCpu = defaultMilliCpuRequest;
  if (requests?.memory === undefined) amounts.memory = defaultMemoryRequest;
  return amounts;
}

function raiseToAtLeast(sum: Resources, minimum: Resources): void {
  sum.milliCpu = Math.max(sum.milliCpu, minimum.milliCpu);
  sum.memory = Math.max(sum.memory, minimum.memory);
  sum.ephemeralStorage = Math.max(sum.ephemeralStorage, minimum.ephemeralStorage);
  for (const [name, value] of minimum.scalars) sum.scalars.set(name, Math.max(sum.scalars.get(name) ?? 0, value));
}

/** Replaces the sums of the containers by the pod-level requests, for the resources that support these. */
function overrideWith(sum: Resources, podLevel: NonNullable<ResourceList>): void {
  const podLevelAmounts = resourcesOf(podLevel);
  if (podLevel.cpu !== undefined) sum.milliCpu = podLevelAmounts.milliCpu;
  if (podLevel.memory !== undefined) sum.memory = podLevelAmounts.memory;
  for (const [name, value] of podLevelAmounts.scalars) if (name.startsWith("hugepages-")) sum.scalars.set(name, value);
}

function isScalarResourceName(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")) return true;
  return name.includes("/") && !name.startsWith("requests.");
}
