// What the edge asks of D1. Every question about a sandbox names the tenant: none can see another's.
import { and, desc, eq, gt, lt, or } from "drizzle-orm";
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import { type SandboxRow, apiKeys, sandboxes } from "./schema.ts";

export interface PageAfter {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface Directory {
  tenantOfKey(keyHash: string): Promise<string | undefined>;
  add(row: SandboxRow): Promise<void>;
  /** An expired one too, until it is forgotten. */
  find(tenantId: string, id: string): Promise<SandboxRow | undefined>;
  /** Newest first, without the expired. */
  list(tenantId: string, nowMs: number, limit: number, after?: PageAfter): Promise<SandboxRow[]>;
  remove(tenantId: string, id: string): Promise<void>;
  /** Forgets what expired before a moment. */
  forget(expiredBeforeMs: number): Promise<void>;
}

/** Any asynchronous SQLite: D1, or another in tests. */
export type Database = BaseSQLiteDatabase<"async", unknown>;

export function directory(db: Database): Directory {
  const one = (tenantId: string, id: string) => and(eq(sandboxes.id, id), eq(sandboxes.tenantId, tenantId));
  return {
    tenantOfKey: async (keyHash) => {
      const [row] = await db.select({ tenantId: apiKeys.tenantId }).from(apiKeys).where(eq(apiKeys.hash, keyHash));
      return row?.tenantId;
    },
    add: async (row) => {
      await db.insert(sandboxes).values(row);
    },
    find: async (tenantId, id) => {
      const [row] = await db.select().from(sandboxes).where(one(tenantId, id));
      return row;
    },
    list: (tenantId, nowMs, limit, after) =>
      db
        .select()
        .from(sandboxes)
        .where(and(eq(sandboxes.tenantId, tenantId), gt(sandboxes.expiresAtMs, nowMs), after && olderThan(after)))
        .orderBy(desc(sandboxes.createdAtMs), desc(sandboxes.id))
        .limit(limit),
    remove: async (tenantId, id) => {
      await db.delete(sandboxes).where(one(tenantId, id));
    },
    forget: async (expiredBeforeMs) => {
      await db.delete(sandboxes).where(lt(sandboxes.expiresAtMs, expiredBeforeMs));
    },
  };
}

function olderThan({ createdAtMs, id }: PageAfter) {
  return or(lt(sandboxes.createdAtMs, createdAtMs), and(eq(sandboxes.createdAtMs, createdAtMs), lt(sandboxes.id, id)));
}
