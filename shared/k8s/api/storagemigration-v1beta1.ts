// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Condition as Condition_meta_v1, GroupResource as GroupResource_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface StorageVersionMigration {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: StorageVersionMigrationSpec;
  status: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: StorageVersionMigration[];
}

export interface StorageVersionMigrationSpec {
  resource: GroupResource_meta_v1;
}

export interface StorageVersionMigrationStatus {
  conditions?: Condition_meta_v1[];
  resourceVersion?: string;
}
