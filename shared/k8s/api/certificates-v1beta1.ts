// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Condition as Condition_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface CertificateSigningRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: CertificateSigningRequestSpec;
  status: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

export interface CertificateSigningRequestList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  request: string;
  signerName?: string;
  expirationSeconds?: number;
  usages?: string[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: string;
}

export interface ClusterTrustBundle {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: ClusterTrustBundle[];
}

export interface ClusterTrustBundleSpec {
  signerName?: string;
  trustBundle: string;
}

export interface PodCertificateRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: PodCertificateRequestSpec;
  status: PodCertificateRequestStatus;
}

export interface PodCertificateRequestList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: PodCertificateRequest[];
}

export interface PodCertificateRequestSpec {
  signerName: string;
  podName: string;
  podUID: string;
  serviceAccountName: string;
  serviceAccountUID: string;
  nodeName: string;
  nodeUID: string;
  maxExpirationSeconds?: number;
  pkixPublicKey: string;
  proofOfPossession: string;
  stubPKCS10Request: string;
  unverifiedUserAnnotations?: Record<string, string>;
}

export interface PodCertificateRequestStatus {
  conditions?: Condition_meta_v1[];
  certificateChain?: string;
  notBefore?: string;
  beginRefreshAt?: string;
  notAfter?: string;
}
