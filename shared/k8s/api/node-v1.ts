// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Toleration as Toleration_core_v1 } from "./core-v1.ts";
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface Overhead {
  podFixed?: Record<string, string>;
}

export interface RuntimeClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration_core_v1[];
}
