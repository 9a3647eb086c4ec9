// Queries of people, their passkeys and their sessions.
import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Role } from "../../../shared/contract/scope.ts";
import { type Audit, writeAuditedIf, writeAudited, writeUnaudited } from "./audit.ts";
import { beginsWith, type Database, rowWhere, statement, type Statement } from "./database.ts";
import { memberByInvitation, openInvitation, spend } from "./members.ts";
import {
  apiKeys,
  controlAudit,
  members,
  type PasskeyRow,
  passkeys,
  people,
  type PersonRow,
  type SessionRow,
  sessions,
  tenants,
} from "./tenant-tables.ts";

/** A session with its person and membership. */
export interface SessionFacts extends SessionRow {
  readonly person: PersonRow;
  /** The membership. Undefined if the person no longer belongs to the session's tenant. */
  readonly membership: { readonly tenantId: string; readonly tenantName: string; readonly role: Role } | undefined;
}

/** The way in which a new person joins: by an invitation (its hash), or with a new tenant. */
export type JoinMethod =
  | { readonly invitation: string; readonly tenantId: string }
  | { readonly tenant: { readonly id: string; readonly name: string; readonly createdBy: string } };

export interface NewPerson {
  readonly person: PersonRow;
  readonly coming: JoinMethod;
  readonly session: SessionRow;
  readonly passkey?: PasskeyRow | undefined;
}

export interface PeopleDirectory {
  find(personId: string): Promise<PersonRow | undefined>;
  findByGithub(githubId: string): Promise<PersonRow | undefined>;
  /**
   * Adds a person atomically. Returns false if the invitation is gone or the tenant is full. Throws if the passkey or the account has an
   * owner.
   */
  add(newPerson: NewPerson): Promise<boolean>;
  rename(personId: string, name: string): Promise<void>;
  /**
   * Deletes a person with passkeys, sessions, memberships and created keys, and anonymizes the audit logs, atomically. Returns false if the
   * person does not exist or an organization would have no owner.
   * `tenantIds` are those of the person. `creator` is the name under which the person's organizations count from then on.
   * `isManaged`: an organization's provider deletes the person, who may be its last owner.
   */
  remove(personId: string, tenantIds: readonly string[], creator: string, isManaged?: boolean): Promise<boolean>;
  /** Stores the current login of the GitHub account. */
  noteGithubLogin(personId: string, login: string): Promise<void>;
  passkeys(personId: string): Promise<PasskeyRow[]>;
  passkey(id: string): Promise<PasskeyRow | undefined>;
  /** Returns false if the person has reached the limit. Throws if the passkey has an owner. */
  addPasskey(row: PasskeyRow, most: number): Promise<boolean>;
  removePasskey(personId: string, id: string): Promise<boolean>;
  /** Signs in. Returns false if the passkey has answered a newer challenge. `most` is the number of the newest sessions that stay. */
  signIn(
    session: SessionRow,
    most: number,
    by?: Pick<PasskeyRow, "id" | "counter" | "challengedAtMs">,
  ): Promise<boolean>;
  /** Finds a session, which may have expired. */
  session(hash: string): Promise<SessionFacts | undefined>;
  /** Lists sessions that have not expired, the newest first. */
  sessions(personId: string, nowMs: number): Promise<SessionRow[]>;
  /** Ends a session by its hash or a prefix of it. */
  endSession(personId: string, id: string): Promise<boolean>;
  setTenant(hash: string, tenantId: string | null): Promise<void>;
  /** Records the use of a session. Nothing is written if a use after `beforeMs` is recorded. */
  noteUse(hash: string, atMs: number, beforeMs: number): Promise<void>;
  /** Deletes sessions that expired before a time. Returns the number of deleted rows. */
  forgetSessions(beforeMs: number, limit: number): Promise<number>;
}

export function peopleDirectory(db: Database, audit: Audit): PeopleDirectory {
  return {
    find: async (personId) => (await db.select().from(people).where(eq(people.id, personId)))[0],
    findByGithub: async (githubId) => (await db.select().from(people).where(eq(people.githubId, githubId)))[0],
    add: (newPerson) => addPerson(db, newPerson, audit),
    forgetSessions: (beforeMs, limit) => forgetSessions(db, beforeMs, limit),
    rename: async (personId, name) => {
      await writeAudited(
        db,
        audit,
        { target: personId },
        statement(db, (write) => write.update(people).set({ name }).where(eq(people.id, personId))),
      );
    },
    noteGithubLogin: async (personId, login) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(people).set({ githubLogin: login }).where(eq(people.id, personId)),
      );
    },
    remove: (...of) => removePerson(db, of, audit),
    ...keeping(db, audit),
    ...signing(db, audit),
  };
}

