// What the edge asks of D1 about snapshots. Every question of a client names the tenant: none can see another's.
import { and, count, desc, eq, gt, inArray, lt, or, sum } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import type { Database } from "./database.ts";
import type { PageAfter } from "./directory.ts";
import { type SnapshotRow, snapshots, unfinished } from "./schema.ts";

/** What is known once its file is there. */
export type SnapshotFacts = Pick<SnapshotRow, "revision" | "nodes" | "objects" | "bytes">;

export interface SnapshotQuery {
  readonly tenantId: string;
  /** Absent: of all sandboxes, also of those that are gone. */
  readonly sandboxId?: string | undefined;
  readonly nowMs: number;
  readonly limit: number;
  readonly after?: PageAfter | undefined;
}

export interface SnapshotDirectory {
  /** Adds one that is being made: nobody is shown it before `markReady`. */
  add(row: Omit<SnapshotRow, "state" | keyof SnapshotFacts>): Promise<void>;
  /** How many a tenant has that have not expired, those that are being made among them. */
  count(tenantId: string, nowMs: number): Promise<number>;
  /** Of the files of those. */
  bytes(tenantId: string, nowMs: number): Promise<number>;
  /** It is made. False where it is not there any more, or is being deleted. */
  markReady(tenantId: string, id: string, facts: SnapshotFacts): Promise<boolean>;
  /** From now on nobody is shown it. */
  markDeleting(tenantId: string, id: string): Promise<void>;
  /** Its file is gone. */
  markEmpty(tenantId: string, id: string): Promise<void>;
  /** An expired one too, until it is forgotten; and one in whatever state. */
  find(tenantId: string, id: string): Promise<SnapshotRow | undefined>;
  /** Newest first, without the expired and those that are not ready. */
  list(query: SnapshotQuery): Promise<SnapshotRow[]>;
  remove(tenantId: string, id: string): Promise<void>;
  /** Those that are being deleted, and those that are being made since before a moment: a tenant's, or everyone's. */
  leftovers(madeBeforeMs: number, limit: number, tenantId?: string): Promise<SnapshotRow[]>;
  /** What expired before a moment; `withFile`: and still has a file. */
  expired(beforeMs: number, limit: number, withFile: boolean): Promise<SnapshotRow[]>;
  /** Which of these ids there are; D1 takes 100 at once. */
  known(ids: readonly string[]): Promise<string[]>;
}

/** `noted`: as of `directory`. */
export function snapshotDirectory(db: Database, noted?: Noted): SnapshotDirectory {
  const one = (tenantId: string, id: string) => and(eq(snapshots.id, id), eq(snapshots.tenantId, tenantId));
  return {
    add: async (row) => {
      await db.insert(snapshots).values({ ...row, revision: 0, nodes: 0, objects: 0, bytes: 0, state: "making" });
    },
    count: async (tenantId, nowMs) => {
      const ofTenant = and(eq(snapshots.tenantId, tenantId), gt(snapshots.expiresAtMs, nowMs));
      const [row] = await db.select({ n: count() }).from(snapshots).where(ofTenant);
      return row?.n ?? 0;
    },
    bytes: async (tenantId, nowMs) => {
      const ofTenant = and(eq(snapshots.tenantId, tenantId), gt(snapshots.expiresAtMs, nowMs));
      const [row] = await db
        .select({ bytes: sum(snapshots.bytes) })
        .from(snapshots)
        .where(ofTenant);
      return Number(row?.bytes ?? 0);
    },
    markReady: async (tenantId, id, facts) => {
      const isMaking = and(one(tenantId, id), eq(snapshots.state, "making"));
      const ready = { ...facts, state: "ready" } as const;
      const deed = db.update(snapshots).set(ready).where(isMaking).returning({ id: snapshots.id });
      return (await withNote(db, noted, { target: id }, deed)).length === 1;
    },
    markDeleting: async (tenantId, id) => {
      await withNote(
        db,
        noted,
        { target: id },
        db.update(snapshots).set({ state: "deleting" }).where(one(tenantId, id)),
      );
    },
    markEmpty: async (tenantId, id) => {
      await db.update(snapshots).set({ bytes: 0 }).where(one(tenantId, id));
    },
    find: async (tenantId, id) => {
      const [row] = await db.select().from(snapshots).where(one(tenantId, id));
      return row;
    },
    list: ({ tenantId, sandboxId, nowMs, limit, after }) =>
      db
        .select()
        .from(snapshots)
        .where(
          and(
            eq(snapshots.tenantId, tenantId),
            sandboxId === undefined ? undefined : eq(snapshots.sandboxId, sandboxId),
            eq(snapshots.state, "ready"),
            gt(snapshots.expiresAtMs, nowMs),
            after && olderThan(after),
          ),
        )
        .orderBy(desc(snapshots.createdAtMs), desc(snapshots.id))
        .limit(limit),
    remove: async (tenantId, id) => {
      await db.delete(snapshots).where(one(tenantId, id));
    },
    ...sweeping(db),
  };
}

/** What whoever finishes others' work asks. */
function sweeping(db: Database): Pick<SnapshotDirectory, "leftovers" | "expired" | "known"> {
  return {
    leftovers: (madeBeforeMs, limit, tenantId) =>
      db
        .select()
        .from(snapshots)
        .where(
          and(
            unfinished,
            or(eq(snapshots.state, "deleting"), lt(snapshots.createdAtMs, madeBeforeMs)),
            tenantId === undefined ? undefined : eq(snapshots.tenantId, tenantId),
          ),
        )
        .orderBy(snapshots.createdAtMs)
        .limit(limit),
    expired: (beforeMs, limit, withFile) =>
      db
        .select()
        .from(snapshots)
        .where(and(lt(snapshots.expiresAtMs, beforeMs), withFile ? gt(snapshots.bytes, 0) : undefined))
        .orderBy(snapshots.expiresAtMs)
        .limit(limit),
    known: async (ids) => {
      const rows = await db
        .select({ id: snapshots.id })
        .from(snapshots)
        .where(inArray(snapshots.id, [...ids]));
      return rows.map(({ id }) => id);
    },
  };
}

function olderThan({ createdAtMs, id }: PageAfter) {
  return or(lt(snapshots.createdAtMs, createdAtMs), and(eq(snapshots.createdAtMs, createdAtMs), lt(snapshots.id, id)));
}
