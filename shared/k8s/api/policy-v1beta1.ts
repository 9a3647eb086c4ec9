// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { DeleteOptions as DeleteOptions_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface Eviction {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  deleteOptions?: DeleteOptions_meta_v1;
}
