// Queries of snapshots. Every query of a client is limited to the tenant.
import { and, count, desc, eq, gt, inArray, lt, or, sum } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, statement } from "./database.ts";
import type { PageAfter } from "./directory.ts";
import { type SnapshotRow, snapshots, unfinished } from "./schema.ts";

/** The columns that are known after the file was stored. */
export type SnapshotFacts = Pick<SnapshotRow, "revision" | "nodes" | "objects" | "bytes">;

export interface SnapshotQuery {
  readonly tenantId: string;
  /** The sandbox; undefined for all sandboxes, including deleted ones. */
  readonly sandboxId?: string | undefined;
  readonly nowMs: number;
  readonly limit: number;
  readonly after?: PageAfter | undefined;
}

export interface SnapshotDirectory {
  /** Adds a snapshot that is being created. It is hidden until `markReady`. */
  add(row: Omit<SnapshotRow, "state" | keyof SnapshotFacts>): Promise<void>;
  /** Counts a tenant's snapshots that have not expired, including those that are being created. */
  count(tenantId: string, nowMs: number): Promise<number>;
  /** Sums the bytes of the files of the snapshots that `count` counts. */
  bytes(tenantId: string, nowMs: number): Promise<number>;
  /** Returns false if the snapshot is gone or being deleted. */
  markReady(tenantId: string, id: string, facts: SnapshotFacts): Promise<boolean>;
  /** Hides the snapshot until it is deleted. */
  markDeleting(tenantId: string, id: string): Promise<void>;
  /** Records that the file is removed. */
  markEmpty(tenantId: string, id: string): Promise<void>;
  /** Finds a snapshot in any state, also an expired one until it is forgotten. */
  find(tenantId: string, id: string): Promise<SnapshotRow | undefined>;
  /** Lists ready snapshots that have not expired, the newest first. */
  list(query: SnapshotQuery): Promise<SnapshotRow[]>;
  remove(tenantId: string, id: string): Promise<void>;
  /** Lists snapshots that are being deleted, and those whose creation started before a time: of one tenant or of all. */
  leftovers(madeBeforeMs: number, limit: number, tenantId?: string): Promise<SnapshotRow[]>;
  /** Lists snapshots that expired before a time; with `withFile`, only those that still have a file. */
  expired(beforeMs: number, limit: number, withFile: boolean): Promise<SnapshotRow[]>;
  /** Returns those of the ids that exist. D1 accepts 100 at once. */
  existingIds(ids: readonly string[]): Promise<string[]>;
}

/** With `audit`, changes are recorded in the audit log. */
export function snapshotDirectory(db: Database, audit: Audit): SnapshotDirectory {
  const byId = (tenantId: string, id: string) => and(eq(snapshots.id, id), eq(snapshots.tenantId, tenantId));
  return {
    add: async (row) => {
      await writeUnaudited(db, "hidden", (write) =>
        write.insert(snapshots).values({ ...row, revision: 0, nodes: 0, objects: 0, bytes: 0, state: "making" }),
      );
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
      const isMaking = and(byId(tenantId, id), eq(snapshots.state, "making"));
      const ready = { ...facts, state: "ready" } as const;
      const updateState = statement(db, (write) =>
        write.update(snapshots).set(ready).where(isMaking).returning({ id: snapshots.id }),
      );
      return (await writeAudited(db, audit, { target: id }, updateState)).length === 1;
    },
    markDeleting: async (tenantId, id) => {
      await writeAudited(
        db,
        audit,
        { target: id },
        statement(db, (write) => write.update(snapshots).set({ state: "deleting" }).where(byId(tenantId, id))),
      );
    },
    markEmpty: async (tenantId, id) => {
      await writeUnaudited(db, "scheduled", (write) =>
        write.update(snapshots).set({ bytes: 0 }).where(byId(tenantId, id)),
      );
    },
    find: async (tenantId, id) => {
      const [row] = await db.select().from(snapshots).where(byId(tenantId, id));
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
      await writeUnaudited(db, "hidden", (write) => write.delete(snapshots).where(byId(tenantId, id)));
    },
    ...sweeping(db),
  };
}

/** Queries of the sweep. */
function sweeping(db: Database): Pick<SnapshotDirectory, "leftovers" | "expired" | "existingIds"> {
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
    existingIds: async (ids) => {
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
