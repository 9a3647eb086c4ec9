// Queries of shared states. Every query of a teacher is limited to the tenant.
import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "../audit.ts";
import { type Database, rowWhere, statement } from "../database.ts";
import { type SharedStateRow, sharedStates } from "./share-tables.ts";
import { tenants } from "../tenant-tables.ts";

export interface ShareDirectory {
  /** Returns false if the tenant has reached the limit. */
  add(row: SharedStateRow, most: number): Promise<boolean>;
  /** Lists the shared states of a tenant, the newest first. */
  list(tenantId: string): Promise<SharedStateRow[]>;
  /** Finds a shared state of any tenant. Returns undefined if the tenant is being deleted. */
  find(id: string): Promise<SharedStateRow | undefined>;
  /** Returns false if it does not exist. */
  remove(tenantId: string, id: string): Promise<boolean>;
  /** Counts a fork. Returns false if all are used, or the link has expired. */
  claim(id: string, nowMs: number): Promise<boolean>;
  /** Takes back the count of a fork that could not be created. */
  release(id: string): Promise<void>;
  /** Deletes shared states that ended before a time. Returns the number of deleted rows. */
  forget(endedBeforeMs: number, limit: number): Promise<number>;
}

export function shareDirectory(db: Database, audit: Audit): ShareDirectory {
  const byId = (id: string) => eq(sharedStates.id, id);
  return {
    add: async (row, most) => {
      const shareCount = sql`SELECT count(*) FROM shared_states WHERE tenant_id = ${row.tenantId}`;
      const insertShare = statement(db, (write) =>
        write
          .insert(sharedStates)
          .select(rowWhere(sharedStates, row, sql`(${shareCount}) < ${most}`))
          .returning({ id: sharedStates.id }),
      );
      return (await writeAudited(db, audit, { target: row.id }, insertShare)).length === 1;
    },
    list: (tenantId) =>
      db
        .select()
        .from(sharedStates)
        .where(eq(sharedStates.tenantId, tenantId))
        .orderBy(desc(sharedStates.createdAtMs), sharedStates.id),
    find: async (id) => {
      const [row] = await db
        .select({ share: sharedStates })
        .from(sharedStates)
        .innerJoin(tenants, and(eq(tenants.id, sharedStates.tenantId), eq(tenants.state, "ready")))
        .where(byId(id));
      return row?.share;
    },
    remove: async (tenantId, id) => {
      const condition = and(byId(id), eq(sharedStates.tenantId, tenantId));
      const deleteShare = statement(db, (write) =>
        write.delete(sharedStates).where(condition).returning({ id: sharedStates.id }),
      );
      return (await writeAudited(db, audit, { target: id }, deleteShare)).length === 1;
    },
    claim: async (id, nowMs) => {
      const isOpen = and(byId(id), lt(sharedStates.used, sharedStates.forks), gt(sharedStates.expiresAtMs, nowMs));
      const rows = await writeUnaudited(db, "learner", (write) =>
        write.update(sharedStates).set({ used: sql`used + 1` }).where(isOpen).returning({ id: sharedStates.id }),
      );
      return rows.length === 1;
    },
    release: async (id) => {
      await writeUnaudited(db, "learner", (write) =>
        write.update(sharedStates).set({ used: sql`used - 1` }).where(byId(id)),
      );
    },
    forget: async (endedBeforeMs, limit) => {
      const old = db
        .select({ id: sharedStates.id })
        .from(sharedStates)
        .where(lt(sharedStates.expiresAtMs, endedBeforeMs))
        .limit(limit);
      const rows = await writeUnaudited(db, "scheduled", (write) =>
        write.delete(sharedStates).where(inArray(sharedStates.id, old)).returning({ id: sharedStates.id }),
      );
      return rows.length;
    },
  };
}
