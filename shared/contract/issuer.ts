// OpenID Connect issuers whose tokens a sandbox accepts: upstream's `--oidc-` settings, for each of several.
import { z } from "zod";
import { limits } from "../base/limits.ts";

/** The cluster itself signs under this name. */
const ownIssuers = ["https://kubernetes.default.svc.cluster.local", "kubernetes/serviceaccount"];

const text = z.string().max(limits.issuerTextCharacters);

export const issuerUrl = text.refine(
  isIssuer,
  "must be an https URL without user, query and fragment, and not the cluster's own",
);

export const oidcIssuer = z.strictObject({
  /** As the tokens' `iss` has it; its keys are found through `/.well-known/openid-configuration` below it. */
  issuerUrl,
  /** A token is for one of them at least: the client ids. */
  audiences: z.array(text.min(1)).min(1).max(limits.issuerAudiences),
  usernameClaim: text.min(1).default("sub"),
  /** Absent: the issuer's URL and `#`, unless the claim is `email`. `-` stands for none. */
  usernamePrefix: text.optional(),
  /** Absent: no groups. */
  groupsClaim: text.min(1).optional(),
  groupsPrefix: text.default(""),
  /** Claims that a token must have, each with its value. */
  requiredClaims: z.record(text, text).default({}),
  /** PEM of who signs the issuer's certificate, if no public authority does. Where the platform cannot honour it, the issuer is not reached. */
  certificateAuthority: z.string().max(limits.issuerAuthorityCharacters).optional(),
});

export type OidcIssuer = z.output<typeof oidcIssuer>;

/** Each once. */
export const oidcIssuers = z
  .array(oidcIssuer)
  .max(limits.sandboxIssuers)
  .refine((all) => new Set(all.map((one) => one.issuerUrl)).size === all.length, "the same issuer comes twice");

function isIssuer(value: string): boolean {
  // Shared code knows no URL parser.
  return /^https:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/.test(value) && !ownIssuers.includes(value);
}
