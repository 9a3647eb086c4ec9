// Queries of members and invitations of tenants.
import { and, asc, desc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { limits } from "../../../shared/base/limits.ts";
import type { Role } from "../../../shared/contract/scope.ts";
import { type Audit, writeAudited, writeUnaudited } from "./audit.ts";
import { beginsWith, type Database, rowWhere, statement } from "./database.ts";
import {
  apiKeys,
  type InvitationRow,
  invitations,
  type MemberRow,
  members,
  people,
  sessions,
  tenants,
} from "./tenant-tables.ts";

export interface NamedMember extends MemberRow {
  readonly name: string;
  readonly github: string | undefined;
}

export interface Membership {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly role: Role;
}

export interface MemberDirectory {
  /** Lists members in the order in which they joined. */
  list(tenantId: string): Promise<NamedMember[]>;
  find(tenantId: string, personId: string): Promise<NamedMember | undefined>;
  /** Returns false if the role changed concurrently, or no owner would remain. */
  changeRole(row: Pick<MemberRow, "tenantId" | "personId" | "role">, to: Role): Promise<boolean>;
  /** Removes a member with the keys that they created. Returns false if the role changed concurrently, or no owner would remain. */
  remove(row: Pick<MemberRow, "tenantId" | "personId" | "role">): Promise<boolean>;
  /** Lists a person's memberships of tenants that are not being deleted. */
  memberships(personId: string): Promise<Membership[]>;
  /** Returns false if the tenant has reached the limit of open invitations. */
  invite(row: InvitationRow, most: number): Promise<boolean>;
  /** Lists open invitations, the newest first. */
  invitations(tenantId: string, nowMs: number): Promise<InvitationRow[]>;
  /** Returns the addresses of invitations that have not expired, open or accepted. */
  invitedAddresses(tenantId: string, nowMs: number): Promise<string[]>;
  /** Finds an invitation of any tenant that has not expired by its hash. It may have been used. */
  invitation(
    hash: string,
    nowMs: number,
  ): Promise<(Membership & { readonly isFull: boolean; readonly usedAtMs: number | null }) | undefined>;
  /** Stores the outcome of an invitation's e-mail. */
  noteMail(hash: string, mail: InvitationRow["mail"]): Promise<void>;
  /** Deletes an invitation by the prefix of its hash. Returns false if it does not exist. */
  withdraw(tenantId: string, id: string): Promise<boolean>;
  /** Deletes invitations that expired before a time. Returns the number of deleted rows. */
  forgetInvitations(beforeMs: number, limit: number): Promise<number>;
  /** Accepts an invitation for a signed-in person and switches the session to that tenant. Returns false if another request was first. */
  take(hash: string, by: { readonly personId: string; readonly sessionHash: string }, nowMs: number): Promise<boolean>;
}

/** Matches an open invitation of a tenant that is ready and not full. */
export function openInvitation(hash: string, nowMs: number) {
  return sql`FROM invitations i JOIN tenants t ON t.id = i.tenant_id WHERE i.hash = ${hash} AND i.expires_at_ms > ${nowMs}
    AND i.used_at_ms IS NULL AND t.state = 'ready' AND (SELECT count(*) FROM members m WHERE m.tenant_id = i.tenant_id) < ${limits.members}`;
}

/** Returns the SELECT that inserts the member of an invitation. */
export function memberByInvitation(hash: string, personId: string, nowMs: number) {
  return sql`SELECT i.tenant_id, ${personId}, i.role, ${nowMs} ${openInvitation(hash, nowMs)}`;
}

/** Marks the invitation as used. The row stays until it expires, so that its link says why it is not valid. */
export function spend(db: Database, hash: string, personId: string, nowMs: number) {
  const isTaken = sql`EXISTS (SELECT 1 FROM members m WHERE m.tenant_id = invitations.tenant_id AND m.person_id = ${personId})`;
  return statement(db, (write) =>
    write
      .update(invitations)
      .set({ usedAtMs: nowMs })
      .where(and(eq(invitations.hash, hash), isNull(invitations.usedAtMs), isTaken)),
  );
}

const memberColumns = {
  tenantId: members.tenantId,
  personId: members.personId,
  role: members.role,
  createdAtMs: members.createdAtMs,
  name: people.name,
  github: people.githubLogin,
};

export function memberDirectory(db: Database, audit: Audit): MemberDirectory {
  const memberKey = ({ tenantId, personId }: Pick<MemberRow, "tenantId" | "personId">) =>
    and(eq(members.tenantId, tenantId), eq(members.personId, personId));
  /** Matches a member whose role is unchanged and who is not the last owner. */
  const spared = (row: Pick<MemberRow, "tenantId" | "personId" | "role">) => {
    const owners = sql`(SELECT count(*) FROM members o WHERE o.tenant_id = ${row.tenantId} AND o.role = 'owner')`;
    return and(memberKey(row), eq(members.role, row.role), or(ne(members.role, "owner"), gt(owners, 1)));
  };
  return {
    list: async (tenantId) => {
      const rows = await db
        .select(memberColumns)
        .from(members)
        .innerJoin(people, eq(people.id, members.personId))
        .where(eq(members.tenantId, tenantId))
        .orderBy(asc(members.createdAtMs), asc(members.personId));
      return rows.map((row) => ({ ...row, github: row.github ?? undefined }));
    },
    find: async (tenantId, personId) => {
      const [row] = await db
        .select(memberColumns)
        .from(members)
        .innerJoin(people, eq(people.id, members.personId))
        .where(memberKey({ tenantId, personId }));
      return row && { ...row, github: row.github ?? undefined };
    },
    changeRole: async (row, to) => {
      const which = to === "owner" ? and(memberKey(row), eq(members.role, row.role)) : spared(row);
      const updateRole = statement(db, (write) =>
        write.update(members).set({ role: to }).where(which).returning({ id: members.personId }),
      );
      const { tenantId, personId } = row;
      return (await writeAudited(db, audit, { target: personId, tenantId }, updateRole)).length === 1;
    },
    remove: async (row) => {
      const { tenantId, personId } = row;
      const deleteMember = statement(db, (write) =>
        write.delete(members).where(spared(row)).returning({ id: members.personId }),
      );
      const isGone = sql`NOT EXISTS (SELECT 1 FROM members m WHERE m.tenant_id = ${tenantId} AND m.person_id = ${personId})`;
      const then = [
        statement(db, (write) =>
          write.delete(apiKeys).where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.personId, personId), isGone)),
        ),
        statement(db, (write) =>
          write
            .update(sessions)
            .set({ tenantId: null })
            .where(and(eq(sessions.tenantId, tenantId), eq(sessions.personId, personId), isGone)),
        ),
      ];
      return (await writeAudited(db, audit, { target: personId, tenantId }, deleteMember, then)).length === 1;
    },
    memberships: (personId) =>
      db
        .select({ tenantId: members.tenantId, tenantName: tenants.name, role: members.role })
        .from(members)
        .innerJoin(tenants, and(eq(tenants.id, members.tenantId), eq(tenants.state, "ready")))
        .where(eq(members.personId, personId))
        .orderBy(asc(members.createdAtMs), asc(members.tenantId)),
    ...invited(db),
    ...inviting(db, audit),
  };
}

