// All objects of a cluster as the checks see them, and the few questions that several of them ask.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Endpoints, Node, Pod, ReplicationController, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import type { PodDisruptionBudget } from "../../../shared/k8s/api/policy-v1.ts";
import { getControllerOf, type KubeObject } from "../../../shared/k8s/meta.ts";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { endpointSlices } from "../../../worker/kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../../../worker/kinds/core/endpoints.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { podDisruptionBudgets } from "../../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { replicationControllers } from "../../../worker/kinds/core/replication-controller.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import type { Client } from "../../../worker/registry/client.ts";

export interface View {
  readonly all: readonly KubeObject[];
  readonly pods: readonly Pod[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly deployments: readonly Deployment[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly replicationControllers: readonly ReplicationController[];
  readonly jobs: readonly Job[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly nodes: readonly Node[];
  readonly services: readonly Service[];
  readonly endpoints: readonly Endpoints[];
  readonly slices: readonly EndpointSlice[];
}

export function viewOf(client: Client): View {
  return {
    all: client.kinds().flatMap((kind) => client.list(kind)),
    pods: client.list(pods),
    replicaSets: client.list(replicaSets),
    deployments: client.list(deployments),
    statefulSets: client.list(statefulSets),
    daemonSets: client.list(daemonSets),
    replicationControllers: client.list(replicationControllers),
    jobs: client.list(jobs),
    budgets: client.list(podDisruptionBudgets),
    nodes: client.list(nodes),
    services: client.list(services),
    endpoints: client.list(endpoints),
    slices: client.list(endpointSlices),
  };
}

/** Returns `kind namespace/name` for the message of a check. */
export function called({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name ?? ""}`;
}

export function ownedBy<T extends KubeObject>(objects: readonly T[], owner: KubeObject): T[] {
  return objects.filter((object) => getControllerOf(object)?.uid === owner.metadata.uid);
}

export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== "Succeeded" && status.phase !== "Failed";
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status.conditions, "Ready")?.status === "True";
}

export function conditionOf<T extends { type: string }>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether a map of labels has all pairs of a selector. */
export function hasAll(
  labels: Readonly<Record<string, string>> | undefined,
  selector: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => labels?.[key] === value);
}

/** Returns one line for each pair of values that differ. */
export function differences(what: string, actual: object, expected: object): string[] {
  return Object.entries(expected)
    .filter(([key, value]) => JSON.stringify(Reflect.get(actual, key)) !== JSON.stringify(value))
    .map(
      ([key, value]) =>
        `${what}: ${key} is ${String(JSON.stringify(Reflect.get(actual, key)))}, not ${String(JSON.stringify(value))}`,
    );
}
