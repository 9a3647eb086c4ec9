// Queries of a tenant's groups, which SCIM provisions, and of the roles that follow from them.
import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { identityLimits } from "../../../shared/base/request-limits.ts";
import { type Role, roles } from "../../../shared/contract/scope.ts";
import { type Audit, writeAudited } from "./audit.ts";
import { type Database, rowWhere, type Statement, statement } from "./database.ts";
import { type GroupRow, managedPeople, scimGroupMembers, scimGroups } from "./identity-tables.ts";
import { members, people } from "./tenant-tables.ts";

/** The roles of groups by their names in lower case, and the role of people without such a group. */
export interface RoleRule {
  readonly groupRoles: Readonly<Record<string, Role>>;
  readonly role: Role;
}

export interface GroupMember {
  readonly groupId: string;
  readonly personId: string;
  readonly name: string;
}

/** A change of a group, with the complete list of its members. */
export interface GroupChange {
  readonly set: Partial<GroupRow>;
  readonly members: readonly string[];
}

export interface GroupDirectory {
  listGroups(
    tenantId: string,
    page: {
      readonly limit: number;
      readonly offset: number;
      readonly by?: "nameKey" | "externalId";
      readonly value?: string;
    },
  ): Promise<{ readonly rows: GroupRow[]; readonly total: number }>;
  findGroup(tenantId: string, id: string): Promise<GroupRow | undefined>;
  /** Lists the members of groups. */
  membersOfGroups(tenantId: string, ids: readonly string[]): Promise<GroupMember[]>;
  /** Lists the groups of people. */
  groupsOf(
    tenantId: string,
    personIds: readonly string[],
  ): Promise<(Pick<GroupRow, "id" | "name" | "nameKey"> & { readonly personId: string })[]>;
  /** Returns those of the ids that are people of the tenant. */
  knownPeople(tenantId: string, ids: readonly string[]): Promise<string[]>;
  /** Returns false if the name is taken, or there are too many groups. Roles of members follow. */
  addGroup(row: GroupRow, members: readonly string[], rule: RoleRule): Promise<boolean>;
  /** Returns false if the name is taken, or the group is gone. Roles of members follow. */
  changeGroup(row: GroupRow, change: GroupChange, rule: RoleRule): Promise<boolean>;
  removeGroup(row: GroupRow, rule: RoleRule): Promise<boolean>;
}

export function groupDirectory(db: Database, audit: Audit): GroupDirectory {
  return { ...groupQueries(db), ...groupChanges(db, audit) };
}

type GroupQueries = Pick<GroupDirectory, "listGroups" | "findGroup" | "membersOfGroups" | "groupsOf" | "knownPeople">;

function groupQueries(db: Database): GroupQueries {
  return {
    listGroups: async (tenantId, { limit, offset, by, value = "" }) => {
      const filter = by === undefined ? undefined : eq(scimGroups[by], value);
      const where = and(eq(scimGroups.tenantId, tenantId), filter);
      const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(scimGroups).where(where);
      const order = [asc(scimGroups.createdAtMs), asc(scimGroups.id)];
      const rows = await db
        .select()
        .from(scimGroups)
        .where(where)
        .orderBy(...order)
        .limit(limit)
        .offset(offset);
      return { rows, total };
    },
    findGroup: async (tenantId, id) =>
      (
        await db
          .select()
          .from(scimGroups)
          .where(and(eq(scimGroups.tenantId, tenantId), eq(scimGroups.id, id)))
      )[0],
    membersOfGroups: async (tenantId, ids) =>
      db
        .select({ groupId: scimGroupMembers.groupId, personId: scimGroupMembers.personId, name: people.name })
        .from(scimGroupMembers)
        .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
        .innerJoin(people, eq(people.id, scimGroupMembers.personId))
        .where(and(eq(scimGroups.tenantId, tenantId), isIn(sql`${scimGroupMembers.groupId}`, ids)))
        .orderBy(asc(scimGroupMembers.personId)),
    groupsOf: async (tenantId, personIds) =>
      db
        .select({
          id: scimGroups.id,
          name: scimGroups.name,
          nameKey: scimGroups.nameKey,
          personId: scimGroupMembers.personId,
        })
        .from(scimGroupMembers)
        .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
        .where(and(eq(scimGroups.tenantId, tenantId), isIn(sql`${scimGroupMembers.personId}`, personIds)))
        .orderBy(asc(scimGroups.nameKey)),
    knownPeople: async (tenantId, ids) => {
      const where = and(eq(managedPeople.tenantId, tenantId), isIn(sql`${managedPeople.personId}`, ids));
      const rows = await db.select({ id: managedPeople.personId }).from(managedPeople).where(where);
      return rows.map(({ id }) => id);
    },
  };
}

