// Queries of API keys. Every query except authentication is limited to the tenant.
import { and, desc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { Role } from "../../../shared/contract/scope.ts";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { beginsWith, type Database, rowWhere, statement } from "./database.ts";
import { apiKeys, type KeyRow, members, tenants } from "./tenant-tables.ts";

export interface KeyFacts extends KeyRow {
  readonly tenantName: string;
  /** The role of the person who created the key. Undefined if no person did. */
  readonly role: Role | undefined;
}

export interface KeyDirectory {
  /** Finds a key, which may have expired. Returns undefined if it is unknown, its creator is gone, or its tenant is being deleted. */
  find(hash: string): Promise<KeyFacts | undefined>;
  /** Returns false if the tenant has reached the limit of keys that have not expired. */
  add(row: Omit<KeyRow, "lastUsedAtMs">, most: number): Promise<boolean>;
  /** Lists keys that have not expired, the newest first. */
  list(tenantId: string, nowMs: number): Promise<KeyRow[]>;
  /** Finds a key by the prefix of its hash. */
  findById(tenantId: string, id: string): Promise<KeyRow | undefined>;
  /** Returns false if the key does not exist. */
  remove(tenantId: string, hash: string): Promise<boolean>;
  /** Records the use of a key. Nothing is written if a use after `beforeMs` is recorded. */
  noteUse(hash: string, atMs: number, beforeMs: number): Promise<void>;
}

/** The length of a key's id: a prefix of its hash that is unique. */
export const keyIdLength = 20;

export function keyDirectory(db: Database, audit: Audit): KeyDirectory {
  const unexpired = (nowMs: number) => or(isNull(apiKeys.expiresAtMs), gt(apiKeys.expiresAtMs, nowMs));
  return {
    find: async (hash) => {
      const isCreator = and(eq(members.tenantId, apiKeys.tenantId), eq(members.personId, apiKeys.personId));
      const [row] = await db
        .select({ key: apiKeys, tenantName: tenants.name, role: members.role })
        .from(apiKeys)
        .innerJoin(tenants, and(eq(tenants.id, apiKeys.tenantId), eq(tenants.state, "ready")))
        .leftJoin(members, isCreator)
        .where(eq(apiKeys.hash, hash));
      if (!row || (row.key.personId !== null && row.role === null)) return undefined;
      return { ...row.key, tenantName: row.tenantName, role: row.role ?? undefined };
    },
    add: async (row, most) => {
      const keyCount = sql`SELECT count(*) FROM api_keys WHERE tenant_id = ${row.tenantId} AND (expires_at_ms IS NULL OR expires_at_ms > ${row.createdAtMs})`;
      const insertKey = statement(db, (write) =>
        write
          .insert(apiKeys)
          .select(rowWhere(apiKeys, { ...row, lastUsedAtMs: null }, sql`(${keyCount}) < ${most}`))
          .returning({ hash: apiKeys.hash }),
      );
      return (await writeAudited(db, audit, { target: row.hash.slice(0, keyIdLength) }, insertKey)).length === 1;
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
      const condition = and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.hash, hash));
      const deleteKey = statement(db, (write) =>
        write.delete(apiKeys).where(condition).returning({ hash: apiKeys.hash }),
      );
      return (await writeAudited(db, audit, { target: hash.slice(0, keyIdLength) }, deleteKey)).length === 1;
    },
    noteUse: async (hash, atMs, beforeMs) => {
      const isOld = or(isNull(apiKeys.lastUsedAtMs), lt(apiKeys.lastUsedAtMs, beforeMs));
      await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .update(apiKeys)
          .set({ lastUsedAtMs: atMs })
          .where(and(eq(apiKeys.hash, hash), isOld)),
      );
    },
  };
}
