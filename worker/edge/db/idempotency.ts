// What the edge asks of D1 about requests that may come again: see `Idempotency-Key`.
import { and, eq, exists, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { type IdempotencyRow, idempotencyKeys } from "./schema.ts";

/** A key as whoever answers its request now holds it. */
export type HeldKey = Pick<IdempotencyRow, "tenantId" | "key" | "holder">;

export interface IdempotencyKeys {
  /** Adds one where there is none; else returns the one that is there. */
  begin(row: Omit<IdempotencyRow, "answer">): Promise<IdempotencyRow | undefined>;
  /** From now on another answers it. False where somebody else was first. */
  takeOver(
    row: IdempotencyRow,
    next: Pick<IdempotencyRow, "request" | "holder" | "createdAtMs">,
    answer: string,
  ): Promise<boolean>;
  keep(row: HeldKey, answer: string): Promise<void>;
  /** One with an answer, or of which is noted what was made, stays. */
  forget(row: HeldKey): Promise<void>;
  /** How many of a tenant came since a moment. */
  countSince(tenantId: string, sinceMs: number): Promise<number>;
  /** Those that came before a moment. Returns how many they were. */
  forgetOld(beforeMs: number, limit: number): Promise<number>;
}

export function idempotency(db: Database): IdempotencyKeys {
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
    takeOver: async (row, next, answer) => {
      const { request, holder, createdAtMs } = next;
      const rows = await db
        .update(idempotencyKeys)
        .set({ request, holder, createdAtMs, answer })
        .where(and(held(row), eq(idempotencyKeys.answer, row.answer)))
        .returning({ key: idempotencyKeys.key });
      return rows.length === 1;
    },
    keep: async (row, answer) => {
      await db.update(idempotencyKeys).set({ answer }).where(held(row));
    },
    forget: async (row) => {
      await db.delete(idempotencyKeys).where(and(held(row), eq(idempotencyKeys.answer, "")));
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

/** In place of the answer: what was made, before there is an answer. No sealed text begins so. */
const madeMark = "made ";

/** The id of what the request made before it was cut off. */
export function madeIn(answer: string): string | undefined {
  return answer.startsWith(madeMark) ? answer.slice(madeMark.length) : undefined;
}

/** Follows what makes it, in the same batch; `isMade`: whether that did. */
export function noteMade(db: Database, key: HeldKey, id: string, isMade: SQL) {
  return db
    .update(idempotencyKeys)
    .set({ answer: `${madeMark}${id}` })
    .where(and(held(key), isMade));
}

export function isHeldIn(db: Database, key: HeldKey): SQL {
  return exists(db.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(held(key)));
}

function held({ tenantId, key, holder }: HeldKey) {
  return and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.key, key), eq(idempotencyKeys.holder, holder));
}
