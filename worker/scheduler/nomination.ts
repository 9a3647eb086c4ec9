// The node that is kept for a pod, as its status says.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

/** The status with that node kept for the pod; "" for none, undefined for no change. */
export function withNomination(status: Pod["status"], nodeName: string | undefined): Pod["status"] {
  if (nodeName === undefined) return status;
  const { nominatedNodeName: _, ...rest } = status;
  return nodeName === "" ? rest : { ...rest, nominatedNodeName: nodeName };
}
