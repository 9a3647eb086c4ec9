// People who sign in: their accounts, passkeys and sessions.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type {
  addPasskey,
  join,
  Me,
  newPasskey,
  Passkey,
  passkeySignature,
  patchMe,
  SessionList,
} from "../../../../shared/contract/sign-in.ts";
import type { AuditContext } from "../../db/audit.ts";
import type { PasskeyRow, PersonRow } from "../../db/tenant-tables.ts";
import { randomText } from "../../mac.ts";
import { networkOf } from "../../network.ts";
import { ControlError } from "../control-error.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import type { Caller } from "./caller.ts";
import type { GithubAccount } from "./github.ts";
import { openInvitation, usedInvitation } from "./members.ts";
import { verifyNewPasskey, creationOptions, verifySignature } from "./passkeys.ts";
import { type NewSession, newSession } from "./sessions.ts";
import { githubCreator, newTenantId, requireFewTenants, tooManyTenants } from "./tenant.ts";

const sessionIdLength = 20;
const sessionIdShape = /^[0-9a-f]{20}$/;

export function newPersonId(): string {
  return `usr${randomText(20)}`;
}

/** Returns the person and the memberships of the caller. */
export async function describeCaller({ members }: ControlApiServer, caller: Caller): Promise<Me> {
  const { tenantId, tenantName, scopes, by, endsAtMs, person } = caller;
  const about = {
    ...(tenantId ? { tenant: { id: tenantId, name: tenantName } } : {}),
    scopes: [...scopes],
  };
  if (!person) {
    const end = Number.isFinite(endsAtMs) ? { expiresAt: new Date(endsAtMs).toISOString() } : {};
    return { ...about, key: { id: by.id, name: by.name, ...end } };
  }
  const { id, name, github, role } = person;
  const memberships = await members.memberships(id);
  return {
    ...about,
    person: { id, name, ...(github === undefined ? {} : { github }) },
    ...(role === undefined ? {} : { role }),
    memberships: memberships.map((membership) => ({
      tenant: { id: membership.tenantId, name: membership.tenantName },
      role: membership.role,
    })),
  };
}

export async function changeMe(
  controlApi: ControlApiServer,
  { hash }: Caller,
  person: NonNullable<Caller["person"]>,
  { name, tenant }: z.output<typeof patchMe>,
): Promise<void> {
  if (tenant !== undefined) {
    const mine = await controlApi.members.memberships(person.id);
    if (!mine.some(({ tenantId }) => tenantId === tenant)) {
      throw new ControlError(404, "not_found", "you belong to no such organisation", "tenant");
    }
    await controlApi.people.setTenant(hash, tenant);
  }
  if (name !== undefined) await controlApi.people.rename(person.id, name);
  controlApi.callerCache.clear();
}

/** Deletes a person with passkeys, sessions, memberships and API keys. Throws 409 if an organization would have no owner. */
export async function deletePerson(controlApi: ControlApiServer, personId: string): Promise<void> {
  const mine = await controlApi.members.memberships(personId);
  const person = await controlApi.people.find(personId);
  const isRemoved = await controlApi.people.remove(
    personId,
    mine.map(({ tenantId }) => tenantId),
    person?.githubId ? await githubCreator(person.githubId) : personId,
  );
  controlApi.callerCache.clear();
  if (isRemoved) return;
  if (!person) throw new ControlError(404, "not_found", "there is no such person");
  const ownedNames = mine.filter(({ role }) => role === "owner").map(({ tenantName }) => tenantName);
  const message = `make somebody else an owner, or delete the organisation: ${ownedNames.join(", ")} would have no owner`;
  throw new ControlError(409, "last_owner", message);
}

/** Adds a signed-in person to another organization and switches the session to it. */
export async function acceptInvitation(
  controlApi: ControlApiServer,
  { hash }: Pick<Caller, "hash">,
  personId: string,
  code: string,
): Promise<void> {
  await requireUnmanaged(controlApi, personId);
  const invitation = await openInvitation(controlApi, code);
  const mine = await controlApi.members.memberships(personId);
  if (mine.some(({ tenantId }) => tenantId === invitation.tenantId)) {
    throw new ControlError(409, "already_member", "you belong to the organisation already");
  }
  if (mine.length >= limits.memberships) throw tooManyTenants();
  const isAccepted = await controlApi.members.take(
    invitation.hash,
    { personId, sessionHash: hash },
    controlApi.nowMs(),
  );
  controlApi.callerCache.clear();
  if (!isAccepted) throw usedInvitation();
}

