// Maps the claims of an issuer's token to a user by the sandbox's rules (upstream: the OIDC authenticator).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { JwtAuthenticator } from "../../../shared/contract/jwt-authenticator.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { type Evaluated, overClaims, overUser, stringsOf } from "./claim-expressions.ts";
import type { ClaimRules } from "./claim-rules.ts";
import { type Claims, goTypeOf } from "./claims.ts";

const credentialKey = "authentication.kubernetes.io/credential-id";

/** Returns the user. Throws an Error with the reason if the claims are rejected. The expressions charge the meter. */
export function userOfClaims(config: JwtAuthenticator, rules: ClaimRules, claims: Claims, meter: WorkMeter): UserInfo {
  const evaluated = overClaims(claims, meter);
  const reading = { config, rules, claims, evaluated };
  const name = nameOf(reading);
  const groups = groupsOf(reading);
  const uid = uidOf(reading);
  const extra = extraOf(reading);
  const user = { name, groups, ...(uid ? { uid } : {}), ...(Object.keys(extra).length > 0 ? { extra } : {}) };
  checkRequired(config, claims);
  checkRules(rules.claims, evaluated, "claim validation expression");
  checkRules(rules.users, overUser(user, meter), "user info validation rule");
  return user;
}

interface Reading {
  readonly config: JwtAuthenticator;
  readonly rules: ClaimRules;
  readonly claims: Claims;
  readonly evaluated: Evaluated;
}

function nameOf({ config, rules, claims, evaluated }: Reading): string {
  const { username } = rules;
  if (username) {
    const usernameValue = withErrorPrefix("username claim expression", () => evaluated(username));
    if (typeof usernameValue !== "string") {
      throw new Error("error evaluating username claim expression: username claim expression must return a string");
    }
    if (!usernameValue) throw new Error("empty username via CEL expression is not allowed");
    return usernameValue;
  }
  const { claim = "", prefix = "" } = config.claimMappings.username;
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
  return prefix + name;
}

function groupsOf({ config, rules, claims, evaluated }: Reading): string[] {
  const { claim, prefix = "" } = config.claimMappings.groups;
  const { groups } = rules;
  if (groups) return withErrorPrefix("group claim expression", () => stringsOf(evaluated(groups)));
  if (!claim || !Object.hasOwn(claims, claim)) return [];
  const where = `parse groups claim ${JSON.stringify(claim)}`;
  const claimValue: unknown = claims[claim] ?? [];
  // A single value stands for a list.
  const list: readonly unknown[] = Array.isArray(claimValue) ? claimValue : [claimValue];
  return list.map((group) => {
    if (typeof group === "string") return prefix + group;
    throw new Error(`${where}: ${mismatch(claimValue, "string")}`);
  });
}

function uidOf({ config, rules, claims, evaluated }: Reading): string {
  const { claim } = config.claimMappings.uid;
  const { uid } = rules;
  if (uid) {
    const uidValue = withErrorPrefix("uid claim expression", () => evaluated(uid));
    if (typeof uidValue === "string") return uidValue;
    throw new Error("error evaluating uid claim expression: uid claim expression must return a string");
  }
  if (!claim) return "";
  const where = `parse uid claim ${JSON.stringify(claim)}`;
  if (!Object.hasOwn(claims, claim)) throw new Error(`${where}: claim not present`);
  return textOf(claims[claim], where);
}

function extraOf({ rules, claims, evaluated }: Reading): Record<string, string[]> {
  const id = claims["jti"];
  const extraEntries: [string, string[]][] = typeof id === "string" && id ? [[credentialKey, [`JTI=${id}`]]] : [];
  for (const { key, program } of rules.extra) {
    const value = evaluated(program);
    const values = withErrorPrefix("extra claim expression", () => stringsOf(value), `${program.source}: `);
    if (values.length > 0) extraEntries.push([key, values]);
  }
  return Object.fromEntries(extraEntries);
}

function checkRequired({ claimValidationRules }: JwtAuthenticator, claims: Claims): void {
  for (const { claim, requiredValue = "" } of claimValidationRules) {
    if (!claim) continue;
    if (!Object.hasOwn(claims, claim)) throw new Error(`required claim ${claim} not present in ID token`);
    const actualValue = textOf(claims[claim], `parse claim ${claim}`);
    if (actualValue === requiredValue) continue;
    throw new Error(`required claim ${claim} value does not match. Got = ${actualValue}, want = ${requiredValue}`);
  }
}

function checkRules(rules: ClaimRules["claims"], evaluated: Evaluated, what: string): void {
  for (const { program, message } of rules) {
    const evaluatedValue = withErrorPrefix(what, () => evaluated(program));
    if (evaluatedValue === true) continue;
    throw new Error(`error evaluating ${what}: validation expression '${program.source}' failed: ${message}`);
  }
}

/** Evaluates an expression, and puts its error into upstream's words. */
function withErrorPrefix<T>(what: string, evaluate: () => T, before = ""): T {
  try {
    return evaluate();
  } catch (error) {
    throw new Error(`error evaluating ${what}: ${before}${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function textOf(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${where}: ${mismatch(value, "string")}`);
}

/** Returns the message of Go's JSON decoder. */
function mismatch(value: unknown, goType: string): string {
  return `json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${goType}`;
}
