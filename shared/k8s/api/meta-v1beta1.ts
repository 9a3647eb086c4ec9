// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ListMeta as ListMeta_meta_v1, PartialObjectMetadata as PartialObjectMetadata_meta_v1 } from "./meta-v1.ts";

export interface PartialObjectMetadataList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: PartialObjectMetadata_meta_v1[];
}
