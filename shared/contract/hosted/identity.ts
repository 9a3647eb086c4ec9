// Single sign-on of an organisation by OpenID Connect: `/v1/tenant/sso`.
import * as z from "zod";
import { identityLimits } from "../../base/request-limits.ts";
import { role } from "./scope-schema.ts";

const domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/, "must be a domain in lower case");

/** An e-mail address, without quotes and comments. */
export const email = z
  .string()
  .max(identityLimits.emailCharacters)
  .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/, "must be an e-mail address");

const sso = {
  /** The issuer, as in its tokens. Its metadata is at `/.well-known/openid-configuration` below it. */
  issuer: z.string().min(1).max(identityLimits.urlCharacters),
  clientId: z.string().min(1).max(identityLimits.clientCharacters),
};

const rules = {
  /** The role of members without a group that has one. */
  role: role.default("member"),
  /** Whether people whom SCIM did not provision become members when they sign in. */
  joins: z.boolean().default(true),
  /** The domains of verified addresses with which people may sign in. None: every person of the provider may. */
  domains: z.array(domain).max(identityLimits.domains).default([]),
  /** The roles of groups that SCIM provisions, by their names without regard to case. */
  groupRoles: z
    .record(z.string().min(1).max(identityLimits.nameCharacters), role)
    .refine(
      (groups) => Object.keys(groups).length <= identityLimits.groupRoles,
      `must have at most ${identityLimits.groupRoles} entries`,
    )
    .default({}),
};

/** Body of `PUT /v1/tenant/sso`. */
export const putSso = z.strictObject({
  ...sso,
  /** The secret of a confidential client. Absent: the stored one, or none, with PKCE alone. */
  clientSecret: z.string().min(1).max(identityLimits.clientCharacters).optional(),
  ...rules,
});

export type PutSso = z.input<typeof putSso>;

/** Response of `GET` and `PUT /v1/tenant/sso`. */
export const shownSso = z.object({
  issuer: z.string(),
  clientId: z.string(),
  hasClientSecret: z.boolean(),
  role,
  joins: z.boolean(),
  domains: z.array(z.string()),
  groupRoles: z.record(z.string(), role),
  /** The address to register at the provider. */
  redirectUri: z.url(),
  /** The link with which members sign in. */
  signInUrl: z.url(),
  /** The base address of SCIM. */
  scimUrl: z.url(),
});

export type ShownSso = z.infer<typeof shownSso>;

/** Query of `GET /v1/sign-in/sso`. */
export const ssoQuery = z.strictObject({
  tenant: z.string().min(1).max(identityLimits.nameCharacters).describe("The id of the organisation."),
});

const parameter = z.string().max(identityLimits.idTokenCharacters).optional();

/** Query of the provider's redirect. */
export const ssoCallback = z.object({ code: parameter, state: parameter, error: parameter, iss: parameter });
