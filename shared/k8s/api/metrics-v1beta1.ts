// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface ContainerMetrics {
  name: string;
  usage: Record<string, string>;
}

export interface NodeMetrics {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  timestamp: string | null;
  window: string;
  usage: Record<string, string>;
}

export interface PodMetrics {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  timestamp: string | null;
  window: string;
  containers: ContainerMetrics[];
}
