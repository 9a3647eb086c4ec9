// Reports whether a kubelet must not evict a pod (upstream: `IsCriticalPod`).
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";

const systemCriticalPriority = 2_000_000_000;

/** Reports whether a pod is static, a mirror pod, or has a system priority. */
export function isCriticalPod({ metadata, spec }: Pod): boolean {
  const { annotations = {} } = metadata;
  if (annotations["kubernetes.io/config.mirror"] !== undefined) return true;
  if ((annotations["kubernetes.io/config.source"] ?? "api") !== "api") return true;
  return (spec.priority ?? 0) >= systemCriticalPriority;
}
