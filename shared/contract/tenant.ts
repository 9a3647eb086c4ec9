// The control API's organization: `/v1/tenant`, its members and invitations.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { origin } from "./origin.ts";
import { role } from "./hosted/scope-schema.ts";
import { email } from "./hosted/identity.ts";
import { title } from "./title.ts";
import { nextCursor } from "./hosted/list.ts";

/** Response of `GET` and `PATCH /v1/tenant`. */
export const tenant = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** The origins whose pages can call the control API and the sandboxes by CORS. */
  allowedOrigins: z.array(z.string()),
});

export type Tenant = z.infer<typeof tenant>;

/** Body of `PATCH /v1/tenant`: the fields to change. */
export const patchTenant = z.strictObject({
  name: title.optional(),
  /** The complete list of origins. */
  allowedOrigins: z.array(origin).max(limits.allowedOrigins).optional(),
});

export type PatchTenant = z.input<typeof patchTenant>;

export const member = z.object({
  /** The person's id. */
  id: z.string(),
  name: z.string(),
  role,
  /** The person's login at GitHub, if known. */
  github: z.string().optional(),
  joinedAt: z.iso.datetime(),
});

export type Member = z.infer<typeof member>;

/** Response of `GET /v1/members`: all members in the order in which they joined. */
export const memberList = z.object({ members: z.array(member), nextCursor });

export type MemberList = z.infer<typeof memberList>;

/** Body of `PATCH /v1/members/{member}`. */
export const patchMember = z.strictObject({ role });

/** Body of `POST /v1/invitations`. */
export const createInvitation = z.strictObject({
  /** The role of the new member, at most that of the inviter. */
  role: role.default("member"),
  ttlSeconds: z.int().min(60).max(limits.invitationTtlSecondsMax).default(limits.invitationTtlSeconds),
  /** The address to which the link is sent, if the service sends e-mail. */
  email: email.optional(),
});

export const invitation = z.object({
  /** The id for `DELETE /v1/invitations/{invitation}`. */
  id: z.string(),
  role,
  /** The name of the inviter: a person's or a key's. */
  invitedBy: z.string(),
  email: z.string().optional(),
  /** The state of the e-mail. Absent if none is sent. */
  mail: z.enum(["sending", "sent", "failed"]).optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Invitation = z.infer<typeof invitation>;

/** Response of `POST` with status 201. The link is returned only once and is valid for one person. */
export const invitationWithLink = invitation.extend({ code: z.string(), url: z.url() });

export type InvitationWithLink = z.infer<typeof invitationWithLink>;

/** Response of `GET`: the open invitations. */
export const invitationList = z.object({ invitations: z.array(invitation), nextCursor });

export type InvitationList = z.infer<typeof invitationList>;
