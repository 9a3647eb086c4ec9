// The audit log of control actions in D1. An entry is written in the same batch as the change that it describes.
import { and, desc, eq, getTableColumns, gt, lt, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import {
  type Database,
  rowWhere,
  runStatements,
  type Statement,
  statement,
  type StatementBuilder,
  type WritableDatabase,
} from "./database.ts";
import { type AuditRow, controlAudit } from "./tenant-tables.ts";

/** The context of an audit entry that is known before the change: the actor, the action and the request. */
export type AuditContext = Pick<
  AuditRow,
  "tenantId" | "atMs" | "actorKind" | "actorId" | "actorName" | "action" | "address" | "requestId"
>;

/** The audit of a change. Every directory that changes D1 requires one, so that no change is unaudited by mistake. */
export type Audit = AuditContext | undefined;

/** The audit of reads, and of changes that no caller requested, such as those of the scheduled run. */
export const unaudited: Audit = undefined;

/** An entry with its row id, the cursor of the operator's list. */
export type OperatorsRow = AuditRow & { readonly row: number };

export interface AuditLog {
  /** Records the start of an action that D1 does not store. Returns the entry's number for `end`, or undefined without an audit context. */
  begin(target: string): Promise<number | undefined>;
  /** Records the outcome. `code` is empty on success. */
  end(seq: number, outcome: "done" | "failed", code: string): Promise<void>;
  /** Lists the entries since a time, the newest first; with `before`, those before that entry. */
  list(tenantId: string, sinceMs: number, limit: number, before?: number): Promise<AuditRow[]>;
  /** Lists the operator's actions for all tenants, the newest first; with `before`, those before that row. */
  listOperators(limit: number, before?: number): Promise<OperatorsRow[]>;
  /** Deletes entries before a time. Returns the number of deleted rows. */
  forgetOld(beforeMs: number, limit: number): Promise<number>;
}

/** Returns the audit log. Without a context, nothing is recorded. */
export function auditLog(db: Database, audit: Audit): AuditLog {
  return {
    begin: async (target) => {
      if (!audit) return undefined;
      const entry = { ...audit, target, outcome: "begun", code: "", detail: "" } as const;
      const insert: StatementBuilder<{ seq: number }[]> = (write) =>
        insertEntry(write, entry, sql`true`).returning({ seq: controlAudit.seq });
      return (await writeUnaudited(db, "entered", insert, [trim(db, audit.tenantId)]))[0]?.seq;
    },
    end: async (seq, outcome, code) => {
      const condition = and(eq(controlAudit.tenantId, audit?.tenantId ?? ""), eq(controlAudit.seq, seq));
      await writeUnaudited(db, "entered", (write) =>
        write.update(controlAudit).set({ outcome, code }).where(condition),
      );
    },
    list: (tenantId, sinceMs, limit, before) =>
      db
        .select()
        .from(controlAudit)
        .where(
          and(
            eq(controlAudit.tenantId, tenantId),
            gt(controlAudit.atMs, sinceMs),
            before === undefined ? undefined : lt(controlAudit.seq, before),
          ),
        )
        .orderBy(desc(controlAudit.seq))
        .limit(limit),
    listOperators: (limit, before) =>
      db
        .select({ ...getTableColumns(controlAudit), row: sql<number>`rowid` })
        .from(controlAudit)
        // Written as in the index, so that SQLite uses it.
        .where(and(sql`actor_kind = 'operator'`, before === undefined ? undefined : sql`rowid < ${before}`))
        .orderBy(sql`rowid DESC`)
        .limit(limit),
    forgetOld: async (beforeMs, limit) => {
      const old = db.select({ id: sql`rowid` }).from(controlAudit).where(lt(controlAudit.atMs, beforeMs)).limit(limit);
      const deletedRows = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(controlAudit).where(sql`rowid IN ${old}`).returning({ seq: controlAudit.seq }),
      );
      return deletedRows.length;
    },
  };
}

