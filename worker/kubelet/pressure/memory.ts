// The memory in use on a simulated node, by its pods and by its own software (upstream: `makeSignalObservations`).
import type { Container, Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { aggregateContainerRequests, isSidecar } from "../../kinds/core/pod/resources.ts";
import { controllerOf } from "../../kinds/metrics/samples.ts";
import { systemUsage, usageNanos } from "../../kinds/metrics/usage.ts";
import type { Client } from "../../registry/client.ts";

/** The size of a page: the kernel counts memory in pages. */
const pageBytes = 4096n;
const billion = 1_000_000_000n;

/** `memory.available<100Mi`, the kubelet's only threshold for memory. */
export const memoryThreshold = { text: "100Mi", bytes: 104_857_600n } as const;

/** The memory in use by a pod, in bytes. */
export interface PodMemory {
  readonly pod: Pod;
  readonly containers: readonly { readonly container: Container; readonly bytes: bigint }[];
  readonly bytes: bigint;
  readonly requestBytes: bigint;
}

export interface MemoryObservation {
  readonly availableBytes: bigint;
  readonly pods: readonly PodMemory[];
}

/** Measures a node. `running`: the pods of the node that have not ended. */
export function observeMemory(node: Node, running: readonly Pod[], client: Pick<Client, "get">): MemoryObservation {
  const podMemories = running.map((pod) => podMemory(pod, client)).filter(({ containers }) => containers.length > 0);
  const capacity = parseQuantity(node.status.capacity?.["memory"] ?? "")?.nanos ?? 0n;
  const system = systemUsage(node.metadata.name ?? "").memory;
  const availableBytes = (capacity - system) / billion - podMemories.reduce((sum, { bytes }) => sum + bytes, 0n);
  return { availableBytes: availableBytes < 0n ? 0n : roundDownToPages(availableBytes), pods: podMemories };
}

function podMemory(pod: Pod, client: Pick<Client, "get">): PodMemory {
  const controlling = controllerOf(pod, client);
  const containers = runningContainers(pod).map((container) => ({
    container,
    bytes: roundDownToPages(usageNanos(pod, container, controlling, "memory") / billion),
  }));
  const request = pod.spec.resources?.requests?.["memory"];
  const requested = request === undefined ? aggregateContainerRequests(pod.spec).get("memory") : parseQuantity(request);
  return {
    pod,
    containers,
    bytes: containers.reduce((sum, { bytes }) => sum + bytes, 0n),
    requestBytes: (requested?.nanos ?? 0n) / billion,
  };
}

export function runningContainers({ spec, status }: Pod): Container[] {
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const running = new Set(
    statuses.flatMap((containerStatus) => (containerStatus.state.running ? [containerStatus.name] : [])),
  );
  const all = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  return all.filter(({ name }) => running.has(name));
}

function roundDownToPages(bytes: bigint): bigint {
  return (bytes / pageBytes) * pageBytes;
}

/** Formats bytes as `41456Ki`. */
export function bytesText(bytes: bigint): string {
  return formatQuantity({ nanos: bytes * billion, format: "BinarySI" });
}
