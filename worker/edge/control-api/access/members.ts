// Members and invitations of a tenant. Nobody can grant, change or revoke a role that exceeds their own.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import { scopesOfRole } from "../../../../shared/contract/scope.ts";
import type {
  createInvitation,
  Invitation,
  InvitationList,
  InvitationWithLink,
  Member,
  MemberList,
  patchMember,
} from "../../../../shared/contract/tenant.ts";
import { invitationId, type NamedMember } from "../../db/members.ts";
import type { InvitationRow } from "../../db/tenant-tables.ts";
import { hashOf, randomText } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { type Caller, requireAll } from "./caller.ts";
import { sendInvitation } from "./mail.ts";

const personShape = /^usr[a-z2-7]{20}$/;
const invitationShape = /^[0-9a-f]{20}$/;
const codeShape = /^sbi_[a-z2-7]{51}$/;

export async function listMembers({ members }: ControlApiServer, tenantId: string): Promise<MemberList> {
  return { members: (await members.list(tenantId)).map(describeMember) };
}

export async function getMember(controlApi: ControlApiServer, tenantId: string, personId: string): Promise<Member> {
  return describeMember(await memberNamed(controlApi, tenantId, personId));
}

export async function changeMember(
  controlApi: ControlApiServer,
  caller: Caller,
  personId: string,
  { role }: z.output<typeof patchMember>,
): Promise<Member> {
  const row = await memberNamed(controlApi, caller.tenantId, personId);
  requireAll(caller, [...scopesOfRole(row.role), ...scopesOfRole(role)]);
  const isChanged = row.role === role || (await controlApi.members.changeRole(row, role));
  controlApi.callerCache.clear();
  if (!isChanged) throw lastOwner();
  return describeMember({ ...row, role });
}

export async function removeMember(controlApi: ControlApiServer, caller: Caller, personId: string): Promise<void> {
  const row = await memberNamed(controlApi, caller.tenantId, personId);
  requireAll(caller, scopesOfRole(row.role));
  await remove(controlApi, row);
}

/** Removes the membership of a person. Every member can leave. */
export async function leave(controlApi: ControlApiServer, personId: string, tenantId: string): Promise<void> {
  const mine = await controlApi.members.memberships(personId);
  const membershipOfTenant = mine.find((membership) => membership.tenantId === tenantId);
  if (!membershipOfTenant) throw new ControlError(404, "not_found", "you belong to no such organisation");
  await remove(controlApi, { tenantId, personId, role: membershipOfTenant.role });
}

async function remove(controlApi: ControlApiServer, row: Pick<NamedMember, "tenantId" | "personId" | "role">) {
  const isRemoved = await controlApi.members.remove(row);
  controlApi.callerCache.clear();
  if (!isRemoved) throw lastOwner();
}

export async function invite(
  controlApi: ControlApiServer,
  caller: Caller,
  options: z.output<typeof createInvitation>,
): Promise<InvitationWithLink> {
  requireAll(caller, scopesOfRole(options.role));
  await requireFreeSpace(controlApi);
  return inviteTo(controlApi, caller, options);
}

/** Creates an invitation to the tenant of the inviter, and sends it if it has an address. */
export async function inviteTo(
  controlApi: ControlApiServer,
  caller: Pick<Caller, "tenantId" | "tenantName" | "by">,
  { role, ttlSeconds, email = "" }: z.output<typeof createInvitation>,
): Promise<InvitationWithLink> {
  const code = `sbi_${randomText(51)}`;
  const createdAtMs = controlApi.nowMs();
  const row: InvitationRow = {
    hash: await hashOf(code),
    tenantId: caller.tenantId,
    role,
    invitedBy: caller.by.name,
    createdAtMs,
    expiresAtMs: createdAtMs + ttlSeconds * 1000,
    email,
    mail: email && controlApi.mail ? "sending" : "",
    usedAtMs: null,
  };
  if (!(await controlApi.members.invite(row, limits.invitations))) {
    const message = `there are ${limits.invitations} open invitations, which is the most: withdraw some`;
    throw new ControlError(409, "too_many_invitations", message);
  }
  // The code is in the fragment, so no server logs it.
  const url = `${controlApi.console}/#/join/${code}`;
  if (row.mail === "sending") sendInvitation(controlApi, { row, organisation: caller.tenantName, url });
  return { ...describeInvitation(row), code, url };
}

export async function listInvitations({ members, nowMs }: ControlApiServer, tenantId: string): Promise<InvitationList> {
  return { invitations: (await members.invitations(tenantId, nowMs())).map(describeInvitation) };
}

export async function withdrawInvitation({ members }: ControlApiServer, tenantId: string, id: string): Promise<void> {
  const isGone = invitationShape.test(id) && (await members.withdraw(tenantId, id));
  if (!isGone) throw noInvitation();
}

/** Returns a valid invitation with its hash. Throws if it is unknown, expired or used, or the organization is full. */
export async function openInvitation({ members, nowMs }: ControlApiServer, code: string) {
  const hash = codeShape.test(code) ? await hashOf(code) : undefined;
  const invitation = hash === undefined ? undefined : await members.invitation(hash, nowMs());
  if (!invitation || hash === undefined) throw noInvitation({ credential: "" });
  if (invitation.usedAtMs !== null) throw usedInvitation();
  if (invitation.isFull) {
    const message = `the organisation has ${limits.members} members, which is the most`;
    throw new ControlError(409, "too_many_members", message);
  }
  return { ...invitation, hash };
}

/** Only a person with the code receives this error. */
export function usedInvitation(): ControlError {
  const message = "the invitation was accepted before, and is valid once: sign in, or ask for another";
  return new ControlError(410, "invitation_used", message);
}

/** Does not reveal whether the invitation ever existed. */
export function noInvitation(more: Pick<ControlError["more"], "credential"> = {}): ControlError {
  return new ControlError(
    404,
    "not_found",
    "there is no such invitation, or it was withdrawn or has expired",
    undefined,
    more,
  );
}

async function memberNamed({ members }: ControlApiServer, tenantId: string, id: string): Promise<NamedMember> {
  const row = personShape.test(id) ? await members.find(tenantId, id) : undefined;
  if (!row) throw new ControlError(404, "not_found", "there is no such member");
  return row;
}

function lastOwner(): ControlError {
  const message =
    "the organisation would have no owner, or its members were changed meanwhile: make somebody else an owner";
  return new ControlError(409, "last_owner", message);
}

function describeMember({ personId, name, role, github, createdAtMs }: NamedMember): Member {
  const joinedAt = new Date(createdAtMs).toISOString();
  return { id: personId, name, role, ...(github === undefined ? {} : { github }), joinedAt };
}

function describeInvitation(row: InvitationRow): Invitation {
  const { role, invitedBy, email, mail, createdAtMs, expiresAtMs } = row;
  return {
    id: invitationId(row),
    role,
    invitedBy,
    ...(email === "" ? {} : { email }),
    ...(mail === "" ? {} : { mail }),
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}
