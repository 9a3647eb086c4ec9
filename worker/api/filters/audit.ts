// Records the audit event of a request that policies or webhooks annotated, and its events in the audit log of the API server's node.
import { auditEvent, objectRef } from "../../registry/audit.ts";
import { auditedBy } from "./audit-log.ts";
import { requesterOf } from "./authorization.ts";
import type { Filter, FilterContext } from "./filter.ts";

export const withAudit: Filter = (next) => (context) => {
  context.onAnswer.push((code) => auditRequest(context, code));
  const sink = context.server.audit?.();
  return (sink && auditedBy(sink, next, context)) ?? next(context);
};

function auditRequest(context: FilterContext, code: number): void {
  const { annotations, info, sender, identity, url } = context;
  const { registry } = context.server;
  if (!registry.audit || annotations.size === 0 || !info || !sender || !identity) return;
  const user = requesterOf(identity);
  const attributes = info.isResource
    ? { ...info, path: "" }
    : { ...info, group: "", plural: "", subresource: "", namespace: "", name: "" };
  const nowMs = registry.clock.nowMs();
  const event = auditEvent({
    auditId: context.auditId,
    uri: url.pathname + url.search,
    verb: info.verb,
    user: requesterOf(sender),
    impersonated: identity === sender ? undefined : user,
    userAgent: context.request.headers.get("user-agent") ?? undefined,
    about: info.isResource
      ? objectRef({ ...info, name: info.name || context.posted.name, version: versionOf(info.apiVersion) })
      : undefined,
    reason: registry.authorizer.decide(user, attributes).reason ?? "",
    receivedMs: nowMs,
    nowMs,
    outcome: context.error ?? code,
    annotations,
  });
  if (event) registry.audit(event);
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}
