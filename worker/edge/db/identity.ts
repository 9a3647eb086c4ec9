// Queries of single sign-on: a tenant's provider, and the people that it manages. A managed person is active while they are a member.
import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import type { Role } from "../../../shared/contract/scope.ts";
import { type Audit, writeAudited, writeAuditedIf } from "./audit.ts";
import { type Database, rowWhere, type Statement, statement } from "./database.ts";
import { followRoles, type GroupDirectory, groupDirectory } from "./groups.ts";
import { type ManagedRow, managedPeople, type SsoRow, tenantSso } from "./identity-tables.ts";
import { apiKeys, members, people, type PersonRow, type SessionRow, sessions, tenants } from "./tenant-tables.ts";

export interface ManagedPerson extends ManagedRow {
  /** The name for others. */
  readonly name: string;
  readonly isActive: boolean;
}

export interface NewManagedPerson {
  readonly person: PersonRow;
  readonly managed: ManagedRow;
  /** The role of the membership. Undefined for a person who is not active. */
  readonly role: Role | undefined;
  readonly session?: SessionRow;
}

/** The attributes by which a person is found. */
export type ManagedKey = "personId" | "userKey" | "externalId" | "subject" | "email";

export interface ManagedChange {
  readonly name?: string | undefined;
  readonly managed: Partial<ManagedRow>;
  /** The role of a person who becomes active; null for a person who is deactivated; undefined without a change. */
  readonly role?: Role | null | undefined;
}

export interface IdentityDirectory extends GroupDirectory {
  /** Returns the provider of a tenant. Returns undefined if it has none, or is being deleted. */
  sso(tenantId: string): Promise<SsoRow | undefined>;
  /** Replaces the provider. If the issuer changes, people are recognised by their verified addresses again. */
  setSso(row: SsoRow): Promise<void>;
  removeSso(tenantId: string): Promise<boolean>;
  isManaged(personId: string): Promise<boolean>;
  findManaged(tenantId: string, by: ManagedKey, value: string): Promise<ManagedPerson | undefined>;
  /** Lists people in the order of their creation, with the number of all. */
  listManaged(
    tenantId: string,
    page: { readonly limit: number; readonly offset: number; readonly by?: ManagedKey; readonly value?: string },
  ): Promise<{ readonly rows: ManagedPerson[]; readonly total: number }>;
  /** Adds a person. Returns false if the user name is taken, or the tenant is full. */
  addManaged(newPerson: NewManagedPerson): Promise<boolean>;
  /**
   * Changes a person. A deactivation ends membership, sessions and keys. Returns false if the user name is taken, or the tenant is full.
   */
  changeManaged(row: ManagedRow, to: ManagedChange): Promise<boolean>;
}

export function identityDirectory(db: Database, audit: Audit): IdentityDirectory {
  return {
    ...ssoQueries(db, audit),
    ...managedQueries(db),
    addManaged: (newPerson) => addManaged(db, audit, newPerson),
    changeManaged: (row, to) => changeManaged(db, audit, row, to),
    ...groupDirectory(db, audit),
  };
}

function ssoQueries(db: Database, audit: Audit): Pick<IdentityDirectory, "sso" | "setSso" | "removeSso"> {
  return {
    sso: async (tenantId) => {
      const [row] = await db
        .select({ sso: tenantSso })
        .from(tenantSso)
        .innerJoin(tenants, and(eq(tenants.id, tenantSso.tenantId), eq(tenants.state, "ready")))
        .where(eq(tenantSso.tenantId, tenantId));
      return row?.sso;
    },
    setSso: async (row) => {
      const { tenantId, ...set } = row;
      // The old row is read before it is replaced.
      const isOther = sql`EXISTS (SELECT 1 FROM tenant_sso WHERE tenant_id = ${tenantId} AND issuer <> ${row.issuer})`;
      const ofTenant = eq(managedPeople.tenantId, tenantId);
      const forget = statement(db, (write) =>
        write.update(managedPeople).set({ subject: null }).where(and(ofTenant, isOther)),
      );
      const replace = statement(db, (write) =>
        write
          .insert(tenantSso)
          .values(row)
          .onConflictDoUpdate({ target: tenantSso.tenantId, set })
          .returning({ tenantId: tenantSso.tenantId }),
      );
      await writeAuditedIf(db, [{ audit, target: tenantId, condition: sql`true` }], forget, [
        replace,
        followRoles(db, tenantId, row),
      ]);
    },
    removeSso: async (tenantId) => {
      const removal = statement(db, (write) =>
        write.delete(tenantSso).where(eq(tenantSso.tenantId, tenantId)).returning({ tenantId: tenantSso.tenantId }),
      );
      const forget = statement(db, (write) =>
        write.update(managedPeople).set({ subject: null }).where(eq(managedPeople.tenantId, tenantId)),
      );
      return (await writeAudited(db, audit, { target: tenantId }, removal, [forget])).length === 1;
    },
  };
}

const isMember = sql<number>`EXISTS (SELECT 1 FROM members m WHERE m.tenant_id = managed_people.tenant_id AND m.person_id = managed_people.person_id)`;

