// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { UserInfo as UserInfo_authentication_v1 } from "./authentication-v1.ts";
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface SelfSubjectReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  status: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo: UserInfo_authentication_v1;
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