async function removePerson(
  db: Database,
  [personId, tenantIds, creator, isManaged]: Parameters<PeopleDirectory["remove"]>,
  audit: Audit,
) {
  const otherOwner = sql`SELECT 1 FROM members o WHERE o.tenant_id = m.tenant_id AND o.role = 'owner' AND o.person_id <> ${personId}`;
  const isLastOwner = sql`SELECT 1 FROM members m WHERE m.person_id = ${personId} AND m.role = 'owner' AND NOT EXISTS (${otherOwner})`;
  const isThere = sql`EXISTS (SELECT 1 FROM people WHERE id = ${personId})`;
  const may = isManaged ? isThere : sql`${isThere} AND NOT EXISTS (${isLastOwner})`;
  const by = audit?.actorId === personId ? { ...audit, actorName: "", address: "" } : audit;
  const changes = tenantIds.map((tenantId) => {
    const belongs = sql`EXISTS (SELECT 1 FROM members m WHERE m.tenant_id = ${tenantId} AND m.person_id = ${personId}
      UNION ALL SELECT 1 FROM managed_people p WHERE p.tenant_id = ${tenantId} AND p.person_id = ${personId})`;
    return { audit: by, target: personId, tenantId, condition: sql`${may} AND ${belongs}` };
  });
  // Written as in the index, so that SQLite uses it.
  const isOf = and(sql`actor_kind = 'person'`, eq(controlAudit.actorId, personId), may);
  const hidePerson = statement(db, (write) =>
    write.update(controlAudit).set({ actorName: "", address: "" }).where(isOf),
  );
  const removedPeople = await writeAuditedIf(db, changes, hidePerson, [
    statement(db, (write) =>
      write
        .update(tenants)
        .set({ createdBy: creator })
        .where(and(eq(tenants.createdBy, personId), sql`created_by <> ''`, may)),
    ),
    // Keys are not deleted by cascade, because their column is newer than their table.
    statement(db, (write) => write.delete(apiKeys).where(and(eq(apiKeys.personId, personId), may))),
    statement(db, (write) =>
      write
        .delete(people)
        .where(and(eq(people.id, personId), may))
        .returning({ id: people.id }),
    ),
  ]);
  return removedPeople.length === 1;
}

async function addPerson(db: Database, { person, coming, session, passkey }: NewPerson, audit: Audit) {
  const isThere = sql`EXISTS (SELECT 1 FROM people WHERE id = ${person.id})`;
  const nowMs = person.createdAtMs;
  const may = "invitation" in coming ? sql`EXISTS (SELECT 1 ${openInvitation(coming.invitation, nowMs)})` : sql`true`;
  const insertPerson = statement(db, (write) =>
    write
      .insert(people)
      .select(rowWhere(people, person, may))
      .returning({ id: people.id }),
  );
  const tenantId = "invitation" in coming ? coming.tenantId : coming.tenant.id;
  const before: Statement[] = [];
  if ("invitation" in coming) {
    before.push(
      statement(db, (write) => write.insert(members).select(memberByInvitation(coming.invitation, person.id, nowMs))),
    );
    before.push(spend(db, coming.invitation, person.id, nowMs));
  } else {
    before.push(statement(db, (write) => write.insert(tenants).values({ ...coming.tenant, createdAtMs: nowMs })));
    before.push(
      statement(db, (write) =>
        write.insert(members).values({ tenantId, personId: person.id, role: "owner", createdAtMs: nowMs }),
      ),
    );
  }
  if (passkey)
    before.push(statement(db, (write) => write.insert(passkeys).select(rowWhere(passkeys, passkey, isThere))));
  before.push(
    statement(db, (write) => write.insert(sessions).select(rowWhere(sessions, { ...session, tenantId }, isThere))),
  );
  // A new tenant does not exist yet when the audit entry would be written.
  const entryAudit = "invitation" in coming ? audit : undefined;
  return (await writeAudited(db, entryAudit, { target: person.id, tenantId }, insertPerson, before)).length === 1;
}

function keeping(
  db: Database,
  audit: Audit,
): Pick<PeopleDirectory, "passkeys" | "passkey" | "addPasskey" | "removePasskey"> {
  return {
    passkeys: (personId) =>
      db.select().from(passkeys).where(eq(passkeys.personId, personId)).orderBy(asc(passkeys.createdAtMs), passkeys.id),
    passkey: async (id) => (await db.select().from(passkeys).where(eq(passkeys.id, id)))[0],
    addPasskey: async (row, most) => {
      const passkeyCount = sql`SELECT count(*) FROM passkeys WHERE person_id = ${row.personId}`;
      const insertPasskey = statement(db, (write) =>
        write
          .insert(passkeys)
          .select(rowWhere(passkeys, row, sql`(${passkeyCount}) < ${most}`))
          .returning({ id: passkeys.id }),
      );
      return (await writeAudited(db, audit, { target: row.personId }, insertPasskey)).length === 1;
    },
    removePasskey: async (personId, id) => {
      const condition = and(eq(passkeys.personId, personId), eq(passkeys.id, id));
      const deletePasskey = statement(db, (write) =>
        write.delete(passkeys).where(condition).returning({ id: passkeys.id }),
      );
      return (await writeAudited(db, audit, { target: personId }, deletePasskey)).length === 1;
    },
  };
}

