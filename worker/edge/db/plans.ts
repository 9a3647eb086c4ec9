// Queries of tenants and their plans.
import { and, asc, count, desc, eq, gt, gte, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { LimitOverrides } from "../../../shared/contract/hosted/plan.ts";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, statement } from "./database.ts";
import { type UsageDayRow, templates, tenantPlans, usageDays } from "./plan-schema.ts";
import { sandboxes, snapshots } from "./schema.ts";
import { tenants } from "./tenant-tables.ts";

export interface TenantPlan {
  /** The plan, or empty for the service's. */
  readonly plan: string;
  readonly overrides: LimitOverrides;
  /** The reason of a suspension, or empty. */
  readonly suspended: string;
}

export interface TenantFacts extends TenantPlan {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** The totals of all tenants. */
export interface Totals {
  readonly tenants: number;
  readonly suspended: number;
  readonly liveSandboxes: number;
  /** The number of sandboxes that are being created or deleted. */
  readonly unfinished: number;
  /** The bytes of the files of snapshots and templates. */
  readonly fileBytes: number;
}

/** The usage of a tenant. */
export interface TenantUsage {
  readonly tenantId: string;
  readonly requests: number;
  readonly rowsWritten: number;
  readonly bytes: number;
}

export interface PlanDirectory {
  /** Returns undefined if the tenant has no plan of its own. */
  find(tenantId: string): Promise<TenantPlan | undefined>;
  /** Changes a plan and marks its sandboxes to be informed. Returns false if the tenant does not exist. */
  set(tenantId: string, to: Partial<TenantPlan>): Promise<boolean>;
  tenant(tenantId: string): Promise<TenantFacts | undefined>;
  /** Lists tenants in the order of their ids, after one. */
  tenants(limit: number, after?: string): Promise<TenantFacts[]>;
  /** Adds a tenant for anonymous callers if it does not exist. */
  ensure(tenantId: string, name: string, nowMs: number): Promise<void>;
  totals(nowMs: number): Promise<Totals>;
  /** Lists tenants that were not reconciled since a time, the longest overdue first. */
  unreconciled(sinceMs: number, limit: number): Promise<string[]>;
  reconciled(tenantId: string, atMs: number): Promise<void>;
  /** Lists tenants whose sandboxes must be informed of new limits, with the cursor. */
  tenantsToInform(limit: number): Promise<{ readonly tenantId: string; readonly after: string }[]>;
  /** Advances the cursor; null means that all sandboxes are informed. Nothing is written if the cursor changed concurrently. */
  advanceCursor(tenantId: string, from: string, to: string | null): Promise<void>;
  /** Replaces the usage of a day. */
  keepUsage(row: UsageDayRow): Promise<void>;
  /** Lists the stored usage of all tenants from a day to another, inclusive, by day and tenant. */
  usageBetween(from: string, to: string, limit: number): Promise<UsageDayRow[]>;
  /** Sums the usage of all tenants since a day. */
  usageSince(day: string): Promise<Omit<UsageDayRow, "tenantId" | "day">>;
  /** Lists the tenants with most requests since a day. */
  largestTenants(day: string, limit: number): Promise<TenantUsage[]>;
}

/** The prefix of a cursor that starts before the first sandbox. */
export const restartCursorPrefix = "new:";

const none: TenantPlan = { plan: "", overrides: {}, suspended: "" };

/** With `audit`, changes are recorded in the audit log. */
export function planDirectory(db: Database, audit: Audit): PlanDirectory {
  return { ...plansOf(db, audit), ...tenantsOf(db), ...totalsOf(db), ...informQueries(db) };
}

function informQueries(db: Database): Pick<PlanDirectory, "tenantsToInform" | "advanceCursor"> {
  return {
    tenantsToInform: async (limit) => {
      const rows = await db
        .select({ tenantId: tenantPlans.tenantId, after: tenantPlans.toldAfter })
        .from(tenantPlans)
        .where(isNotNull(tenantPlans.toldAfter))
        .limit(limit);
      return rows.map(({ tenantId, after }) => ({ tenantId, after: after ?? "" }));
    },
    advanceCursor: async (tenantId, from, to) => {
      const asRead = and(eq(tenantPlans.tenantId, tenantId), eq(tenantPlans.toldAfter, from));
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(tenantPlans).set({ toldAfter: to }).where(asRead),
      );
    },
  };
}

function plansOf(db: Database, audit: Audit): Pick<PlanDirectory, "find" | "set" | "ensure"> {
  const exists = async (tenantId: string) =>
    (await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId))).length > 0;
  return {
    find: async (tenantId) => {
      const [row] = await db.select().from(tenantPlans).where(eq(tenantPlans.tenantId, tenantId));
      return row;
    },
    set: async (tenantId, to) => {
      if (!(await exists(tenantId))) return false;
      const target = tenantPlans.tenantId;
      // A random suffix makes each change restart the cursor, also while an earlier change is being sent.
      const set = { ...to, toldAfter: sql<string>`${restartCursorPrefix} || hex(randomblob(8))` };
      const upsertPlan = statement(db, (write) =>
        write
          .insert(tenantPlans)
          .values({ ...none, ...set, tenantId })
          .onConflictDoUpdate({ target, set })
          .returning({ tenantId: tenantPlans.tenantId }),
      );
      await writeAudited(db, audit, { target: tenantId, tenantId, detail: JSON.stringify(to) }, upsertPlan);
      return true;
    },
    ensure: async (tenantId, name, nowMs) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.insert(tenants).values({ id: tenantId, name, createdAtMs: nowMs }).onConflictDoNothing(),
      );
    },
  };
}

