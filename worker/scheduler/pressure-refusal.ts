// Rejects pods on a node under pressure (upstream: the eviction manager's `Admit`). The kubelet checks it through `admission-check.ts`, which
// shares the scheduler's predicates.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { tolerates } from "../controllers/common/tolerations.ts";
import { isCriticalPod } from "../kinds/core/pod/critical.ts";

/** The conditions that a kubelet's eviction manager sets. */
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];
const memoryTaint = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

export function pressureRefusal(
  pod: Pod,
  { status }: Node,
): { readonly reason: string; readonly message: string } | undefined {
  const activePressures = (status.conditions ?? []).filter(
    (condition) => pressures.includes(condition.type) && condition.status === "True",
  );
  if (activePressures.length === 0 || isCriticalPod(pod)) return undefined;
  const names = activePressures.map(({ type }) => type).join(" ");
  // Under memory pressure alone, pods that request resources or tolerate the taint of the pressure are admitted.
  const isOnlyMemoryPressure = names === "MemoryPressure";
  if (isOnlyMemoryPressure && (pod.status.qosClass !== "BestEffort" || tolerates(pod.spec.tolerations, memoryTaint)))
    return undefined;
  return { reason: "Evicted", message: `The node had condition: [${names}]. ` };
}
