// Which pods a node under pressure does not take (upstream: the eviction manager's `Admit`).
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { tolerates } from "../controllers/common/tolerations.ts";
import { isCriticalPod } from "../kinds/core/pod/critical.ts";

/** Those that a kubelet's eviction manager sets. */
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];
const memoryTaint = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

export function pressureRefusal(
  pod: Pod,
  { status }: Node,
): { readonly reason: string; readonly message: string } | undefined {
  const found = (status.conditions ?? []).filter((one) => pressures.includes(one.type) && one.status === "True");
  if (found.length === 0 || isCriticalPod(pod)) return undefined;
  const names = found.map(({ type }) => type).join(" ");
  // What is short of memory alone takes pods that ask for some.
  const mayAsk = names === "MemoryPressure";
  if (mayAsk && (pod.status.qosClass !== "BestEffort" || tolerates(pod.spec.tolerations, memoryTaint)))
    return undefined;
  return { reason: "Evicted", message: `The node had condition: [${names}]. ` };
}
