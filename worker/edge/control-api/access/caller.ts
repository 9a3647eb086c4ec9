// The caller of the control API and its scopes.
import {
  allScopes,
  isScope,
  type Role,
  type Scope,
  scopeTable,
  scopesOfRole,
} from "../../../../shared/contract/scope.ts";
import { type KeyFacts, keyIdLength } from "../../db/keys.ts";
import type { SessionFacts } from "../../db/people.ts";
import { ControlError } from "../control-error.ts";
import type { RunPlace } from "../learn/run-place.ts";

export interface Caller {
  /** The tenant of the caller. Empty for a person without an organization. */
  readonly tenantId: string;
  readonly tenantName: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly by: { readonly kind: "key" | "person"; readonly id: string; readonly name: string };
  /** The SHA-256 of the API key, or of the session's secret. */
  readonly hash: string;
  /** The time at which the credential expires unless it is revoked before. */
  readonly endsAtMs: number;
  readonly lastUsedAtMs: number;
  /** The person who has signed in. Undefined for API keys. */
  readonly person?: Person | undefined;
  /** The lesson run of a learner, who can do what the page of that run does and nothing else. */
  readonly run?: RunPlace | undefined;
  /** The person who created the API key. The key's scopes are limited by that person's role. */
  readonly madeBy: string | undefined;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly github: string | undefined;
  readonly role: Role | undefined;
}

/** The caller of routes that need no authentication. */
export const nobody: Caller = {
  tenantId: "",
  tenantName: "",
  scopes: new Set(),
  by: { kind: "key", id: "", name: "" },
  hash: "",
  endsAtMs: 0,
  lastUsedAtMs: 0,
  madeBy: undefined,
};

export function callerOfKey(key: KeyFacts): Caller {
  const { hash, tenantId, tenantName, name, scopes, expiresAtMs, lastUsedAtMs, personId, role } = key;
  const ofRole = role === undefined ? allScopes : scopesOfRole(role);
  return {
    tenantId,
    tenantName,
    // Ignore scopes that a later version of the service granted.
    scopes: new Set((scopes ?? allScopes).filter((scope) => isScope(scope) && ofRole.includes(scope))),
    by: { kind: "key", id: hash.slice(0, keyIdLength), name },
    hash,
    endsAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
    lastUsedAtMs: lastUsedAtMs ?? 0,
    madeBy: personId ?? undefined,
  };
}

export function callerOfSession({ hash, person, membership, expiresAtMs, lastUsedAtMs }: SessionFacts): Caller {
  const { id, name, githubLogin } = person;
  const { tenantId = "", tenantName = "", role } = membership ?? {};
  return {
    tenantId,
    tenantName,
    scopes: new Set(role === undefined ? [] : scopesOfRole(role)),
    by: { kind: "person", id, name },
    hash,
    endsAtMs: expiresAtMs,
    lastUsedAtMs,
    person: { id, name, github: githubLogin ?? undefined, role },
    madeBy: id,
  };
}

/** Throws 403 and names the missing scope. */
export function requireScope({ scopes, by }: Pick<Caller, "scopes" | "by">, scope: Scope): void {
  if (scopes.has(scope)) return;
  const who = by.kind === "key" ? "the key has" : "you have";
  const message = `${who} not the scope ${scope}: ${scopeTable[scope].means}`;
  throw new ControlError(403, "missing_scope", message, undefined, { scope });
}

/** Throws 403 unless the caller has every scope. No caller can grant scopes that it lacks. */
export function requireAll(caller: Pick<Caller, "scopes" | "by">, scopes: readonly Scope[]): void {
  for (const scope of scopes) requireScope(caller, scope);
}
