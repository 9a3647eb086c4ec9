// `status.terminatingReplicas` of Deployments and ReplicaSets, which a feature gate adds.
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";

interface Status {
  terminatingReplicas?: number;
}

/** A number that was there stays. */
export function dropDisabledStatus(
  status: Status,
  previous: Status,
  { DeploymentReplicaSetTerminatingReplicas: isOn }: Features,
): void {
  if (!isOn && previous.terminatingReplicas === undefined) delete status.terminatingReplicas;
}
