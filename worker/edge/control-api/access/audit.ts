// The audit log of control actions, kept for a bounded time.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type { AuditEntry, AuditList, auditQuery } from "../../../../shared/contract/control-audit.ts";
import type { OperatorsAuditList, operatorsAuditQuery } from "../../../../shared/contract/hosted/admin.ts";
import type { AuditRow } from "../../db/tenant-tables.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";

/** Runs an action that D1 does not store. The audit entry is written before the action starts, and its outcome after the response. */
export async function audited<T>(controlApi: ControlApiServer, target: string, action: () => Promise<T>): Promise<T> {
  const { audit, later } = controlApi;
  const seq = await audit.begin(target);
  const end = (outcome: "done" | "failed", code = "") => {
    if (seq !== undefined) later(() => audit.end(seq, outcome, code), "the outcome of a control action");
  };
  try {
    const done = await action();
    end("done");
    return done;
  } catch (error) {
    end("failed", error instanceof ControlError ? error.code : "internal");
    throw error;
  }
}

/** Returns the service without auditing, for steps of an action that is already audited, or that belongs to no tenant. */
export function withoutAudit(controlApi: ControlApiServer): ControlApiServer {
  return { ...controlApi, audit: { ...controlApi.audit, begin: async () => undefined } };
}

export async function listAudit(
  { audit, nowMs }: ControlApiServer,
  tenantId: string,
  { limit, cursor }: z.output<typeof auditQuery>,
): Promise<AuditList> {
  const before = cursor === undefined ? undefined : placeOf(cursor);
  const rows = await audit.list(tenantId, nowMs() - limits.controlAuditMs, limit + 1, before);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { entries: page.map(describe), ...(last && rows.length > limit ? { nextCursor: last.seq.toString(36) } : {}) };
}

/** Lists the operator's actions for all tenants. */
export async function listOperatorsAudit(
  { audit }: Pick<ControlApiServer, "audit">,
  { limit, cursor }: z.output<typeof operatorsAuditQuery>,
): Promise<OperatorsAuditList> {
  const rows = await audit.listOperators(limit + 1, cursor === undefined ? undefined : Number.parseInt(cursor, 36));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    entries: page.map((row) => ({ ...describe(row), tenant: row.tenantId })),
    ...(last && rows.length > limit ? { nextCursor: last.row.toString(36) } : {}),
  };
}

function placeOf(cursor: string): number {
  if (!/^[0-9a-z]{1,9}$/.test(cursor)) throw invalidField("cursor", "is not a cursor");
  return Number.parseInt(cursor, 36);
}

function describe(row: AuditRow): AuditEntry {
  const {
    atMs,
    actorKind: kind,
    actorId: id,
    actorName: name,
    action,
    target,
    outcome,
    code,
    address,
    detail,
    requestId,
  } = row;
  const at = new Date(atMs).toISOString();
  // This service wrote the JSON, so it needs no validation.
  const changed = detail ? { changed: JSON.parse(detail) as Record<string, unknown> } : {};
  const optional = { ...(code ? { code } : {}), ...(requestId ? { requestId } : {}), ...changed };
  return { at, by: { kind, id, name }, action, target, outcome, address, ...optional };
}
