// What the edge asks of D1 about the audit log of control actions. An entry is written with what it tells of, at once.
import { and, desc, eq, getTableColumns, gt, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { limits } from "../../../shared/base/limits.ts";
import { type Database, rowWhere } from "./database.ts";
import { type AuditRow, controlAudit } from "./tenant-tables.ts";

/** Who does what now: the half of an entry that is known before it is done. */
export type Noted = Pick<
  AuditRow,
  "tenantId" | "atMs" | "actorKind" | "actorId" | "actorName" | "action" | "address" | "requestId"
>;

/** An entry with its row, by which the next page is found. */
export type OperatorsRow = AuditRow & { readonly row: number };

export interface AuditLog {
  /** Notes that something begins that D1 does not hold. Gives the entry's place, for `end`; nothing where nothing is noted. */
  begin(target: string): Promise<number | undefined>;
  /** How it went. `code` is empty where it is done. */
  end(seq: number, outcome: "done" | "failed", code: string): Promise<void>;
  /** The newest first, of those that came after a moment; `before`: of those before that place. */
  list(tenantId: string, sinceMs: number, limit: number, before?: number): Promise<AuditRow[]>;
  /** What who runs the service did, of all tenants: the newest first; `before`: of those before that row. */
  listOperators(limit: number, before?: number): Promise<OperatorsRow[]>;
  /** Those that came before a moment. Returns how many they were. */
  forgetOld(beforeMs: number, limit: number): Promise<number>;
}

/** `noted`: of the request that asks; absent: nothing is noted. */
export function auditLog(db: Database, noted?: Noted): AuditLog {
  return {
    begin: async (target) => {
      if (!noted) return undefined;
      const entry = insertEntry(db, { ...noted, target, outcome: "begun", code: "", detail: "" }, sql`true`);
      const [rows] = await db.batch([entry.returning({ seq: controlAudit.seq }), trim(db, noted.tenantId)]);
      // What the first statement returns.
      return (rows as { seq: number }[])[0]?.seq;
    },
    end: async (seq, outcome, code) => {
      const one = and(eq(controlAudit.tenantId, noted?.tenantId ?? ""), eq(controlAudit.seq, seq));
      await db.update(controlAudit).set({ outcome, code }).where(one);
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
        // As the index has it.
        .where(and(sql`actor_kind = 'operator'`, before === undefined ? undefined : sql`rowid < ${before}`))
        .orderBy(sql`rowid DESC`)
        .limit(limit),
    forgetOld: async (beforeMs, limit) => {
      const old = db.select({ id: sql`rowid` }).from(controlAudit).where(lt(controlAudit.atMs, beforeMs)).limit(limit);
      const rows = await db.delete(controlAudit).where(sql`rowid IN ${old}`).returning({ seq: controlAudit.seq });
      return rows.length;
    },
  };
}

type Statement<T> = BatchItem<"sqlite"> & PromiseLike<T>;

/** Of what is done: `tenantId` where it is another than the caller's; `detail`: what was changed to what, as JSON. */
export interface Told {
  readonly target: string;
  readonly tenantId?: string;
  readonly detail?: string;
}

/** Does something, and `then` what follows from it, all or nothing; and notes it where the first statement changed something. */
export async function withNote<T>(
  db: Database,
  noted: Noted | undefined,
  { target, tenantId = noted?.tenantId ?? "", detail = "" }: Told,
  deed: Statement<T>,
  then: readonly BatchItem<"sqlite">[] = [],
): Promise<T> {
  const note = noted && tenantId ? noteOf(db, { ...noted, tenantId, target, outcome: "done", code: "", detail }) : [];
  if (note.length + then.length === 0) return deed;
  const [result] = await db.batch([deed, ...note, ...then]);
  // What the first statement returns.
  return result as T;
}

/** A note of what a later statement of the same batch does, under the condition that it does it. */
export function noteBefore(db: Database, noted: Noted, { target, tenantId = noted.tenantId }: Told, condition: SQL) {
  const entry = { ...noted, tenantId, target, outcome: "done", code: "", detail: "" } as const;
  return [insertEntry(db, entry, condition), trim(db, tenantId)];
}

/** Must follow what it tells of: `changes()` is about the statement before. */
function noteOf(db: Database, entry: Omit<AuditRow, "seq">): BatchItem<"sqlite">[] {
  return [insertEntry(db, entry, sql`changes() > 0`), trim(db, entry.tenantId)];
}

function insertEntry(db: Database, entry: Omit<AuditRow, "seq">, condition: SQL) {
  const last = sql`(SELECT max(seq) FROM control_audit WHERE tenant_id = ${entry.tenantId})`;
  return db
    .insert(controlAudit)
    .select(rowWhere(controlAudit, { ...entry, seq: sql`coalesce(${last}, 0) + 1` }, condition));
}

function trim(db: Database, tenantId: string) {
  const last = sql`(SELECT max(seq) FROM control_audit WHERE tenant_id = ${tenantId})`;
  const tooMany = sql`${controlAudit.seq} <= ${last} - ${limits.controlAuditEntries}`;
  return db.delete(controlAudit).where(and(eq(controlAudit.tenantId, tenantId), tooMany));
}
