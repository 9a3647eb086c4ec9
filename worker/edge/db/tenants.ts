// Queries of tenants: names, allowed origins, and deletion.
import { and, eq, inArray, sql } from "drizzle-orm";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { type Database, rowWhere, type StatementBuilder, statement } from "./database.ts";
import { publishableKeys } from "./embed-tables.ts";
import { managedPeople, scimGroups, tenantSso } from "./identity-tables.ts";
import { sandboxes, snapshots } from "./schema.ts";
import {
  apiKeys,
  invitations,
  members,
  people,
  sessions,
  type TenantRow,
  tenantOrigins,
  tenants,
} from "./tenant-tables.ts";

/** The owner of a new organization, and the limits of the owner. */
export interface NewOwner {
  readonly personId: string;
  /** The values of `createdBy` that identify the person. */
  readonly creators: readonly string[];
  readonly memberships: number;
  /** The limit of created organizations; undefined for none. */
  readonly createdLimit?: number | undefined;
}

export interface TenantDirectory {
  /** Finds a tenant with its allowed origins. Returns undefined if it is being deleted. */
  find(tenantId: string): Promise<(TenantRow & { readonly allowedOrigins: string[] }) | undefined>;
  /** Adds a tenant with its owner. Returns false if the owner has reached the limit of memberships or of created organizations. */
  add(row: Omit<TenantRow, "state">, owner: NewOwner): Promise<boolean>;
  /** Adds a tenant without an owner. Returns false if the id is taken. */
  create(row: Pick<TenantRow, "id" | "name" | "createdAtMs">): Promise<boolean>;
  /** Counts the tenants whose `createdBy` is one of these values. */
  countMade(creators: readonly string[]): Promise<number>;
  /** Returns false if the tenant is being deleted. */
  change(
    tenantId: string,
    to: { readonly name?: string | undefined; readonly allowedOrigins?: readonly string[] | undefined },
  ): Promise<boolean>;
  /** Blocks the tenant and hides its sandboxes and snapshots. Returns false if it is being deleted already. */
  markDeleting(tenantId: string): Promise<boolean>;
  /** Lists tenants that are being deleted. */
  deleting(limit: number): Promise<string[]>;
  /** Marks sandboxes and snapshots that were created concurrently with `markDeleting`. */
  markSandboxesDeleting(tenantId: string): Promise<void>;
  /** Deletes a marked tenant that has no data left. Returns false otherwise. */
  removeIfEmpty(tenantId: string): Promise<boolean>;
  /** Reports whether any tenant allows the origin. */
  namesOrigin(origin: string): Promise<boolean>;
  /** Lists the origins that the tenant of a sandbox allows. */
  originsOfSandbox(sandboxId: string): Promise<string[]>;
}

export function tenantDirectory(db: Database, audit: Audit): TenantDirectory {
  return {
    find: async (tenantId) => {
      const rows = await db
        .select({ tenant: tenants, origin: tenantOrigins.origin })
        .from(tenants)
        .leftJoin(tenantOrigins, eq(tenantOrigins.tenantId, tenants.id))
        .where(and(eq(tenants.id, tenantId), eq(tenants.state, "ready")))
        .orderBy(tenantOrigins.origin);
      const [first] = rows;
      return (
        first && { ...first.tenant, allowedOrigins: rows.flatMap(({ origin }) => (origin === null ? [] : [origin])) }
      );
    },
    countMade: async (creators) => db.$count(tenants, madeBy(creators)),
    add: async (row, { personId: ownerId, creators, memberships, createdLimit }) => {
      const ofOwner = sql`(SELECT count(*) FROM members WHERE person_id = ${ownerId}) < ${memberships}`;
      const count = sql`(SELECT count(*) FROM tenants WHERE ${madeBy(creators)})`;
      const may = createdLimit === undefined ? ofOwner : sql`${ofOwner} AND ${count} < ${createdLimit}`;
      const insertRow = rowWhere(tenants, { ...row, state: "ready" }, may);
      const insertTenant = statement(db, (write) =>
        write.insert(tenants).select(insertRow).returning({ id: tenants.id }),
      );
      const owner = { tenantId: row.id, personId: ownerId, role: "owner", createdAtMs: row.createdAtMs } as const;
      const isThere = sql`EXISTS (SELECT 1 FROM tenants WHERE id = ${row.id})`;
      const then = [statement(db, (write) => write.insert(members).select(rowWhere(members, owner, isThere)))];
      return (await writeAudited(db, audit, { target: row.id, tenantId: row.id }, insertTenant, then)).length === 1;
    },
    change: async (tenantId, { name, allowedOrigins }) => {
      const condition = and(eq(tenants.id, tenantId), eq(tenants.state, "ready"));
      const updateTenant = statement(db, (write) =>
        write
          .update(tenants)
          .set({ name: name ?? sql`name` })
          .where(condition)
          .returning({ id: tenants.id }),
      );
      const rows = (allowedOrigins ?? []).map((origin) => ({ origin, tenantId }));
      const then = [
        statement(db, (write) => write.delete(tenantOrigins).where(eq(tenantOrigins.tenantId, tenantId))),
        ...(rows.length > 0
          ? [statement(db, (write) => write.insert(tenantOrigins).values(rows).onConflictDoNothing())]
          : []),
      ];
      const auditedChange = { target: tenantId };
      return (
        (await writeAudited(db, audit, auditedChange, updateTenant, allowedOrigins === undefined ? [] : then))
          .length === 1
      );
    },
    ...operated(db, audit),
    ...ending(db, audit),
    namesOrigin: async (origin) => {
      const originRows = await db
        .select({ origin: tenantOrigins.origin })
        .from(tenantOrigins)
        .where(eq(tenantOrigins.origin, origin))
        .limit(1);
      return originRows.length > 0;
    },
    originsOfSandbox: async (sandboxId) => {
      const rows = await db
        .select({ origin: tenantOrigins.origin })
        .from(sandboxes)
        .innerJoin(tenantOrigins, eq(tenantOrigins.tenantId, sandboxes.tenantId))
        .where(and(eq(sandboxes.id, sandboxId), eq(sandboxes.state, "ready")));
      return rows.map(({ origin }) => origin);
    },
  };
}

