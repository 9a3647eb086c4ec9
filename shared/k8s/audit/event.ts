// Audit events of audit.k8s.io/v1, as far as they are kept here.
import type { UserInfo } from "../api/authentication-v1.ts";

export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: "Metadata";
  readonly auditID: string;
  readonly stage: "ResponseComplete";
  readonly requestURI: string;
  readonly verb: string;
  readonly user: UserInfo;
  readonly impersonatedUser?: UserInfo;
  readonly userAgent?: string;
  readonly objectRef?: ObjectRef;
  readonly responseStatus: object;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ObjectRef {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly apiGroup?: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface AuditEventList {
  readonly kind: "EventList";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly metadata: object;
  readonly items: readonly AuditEvent[];
}
