// Selects the pod that a node under memory pressure evicts first, and formats the message (upstream: `rankMemoryPressure`, `evictionMessage`). Pure.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import { type MemoryObservation, bytesText, memoryThreshold, type PodMemory } from "./memory.ts";

/** Sorts pods: first those above their request, then those of a low priority, then those that exceed their request most. */
export function rankMemoryPressure(all: readonly PodMemory[]): PodMemory[] {
  const beyond = ({ bytes, requestBytes }: PodMemory) => bytes - requestBytes;
  return [...all].sort((a, b) => {
    const exceeds = Number(beyond(b) > 0n) - Number(beyond(a) > 0n);
    const priority = (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0);
    return exceeds || priority || Number(beyond(b) - beyond(a));
  });
}

export function evictionMessage({ pod, containers, bytes }: PodMemory, { availableBytes }: MemoryObservation): string {
  const ofPod = pod.spec.resources?.requests?.["memory"];
  const consumers = [
    ...(ofPod === undefined ? [] : [consumption("Pod", pod.metadata.name ?? "", bytes, ofPod)]),
    ...containers.flatMap(({ container, bytes: used }) => {
      const { memory: request = "0" } = container.resources.requests ?? {};
      return used > BigInt(quantityValue(request)) ? [consumption("Container", container.name, used, request)] : [];
    }),
  ];
  const available = `Threshold quantity: ${memoryThreshold.text}, available: ${bytesText(availableBytes)}. `;
  return `The node was low on resource: memory. ${available}${consumers.join("")}`;
}

function consumption(what: "Container" | "Pod", name: string, used: bigint, request: string): string {
  return `${what} ${name} was using ${bytesText(used)}, request is ${request}, has larger consumption of memory. `;
}
