// The memory in use on a simulated node, by its pods and by its own software (upstream: `makeSignalObservations`).
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { controllerOf } from "../../kinds/metrics/samples.ts";
import { systemUsage, usageNanos } from "../../kinds/metrics/usage.ts";
import type { Client } from "../../registry/client.ts";
import { type Observation, type PodUsage, runningContainers, type Signal, type Threshold, usageOf } from "./signal.ts";

/** The size of a page: the kernel counts memory in pages. */
const pageBytes = 4096n;
const billion = 1_000_000_000n;

/** `memory.available<100Mi`, the kubelet's only threshold for memory. */
const threshold: Threshold = { text: "100Mi", bytes: 104_857_600n };

export const memorySignal: Signal = {
  condition: "MemoryPressure",
  resource: "memory",
  stateKey: "observedMs",
  verdicts: {
    True: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"],
    False: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"],
  },
  observe: observeMemory,
};

function observeMemory(node: Node, running: readonly Pod[], client: Pick<Client, "get">): Observation {
  const podMemories = running.map((pod) => podMemory(pod, client)).filter(({ containers }) => containers.length > 0);
  const capacity = parseQuantity(node.status.capacity?.["memory"] ?? "")?.nanos ?? 0n;
  const system = systemUsage(node.metadata.name ?? "").memory;
  const availableBytes = (capacity - system) / billion - podMemories.reduce((sum, { bytes }) => sum + bytes, 0n);
  return { threshold, availableBytes: availableBytes < 0n ? 0n : roundDownToPages(availableBytes), pods: podMemories };
}

function podMemory(pod: Pod, client: Pick<Client, "get">): PodUsage {
  const controlling = controllerOf(pod, client);
  const containers = runningContainers(pod).map((container) => ({
    container,
    bytes: roundDownToPages(usageNanos(pod, container, controlling, "memory") / billion),
  }));
  return usageOf(pod, "memory", containers);
}

function roundDownToPages(bytes: bigint): bigint {
  return (bytes / pageBytes) * pageBytes;
}
