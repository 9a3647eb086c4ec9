// Queries of idempotency keys.
import { writeUnaudited } from "./audit.ts";
import { and, eq, exists, gt, like, lt, or, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import { type Database, statement } from "./database.ts";
import { type IdempotencyRow, idempotencyKeys } from "./schema.ts";

/** A key and the request that holds it. */
export type LeasedKey = Pick<IdempotencyRow, "tenantId" | "key" | "holder">;

export interface IdempotencyKeys {
  /** Adds a key that is held until a time. Returns the existing row if there is one. */
  begin(row: Omit<IdempotencyRow, "answer">, untilMs: number): Promise<IdempotencyRow | undefined>;
  /** Extends the lease. Returns false if the key has a response, or if another request holds it. */
  renew(row: LeasedKey, untilMs: number): Promise<boolean>;
  /** Transfers the key to another request. Returns false if a concurrent request was first. */
  takeOver(
    row: IdempotencyRow,
    next: Pick<IdempotencyRow, "request" | "holder" | "createdAtMs">,
    answer: string,
  ): Promise<boolean>;
  keep(row: LeasedKey, answer: string): Promise<void>;
  /** Deletes a key that has neither a response nor a resource. */
  forget(row: LeasedKey): Promise<void>;
  /** Returns the number of a tenant's keys since a time. */
  countSince(tenantId: string, sinceMs: number): Promise<number>;
  /** Deletes keys before a time. Returns the number of deleted rows. */
  forgetOld(beforeMs: number, limit: number): Promise<number>;
}

export function idempotency(db: Database): IdempotencyKeys {
  return {
    begin: async (row, untilMs) => {
      const added = await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .insert(idempotencyKeys)
          .values({ ...row, answer: leaseUntil(untilMs) })
          .onConflictDoNothing()
          .returning({ key: idempotencyKeys.key }),
      );
      if (added.length > 0) return undefined;
      const named = and(eq(idempotencyKeys.tenantId, row.tenantId), eq(idempotencyKeys.key, row.key));
      const [existingRow] = await db.select().from(idempotencyKeys).where(named);
      return existingRow;
    },
    takeOver: async (row, next, answer) => {
      const { request, holder, createdAtMs } = next;
      const rows = await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .update(idempotencyKeys)
          .set({ request, holder, createdAtMs, answer })
          .where(and(isLease(row), eq(idempotencyKeys.answer, row.answer)))
          .returning({ key: idempotencyKeys.key }),
      );
      return rows.length === 1;
    },
    renew: async (row, untilMs) => {
      const rows = await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .update(idempotencyKeys)
          .set({ answer: leaseUntil(untilMs) })
          .where(and(isLease(row), isUnanswered))
          .returning({ key: idempotencyKeys.key }),
      );
      return rows.length === 1;
    },
    keep: async (row, answer) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(idempotencyKeys).set({ answer }).where(isLease(row)),
      );
    },
    forget: async (row) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.delete(idempotencyKeys).where(and(isLease(row), isUnanswered)),
      );
    },
    countSince: (tenantId, sinceMs) =>
      db.$count(idempotencyKeys, and(eq(idempotencyKeys.tenantId, tenantId), gt(idempotencyKeys.createdAtMs, sinceMs))),
    forgetOld: async (beforeMs, limit) => {
      const old = db
        .select({ id: sql`rowid` })
        .from(idempotencyKeys)
        .where(lt(idempotencyKeys.createdAtMs, beforeMs))
        .limit(limit);
      const rows = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(idempotencyKeys).where(sql`rowid IN ${old}`).returning({ key: idempotencyKeys.key }),
      );
      return rows.length;
    },
  };
}

/**
 * The prefix of the value that replaces the response while a request holds the key: the end of its lease. No sealed text begins with it.
 */
const leasePrefix = "held ";

export function leaseUntil(untilMs: number): string {
  return `${leasePrefix}${untilMs}`;
}

/** Returns the end of the lease. Returns undefined if there is a response or a created resource. */
export function leaseOf({ answer, createdAtMs }: Pick<IdempotencyRow, "answer" | "createdAtMs">): number | undefined {
  // A version without leases wrote an empty value.
  if (answer === "") return createdAtMs + limits.requestLeaseMs;
  return answer.startsWith(leasePrefix) ? Number(answer.slice(leasePrefix.length)) : undefined;
}

const isUnanswered = or(eq(idempotencyKeys.answer, ""), like(idempotencyKeys.answer, `${leasePrefix}%`));

/** The prefix of the value that replaces the response after the resource was created. No sealed text begins with it. */
const createdPrefix = "made ";

/** Returns the id of the resource that an interrupted request created. */
export function createdResourceOf(answer: string): string | undefined {
  return answer.startsWith(createdPrefix) ? answer.slice(createdPrefix.length) : undefined;
}

/** Stores the created resource with the key. It follows the creation in the same batch, under its condition `isMade`. */
export function storeCreatedResource(db: Database, key: LeasedKey, id: string, isMade: SQL) {
  return statement(db, (write) =>
    write
      .update(idempotencyKeys)
      .set({ answer: `${createdPrefix}${id}` })
      .where(and(isLease(key), isMade)),
  );
}

export function hasLease(db: Database, key: LeasedKey): SQL {
  return exists(db.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(isLease(key)));
}

function isLease({ tenantId, key, holder }: LeasedKey) {
  return and(eq(idempotencyKeys.tenantId, tenantId), eq(idempotencyKeys.key, key), eq(idempotencyKeys.holder, holder));
}
