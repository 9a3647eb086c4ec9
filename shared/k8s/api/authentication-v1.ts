// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

export interface SelfSubjectReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  status: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo: UserInfo;
}

export interface TokenRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: TokenRequestSpec;
  status: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences: string[];
  expirationSeconds?: number;
  boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  token: string;
  expirationTimestamp: string | null;
}

export interface TokenReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: TokenReviewSpec;
  status: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token?: string;
  audiences?: string[];
}

export interface TokenReviewStatus {
  authenticated?: boolean;
  user: UserInfo;
  audiences?: string[];
  error?: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}