function operated(db: Database, audit: Audit): Pick<TenantDirectory, "create"> {
  return {
    create: async (row) => {
      const insertTenant = statement(db, (write) =>
        write.insert(tenants).values(row).onConflictDoNothing().returning({ id: tenants.id }),
      );
      return (await writeAudited(db, audit, { target: row.id, tenantId: row.id }, insertTenant)).length === 1;
    },
  };
}

/** Written as in the index; SQLite does not use the index for another form. */
function madeBy(creators: readonly string[]) {
  return and(inArray(tenants.createdBy, [...creators]), sql`created_by <> ''`, eq(tenants.state, "ready"));
}

function ending(
  db: Database,
  audit: Audit,
): Pick<TenantDirectory, "markDeleting" | "deleting" | "markSandboxesDeleting" | "removeIfEmpty"> {
  const markSandboxes =
    (tenantId: string): StatementBuilder<unknown> =>
    (write) =>
      write.update(sandboxes).set({ state: "deleting" }).where(eq(sandboxes.tenantId, tenantId));
  const markSnapshots = (tenantId: string) =>
    statement(db, (write) =>
      write.update(snapshots).set({ state: "deleting" }).where(eq(snapshots.tenantId, tenantId)),
    );
  return {
    markDeleting: async (tenantId) => {
      const condition = and(eq(tenants.id, tenantId), eq(tenants.state, "ready"));
      const updateState = statement(db, (write) =>
        write.update(tenants).set({ state: "deleting" }).where(condition).returning({ id: tenants.id }),
      );
      const doors = [apiKeys, publishableKeys, invitations, members, tenantOrigins, tenantSso, scimGroups].map(
        (table) => statement(db, (write) => write.delete(table).where(eq(table.tenantId, tenantId))),
      );
      const managed = db
        .select({ id: managedPeople.personId })
        .from(managedPeople)
        .where(eq(managedPeople.tenantId, tenantId));
      const ownPeople = statement(db, (write) => write.delete(people).where(inArray(people.id, managed)));
      const left = statement(db, (write) =>
        write.update(sessions).set({ tenantId: null }).where(eq(sessions.tenantId, tenantId)),
      );
      const then = [...doors, ownPeople, left, statement(db, markSandboxes(tenantId)), markSnapshots(tenantId)];
      return (await writeAudited(db, audit, { target: tenantId }, updateState, then)).length === 1;
    },
    deleting: async (limit) => {
      const rows = await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.state, "deleting")).limit(limit);
      return rows.map(({ id }) => id);
    },
    markSandboxesDeleting: async (tenantId) => {
      // The tenant's own entry records the deletion.
      await writeUnaudited(db, "hidden", markSandboxes(tenantId), [markSnapshots(tenantId)]);
    },
    removeIfEmpty: async (tenantId) => {
      const left = [sandboxes, snapshots].map(
        (table) => sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE tenant_id = ${tenantId})`,
      );
      const isDone = and(inArray(tenants.id, [tenantId]), eq(tenants.state, "deleting"), ...left);
      await writeUnaudited(db, "hidden", (write) => write.delete(tenants).where(isDone));
      return (await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId))).length === 0;
    },
  };
}
