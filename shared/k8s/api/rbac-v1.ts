// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { LabelSelector as LabelSelector_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector_meta_v1[];
}

export interface ClusterRole {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  rules: PolicyRule[];
  aggregationRule?: AggregationRule;
}

export interface ClusterRoleBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  rules: PolicyRule[];
}

export interface RoleBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}
