// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Condition as Condition_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export type DisruptionMode = "Pod" | "PodGroup";

export interface BasicSchedulingPolicy {

}

export interface GangSchedulingPolicy {
  minCount: number;
}

export interface PodGroup {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: PodGroupSpec;
  status: PodGroupStatus;
}

export interface PodGroupList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: PodGroup[];
}

export interface PodGroupResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodGroupResourceClaimStatus {
  name: string;
  resourceClaimName?: string;
}

export interface PodGroupSchedulingConstraints {
  topology?: TopologyConstraint[];
}

export interface PodGroupSchedulingPolicy {
  basic?: BasicSchedulingPolicy;
  gang?: GangSchedulingPolicy;
}

export interface PodGroupSpec {
  podGroupTemplateRef?: PodGroupTemplateReference;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
}

export interface PodGroupStatus {
  conditions?: Condition_meta_v1[];
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
}

export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
}

export interface PodGroupTemplateReference {
  workload?: WorkloadPodGroupTemplateReference;
}

export interface TopologyConstraint {
  key: string;
}

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Workload {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: WorkloadSpec;
}

export interface WorkloadList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: Workload[];
}

export interface WorkloadPodGroupTemplateReference {
  workloadName: string;
  podGroupTemplateName: string;
}

export interface WorkloadSpec {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates: PodGroupTemplate[];
}