function inviting(
  db: Database,
  audit: Audit,
): Pick<MemberDirectory, "invite" | "noteMail" | "withdraw" | "forgetInvitations" | "take"> {
  return {
    forgetInvitations: (beforeMs, limit) => forgetInvitations(db, beforeMs, limit),
    invite: async (row, most) => {
      const open = sql`SELECT count(*) FROM invitations WHERE tenant_id = ${row.tenantId} AND expires_at_ms > ${row.createdAtMs} AND used_at_ms IS NULL`;
      const insertInvitation = statement(db, (write) =>
        write
          .insert(invitations)
          .select(rowWhere(invitations, row, sql`(${open}) < ${most}`))
          .returning({ hash: invitations.hash }),
      );
      return (await writeAudited(db, audit, { target: invitationId(row) }, insertInvitation)).length === 1;
    },
    noteMail: async (hash, mail) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(invitations).set({ mail }).where(eq(invitations.hash, hash)),
      );
    },
    withdraw: async (tenantId, id) => {
      const isOpen = isNull(invitations.usedAtMs);
      const which = and(eq(invitations.tenantId, tenantId), beginsWith(invitations.hash, id), isOpen);
      const deleteInvitation = statement(db, (write) =>
        write.delete(invitations).where(which).returning({ hash: invitations.hash }),
      );
      return (await writeAudited(db, audit, { target: id }, deleteInvitation)).length === 1;
    },
    take: async (hash, { personId, sessionHash }, nowMs) => {
      const acceptedRows = await db
        .select({ tenantId: invitations.tenantId })
        .from(invitations)
        .where(eq(invitations.hash, hash));
      const { tenantId } = acceptedRows[0] ?? { tenantId: "" };
      const insertMember = statement(db, (write) =>
        write
          .insert(members)
          .select(memberByInvitation(hash, personId, nowMs))
          .onConflictDoNothing()
          .returning({ id: members.personId }),
      );
      const isMember = isNotNull(
        sql`(SELECT 1 FROM members m WHERE m.tenant_id = ${tenantId} AND m.person_id = ${personId})`,
      );
      const turn = statement(db, (write) =>
        write
          .update(sessions)
          .set({ tenantId })
          .where(and(eq(sessions.hash, sessionHash), isMember)),
      );
      const then = [spend(db, hash, personId, nowMs), turn];
      return (await writeAudited(db, audit, { target: personId, tenantId }, insertMember, then)).length === 1;
    },
  };
}