/** Returns the passkey options for a person who joins by invitation. */
export async function joinOptions(controlApi: ControlApiServer, code: string, name: string) {
  await openInvitation(controlApi, code);
  return creationOptions(controlApi, { purpose: "join", personId: newPersonId() }, name);
}

export async function joinByPasskey(
  controlApi: ControlApiServer,
  headers: Headers,
  { invitation: code, name, passkey }: z.output<typeof join>,
): Promise<NewSession> {
  const invitation = await openInvitation(controlApi, code);
  await requireFreeSpace(controlApi);
  const newPasskey = await verifyNewPasskey(controlApi, "join", passkey, "passkey");
  const person = { id: newPasskey.personId, name, githubId: null, githubLogin: null, createdAtMs: controlApi.nowMs() };
  const session = await newSession(controlApi, headers, person.id, invitation.tenantId);
  const coming = { invitation: invitation.hash, tenantId: invitation.tenantId };
  const { people } = controlApi.auditing(auditContextOf(controlApi, headers, person, invitation.tenantId, "join"));
  await requireUnused(controlApi, newPasskey);
  if (!(await people.add({ person, coming, session: session.row, passkey: newPasskey }))) throw usedInvitation();
  return session;
}

/** Throws 401 if the passkey is unknown, or did not sign the challenge. */
export async function signInByPasskey(
  controlApi: ControlApiServer,
  headers: Headers,
  signature: z.output<typeof passkeySignature>,
): Promise<NewSession> {
  const failed = new ControlError(
    401,
    "sign_in_failed",
    "the passkey is not known here, or it took too long: try again",
    undefined,
    { credential: "" },
  );
  const passkey = await controlApi.people.passkey(signature.id);
  const signed = passkey && (await verifySignature(controlApi, passkey, signature));
  const person = signed && (await controlApi.people.find(passkey.personId));
  if (!person) throw failed;
  const session = await signIn(controlApi, headers, person, "signInByPasskey", signed);
  if (!session) throw failed;
  return session;
}

/** Signs in a person who returns from GitHub. Returns the session, or an error code for the page. */
export async function signInByGithub(
  controlApi: ControlApiServer,
  headers: Headers,
  account: GithubAccount,
  code: string,
): Promise<NewSession> {
  const existingPerson = await controlApi.people.findByGithub(account.id);
  if (existingPerson) {
    if (existingPerson.githubLogin !== account.login)
      await controlApi.people.noteGithubLogin(existingPerson.id, account.login);
    const session = await signIn(controlApi, headers, existingPerson, "signInByGithub");
    if (!session) throw new Error("a session was not stored");
    // A person who is already a member counts as having accepted the invitation.
    if (code) await acceptInvitation(controlApi, session.row, existingPerson.id, code).catch(ignoreAlreadyMember);
    return session;
  }
  const invitation = code ? await openInvitation(controlApi, code) : undefined;
  if (!invitation && !controlApi.signIn.signUp) {
    throw new ControlError(403, "not_invited", "nobody of this name belongs here: ask for an invitation");
  }
  await requireFreeSpace(controlApi);
  const nowMs = controlApi.nowMs();
  const person = {
    id: newPersonId(),
    name: account.name,
    githubId: account.id,
    githubLogin: account.login,
    createdAtMs: nowMs,
  };
  const tenant = { id: invitation?.tenantId ?? newTenantId(), name: account.login, createdBy: person.id };
  if (!invitation) await requireFewTenants(controlApi, [await githubCreator(account.id)], []);
  const coming = invitation ? { invitation: invitation.hash, tenantId: tenant.id } : { tenant };
  const session = await newSession(controlApi, headers, person.id, tenant.id);
  const { people } = controlApi.auditing(auditContextOf(controlApi, headers, person, tenant.id, "signInByGithub"));
  if (!(await people.add({ person, coming, session: session.row }))) throw usedInvitation();
  return session;
}

async function signIn(
  controlApi: ControlApiServer,
  headers: Headers,
  person: PersonRow,
  action: string,
  by?: Pick<PasskeyRow, "id" | "counter" | "challengedAtMs">,
): Promise<NewSession | undefined> {
  await requireFreeSpace(controlApi);
  const [first] = await controlApi.members.memberships(person.id);
  const session = await newSession(controlApi, headers, person.id, first?.tenantId);
  const { people } = controlApi.auditing(auditContextOf(controlApi, headers, person, first?.tenantId ?? "", action));
  return (await people.signIn(session.row, limits.sessions, by)) ? session : undefined;
}

