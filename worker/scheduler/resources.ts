// Amounts of resources as the scheduler counts them, and what a pod requests.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import {
  compareQuantities,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from "../../shared/k8s/quantity.ts";

/** CPU in thousandths, everything else in whole units. */
export interface Resources {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** Extended resources, huge pages and volumes that can be attached, by name. */
  readonly scalars: Map<string, number>;
}

type ResourceList = Readonly<Record<string, string>> | undefined;

/** What a container without requests counts as when nodes are compared. */
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

/** Adds in place; `sign` is -1 to take away. */
export function addResources(sum: Resources, other: Resources, sign: 1 | -1 = 1): void {
  sum.milliCpu += sign * other.milliCpu;
  sum.memory += sign * other.memory;
  sum.ephemeralStorage += sign * other.ephemeralStorage;
  for (const [name, value] of other.scalars) sum.scalars.set(name, (sum.scalars.get(name) ?? 0) + sign * value);
}

export interface PodRequests {
  readonly requests: Resources;
  /** The same, with default amounts for containers that request nothing: what scores count with. */
  readonly nonZeroRequests: { readonly milliCpu: number; readonly memory: number };
}

/** `asRunning`: a pod that is resized in place holds the larger of what it asks, was allotted and has. */
export function podRequests(pod: Pod, asRunning = false): PodRequests {
  const { spec } = pod;
  const podLevel = podLevelRequests(pod, asRunning);
  const overhead = resourcesOf(spec.overhead);
  const requested = asRunning ? determineEffectiveRequests(pod) : specRequests;
  const requests = containerRequests(spec, (container) => resourcesOf(requested(container)));
  if (podLevel) overrideWith(requests, podLevel);
  addResources(requests, overhead);
  const filled = containerRequests(spec, (container) => nonZeroContainerRequests(requested(container)));
  if (podLevel) overrideWith(filled, podLevel);
  addResources(filled, overhead);
  return { requests, nonZeroRequests: { milliCpu: filled.milliCpu, memory: filled.memory } };
}

function specRequests({ resources }: Container): ResourceList {
  return resources.requests;
}

/** For containers that the kubelet has told of. */
function determineEffectiveRequests({ spec, status }: Pod): (container: Container) => ResourceList {
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const ordinary = new Set(spec.initContainers?.filter(({ restartPolicy }) => restartPolicy !== "Always"));
  return (container) => {
    const told = ordinary.has(container) ? undefined : statuses.find(({ name }) => name === container.name);
    const own = container.resources.requests;
    if (!told?.resources) return own;
    return largest(isResizeInfeasible(status) ? {} : own, told.resources.requests, told.allocatedResources);
  };
}

function podLevelRequests({ spec, status }: Pod, asRunning: boolean): ResourceList {
  const own = spec.resources?.requests;
  if (!own || !asRunning || !status.resources) return own;
  const effective = largest(
    isResizeInfeasible(status) ? {} : own,
    status.resources.requests,
    status.allocatedResources,
  );
  return Object.fromEntries(Object.keys(own).map((name) => [name, effective[name] ?? "0"]));
}

function isResizeInfeasible({ conditions }: Pod["status"]): boolean {
  return conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}

function largest(...lists: readonly ResourceList[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const list of lists) {
    for (const [name, text] of Object.entries(list ?? {})) {
      const known = result[name];
      if (known === undefined || isMore(text, known)) result[name] = text;
    }
  }
  return result;
}

function isMore(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a) ?? zeroQuantity, parseQuantity(b) ?? zeroQuantity) > 0;
}

/** Init containers run one after another beside the sidecars started before them; containers run together with all sidecars. */
function containerRequests(spec: Pod["spec"], requestsOf: (container: Container) => Resources): Resources {
  const together = noResources();
  for (const container of spec.containers) addResources(together, requestsOf(container));
  const sidecars = noResources();
  const starting = noResources();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (container.restartPolicy === "Always") {
      addResources(together, own);
      addResources(sidecars, own);
      raiseTo(starting, sidecars);
    } else {
      addResources(own, sidecars);
      raiseTo(starting, own);
    }
  }
  raiseTo(together, starting);
  return together;
}

function nonZeroContainerRequests(requests: ResourceList): Resources {
  const own = resourcesOf(requests);
  if (requests?.cpu === undefined) own.milliCpu = defaultMilliCpuRequest;
  if (requests?.memory === undefined) own.memory = defaultMemoryRequest;
  return own;
}

function raiseTo(sum: Resources, least: Resources): void {
  sum.milliCpu = Math.max(sum.milliCpu, least.milliCpu);
  sum.memory = Math.max(sum.memory, least.memory);
  sum.ephemeralStorage = Math.max(sum.ephemeralStorage, least.ephemeralStorage);
  for (const [name, value] of least.scalars) sum.scalars.set(name, Math.max(sum.scalars.get(name) ?? 0, value));
}

/** Requests of the pod as a whole replace the sums of its containers, for the resources that may be given so. */
function overrideWith(sum: Resources, podLevel: NonNullable<ResourceList>): void {
  const given = resourcesOf(podLevel);
  if (podLevel.cpu !== undefined) sum.milliCpu = given.milliCpu;
  if (podLevel.memory !== undefined) sum.memory = given.memory;
  for (const [name, value] of given.scalars) if (name.startsWith("hugepages-")) sum.scalars.set(name, value);
}

function isScalarResourceName(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")) return true;
  return name.includes("/") && !name.startsWith("requests.");
}
