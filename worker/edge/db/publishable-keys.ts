// Queries of publishable keys. Every query is limited to the tenant, except `find`, with which a page looks up its key.
import { and, desc, eq, sql } from "drizzle-orm";
import { type Audit, writeAudited } from "./audit.ts";
import { type Database, rowWhere, statement } from "./database.ts";
import { type PublishableKeyRow, publishableKeys } from "./embed-tables.ts";
import { tenants } from "./tenant-tables.ts";

export interface PublishableKeyDirectory {
  /** Returns undefined if the key is unknown, or its tenant is being deleted. */
  find(key: string): Promise<PublishableKeyRow | undefined>;
  /** Returns false if the tenant has reached the limit. */
  add(row: PublishableKeyRow, most: number): Promise<boolean>;
  /** Lists keys, the newest first. */
  list(tenantId: string): Promise<PublishableKeyRow[]>;
  /** Returns false if the key does not exist. */
  remove(tenantId: string, key: string): Promise<boolean>;
}

export function publishableKeyDirectory(db: Database, audit: Audit): PublishableKeyDirectory {
  return {
    find: async (key) => {
      const [match] = await db
        .select({ row: publishableKeys })
        .from(publishableKeys)
        .innerJoin(tenants, and(eq(tenants.id, publishableKeys.tenantId), eq(tenants.state, "ready")))
        .where(eq(publishableKeys.key, key));
      return match?.row;
    },
    add: async (row, most) => {
      const keyCount = sql`SELECT count(*) FROM publishable_keys WHERE tenant_id = ${row.tenantId}`;
      const insertKey = statement(db, (write) =>
        write
          .insert(publishableKeys)
          .select(rowWhere(publishableKeys, row, sql`(${keyCount}) < ${most}`))
          .returning({ key: publishableKeys.key }),
      );
      return (await writeAudited(db, audit, { target: row.key }, insertKey)).length === 1;
    },
    list: (tenantId) =>
      db
        .select()
        .from(publishableKeys)
        .where(eq(publishableKeys.tenantId, tenantId))
        .orderBy(desc(publishableKeys.createdAtMs), publishableKeys.key),
    remove: async (tenantId, key) => {
      const condition = and(eq(publishableKeys.tenantId, tenantId), eq(publishableKeys.key, key));
      const deleteKey = statement(db, (write) =>
        write.delete(publishableKeys).where(condition).returning({ key: publishableKeys.key }),
      );
      return (await writeAudited(db, audit, { target: key }, deleteKey)).length === 1;
    },
  };
}
