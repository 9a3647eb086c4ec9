// Audit events of requests that policies or webhooks annotated (upstream: apiserver's audit).
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { AuditEvent, ObjectRef } from "../../shared/k8s/audit/event.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339Micro } from "../../shared/k8s/time.ts";
import { type LocalWrite, writePath } from "./local-write.ts";
import type { Actor, Registry } from "./registry.ts";

export interface Audited {
  readonly auditId: string;
  readonly uri: string;
  readonly verb: string;
  readonly user: UserInfo;
  readonly impersonated?: UserInfo | undefined;
  readonly userAgent?: string | undefined;
  readonly about?: ObjectRef | undefined;
  /** The reason of the authorizer's decision. */
  readonly reason: string;
  readonly receivedMs: number;
  readonly nowMs: number;
  readonly outcome: number | ApiError;
  readonly annotations: ReadonlyMap<string, string>;
}

const enforcedPolicy = "pod-security.kubernetes.io/enforce-policy";

/** Builds the audit event of a request. Returns undefined if its only annotation is the Pod Security level, which every pod would have. */
export function auditEvent(of: Audited): AuditEvent | undefined {
  const { outcome, annotations, impersonated, userAgent, about } = of;
  if (![...annotations.keys()].some((key) => key !== enforcedPolicy)) return undefined;
  const decision: [string, string][] = [
    ["authorization.k8s.io/decision", "allow"],
    ["authorization.k8s.io/reason", of.reason],
  ];
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: of.auditId,
    stage: "ResponseComplete",
    requestURI: of.uri,
    verb: of.verb,
    user: userInfoOf(of.user),
    ...(impersonated ? { impersonatedUser: userInfoOf(impersonated) } : {}),
    ...(userAgent ? { userAgent } : {}),
    ...(about ? { objectRef: about } : {}),
    responseStatus: typeof outcome === "number" ? { metadata: {}, code: outcome } : statusOf(outcome),
    requestReceivedTimestamp: rfc3339Micro(of.receivedMs),
    stageTimestamp: rfc3339Micro(of.nowMs),
    annotations: Object.fromEntries([...decision, ...annotations].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Runs a write of a client in this process. Stores its audit event if it was annotated, and has an audit policy decide about it. */
export function audited<T>(
  registry: Registry,
  { user, manager }: Actor,
  localWrite: LocalWrite,
  write: (annotations: Map<string, string>) => T,
): T {
  const { verb, kind, subresource, namespace, name } = localWrite;
  const annotations = new Map<string, string>();
  const keep = (outcome: number | ApiError, result?: unknown) => {
    const auditWrite = registry.apiServer?.auditOfWrites();
    if (annotations.size === 0 && !auditWrite) return;
    const nowMs = registry.clock.nowMs();
    const { group, version, plural } = kind;
    const auditId = registry.random.uuid();
    const stored = result as KubeObject | undefined; // writes return objects or nothing
    auditWrite?.({
      ...localWrite,
      name: name || (stored?.metadata.name ?? ""),
      auditId,
      user,
      manager,
      nowMs,
      outcome,
      result: stored,
    });
    const event = auditEvent({
      auditId,
      uri: writePath(localWrite).uri,
      verb,
      user,
      about: objectRef({ group, version, plural, namespace: kind.namespaced ? namespace : "", name, subresource }),
      reason: "",
      receivedMs: nowMs,
      nowMs,
      outcome,
      annotations,
    });
    if (event) registry.audit?.(event);
  };
  try {
    const result = write(annotations);
    keep(verb === "create" ? 201 : 200, result);
    return result;
  } catch (error) {
    if (error instanceof ApiError) keep(error);
    throw error;
  }
}

export function objectRef(
  of: Record<"group" | "version" | "plural" | "namespace" | "name" | "subresource", string>,
): ObjectRef {
  return {
    resource: of.plural,
    ...(of.namespace ? { namespace: of.namespace } : {}),
    ...(of.name ? { name: of.name } : {}),
    ...(of.group ? { apiGroup: of.group } : {}),
    apiVersion: of.version,
    ...(of.subresource ? { subresource: of.subresource } : {}),
  };
}

export function userInfoOf({ name, uid, groups, extra }: UserInfo) {
  const more = Object.entries(extra ?? {}).map(([key, values]) => [key, [...values]]);
  return {
    username: name,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(more.length > 0 ? { extra: Object.fromEntries(more) as Record<string, string[]> } : {}),
  };
}

export function statusOf(error: ApiError): object {
  const { status, message, reason, details, code } = error.toStatus();
  return { metadata: {}, status, message, reason, details, code };
}
