// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ObjectReference as ObjectReference_core_v1 } from "./core-v1.ts";
import type { LabelSelector as LabelSelector_meta_v1, ListMeta as ListMeta_meta_v1 } from "./meta-v1.ts";

export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector_meta_v1;
}

export interface MetricListOptions {
  apiVersion: string;
  kind: string;
  labelSelector?: string;
  metricLabelSelector?: string;
}

export interface MetricValue {
  apiVersion: string;
  kind: string;
  describedObject: ObjectReference_core_v1;
  metric: MetricIdentifier;
  timestamp: string | null;
  windowSeconds?: number;
  value: string;
}

export interface MetricValueList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: MetricValue[];
}
