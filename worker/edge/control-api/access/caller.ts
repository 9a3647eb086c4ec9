// Who asks the control API, and what they may do.
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
  /** Empty: a person who belongs to no organisation. */
  readonly tenantId: string;
  readonly tenantName: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly by: { readonly kind: "key" | "person"; readonly id: string; readonly name: string };
  /** SHA-256 of the key, or of the session's secret. */
  readonly hash: string;
  /** Until then it is good, unless it is revoked. */
  readonly endsAtMs: number;
  readonly lastUsedAtMs: number;
  /** Of a person who has signed in. */
  readonly person?: Person | undefined;
  /** Of a learner, who may do what the page of that run does and nothing else. */
  readonly run?: RunPlace | undefined;
  /** Of a key: the person whose role it goes with. */
  readonly madeBy: string | undefined;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly github: string | undefined;
  readonly role: Role | undefined;
}

/** Of routes that anybody may ask. */
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
    // A scope that a later version gave is not known here.
    scopes: new Set((scopes ?? allScopes).filter((one) => isScope(one) && ofRole.includes(one))),
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

/** Throws a 403 that names what is missing. */
export function requireScope({ scopes, by }: Pick<Caller, "scopes" | "by">, scope: Scope): void {
  if (scopes.has(scope)) return;
  const who = by.kind === "key" ? "the key has" : "you have";
  const message = `${who} not the scope ${scope}: ${scopeTable[scope].means}`;
  throw new ControlError(403, "missing_scope", message, undefined, { scope });
}

/** Nobody gives what they have not. */
export function requireAll(caller: Pick<Caller, "scopes" | "by">, given: readonly Scope[]): void {
  for (const scope of given) requireScope(caller, scope);
}
