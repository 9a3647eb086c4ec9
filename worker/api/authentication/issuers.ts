// Authenticates tokens of OpenID Connect issuers (upstream: its OIDC authenticator).
import type { JwtAuthenticator } from "../../../shared/contract/jwt-authenticator.ts";
import type { OutboundAnswer, OutboundCall } from "../../../shared/k8s/outbound-call.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Issuers } from "../api-server.ts";
import { type ClaimRules, claimRules } from "./claim-rules.ts";
import { type Claims, claimsOf, goTypeOf } from "./claims.ts";
import { userOfClaims } from "./claims-user.ts";
import { type IssuerKeys, issuerKeys } from "./issuer-keys.ts";

/** The clock skew that is tolerated for issuers. */
const leewayMs = 300_000;

interface Known {
  readonly config: JwtAuthenticator;
  readonly keys: IssuerKeys;
  /** Compiled on first use. */
  rules?: ClaimRules;
}

export function newIssuers(
  configs: readonly JwtAuthenticator[],
  ask: (call: OutboundCall) => Promise<OutboundAnswer>,
  nowMs: () => number,
  meter: WorkMeter,
): Issuers {
  const authenticators = new Map<string, Known>();
  for (const config of configs)
    authenticators.set(config.issuer.url, { config, keys: issuerKeys(config.issuer, ask, nowMs) });
  return {
    authenticate: async (token) => {
      const claims = authenticators.size > 0 ? claimsOf(token) : undefined;
      const issuer = typeof claims?.["iss"] === "string" ? authenticators.get(claims["iss"]) : undefined;
      if (!claims || !issuer) return undefined;
      try {
        checkFor(issuer.config.issuer, claims, nowMs());
        await issuer.keys.verify(token);
        const rules = (issuer.rules ??= claimRules(issuer.config));
        return meter.within(() => userOfClaims(issuer.config, rules, claims, meter));
      } catch (error) {
        throw new ApiError(401, "Unauthorized", `oidc: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

function checkFor({ audiences }: JwtAuthenticator["issuer"], claims: Claims, nowMs: number): void {
  const subject = claims["sub"];
  if (subject !== undefined && subject !== null && typeof subject !== "string") {
    const what = `json: cannot unmarshal ${goTypeOf(subject)} into Go struct field idToken.sub of type string`;
    throw new Error(`verify token: oidc: failed to unmarshal claims: ${what}`);
  }
  const tokenAudiences = [claims["aud"]].flat().filter((audience) => typeof audience === "string");
  if (!audiences.some((audience) => tokenAudiences.includes(audience))) {
    const [only] = audiences;
    const expectedAudience = audiences.length === 1 ? JSON.stringify(only) : `in ${quoted([...audiences].sort())}`;
    throw new Error(`verify token: oidc: expected audience ${expectedAudience} got ${quoted(tokenAudiences)}`);
  }
  const expiresMs = timeOf(claims["exp"]) ?? 0;
  if (expiresMs < nowMs) throw new Error(`verify token: oidc: token is expired (Token Expiry: ${goTime(expiresMs)})`);
  const notBeforeMs = timeOf(claims["nbf"]);
  if (notBeforeMs !== undefined && nowMs + leewayMs < notBeforeMs) {
    const times = `${goTime(nowMs)} before the nbf (not before) time: ${goTime(notBeforeMs)}`;
    throw new Error(`verify token: oidc: current time ${times}`);
  }
}

function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? Math.floor(seconds) * 1000 : undefined;
}

/** Prints a time as Go does. */
function goTime(ms: number): string {
  const date = new Date(ms);
  const text = Number.isNaN(date.getTime()) ? "0001-01-01T00:00:00" : date.toISOString().slice(0, 19);
  return `${text.replace("T", " ")} +0000 UTC`;
}

/** Prints a list as Go does. */
function quoted(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(" ")}]`;
}
