// What the edge asks of D1 about requests that may come again: see `Idempotency-Key`.
import { and, eq, exists, gt, like, lt, or, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import type { Database } from "./database.ts";
import { type IdempotencyRow, idempotencyKeys } from "./schema.ts";

/** A key as whoever answers its request now holds it. */
export type HeldKey = Pick<IdempotencyRow, "tenantId" | "key" | "holder">;

export interface IdempotencyKeys {
  /** Adds one where there is none, held until a moment; else returns the one that is there. */
  begin(row: Omit<IdempotencyRow, "answer">, untilMs: number): Promise<IdempotencyRow | undefined>;
  /** Holds a key until a later moment. False if it has an answer, or another request has it. */
  renew(row: HeldKey, untilMs: number): Promise<boolean>;
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
    begin: async (row, untilMs) => {
      const added = await db
        .insert(idempotencyKeys)
        .values({ ...row, answer: heldUntil(untilMs) })
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
    renew: async (row, untilMs) => {
      const rows = await db
        .update(idempotencyKeys)
        .set({ answer: heldUntil(untilMs) })
        .where(and(held(row), isUnanswered))
        .returning({ key: idempotencyKeys.key });
      return rows.length === 1;
    },
    keep: async (row, answer) => {
      await db.update(idempotencyKeys).set({ answer }).where(held(row));
    },
    forget: async (row) => {
      await db.delete(idempotencyKeys).where(and(held(row), isUnanswered));
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

/** In place of the answer: until when the request that is being answered has the key. No sealed text begins so. */
const heldMark = "held ";

export function heldUntil(untilMs: number): string {
  return `${heldMark}${untilMs}`;
}

/** Returns until when a request has the key; undefined if there is an answer, or a note of what was made. */
export function leaseOf({ answer, createdAtMs }: Pick<IdempotencyRow, "answer" | "createdAtMs">): number | undefined {
  // A version without leases wrote nothing.
  if (answer === "") return createdAtMs + limits.requestLeaseMs;
  return answer.startsWith(heldMark) ? Number(answer.slice(heldMark.length)) : undefined;
}

const isUnanswered = or(eq(idempotencyKeys.answer, ""), like(idempotencyKeys.answer, `${heldMark}%`));

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
