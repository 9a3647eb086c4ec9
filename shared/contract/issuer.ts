// OpenID Connect issuers whose tokens a sandbox accepts: upstream's `--oidc-` flags, for several issuers.
import * as z from "zod";
import { limits } from "../base/limits.ts";

/** The issuer names with which the cluster itself signs. */
const ownIssuers = ["https://kubernetes.default.svc.cluster.local", "kubernetes/serviceaccount"];

const text = z.string().max(limits.issuerTextCharacters);

export const issuerUrl = text.refine(
  isIssuer,
  "must be an https URL without user, query and fragment, and not the cluster's own",
);

export const oidcIssuer = z.strictObject({
  /** The `iss` of the tokens. Its keys are discovered by `/.well-known/openid-configuration` below it. */
  issuerUrl,
  /** The client ids; a token needs at least one of them as audience. */
  audiences: z.array(text.min(1)).min(1).max(limits.issuerAudiences),
  usernameClaim: text.min(1).default("sub"),
  /** The prefix. Absent for the issuer's URL with `#`, unless the claim is `email`. `-` for none. */
  usernamePrefix: text.optional(),
  /** The claim of groups. Absent for no groups. */
  groupsClaim: text.min(1).optional(),
  groupsPrefix: text.default(""),
  /** The claims with the values that a token must have. */
  requiredClaims: z.record(text, text).default({}),
  /**
   * The PEM of the authority of the issuer's certificate, if it is not a public one. If the platform cannot use it, the issuer is
   * unreachable.
   */
  certificateAuthority: z.string().max(limits.issuerAuthorityCharacters).optional(),
});

export type OidcIssuer = z.output<typeof oidcIssuer>;

/** The issuers, each at most once. */
export const oidcIssuers = z
  .array(oidcIssuer)
  .max(limits.sandboxIssuers)
  .refine((all) => new Set(all.map((issuer) => issuer.issuerUrl)).size === all.length, "the same issuer comes twice");

function isIssuer(value: string): boolean {
  // Shared code has no URL parser.
  return /^https:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/.test(value) && !ownIssuers.includes(value);
}