function groupChanges(db: Database, audit: Audit): Pick<GroupDirectory, "addGroup" | "changeGroup" | "removeGroup"> {
  return {
    addGroup: async (row, personIds, rule) => {
      const { tenantId, nameKey } = row;
      const groups = sql`(SELECT count(*) FROM scim_groups WHERE tenant_id = ${tenantId})`;
      const may = sql`${isFreeName(tenantId, nameKey, row.id)} AND ${groups} < ${identityLimits.scimGroups}`;
      const insert = statement(db, (write) =>
        write
          .insert(scimGroups)
          .select(rowWhere(scimGroups, row, may))
          .returning({ id: scimGroups.id }),
      );
      const then = [insertMembers(db, row, personIds, sql`true`), followRoles(db, tenantId, rule)];
      return (await writeAudited(db, audit, { target: row.id, tenantId }, insert, then)).length === 1;
    },
    changeGroup: async (row, { set, members: personIds }, rule) => {
      const { tenantId, id } = row;
      const nameKey = set.nameKey ?? row.nameKey;
      const isGroup = and(eq(scimGroups.id, id), eq(scimGroups.tenantId, tenantId));
      const update = statement(db, (write) =>
        write
          .update(scimGroups)
          .set(set)
          .where(and(isGroup, isFreeName(tenantId, nameKey, id)))
          .returning({ id: scimGroups.id }),
      );
      // False if the update was refused, because its name is taken.
      const isDone = sql`EXISTS (SELECT 1 FROM scim_groups WHERE id = ${id} AND name_key = ${nameKey})`;
      const drop = statement(db, (write) =>
        write.delete(scimGroupMembers).where(and(eq(scimGroupMembers.groupId, id), isDone)),
      );
      const then = [drop, insertMembers(db, row, personIds, isDone), followRoles(db, tenantId, rule)];
      return (await writeAudited(db, audit, { target: id, tenantId }, update, then)).length === 1;
    },
    removeGroup: async ({ tenantId, id }, rule) => {
      const removal = statement(db, (write) =>
        write
          .delete(scimGroups)
          .where(and(eq(scimGroups.id, id), eq(scimGroups.tenantId, tenantId)))
          .returning({ id: scimGroups.id }),
      );
      const then = [followRoles(db, tenantId, rule)];
      return (await writeAudited(db, audit, { target: id, tenantId }, removal, then)).length === 1;
    },
  };
}

/** Matches a value of a list, which is one parameter because D1 binds 100. */
function isIn(column: SQL, list: readonly string[]): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;
}

function isFreeName(tenantId: string, nameKey: string, id: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM scim_groups o WHERE o.tenant_id = ${tenantId} AND o.name_key = ${nameKey} AND o.id <> ${id})`;
}

function insertMembers(db: Database, row: GroupRow, personIds: readonly string[], condition: SQL): Statement {
  const isThere = sql`EXISTS (SELECT 1 FROM scim_groups g WHERE g.id = ${row.id})`;
  return statement(db, (write) =>
    write
      .insert(scimGroupMembers)
      .select(
        sql`SELECT ${row.id}, person_id FROM managed_people WHERE tenant_id = ${row.tenantId} AND ${isIn(sql`person_id`, personIds)} AND ${isThere} AND ${condition}`,
      )
      .onConflictDoNothing(),
  );
}

/**
 * Sets the roles of all managed members by their groups. A managed owner keeps the role unless somebody else, whom the provider does not
 * manage, is an owner, so that a change of groups leaves no organization without one.
 */
export function followRoles(db: Database, tenantId: string, { groupRoles, role }: RoleRule): Statement {
  const ranks = Object.entries(groupRoles).map(([name, groupRole]) => ({ name, rank: roles.indexOf(groupRole) }));
  const rank = sql`(SELECT max(json_extract(r.value, '$.rank')) FROM json_each(${JSON.stringify(ranks)}) r
    JOIN scim_groups g ON g.tenant_id = ${tenantId} AND g.name_key = json_extract(r.value, '$.name')
    JOIN scim_group_members gm ON gm.group_id = g.id WHERE gm.person_id = members.person_id)`;
  const next = sql`CASE ${rank} WHEN 2 THEN 'owner' WHEN 1 THEN 'member' WHEN 0 THEN 'viewer' ELSE ${role} END`;
  const isManaged = sql`person_id IN (SELECT person_id FROM managed_people WHERE tenant_id = ${tenantId})`;
  const otherOwner = sql`EXISTS (SELECT 1 FROM members o WHERE o.tenant_id = ${tenantId} AND o.role = 'owner'
    AND o.person_id NOT IN (SELECT person_id FROM managed_people))`;
  return statement(db, (write) =>
    write
      .update(members)
      .set({ role: next })
      .where(
        and(eq(members.tenantId, tenantId), isManaged, sql`role <> ${next}`, sql`(role <> 'owner' OR ${otherOwner})`),
      ),
  );
}
