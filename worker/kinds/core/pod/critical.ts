// Pods that a kubelet does not give up (upstream: `IsCriticalPod`).
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";

const systemCriticalPriority = 2_000_000_000;

/** Static pods, their mirrors, and those that the system needs. */
export function isCriticalPod({ metadata, spec }: Pod): boolean {
  const { annotations = {} } = metadata;
  if (annotations["kubernetes.io/config.mirror"] !== undefined) return true;
  if ((annotations["kubernetes.io/config.source"] ?? "api") !== "api") return true;
  return (spec.priority ?? 0) >= systemCriticalPriority;
}
