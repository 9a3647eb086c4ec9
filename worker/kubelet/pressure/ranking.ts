// Selects the pod that a node under pressure evicts first, and formats the message (upstream: `rankMemoryPressure`, `rankDiskPressureFunc`,
// `evictionMessage`). Pure.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import { bytesText, type Observation, type PodUsage, type Signal } from "./signal.ts";

/** Sorts pods: first those above their request, then those of a low priority, then those that exceed their request most. */
export function rankPressure(all: readonly PodUsage[]): PodUsage[] {
  const beyond = ({ bytes, requestBytes }: PodUsage) => bytes - requestBytes;
  return [...all].sort((a, b) => {
    const exceeds = Number(beyond(b) > 0n) - Number(beyond(a) > 0n);
    const priority = (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0);
    return exceeds || priority || Number(beyond(b) - beyond(a));
  });
}

export function evictionMessage(
  { pod, containers, bytes }: PodUsage,
  resource: Signal["resource"],
  { availableBytes, threshold }: Observation,
): string {
  const consumption = (what: "Container" | "Pod", name: string, used: bigint, request: string) =>
    `${what} ${name} was using ${bytesText(used)}, request is ${request}, has larger consumption of ${resource}. `;
  const ofPod = pod.spec.resources?.requests?.[resource];
  const consumers = [
    ...(ofPod === undefined ? [] : [consumption("Pod", pod.metadata.name ?? "", bytes, ofPod)]),
    ...containers.flatMap(({ container, bytes: used }) => {
      const { [resource]: request = "0" } = container.resources.requests ?? {};
      return used > BigInt(quantityValue(request)) ? [consumption("Container", container.name, used, request)] : [];
    }),
  ];
  const available = `Threshold quantity: ${threshold.text}, available: ${bytesText(availableBytes)}. `;
  return `The node was low on resource: ${resource}. ${available}${consumers.join("")}`;
}
