// What the edge asks of D1. Every question about a sandbox names the tenant: none can see another's.
import { and, desc, eq, exists, gt, inArray, isNotNull, lt, or, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import type { LabelChanges } from "../../../shared/contract/sandbox.ts";
import { type Noted, withNote } from "./audit.ts";
import type { Database } from "./database.ts";
import { type HeldKey, isHeldIn, noteMade } from "./idempotency.ts";
import { type SandboxRow, sandboxes, unfinished } from "./schema.ts";

export interface PageAfter {
  readonly createdAtMs: number;
  readonly id: string;
}

/** What must hold of each. */
export interface SandboxFilter {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A value of undefined: any. */
  readonly labels?: readonly (readonly [key: string, value: string | undefined])[] | undefined;
}

/** What a sandbox's row keeps of the value of the secret that its tokens follow from. */
export type SecretFacts = Pick<SandboxRow, "secretId" | "anonymousAccess">;

export interface Directory {
  /** Adds one that is being made: nobody is shown it before `markReady`. */
  add(row: Omit<SandboxRow, "state" | "tokenVersion" | keyof SecretFacts> & Partial<SecretFacts>): Promise<void>;
  /**
   * It is made; with `held`, that is noted with the `Idempotency-Key` at once. False where it is not there any more, or is being deleted,
   * or another request has taken the key over.
   */
  markReady(tenantId: string, id: string, held?: HeldKey): Promise<boolean>;
  /** From now on nobody is shown it. */
  markDeleting(tenantId: string, id: string): Promise<void>;
  /** An expired one too, until it is forgotten; and one in whatever state. */
  find(tenantId: string, id: string): Promise<SandboxRow | undefined>;
  /** Newest first, without the expired and those that are not ready. */
  list(
    tenantId: string,
    nowMs: number,
    limit: number,
    after?: PageAfter,
    filter?: SandboxFilter,
  ): Promise<SandboxRow[]>;
  /** Returns false if it is gone or being deleted, or if the changes of its labels would leave more than there may be. */
  change(
    tenantId: string,
    id: string,
    to: Partial<Pick<SandboxRow, "name" | "expiresAtMs">> & { readonly labels?: LabelChanges },
  ): Promise<boolean>;
  /** Counts its token's version up; the token follows from this value of the secret. Undefined if the sandbox is gone or being deleted. */
  renewToken(tenantId: string, id: string, facts: SecretFacts): Promise<SandboxRow | undefined>;
  remove(tenantId: string, id: string): Promise<void>;
  /** Those that are being deleted, and those that are being made since before a moment: a tenant's, or everyone's. */
  leftovers(madeBeforeMs: number, limit: number, tenantId?: string): Promise<SandboxRow[]>;
  /** The tenant of one that is ready. */
  tenantOf(id: string): Promise<string | undefined>;
  /** Which of these ids there are; D1 takes 100 at once. */
  known(ids: readonly string[]): Promise<string[]>;
  /** What expired before a moment. */
  expired(beforeMs: number, limit: number): Promise<SandboxRow[]>;
}

/** `noted`: of the request that asks; what it makes, changes and deletes is noted in the audit log. */
export function directory(db: Database, noted?: Noted): Directory {
  const one = (tenantId: string, id: string) => and(eq(sandboxes.id, id), eq(sandboxes.tenantId, tenantId));
  return {
    add: async (row) => {
      await db.insert(sandboxes).values({ ...row, state: "making" });
    },
    markReady: async (tenantId, id, held) => {
      const isHeld = held && isHeldIn(db, held);
      const isMaking = and(one(tenantId, id), eq(sandboxes.state, "making"), isHeld);
      const deed = db.update(sandboxes).set({ state: "ready" }).where(isMaking).returning({ id: sandboxes.id });
      const isThere = and(one(tenantId, id), eq(sandboxes.state, "ready"));
      const isReady = exists(db.select({ id: sandboxes.id }).from(sandboxes).where(isThere));
      const then = held ? [noteMade(db, held, id, isReady)] : [];
      return (await withNote(db, noted, { target: id }, deed, then)).length === 1;
    },
    markDeleting: async (tenantId, id) => {
      await withNote(
        db,
        noted,
        { target: id },
        db.update(sandboxes).set({ state: "deleting" }).where(one(tenantId, id)),
      );
    },
    find: async (tenantId, id) => {
      const [row] = await db.select().from(sandboxes).where(one(tenantId, id));
      return row;
    },
    change: async (tenantId, id, { labels, ...to }) => {
      // In the statement itself, so that changes at the same time are all made.
      const merged = labels && sql`json_patch(labels, ${JSON.stringify(labels)})`;
      const isWithin = merged && sql`(SELECT count(*) FROM json_each(${merged})) <= ${limits.labels}`;
      const isReady = and(one(tenantId, id), eq(sandboxes.state, "ready"), isWithin);
      const changes = { ...to, ...(merged ? { labels: merged } : {}) };
      const deed = db.update(sandboxes).set(changes).where(isReady).returning({ id: sandboxes.id });
      return (await withNote(db, noted, { target: id }, deed)).length === 1;
    },
    list: (tenantId, nowMs, limit, after, { id, name, labels = [] } = {}) =>
      db
        .select()
        .from(sandboxes)
        .where(
          and(
            eq(sandboxes.tenantId, tenantId),
            eq(sandboxes.state, "ready"),
            gt(sandboxes.expiresAtMs, nowMs),
            after && olderThan(after),
            id === undefined ? undefined : eq(sandboxes.id, id),
            name === undefined ? undefined : eq(sandboxes.name, name),
            ...labels.map(([key, value]) => hasLabel(key, value)),
          ),
        )
        .orderBy(desc(sandboxes.createdAtMs), desc(sandboxes.id))
        .limit(limit),
    renewToken: async (tenantId, id, facts) => {
      const isReady = and(one(tenantId, id), eq(sandboxes.state, "ready"));
      const to = { tokenVersion: sql`token_version + 1`, ...facts };
      return (await db.update(sandboxes).set(to).where(isReady).returning())[0];
    },
    remove: async (tenantId, id) => {
      await db.delete(sandboxes).where(one(tenantId, id));
    },
    ...sweeping(db),
  };
}

/** What whoever finishes others' work asks. */
function sweeping(db: Database): Pick<Directory, "leftovers" | "tenantOf" | "known" | "expired"> {
  return {
    tenantOf: async (id) => {
      const isReady = and(eq(sandboxes.id, id), eq(sandboxes.state, "ready"));
      return (await db.select({ tenantId: sandboxes.tenantId }).from(sandboxes).where(isReady))[0]?.tenantId;
    },
    leftovers: (madeBeforeMs, limit, tenantId) =>
      db
        .select()
        .from(sandboxes)
        .where(
          and(
            unfinished,
            or(eq(sandboxes.state, "deleting"), lt(sandboxes.createdAtMs, madeBeforeMs)),
            tenantId === undefined ? undefined : eq(sandboxes.tenantId, tenantId),
          ),
        )
        .orderBy(sandboxes.createdAtMs)
        .limit(limit),
    known: async (ids) => {
      const among = inArray(sandboxes.id, [...ids]);
      return (await db.select({ id: sandboxes.id }).from(sandboxes).where(among)).map(({ id }) => id);
    },
    expired: (beforeMs, limit) =>
      db
        .select()
        .from(sandboxes)
        .where(lt(sandboxes.expiresAtMs, beforeMs))
        .orderBy(sandboxes.expiresAtMs)
        .limit(limit),
  };
}

/** Keys have no quotes in them. */
function hasLabel(key: string, value: string | undefined) {
  const found = sql`json_extract(${sandboxes.labels}, ${`$."${key}"`})`;
  return value === undefined ? isNotNull(found) : eq(found, value);
}

function olderThan({ createdAtMs, id }: PageAfter) {
  return or(lt(sandboxes.createdAtMs, createdAtMs), and(eq(sandboxes.createdAtMs, createdAtMs), lt(sandboxes.id, id)));
}
