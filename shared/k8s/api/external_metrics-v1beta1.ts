// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ListMeta as ListMeta_meta_v1 } from "./meta-v1.ts";

export interface ExternalMetricValue {
  apiVersion: string;
  kind: string;
  metricName: string;
  metricLabels: Record<string, string>;
  timestamp: string | null;
  window?: number;
  value: string;
}

export interface ExternalMetricValueList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: ExternalMetricValue[];
}