function tenantsOf(db: Database): Pick<PlanDirectory, "tenant" | "tenants" | "unreconciled" | "reconciled"> {
  const facts = () =>
    db
      .select({
        id: tenants.id,
        name: tenants.name,
        createdAtMs: tenants.createdAtMs,
        plan: tenantPlans.plan,
        overrides: tenantPlans.overrides,
        suspended: tenantPlans.suspended,
      })
      .from(tenants)
      .leftJoin(tenantPlans, eq(tenantPlans.tenantId, tenants.id));
  type Found = Awaited<ReturnType<typeof facts>>[number];
  const tenantFacts = ({ plan, overrides, suspended, ...row }: Found): TenantFacts => {
    return { ...row, plan: plan ?? "", overrides: overrides ?? {}, suspended: suspended ?? "" };
  };
  const reconciledAtMs = sql<number>`coalesce(${tenantPlans.reconciledAtMs}, 0)`;
  return {
    tenant: async (tenantId) => {
      const [row] = await facts().where(eq(tenants.id, tenantId));
      return row && tenantFacts(row);
    },
    tenants: async (limit, after = "") => {
      const rows = await facts().where(gt(tenants.id, after)).orderBy(asc(tenants.id)).limit(limit);
      return rows.map(tenantFacts);
    },
    unreconciled: async (sinceMs, limit) => {
      const rows = await db
        .select({ id: tenants.id })
        .from(tenants)
        .leftJoin(tenantPlans, eq(tenantPlans.tenantId, tenants.id))
        .where(lt(reconciledAtMs, sinceMs))
        .orderBy(reconciledAtMs)
        .limit(limit);
      return rows.map(({ id }) => id);
    },
    reconciled: async (tenantId, atMs) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .insert(tenantPlans)
          .values({ ...none, tenantId, reconciledAtMs: atMs })
          .onConflictDoUpdate({ target: tenantPlans.tenantId, set: { reconciledAtMs: atMs } }),
      );
    },
  };
}

function totalsOf(
  db: Database,
): Pick<PlanDirectory, "totals" | "keepUsage" | "usageBetween" | "usageSince" | "largestTenants"> {
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);
  return {
    totals: async (nowMs) => {
      const isLive = and(eq(sandboxes.state, "ready"), gt(sandboxes.expiresAtMs, nowMs));
      const [all] = await db.select({ n: count() }).from(tenants);
      const suspended = await db.$count(tenantPlans, sql`${tenantPlans.suspended} <> ''`);
      const [live] = await db.select({ n: count() }).from(sandboxes).where(isLive);
      const unfinished = await db.$count(sandboxes, sql`state <> 'ready'`);
      const [snapshotFiles] = await db.select({ bytes: sum(snapshots.bytes) }).from(snapshots);
      const [templateFiles] = await db.select({ bytes: sum(templates.bytes) }).from(templates);
      const fileBytes = (snapshotFiles?.bytes ?? 0) + (templateFiles?.bytes ?? 0);
      return { tenants: all?.n ?? 0, suspended, liveSandboxes: live?.n ?? 0, unfinished, fileBytes };
    },
    keepUsage: async (row) => {
      const { day: _, tenantId: __, ...set } = row;
      await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .insert(usageDays)
          .values(row)
          .onConflictDoUpdate({ target: [usageDays.day, usageDays.tenantId], set }),
      );
    },
    largestTenants: (day, limit) => {
      const requests = sum(usageDays.requests);
      return db
        .select({
          tenantId: usageDays.tenantId,
          requests,
          rowsWritten: sum(usageDays.rowsWritten),
          bytes: sum(usageDays.bytes),
        })
        .from(usageDays)
        .where(gt(usageDays.day, day))
        .groupBy(usageDays.tenantId)
        .orderBy(desc(requests))
        .limit(limit);
    },
    usageBetween: (from, to, limit) =>
      db
        .select()
        .from(usageDays)
        .where(and(gte(usageDays.day, from), lte(usageDays.day, to)))
        .orderBy(asc(usageDays.day), asc(usageDays.tenantId))
        .limit(limit),
    usageSince: async (day) => {
      const [row] = await db
        .select({
          seconds: sum(usageDays.seconds),
          awakeSeconds: sum(usageDays.awakeSeconds),
          requests: sum(usageDays.requests),
          rowsRead: sum(usageDays.rowsRead),
          rowsWritten: sum(usageDays.rowsWritten),
          bytes: sum(usageDays.bytes),
        })
        .from(usageDays)
        .where(gt(usageDays.day, day));
      return row ?? { seconds: 0, awakeSeconds: 0, requests: 0, rowsRead: 0, rowsWritten: 0, bytes: 0 };
    },
  };
}
