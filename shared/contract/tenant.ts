// The control API's organisation: `/v1/tenant`, its members and who is invited to it.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { origin } from "./origin.ts";
import { role } from "./hosted/scope-schema.ts";
import { title } from "./title.ts";

/** Answer of `GET` and `PATCH /v1/tenant`. */
export const tenant = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Origins whose pages may ask the control API and the sandboxes: see CORS. */
  allowedOrigins: z.array(z.string()),
});

export type Tenant = z.infer<typeof tenant>;

/** Body of `PATCH /v1/tenant`: what is to be different. */
export const patchTenant = z.strictObject({
  name: title.optional(),
  /** All of them: what is not named is taken away. */
  allowedOrigins: z.array(origin).max(limits.allowedOrigins).optional(),
});

export type PatchTenant = z.input<typeof patchTenant>;

export const member = z.object({
  /** The person's. */
  id: z.string(),
  name: z.string(),
  role,
  /** The person's name at GitHub, where it is known. */
  github: z.string().optional(),
  joinedAt: z.iso.datetime(),
});

export type Member = z.infer<typeof member>;

/** Answer of `GET /v1/members`: all, those who came first first. */
export const memberList = z.object({ members: z.array(member) });

export type MemberList = z.infer<typeof memberList>;

/** Body of `PATCH /v1/members/{member}`. */
export const patchMember = z.strictObject({ role });

export type PatchMember = z.input<typeof patchMember>;

/** Body of `POST /v1/invitations`. */
export const createInvitation = z.strictObject({
  /** What whoever comes will be; no more than whoever invites may do. */
  role: role.default("member"),
  ttlSeconds: z.int().min(60).max(limits.invitationTtlSecondsMax).default(limits.invitationTtlSeconds),
});

export type CreateInvitation = z.input<typeof createInvitation>;

export const invitation = z.object({
  /** For `DELETE /v1/invitations/{invitation}`. */
  id: z.string(),
  role,
  /** The name of who invites: a person's, or a key's. */
  invitedBy: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Invitation = z.infer<typeof invitation>;

/** Answer of `POST` (201). The link is shown this once, and is good for one person. */
export const invitationWithLink = invitation.extend({ code: z.string(), url: z.url() });

export type InvitationWithLink = z.infer<typeof invitationWithLink>;

/** Answer of `GET`: those that are open. */
export const invitationList = z.object({ invitations: z.array(invitation) });

export type InvitationList = z.infer<typeof invitationList>;
