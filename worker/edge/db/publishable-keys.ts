// What the edge asks of D1 about publishable keys. Every question but that of a page names the tenant.
import { and, desc, eq, sql } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import { type Database, rowWhere } from "./database.ts";
import { type PublishableKeyRow, publishableKeys } from "./embed-tables.ts";
import { tenants } from "./tenant-tables.ts";

export interface PublishableKeyDirectory {
  /** Nothing, where it is not known, or its tenant is being deleted. */
  find(key: string): Promise<PublishableKeyRow | undefined>;
  /** False where the tenant has as many. */
  add(row: PublishableKeyRow, most: number): Promise<boolean>;
  /** The newest first. */
  list(tenantId: string): Promise<PublishableKeyRow[]>;
  /** False where it is gone already. */
  remove(tenantId: string, key: string): Promise<boolean>;
}

export function publishableKeyDirectory(db: Database, noted?: Noted): PublishableKeyDirectory {
  return {
    find: async (key) => {
      const [found] = await db
        .select({ row: publishableKeys })
        .from(publishableKeys)
        .innerJoin(tenants, and(eq(tenants.id, publishableKeys.tenantId), eq(tenants.state, "ready")))
        .where(eq(publishableKeys.key, key));
      return found?.row;
    },
    add: async (row, most) => {
      const others = sql`SELECT count(*) FROM publishable_keys WHERE tenant_id = ${row.tenantId}`;
      const deed = db
        .insert(publishableKeys)
        .select(rowWhere(publishableKeys, row, sql`(${others}) < ${most}`))
        .returning({ key: publishableKeys.key });
      return (await withNote(db, noted, { target: row.key }, deed)).length === 1;
    },
    list: (tenantId) =>
      db
        .select()
        .from(publishableKeys)
        .where(eq(publishableKeys.tenantId, tenantId))
        .orderBy(desc(publishableKeys.createdAtMs), publishableKeys.key),
    remove: async (tenantId, key) => {
      const one = and(eq(publishableKeys.tenantId, tenantId), eq(publishableKeys.key, key));
      const deed = db.delete(publishableKeys).where(one).returning({ key: publishableKeys.key });
      return (await withNote(db, noted, { target: key }, deed)).length === 1;
    },
  };
}
