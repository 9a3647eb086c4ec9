// What the edge asks of D1 about requests that may come again: see `Idempotency-Key`.
import { and, eq, gt, lt, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { type IdempotencyRow, idempotencyKeys } from "./schema.ts";

export interface IdempotencyKeys {
  /** Adds one where there is none; else returns the one that is there. */
  begin(row: Omit<IdempotencyRow, "answer">): Promise<IdempotencyRow | undefined>;
  /** From now on another answers it. False where somebody else was first. */
  takeOver(row: IdempotencyRow, next: Pick<IdempotencyRow, "request" | "holder" | "createdAtMs">): Promise<boolean>;
  keep(row: Pick<IdempotencyRow, "tenantId" | "key" | "holder">, answer: string): Promise<void>;
  forget(row: Pick<IdempotencyRow, "tenantId" | "key" | "holder">): Promise<void>;
  /** How many of a tenant came since a moment. */
  countSince(tenantId: string, sinceMs: number): Promise<number>;
  /** Those that came before a moment. Returns how many they were. */
  forgetOld(beforeMs: number, limit: number): Promise<number>;
}

export function idempotency(db: Database): IdempotencyKeys {
  const held = ({ tenantId, key, holder }: Pick<IdempotencyRow, "tenantId" | "key" | "holder">) =>
    and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.key, key), eq(idempotencyKeys.holder, holder));
  return {
    begin: async (row) => {
      const added = await db
        .insert(idempotencyKeys)
        .values({ ...row, answer: "" })
        .onConflictDoNothing()
        .returning({ key: idempotencyKeys.key });
      if (added.length > 0) return undefined;
      const named = and(eq(idempotencyKeys.tenantId, row.tenantId), eq(idempotencyKeys.key, row.key));
      const [found] = await db.select().from(idempotencyKeys).where(named);
      return found;
    },
    takeOver: async (row, next) => {
      const rows = await db
        .update(idempotencyKeys)
        .set({ ...next, answer: "" })
        .where(held(row))
        .returning({ key: idempotencyKeys.key });
      return rows.length === 1;
    },
    keep: async (row, answer) => {
      await db.update(idempotencyKeys).set({ answer }).where(held(row));
    },
    forget: async (row) => {
      await db.delete(idempotencyKeys).where(held(row));
    },
    countSince: (tenantId, sinceMs) =>
      db.$count(idempotencyKeys, and(eq(idempotencyKeys.tenantId, tenantId), gt(idempotencyKeys.createdAtMs, sinceMs))),
    forgetOld: async (beforeMs, limit) => {
      const old = db
        .select({ id: sql`rowid` })
        .from(idempotencyKeys)
        .where(lt(idempotencyKeys.createdAtMs, beforeMs))
        .limit(limit);
      const rows = await db.delete(idempotencyKeys).where(sql`rowid IN ${old}`).returning({ key: idempotencyKeys.key });
      return rows.length;
    },
  };
}
