// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { PreemptionPolicy as PreemptionPolicy_core_v1 } from "./core-v1.ts";
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface PriorityClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: PreemptionPolicy_core_v1;
}
