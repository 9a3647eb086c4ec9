// What the audit log is told of a request on which policies or webhooks have noted something.
import type { ApiError } from "../../../shared/k8s/status.ts";
import { auditEvent, objectRef } from "../../registry/audit.ts";
import { requesterOf } from "./authorization.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Identity, ApiServer } from "../api-server.ts";

export interface Heard {
  readonly auditId: string;
  readonly annotations: ReadonlyMap<string, string>;
  readonly posted: { readonly name: string };
  readonly info?: RequestInfo;
  /** Who sent it, and as whom it was served. */
  readonly sender?: Identity;
  readonly identity?: Identity;
  readonly error?: ApiError;
}

export function auditRequest({ registry }: ApiServer, request: Request, heard: Heard, status: number): void {
  const { annotations, info, sender, identity } = heard;
  if (!registry.audit || annotations.size === 0 || !info || !sender || !identity) return;
  const { pathname, search } = new URL(request.url);
  const user = requesterOf(identity);
  const access = info.isResource
    ? { ...info, path: "" }
    : { ...info, group: "", plural: "", subresource: "", namespace: "", name: "" };
  const nowMs = registry.clock.nowMs();
  const event = auditEvent({
    auditId: heard.auditId,
    uri: pathname + search,
    verb: info.verb,
    user: requesterOf(sender),
    impersonated: identity === sender ? undefined : user,
    userAgent: request.headers.get("user-agent") ?? undefined,
    about: info.isResource
      ? objectRef({ ...info, name: info.name || heard.posted.name, version: versionOf(info.apiVersion) })
      : undefined,
    reason: registry.authorizer.decide(user, access).reason ?? "",
    receivedMs: nowMs,
    nowMs,
    outcome: heard.error ?? status,
    annotations,
  });
  if (event) registry.audit(event);
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}