/** Throws 403 for a person of an organisation's provider, who belongs to that organisation only and signs in with it. */
export async function requireUnmanaged({ identity }: ControlApiServer, personId: string): Promise<void> {
  if (!(await identity.isManaged(personId))) return;
  const message = "your account is managed by your organisation's identity provider";
  throw new ControlError(403, "managed_person", message);
}

export async function listSessions(
  { people, nowMs }: ControlApiServer,
  caller: Caller,
  personId: string,
): Promise<SessionList> {
  const rows = await people.sessions(personId, nowMs());
  return {
    sessions: rows.map((row) => ({
      id: row.hash.slice(0, sessionIdLength),
      current: row.hash === caller.hash,
      browser: row.browser,
      address: row.address,
      createdAt: new Date(row.createdAtMs).toISOString(),
      expiresAt: new Date(row.expiresAtMs).toISOString(),
      lastUsedAt: new Date(row.lastUsedAtMs).toISOString(),
    })),
  };
}

/** Ends a session; the id `current` is the caller's session. Returns whether the caller's session ended. */
export async function endSession(
  controlApi: ControlApiServer,
  caller: Caller,
  personId: string,
  id: string,
): Promise<boolean> {
  const hashPrefix = id === "current" ? caller.hash : id;
  const isKnown = id === "current" || sessionIdShape.test(id);
  const isEnded = isKnown && (await controlApi.people.endSession(personId, hashPrefix));
  controlApi.callerCache.clear();
  if (!isEnded) throw new ControlError(404, "not_found", "there is no such session");
  return caller.hash.startsWith(hashPrefix);
}

export async function listPasskeys({ people }: ControlApiServer, personId: string): Promise<{ passkeys: Passkey[] }> {
  return { passkeys: (await people.passkeys(personId)).map(describePasskey) };
}

/** Returns the options for a further passkey. */
export async function passkeyOptions(controlApi: ControlApiServer, { id, name }: NonNullable<Caller["person"]>) {
  await requireUnmanaged(controlApi, id);
  const passkeys = await controlApi.people.passkeys(id);
  if (passkeys.length >= limits.passkeys) throw tooManyPasskeys();
  return creationOptions(controlApi, { purpose: "passkey", personId: id }, name, passkeys);
}

export async function storePasskey(
  controlApi: ControlApiServer,
  personId: string,
  { name, passkey }: z.output<typeof addPasskey>,
): Promise<Passkey> {
  const newPasskey = await verifyNewPasskey(controlApi, "passkey", passkey, name);
  // A challenge can be answered only by the person to whom it was issued.
  if (newPasskey.personId !== personId) throw takenPasskey();
  await requireUnused(controlApi, newPasskey);
  await requireFreeSpace(controlApi);
  if (!(await controlApi.people.addPasskey(newPasskey, limits.passkeys))) throw tooManyPasskeys();
  return describePasskey(newPasskey);
}

export async function removePasskey(controlApi: ControlApiServer, person: NonNullable<Caller["person"]>, id: string) {
  const mine = await controlApi.people.passkeys(person.id);
  if (!mine.some((passkeyRow) => passkeyRow.id === id))
    throw new ControlError(404, "not_found", "there is no such passkey");
  if (mine.length === 1 && person.github === undefined) {
    throw new ControlError(409, "last_passkey", "it is your only way to sign in: add another first");
  }
  await controlApi.people.removePasskey(person.id, id);
}

async function requireUnused({ people }: ControlApiServer, { id }: Pick<z.output<typeof newPasskey>, "id">) {
  if (await people.passkey(id)) throw takenPasskey();
}

function takenPasskey(): ControlError {
  return new ControlError(400, "invalid_passkey", "the passkey is somebody's already: begin again", "passkey");
}

function tooManyPasskeys(): ControlError {
  return new ControlError(
    409,
    "too_many_passkeys",
    `you have ${limits.passkeys} passkeys, which is the most: remove some`,
  );
}

function auditContextOf(
  { nowMs, requestId = "" }: ControlApiServer,
  headers: Headers,
  { id, name }: Pick<PersonRow, "id" | "name">,
  tenantId: string,
  action: string,
): AuditContext {
  const address = networkOf(headers);
  return { tenantId, atMs: nowMs(), actorKind: "person", actorId: id, actorName: name, action, address, requestId };
}

function ignoreAlreadyMember(error: unknown): void {
  if (!(error instanceof ControlError && error.code === "already_member")) throw error;
}

function describePasskey({ id, name, createdAtMs, lastUsedAtMs }: PasskeyRow): Passkey {
  return {
    id,
    name,
    createdAt: new Date(createdAtMs).toISOString(),
    ...(lastUsedAtMs === null ? {} : { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
  };
}
