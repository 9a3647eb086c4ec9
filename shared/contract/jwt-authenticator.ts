// Issuers whose tokens a sandbox accepts, as in `jwt` of an `AuthenticationConfiguration` of apiserver.config.k8s.io/v1.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { issuerUrl, type OidcIssuer } from "./issuer.ts";

const text = z.string().max(limits.issuerTextCharacters);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(limits.issuerRules);

/** A claim with a prefix, or an expression. */
const prefixedClaim = z.strictObject({
  claim: text.optional(),
  prefix: text.optional(),
  expression: text.optional(),
});

export const jwtAuthenticator = z.strictObject({
  issuer: z.strictObject({
    url: issuerUrl,
    /** The URL of the discovery document, if it is not below the issuer's URL. */
    discoveryURL: issuerUrl.optional(),
    certificateAuthority: z.string().max(limits.issuerAuthorityCharacters).optional(),
    audiences: z.array(text.min(1)).min(1).max(limits.issuerAudiences),
    audienceMatchPolicy: z.literal("MatchAny").optional(),
  }),
  claimValidationRules: list(
    z.strictObject({
      claim: text.optional(),
      requiredValue: text.optional(),
      expression: text.optional(),
      message: text.optional(),
    }),
  ).default([]),
  claimMappings: z.strictObject({
    username: prefixedClaim,
    groups: prefixedClaim.default({}),
    uid: z.strictObject({ claim: text.optional(), expression: text.optional() }).default({}),
    extra: list(z.strictObject({ key: text, valueExpression: text })).default([]),
  }),
  userValidationRules: list(z.strictObject({ expression: text, message: text.optional() })).default([]),
});

export type JwtAuthenticator = z.output<typeof jwtAuthenticator>;

export const jwtAuthenticators = z.array(jwtAuthenticator).max(limits.sandboxIssuers);

/** Converts the flags to a configuration as upstream does. */
export function authenticatorOf(flags: OidcIssuer): JwtAuthenticator {
  const { issuerUrl: url, audiences, certificateAuthority, usernameClaim, usernamePrefix, groupsClaim } = flags;
  const ownPrefix = usernameClaim === "email" ? "" : `${url}#`;
  return {
    issuer: { url, audiences, certificateAuthority },
    claimValidationRules: Object.entries(flags.requiredClaims).map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
    })),
    claimMappings: {
      username: { claim: usernameClaim, prefix: usernamePrefix === "-" ? "" : (usernamePrefix ?? ownPrefix) },
      groups: groupsClaim === undefined ? {} : { claim: groupsClaim, prefix: flags.groupsPrefix },
      uid: {},
      extra: [],
    },
    userValidationRules: [],
  };
}
