// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Condition as Condition_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: DeviceTaintEffect;
  timeAdded?: string;
}

export interface DeviceTaintRule {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: DeviceTaintRuleSpec;
  status: DeviceTaintRuleStatus;
}

export interface DeviceTaintRuleList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: DeviceTaintRule[];
}

export interface DeviceTaintRuleSpec {
  deviceSelector?: DeviceTaintSelector;
  taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  conditions?: Condition_meta_v1[];
}

export interface DeviceTaintSelector {
  driver?: string;
  pool?: string;
  device?: string;
}

export interface PoolStatus {
  driver?: string;
  poolName?: string;
  generation: number;
  resourceSliceCount?: number;
  totalDevices?: number;
  allocatedDevices?: number;
  availableDevices?: number;
  unavailableDevices?: number;
  nodeName?: string;
  validationError?: string;
}

export interface ResourcePoolStatusRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus;
}

export interface ResourcePoolStatusRequestList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: ResourcePoolStatusRequest[];
}

export interface ResourcePoolStatusRequestSpec {
  driver: string;
  poolName?: string;
  limit?: number;
}

export interface ResourcePoolStatusRequestStatus {
  poolCount?: number;
  pools?: PoolStatus[];
  conditions?: Condition_meta_v1[];
}
