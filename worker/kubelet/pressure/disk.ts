// The disk of a simulated node. Its pods never fill it, so only an injected fault puts it under pressure.
import { stableFraction } from "../../../shared/base/stable.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { type Observation, runningContainers, type Signal, usageOf } from "./signal.ts";

const billion = 1_000_000_000n;
const kibibyte = 1024n;

export const diskSignal: Signal = {
  condition: "DiskPressure",
  resource: "ephemeral-storage",
  stateKey: "diskObservedMs",
  verdicts: {
    True: ["KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"],
    False: ["KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"],
  },
  observe: observeDisk,
};

/** `nodefs.available<10%`. Half of the disk is free. */
function observeDisk(node: Node, running: readonly Pod[]): Observation {
  const capacity = (parseQuantity(node.status.capacity?.["ephemeral-storage"] ?? "")?.nanos ?? 0n) / billion;
  const bytes = capacity / 10n;
  const pods = running.map((pod) => {
    const containers = runningContainers(pod).map((container) => ({
      container,
      bytes: layerBytes(pod, container.name),
    }));
    return usageOf(pod, "ephemeral-storage", containers);
  });
  return {
    threshold: { text: String(bytes), bytes },
    availableBytes: capacity / 2n,
    pods: pods.filter(({ containers }) => containers.length > 0),
  };
}

/** Returns the size of a container's writable layer and logs: 16 to 64 KiB. */
function layerBytes({ metadata }: Pod, container: string): bigint {
  return kibibyte * BigInt(16 + 4 * Math.floor(12 * stableFraction(`${metadata.uid ?? ""}/${container}/disk`)));
}
