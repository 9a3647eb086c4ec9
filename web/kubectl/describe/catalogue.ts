// Which describer a kind has.
import type { Mapping } from "../cluster/discovery.ts";
import { describeBinding, describeRole } from "./access.ts";
import { describeAutoscaler } from "./autoscaler.ts";
import type { Describer } from "./describer.ts";
import { describeGeneric } from "./generic.ts";
import { describeIngress, describeIngressClass, describeNetworkPolicy, describeService } from "./network.ts";
import { describeNode } from "./node.ts";
import { describePod } from "./pod.ts";
import {
  describeConfigMap,
  describeDisruptionBudget,
  describeLimitRange,
  describeNamespace,
  describePriorityClass,
  describeQuota,
  describeSecret,
  describeServiceAccount,
} from "./settings.ts";
import { describePersistentVolume, describePersistentVolumeClaim, describeStorageClass } from "./storage.ts";
import {
  describeCronJob,
  describeDaemonSet,
  describeDeployment,
  describeJob,
  describeReplicaSet,
  describeReplicationController,
  describeStatefulSet,
} from "./workloads.ts";

/** By group and kind. */
const describers: Readonly<Record<string, Describer>> = {
  "/Pod": describePod,
  "/ReplicationController": describeReplicationController,
  "/Secret": describeSecret,
  "/Service": describeService,
  "/ServiceAccount": describeServiceAccount,
  "/Node": describeNode,
  "/LimitRange": describeLimitRange,
  "/ResourceQuota": describeQuota,
  "/PersistentVolume": describePersistentVolume,
  "/PersistentVolumeClaim": describePersistentVolumeClaim,
  "/Namespace": describeNamespace,
  "/ConfigMap": describeConfigMap,
  "autoscaling/HorizontalPodAutoscaler": describeAutoscaler,
  "networking.k8s.io/Ingress": describeIngress,
  "networking.k8s.io/IngressClass": describeIngressClass,
  "networking.k8s.io/NetworkPolicy": describeNetworkPolicy,
  "batch/Job": describeJob,
  "batch/CronJob": describeCronJob,
  "apps/StatefulSet": describeStatefulSet,
  "apps/Deployment": describeDeployment,
  "apps/DaemonSet": describeDaemonSet,
  "apps/ReplicaSet": describeReplicaSet,
  "storage.k8s.io/StorageClass": describeStorageClass,
  "policy/PodDisruptionBudget": describeDisruptionBudget,
  "rbac.authorization.k8s.io/Role": describeRole,
  "rbac.authorization.k8s.io/ClusterRole": describeRole,
  "rbac.authorization.k8s.io/RoleBinding": describeBinding,
  "rbac.authorization.k8s.io/ClusterRoleBinding": describeBinding,
  "scheduling.k8s.io/PriorityClass": describePriorityClass,
};

export function describerOf({ group, kind }: Mapping): Describer {
  return describers[`${group}/${kind}`] ?? describeGeneric;
}