function invited(db: Database): Pick<MemberDirectory, "invitations" | "invitedAddresses" | "invitation"> {
  return {
    invitedAddresses: async (tenantId, nowMs) => {
      const isInvited = and(
        eq(invitations.tenantId, tenantId),
        gt(invitations.expiresAtMs, nowMs),
        ne(invitations.email, ""),
      );
      return (await db.select({ email: invitations.email }).from(invitations).where(isInvited)).map(
        ({ email }) => email,
      );
    },
    invitations: (tenantId, nowMs) =>
      db
        .select()
        .from(invitations)
        .where(
          and(eq(invitations.tenantId, tenantId), gt(invitations.expiresAtMs, nowMs), isNull(invitations.usedAtMs)),
        )
        .orderBy(desc(invitations.createdAtMs), invitations.hash),
    invitation: async (hash, nowMs) => {
      const memberCount = sql<number>`(SELECT count(*) FROM members m WHERE m.tenant_id = ${invitations.tenantId})`;
      const [row] = await db
        .select({
          tenantId: tenants.id,
          tenantName: tenants.name,
          role: invitations.role,
          usedAtMs: invitations.usedAtMs,
          others: memberCount,
        })
        .from(invitations)
        .innerJoin(tenants, and(eq(tenants.id, invitations.tenantId), eq(tenants.state, "ready")))
        .where(and(eq(invitations.hash, hash), gt(invitations.expiresAtMs, nowMs)));
      if (!row) return undefined;
      const { others: count, ...membership } = row;
      return { ...membership, isFull: count >= limits.members };
    },
  };
}

export function invitationId({ hash }: Pick<InvitationRow, "hash">): string {
  return hash.slice(0, invitationIdLength);
}

const invitationIdLength = 20;

/** Deletes invitations that expired before a time. Returns the number of deleted rows. */
async function forgetInvitations(db: Database, beforeMs: number, limit: number): Promise<number> {
  const old = db
    .select({ hash: invitations.hash })
    .from(invitations)
    .where(lt(invitations.expiresAtMs, beforeMs))
    .limit(limit);
  return (
    await writeUnaudited(db, "scheduled", (write) =>
      write.delete(invitations).where(sql`hash IN ${old}`).returning({ hash: invitations.hash }),
    )
  ).length;
}
