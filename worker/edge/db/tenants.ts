// What the edge asks of D1 about tenants themselves: their names, the origins they name, and their end.
import { and, eq, inArray, sql } from "drizzle-orm";
import { type Noted, withNote } from "./audit.ts";
import { type Database, rowWhere } from "./database.ts";
import { publishableKeys } from "./embed-tables.ts";
import { sandboxes, snapshots } from "./schema.ts";
import { apiKeys, invitations, members, sessions, type TenantRow, tenantOrigins, tenants } from "./tenant-tables.ts";

/** Who makes an organisation, and how many they may have. */
export interface NewOwner {
  readonly personId: string;
  /** Under which `createdBy` names the person. */
  readonly creators: readonly string[];
  readonly memberships: number;
  /** Undefined: there is no bound of its own. */
  readonly made?: number | undefined;
}

export interface TenantDirectory {
  /** With the origins that it names. Nothing where it is being deleted. */
  find(tenantId: string): Promise<(TenantRow & { readonly allowedOrigins: string[] }) | undefined>;
  /** Adds one with an owner, who made it. False if the owner belongs to as many, or made as many, as may be. */
  add(row: Omit<TenantRow, "state">, owner: NewOwner): Promise<boolean>;
  /** How many there are that any of these creators made: see `createdBy`. */
  countMade(creators: readonly string[]): Promise<number>;
  /** False where it is being deleted. */
  change(
    tenantId: string,
    to: { readonly name?: string | undefined; readonly allowedOrigins?: readonly string[] | undefined },
  ): Promise<boolean>;
  /** From now on nobody gets in, and its sandboxes and snapshots are shown to nobody. False where that was so already. */
  markDeleting(tenantId: string): Promise<boolean>;
  /** Those that are being deleted. */
  deleting(limit: number): Promise<string[]>;
  /** Marks what was made while it was marked itself, too. */
  markRest(tenantId: string): Promise<void>;
  /** Forgets one that is being deleted, where nothing is left of it. False where it is still there. */
  removeIfEmpty(tenantId: string): Promise<boolean>;
  /** Whether any tenant names an origin. */
  namesOrigin(origin: string): Promise<boolean>;
  /** The origins that the tenant of a sandbox names. */
  originsOfSandbox(sandboxId: string): Promise<string[]>;
}

export function tenantDirectory(db: Database, noted?: Noted): TenantDirectory {
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
    add: async (row, { personId: ownerId, creators, memberships, made }) => {
      const ofOwner = sql`(SELECT count(*) FROM members WHERE person_id = ${ownerId}) < ${memberships}`;
      const count = sql`(SELECT count(*) FROM tenants WHERE ${madeBy(creators)})`;
      const may = made === undefined ? ofOwner : sql`${ofOwner} AND ${count} < ${made}`;
      const one = rowWhere(tenants, { ...row, state: "ready" }, may);
      const deed = db.insert(tenants).select(one).returning({ id: tenants.id });
      const owner = { tenantId: row.id, personId: ownerId, role: "owner", createdAtMs: row.createdAtMs } as const;
      const isThere = sql`EXISTS (SELECT 1 FROM tenants WHERE id = ${row.id})`;
      const then = [db.insert(members).select(rowWhere(members, owner, isThere))];
      return (await withNote(db, noted, { target: row.id, tenantId: row.id }, deed, then)).length === 1;
    },
    change: async (tenantId, { name, allowedOrigins }) => {
      const one = and(eq(tenants.id, tenantId), eq(tenants.state, "ready"));
      const deed = db
        .update(tenants)
        .set({ name: name ?? sql`name` })
        .where(one)
        .returning({ id: tenants.id });
      const rows = (allowedOrigins ?? []).map((origin) => ({ origin, tenantId }));
      const then = [
        db.delete(tenantOrigins).where(eq(tenantOrigins.tenantId, tenantId)),
        ...(rows.length > 0 ? [db.insert(tenantOrigins).values(rows).onConflictDoNothing()] : []),
      ];
      const told = { target: tenantId };
      return (await withNote(db, noted, told, deed, allowedOrigins === undefined ? [] : then)).length === 1;
    },
    ...ending(db, noted),
    namesOrigin: async (origin) => {
      const found = await db
        .select({ origin: tenantOrigins.origin })
        .from(tenantOrigins)
        .where(eq(tenantOrigins.origin, origin))
        .limit(1);
      return found.length > 0;
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

/** As the index has it: what is not written alike does not use it. */
function madeBy(creators: readonly string[]) {
  return and(inArray(tenants.createdBy, [...creators]), sql`created_by <> ''`, eq(tenants.state, "ready"));
}

function ending(
  db: Database,
  noted?: Noted,
): Pick<TenantDirectory, "markDeleting" | "deleting" | "markRest" | "removeIfEmpty"> {
  const marks = (tenantId: string) =>
    [
      db.update(sandboxes).set({ state: "deleting" }).where(eq(sandboxes.tenantId, tenantId)),
      db.update(snapshots).set({ state: "deleting" }).where(eq(snapshots.tenantId, tenantId)),
    ] as const;
  return {
    markDeleting: async (tenantId) => {
      const one = and(eq(tenants.id, tenantId), eq(tenants.state, "ready"));
      const deed = db.update(tenants).set({ state: "deleting" }).where(one).returning({ id: tenants.id });
      const doors = [apiKeys, publishableKeys, invitations, members, tenantOrigins].map((table) =>
        db.delete(table).where(eq(table.tenantId, tenantId)),
      );
      const left = db.update(sessions).set({ tenantId: null }).where(eq(sessions.tenantId, tenantId));
      const then = [...doors, left, ...marks(tenantId)];
      return (await withNote(db, noted, { target: tenantId }, deed, then)).length === 1;
    },
    deleting: async (limit) => {
      const rows = await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.state, "deleting")).limit(limit);
      return rows.map(({ id }) => id);
    },
    markRest: async (tenantId) => {
      await db.batch(marks(tenantId));
    },
    removeIfEmpty: async (tenantId) => {
      const left = [sandboxes, snapshots].map(
        (table) => sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE tenant_id = ${tenantId})`,
      );
      const isDone = and(inArray(tenants.id, [tenantId]), eq(tenants.state, "deleting"), ...left);
      await db.delete(tenants).where(isDone);
      return (await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId))).length === 0;
    },
  };
}