function managedQueries(db: Database): Pick<IdentityDirectory, "isManaged" | "findManaged" | "listManaged"> {
  const select = (where: SQL | undefined) =>
    db
      .select({ managed: managedPeople, name: people.name, isActive: isMember })
      .from(managedPeople)
      .innerJoin(people, eq(people.id, managedPeople.personId))
      .where(where);
  type Row = Awaited<ReturnType<typeof select>>[number];
  const describe = ({ managed, name, isActive }: Row): ManagedPerson => ({
    ...managed,
    name,
    isActive: Number(isActive) === 1,
  });
  const filterOf = (tenantId: string, by?: ManagedKey, value = "") =>
    and(eq(managedPeople.tenantId, tenantId), by === undefined ? undefined : eq(managedPeople[by], value));
  return {
    isManaged: async (personId) => (await db.$count(managedPeople, eq(managedPeople.personId, personId))) > 0,
    findManaged: async (tenantId, by, value) => {
      const rows = value === "" ? [] : await select(filterOf(tenantId, by, value)).limit(2);
      // An address or external id of two people identifies neither.
      return rows.length === 1 && rows[0] ? describe(rows[0]) : undefined;
    },
    listManaged: async (tenantId, { limit, offset, by, value }) => {
      const where = filterOf(tenantId, by, value);
      const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(managedPeople).where(where);
      const rows = await select(where)
        .orderBy(asc(managedPeople.createdAtMs), asc(managedPeople.personId))
        .limit(limit)
        .offset(offset);
      return { rows: rows.map(describe), total };
    },
  };
}

function hasRoom(tenantId: string): SQL {
  return sql`(SELECT count(*) FROM members WHERE tenant_id = ${tenantId}) < ${limits.members}`;
}

/** Bounds provisioned people, also those who are not active. */
function hasRoomForManaged(tenantId: string): SQL {
  return sql`(SELECT count(*) FROM managed_people WHERE tenant_id = ${tenantId}) < ${limits.members * 2}`;
}

async function addManaged(db: Database, audit: Audit, { person, managed, role, session }: NewManagedPerson) {
  const { tenantId, userKey, subject } = managed;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM managed_people WHERE tenant_id = ${tenantId} AND (user_key = ${userKey} OR subject = ${subject}))`;
  const may = sql`${isFree} AND ${hasRoom(tenantId)} AND ${hasRoomForManaged(tenantId)} AND EXISTS (SELECT 1 FROM tenants WHERE id = ${tenantId} AND state = 'ready')`;
  const insertPerson = statement(db, (write) =>
    write
      .insert(people)
      .select(rowWhere(people, person, may))
      .returning({ id: people.id }),
  );
  const isThere = sql`EXISTS (SELECT 1 FROM people WHERE id = ${person.id})`;
  const then: Statement[] = [
    statement(db, (write) => write.insert(managedPeople).select(rowWhere(managedPeople, managed, isThere))),
  ];
  if (role !== undefined) {
    const member = { tenantId, personId: person.id, role, createdAtMs: person.createdAtMs };
    then.push(statement(db, (write) => write.insert(members).select(rowWhere(members, member, isThere))));
  }
  if (session) then.push(statement(db, (write) => write.insert(sessions).select(rowWhere(sessions, session, isThere))));
  return (await writeAudited(db, audit, { target: person.id, tenantId }, insertPerson, then)).length === 1;
}

async function changeManaged(db: Database, audit: Audit, row: ManagedRow, { name, managed, role }: ManagedChange) {
  const { tenantId, personId } = row;
  const isPerson = and(eq(managedPeople.tenantId, tenantId), eq(managedPeople.personId, personId));
  const userKey = managed.userKey ?? row.userKey;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM managed_people o WHERE o.tenant_id = ${tenantId} AND o.user_key = ${userKey} AND o.person_id <> ${personId})`;
  const isMemberNow = sql`EXISTS (SELECT 1 FROM members WHERE tenant_id = ${tenantId} AND person_id = ${personId})`;
  // A provider can always deactivate a person, also the last owner: access must end. It makes somebody else an owner by a group.
  const may = role ? sql`(${isMemberNow} OR ${hasRoom(tenantId)})` : sql`true`;
  const update = statement(db, (write) =>
    write
      .update(managedPeople)
      .set(managed)
      .where(and(isPerson, isFree, may))
      .returning({ id: managedPeople.personId }),
  );
  // The time of the change marks the row, so that the other statements follow only this update.
  const isDone = sql`EXISTS (SELECT 1 FROM managed_people WHERE person_id = ${personId} AND changed_at_ms = ${managed.changedAtMs ?? row.changedAtMs} AND user_key = ${userKey}) AND ${may}`;
  const then: Statement[] = [];
  if (name !== undefined)
    then.push(
      statement(db, (write) =>
        write
          .update(people)
          .set({ name })
          .where(and(eq(people.id, personId), isDone)),
      ),
    );
  if (role === null) then.push(...deactivation(db, tenantId, personId, isDone));
  if (role) {
    const member = { tenantId, personId, role, createdAtMs: managed.changedAtMs ?? row.changedAtMs };
    then.push(
      statement(db, (write) =>
        write
          .insert(members)
          .select(rowWhere(members, member, isDone))
          .onConflictDoNothing(),
      ),
    );
  }
  return (await writeAudited(db, audit, { target: personId, tenantId }, update, then)).length === 1;
}

/** Ends keys, sessions and the membership. The membership is last, because the condition counts owners. */
function deactivation(db: Database, tenantId: string, personId: string, isDone: SQL): Statement[] {
  const ofPerson = and(eq(apiKeys.personId, personId), isDone);
  return [
    statement(db, (write) => write.delete(apiKeys).where(ofPerson)),
    statement(db, (write) => write.delete(sessions).where(and(eq(sessions.personId, personId), isDone))),
    statement(db, (write) =>
      write.delete(members).where(and(eq(members.tenantId, tenantId), eq(members.personId, personId), isDone)),
    ),
  ];
}