/** A change for the audit log. `tenantId` is set if it differs from the caller's; `detail` is the change as JSON. */
export interface AuditedChange {
  readonly target: string;
  readonly tenantId?: string;
  readonly detail?: string;
}

/**
 * The reason why a change has no entry. `hidden`: clients do not see the row yet, or no longer. `scheduled`: the scheduled run removes what
 * has expired. `entered`: `begin` and `end` record the action. `bookkeeping`: the service notes something for itself, such as a last use.
 * `learner`: the progress of a learner, which the run itself records.
 */
export type UnauditedReason = "hidden" | "scheduled" | "entered" | "bookkeeping" | "learner";

/** Runs a statement and those that depend on it in one batch. The batch records the change if the first statement changed a row. */
export async function writeAudited<T>(
  db: Database,
  audit: Audit,
  { target, tenantId = audit?.tenantId ?? "", detail = "" }: AuditedChange,
  change: Statement<T>,
  then: readonly Statement[] = [],
): Promise<T> {
  const note =
    audit && tenantId ? auditStatement(db, { ...audit, tenantId, target, outcome: "done", code: "", detail }) : [];
  const [result] = await runStatements(db, [change, ...note, ...then]);
  // The first statement's result.
  return result as T;
}

/** Runs a statement that the audit log does not record, and those that depend on it, in one batch. */
export async function writeUnaudited<T>(
  db: Database,
  _reason: UnauditedReason,
  build: StatementBuilder<T>,
  then: readonly Statement[] = [],
): Promise<T> {
  const [result] = await runStatements(db, [statement(db, build), ...then]);
  // The first statement's result.
  return result as T;
}

/** A change for the audit logs of several tenants. `audit` is the context in that tenant; undefined records nothing. */
export interface ConditionalChange extends AuditedChange {
  readonly audit: Audit;
  readonly condition: SQL;
}

/**
 * Runs statements in one batch. The batch records each change whose condition holds after the first statement and before the others.
 * Returns the result of the last statement.
 */
export async function writeAuditedIf<T>(
  db: Database,
  changes: readonly ConditionalChange[],
  first: Statement,
  others: readonly [...Statement[], Statement<T>],
): Promise<T> {
  const notes = changes.flatMap(({ audit, condition, target, tenantId = audit?.tenantId ?? "" }) => {
    if (!audit) return [];
    const entry = { ...audit, tenantId, target, outcome: "done", code: "", detail: "" } as const;
    return [statement(db, (write) => insertEntry(write, entry, condition)), trim(db, tenantId)];
  });
  const results = await runStatements(db, [first, ...notes, ...others]);
  // The last statement's result.
  return results.at(-1) as T;
}

/** Must follow the change, because `changes()` counts the rows of the previous statement. */
function auditStatement(db: Database, entry: Omit<AuditRow, "seq">): Statement[] {
  return [statement(db, (write) => insertEntry(write, entry, sql`changes() > 0`)), trim(db, entry.tenantId)];
}

function insertEntry(write: Pick<WritableDatabase, "insert">, entry: Omit<AuditRow, "seq">, condition: SQL) {
  const last = sql`(SELECT max(seq) FROM control_audit WHERE tenant_id = ${entry.tenantId})`;
  return write
    .insert(controlAudit)
    .select(rowWhere(controlAudit, { ...entry, seq: sql`coalesce(${last}, 0) + 1` }, condition));
}

function trim(db: Database, tenantId: string): Statement {
  const last = sql`(SELECT max(seq) FROM control_audit WHERE tenant_id = ${tenantId})`;
  const tooMany = sql`${controlAudit.seq} <= ${last} - ${limits.controlAuditEntries}`;
  const where = and(eq(controlAudit.tenantId, tenantId), tooMany);
  return statement(db, (write) => write.delete(controlAudit).where(where));
}
