// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { UserInfo as UserInfo_authentication_v1 } from "./authentication-v1.ts";
import type { GroupVersionKind as GroupVersionKind_meta_v1, GroupVersionResource as GroupVersionResource_meta_v1, Status as Status_meta_v1 } from "./meta-v1.ts";

export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKind_meta_v1;
  resource: GroupVersionResource_meta_v1;
  subResource?: string;
  requestKind?: GroupVersionKind_meta_v1;
  requestResource?: GroupVersionResource_meta_v1;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation: string;
  userInfo: UserInfo_authentication_v1;
  object?: unknown;
  oldObject?: unknown;
  dryRun?: boolean;
  options?: unknown;
}

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: Status_meta_v1;
  patch?: string;
  patchType?: string;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
}

export interface AdmissionReview {
  apiVersion: string;
  kind: string;
  request?: AdmissionRequest;
  response?: AdmissionResponse;
}
