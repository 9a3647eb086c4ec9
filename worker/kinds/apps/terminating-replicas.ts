// Drops `status.terminatingReplicas` of Deployments and ReplicaSets if its feature gate is off.
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";

interface Status {
  terminatingReplicas?: number;
}

/** Drops the field unless the previous object had it. */
export function dropDisabledStatus(
  status: Status,
  previous: Status,
  { DeploymentReplicaSetTerminatingReplicas: isOn }: Features,
): void {
  if (!isOn && previous.terminatingReplicas === undefined) delete status.terminatingReplicas;
}