type Signing = Pick<PeopleDirectory, "signIn" | "session" | "sessions" | "endSession" | "setTenant" | "noteUse">;

function signing(db: Database, audit: Audit): Signing {
  return {
    signIn: async (session, most, by) => {
      const isNewer: SQL = by
        ? sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${by.id} AND challenged_at_ms < ${by.challengedAtMs})`
        : sql`true`;
      const insertSession = statement(db, (write) =>
        write
          .insert(sessions)
          .select(rowWhere(sessions, session, isNewer))
          .returning({ hash: sessions.hash }),
      );
      const newest = db
        .select({ hash: sessions.hash })
        .from(sessions)
        .where(eq(sessions.personId, session.personId))
        .orderBy(desc(sessions.createdAtMs), desc(sessions.hash))
        .limit(most);
      const then: Statement[] = [
        statement(db, (write) =>
          write.delete(sessions).where(and(eq(sessions.personId, session.personId), sql`hash NOT IN ${newest}`)),
        ),
      ];
      if (by) {
        const { id, ...to } = by;
        const isNext = and(eq(passkeys.id, id), lt(passkeys.challengedAtMs, by.challengedAtMs));
        then.push(
          statement(db, (write) =>
            write
              .update(passkeys)
              .set({ ...to, lastUsedAtMs: session.createdAtMs })
              .where(isNext),
          ),
        );
      }
      const auditedChange = { target: session.personId, tenantId: session.tenantId ?? "" };
      return (await writeAudited(db, audit, auditedChange, insertSession, then)).length === 1;
    },
    ...sessionQueries(db),
    endSession: async (personId, id) => {
      const condition = and(eq(sessions.personId, personId), beginsWith(sessions.hash, id));
      const deleteSession = statement(db, (write) =>
        write.delete(sessions).where(condition).returning({ hash: sessions.hash }),
      );
      return (await writeAudited(db, audit, { target: personId }, deleteSession)).length === 1;
    },
    setTenant: async (hash, tenantId) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(sessions).set({ tenantId }).where(eq(sessions.hash, hash)),
      );
    },
    noteUse: async (hash, atMs, beforeMs) => {
      const isOld = and(eq(sessions.hash, hash), lt(sessions.lastUsedAtMs, beforeMs));
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.update(sessions).set({ lastUsedAtMs: atMs }).where(isOld),
      );
    },
  };
}

function sessionQueries(db: Database): Pick<PeopleDirectory, "session" | "sessions"> {
  return {
    session: async (hash) => {
      const isThere = and(eq(tenants.id, sessions.tenantId), eq(tenants.state, "ready"));
      const isMember = and(eq(members.tenantId, tenants.id), eq(members.personId, sessions.personId));
      const [row] = await db
        .select({
          session: sessions,
          person: people,
          role: members.role,
          tenantId: tenants.id,
          tenantName: tenants.name,
        })
        .from(sessions)
        .innerJoin(people, eq(people.id, sessions.personId))
        .leftJoin(tenants, isThere)
        .leftJoin(members, isMember)
        .where(eq(sessions.hash, hash));
      if (!row) return undefined;
      const { session, person, role, tenantId, tenantName } = row;
      const belongs = role !== null && tenantId !== null && tenantName !== null;
      return { ...session, person, membership: belongs ? { tenantId, tenantName, role } : undefined };
    },
    sessions: (personId, nowMs) =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.personId, personId), gt(sessions.expiresAtMs, nowMs)))
        .orderBy(desc(sessions.createdAtMs), sessions.hash),
  };
}

/** Deletes sessions that expired before a time. Returns the number of deleted rows. */
async function forgetSessions(db: Database, beforeMs: number, limit: number): Promise<number> {
  const old = db.select({ hash: sessions.hash }).from(sessions).where(lt(sessions.expiresAtMs, beforeMs)).limit(limit);
  return (
    await writeUnaudited(db, "scheduled", (write) =>
      write.delete(sessions).where(sql`hash IN ${old}`).returning({ hash: sessions.hash }),
    )
  ).length;
}
