// Tokens of OpenID Connect issuers: whom their claims name, by upstream's rules (its OIDC authenticator).
import type { OidcIssuer } from "../../../shared/contract/issuer.ts";
import type { Answer, Question } from "../../../shared/k8s/question.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Requester } from "../../kinds/kind.ts";
import type { Issuers } from "../service.ts";
import { type IssuerKeys, issuerKeys } from "./issuer-keys.ts";

/** Clocks of issuers may be ahead by this much. */
const leewayMs = 300_000;
const credentialKey = "authentication.kubernetes.io/credential-id";

type Claims = Readonly<Record<string, unknown>>;

interface Known {
  readonly config: OidcIssuer;
  readonly keys: IssuerKeys;
}

export function newIssuers(
  configs: readonly OidcIssuer[],
  ask: (question: Question) => Promise<Answer>,
  nowMs: () => number,
): Issuers {
  const known = new Map<string, Known>();
  for (const config of configs) known.set(config.issuerUrl, { config, keys: issuerKeys(config, ask, nowMs) });
  return {
    authenticate: async (token) => {
      const claims = known.size > 0 ? claimsOf(token) : undefined;
      const issuer = typeof claims?.["iss"] === "string" ? known.get(claims["iss"]) : undefined;
      if (!claims || !issuer) return undefined;
      try {
        checkFor(issuer.config, claims, nowMs());
        await issuer.keys.verify(token);
        return userOf(issuer.config, claims);
      } catch (error) {
        throw new ApiError(401, "Unauthorized", `oidc: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

function checkFor({ audiences }: OidcIssuer, claims: Claims, nowMs: number): void {
  const given = [claims["aud"]].flat().filter((one) => typeof one === "string");
  if (!audiences.some((one) => given.includes(one))) {
    const [only] = audiences;
    const wanted = audiences.length === 1 ? JSON.stringify(only) : `in ${quoted([...audiences].sort())}`;
    throw new Error(`verify token: oidc: expected audience ${wanted} got ${quoted(given)}`);
  }
  const expiresMs = timeOf(claims["exp"]) ?? 0;
  if (expiresMs < nowMs) throw new Error(`verify token: oidc: token is expired (Token Expiry: ${goTime(expiresMs)})`);
  const notBeforeMs = timeOf(claims["nbf"]);
  if (notBeforeMs !== undefined && nowMs + leewayMs < notBeforeMs) {
    const times = `${goTime(nowMs)} before the nbf (not before) time: ${goTime(notBeforeMs)}`;
    throw new Error(`verify token: oidc: current time ${times}`);
  }
}

function userOf(config: OidcIssuer, claims: Claims): Requester {
  const name = nameOf(config, claims);
  const groups = groupsOf(config, claims);
  for (const [claim, value] of Object.entries(config.requiredClaims)) {
    if (!Object.hasOwn(claims, claim)) throw new Error(`required claim ${claim} not present in ID token`);
    const given = textOf(claims[claim], `parse claim ${claim}`);
    if (given !== value) {
      throw new Error(`required claim ${claim} value does not match. Got = ${given}, want = ${value}`);
    }
  }
  const id = claims["jti"];
  return { name, groups, ...(typeof id === "string" && id ? { extra: { [credentialKey]: [`JTI=${id}`] } } : {}) };
}

function nameOf({ issuerUrl, usernameClaim: claim, usernamePrefix }: OidcIssuer, claims: Claims): string {
  const where = `parse username claims ${JSON.stringify(claim)}`;
  if (!Object.hasOwn(claims, claim)) throw new Error(`${where}: claim not present`);
  const name = textOf(claims[claim], where);
  if (claim === "email" && Object.hasOwn(claims, "email_verified")) {
    const isVerified = claims["email_verified"];
    if (typeof isVerified !== "boolean") {
      throw new Error(`parse 'email_verified' claim: ${mismatch(isVerified, "bool")}`);
    }
    if (!isVerified) throw new Error("email not verified");
  }
  if (usernamePrefix === "-") return name;
  return (usernamePrefix ?? (claim === "email" ? "" : `${issuerUrl}#`)) + name;
}

function groupsOf({ groupsClaim: claim, groupsPrefix }: OidcIssuer, claims: Claims): string[] {
  if (claim === undefined || !Object.hasOwn(claims, claim)) return [];
  const where = `parse groups claim ${JSON.stringify(claim)}`;
  // One alone may stand for a list.
  const given = [claims[claim] ?? []].flat();
  return given.map((group) => groupsPrefix + textOf(group, where));
}

function textOf(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${where}: ${mismatch(value, "string")}`);
}

/** In the words of Go's JSON. */
function mismatch(value: unknown, wanted: string): string {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type ${wanted}`;
}

/** What a token says, whoever signed it. */
function claimsOf(token: string): Claims | undefined {
  const [, body = "", ...more] = token.split(".");
  if (more.length !== 1) return undefined;
  try {
    const binary = atob(body.replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
    const claims: unknown = JSON.parse(text);
    return typeof claims === "object" && claims !== null ? { ...claims } : undefined;
  } catch {
    return undefined;
  }
}

function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? Math.floor(seconds) * 1000 : undefined;
}

/** A time as Go prints it. */
function goTime(ms: number): string {
  const date = new Date(ms);
  const text = Number.isNaN(date.getTime()) ? "0001-01-01T00:00:00" : date.toISOString().slice(0, 19);
  return `${text.replace("T", " ")} +0000 UTC`;
}

/** A list as Go prints it. */
function quoted(list: readonly string[]): string {
  return `[${list.map((one) => JSON.stringify(one)).join(" ")}]`;
}
