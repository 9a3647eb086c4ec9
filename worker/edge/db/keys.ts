// What the edge asks of D1 about API keys. Every question but that of the door names the tenant.
import { and, desc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { Role } from "../../../shared/contract/scope.ts";
import { type Noted, withNote } from "./audit.ts";
import { beginsWith, type Database, rowWhere } from "./database.ts";
import { apiKeys, type KeyRow, members, tenants } from "./tenant-tables.ts";

export interface KeyFacts extends KeyRow {
  readonly tenantName: string;
  /** What the person is who made it; absent where no person did. */
  readonly role: Role | undefined;
}

export interface KeyDirectory {
  /** Nothing, where it is not known, has ended with whoever made it, or its tenant is being deleted. It may have expired. */
  find(hash: string): Promise<KeyFacts | undefined>;
  /** False where the tenant has as many that have not expired. */
  add(row: Omit<KeyRow, "lastUsedAtMs">, most: number): Promise<boolean>;
  /** Those that have not expired, the newest first. */
  list(tenantId: string, nowMs: number): Promise<KeyRow[]>;
  /** By the beginning of its hash. */
  findById(tenantId: string, id: string): Promise<KeyRow | undefined>;
  /** False where it is gone already. */
  remove(tenantId: string, hash: string): Promise<boolean>;
  /** It was used; nothing is written where that was noted after `beforeMs`. */
  noteUse(hash: string, atMs: number, beforeMs: number): Promise<void>;
}

/** The id of a key: enough of its hash to tell it from all others. */
export const keyIdLength = 20;

export function keyDirectory(db: Database, noted?: Noted): KeyDirectory {
  const unexpired = (nowMs: number) => or(isNull(apiKeys.expiresAtMs), gt(apiKeys.expiresAtMs, nowMs));
  return {
    find: async (hash) => {
      const ofMaker = and(eq(members.tenantId, apiKeys.tenantId), eq(members.personId, apiKeys.personId));
      const [row] = await db
        .select({ key: apiKeys, tenantName: tenants.name, role: members.role })
        .from(apiKeys)
        .innerJoin(tenants, and(eq(tenants.id, apiKeys.tenantId), eq(tenants.state, "ready")))
        .leftJoin(members, ofMaker)
        .where(eq(apiKeys.hash, hash));
      if (!row || (row.key.personId !== null && row.role === null)) return undefined;
      return { ...row.key, tenantName: row.tenantName, role: row.role ?? undefined };
    },
    add: async (row, most) => {
      const others = sql`SELECT count(*) FROM api_keys WHERE tenant_id = ${row.tenantId} AND (expires_at_ms IS NULL OR expires_at_ms > ${row.createdAtMs})`;
      const deed = db
        .insert(apiKeys)
        .select(rowWhere(apiKeys, { ...row, lastUsedAtMs: null }, sql`(${others}) < ${most}`))
        .returning({ hash: apiKeys.hash });
      return (await withNote(db, noted, { target: row.hash.slice(0, keyIdLength) }, deed)).length === 1;
    },
    list: (tenantId, nowMs) =>
      db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.tenantId, tenantId), unexpired(nowMs)))
        .orderBy(desc(apiKeys.createdAtMs), apiKeys.hash),
    findById: async (tenantId, id) => {
      const [row] = await db
        .select()
        .from(apiKeys)
        .where(and(eq(apiKeys.tenantId, tenantId), beginsWith(apiKeys.hash, id)));
      return row;
    },
    remove: async (tenantId, hash) => {
      const one = and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.hash, hash));
      const deed = db.delete(apiKeys).where(one).returning({ hash: apiKeys.hash });
      return (await withNote(db, noted, { target: hash.slice(0, keyIdLength) }, deed)).length === 1;
    },
    noteUse: async (hash, atMs, beforeMs) => {
      const isOld = or(isNull(apiKeys.lastUsedAtMs), lt(apiKeys.lastUsedAtMs, beforeMs));
      await db
        .update(apiKeys)
        .set({ lastUsedAtMs: atMs })
        .where(and(eq(apiKeys.hash, hash), isOld));
    },
  };
}
