// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { PersistentVolumeSpec as PersistentVolumeSpec_core_v1 } from "./core-v1.ts";
import type { LabelSelector as LabelSelector_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface CSIStorageCapacity {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  nodeTopology?: LabelSelector_meta_v1;
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

export interface CSIStorageCapacityList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: CSIStorageCapacity[];
}

export interface VolumeAttachment {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: VolumeAttachmentSpec;
  status: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: PersistentVolumeSpec_core_v1;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  driverName: string;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: VolumeAttributesClass[];
}

export interface VolumeError {
  time?: string | null;
  message?: string;
  errorCode?: number;
}
