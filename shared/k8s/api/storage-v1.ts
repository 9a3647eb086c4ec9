// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { PersistentVolumeReclaimPolicy as PersistentVolumeReclaimPolicy_core_v1, PersistentVolumeSpec as PersistentVolumeSpec_core_v1, TopologySelectorTerm as TopologySelectorTerm_core_v1 } from "./core-v1.ts";
import type { LabelSelector as LabelSelector_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export type VolumeBindingMode = "Immediate" | "WaitForFirstConsumer";

export interface CSIDriver {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: CSIDriverSpec;
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: string[];
  storageCapacity?: boolean;
  fsGroupPolicy?: string;
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: number;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
}

export interface CSINode {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: CSINodeSpec;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys: string[];
  allocatable?: VolumeNodeResources;
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSIStorageCapacity {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  nodeTopology?: LabelSelector_meta_v1;
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

export interface StorageClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: PersistentVolumeReclaimPolicy_core_v1;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: VolumeBindingMode;
  allowedTopologies?: TopologySelectorTerm_core_v1[];
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: VolumeAttachmentSpec;
  status: VolumeAttachmentStatus;
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

export interface VolumeError {
  time?: string | null;
  message?: string;
  errorCode?: number;
}

export interface VolumeNodeResources {
  count?: number;
}
