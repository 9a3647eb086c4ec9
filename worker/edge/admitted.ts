// Who was let in to which sandbox lately: nearly every request shows a token that the one before it showed, and checking it takes tags.
import { limits } from "../../shared/base/limits.ts";
import type { Secret } from "../../shared/base/secret.ts";
import { looksLikeSandboxId, readSandboxId, type SandboxIdFacts } from "./sandbox-id.ts";
import { isTokenOf, tokenEndMs } from "./tokens.ts";

export type FindMoved = (id: string) => Promise<SandboxIdFacts | undefined>;

interface Admitted {
  /** By id: what it says of its sandbox. Ids that are none of ours are not kept. */
  readonly ids: Map<string, SandboxIdFacts>;
  /** By id and token: when the token ends. The edge knows no revocation; it is the cluster's, which looks at each request. */
  readonly tokens: Map<string, number>;
}

/** By secret: a service has one. */
const bySecret = new Map<Secret, Admitted>();
const keptSecrets = 10;

function admittedOf(secret: Secret): Admitted {
  const known = bySecret.get(secret);
  if (known) return known;
  if (bySecret.size >= keptSecrets) bySecret.clear();
  const made: Admitted = { ids: new Map(), tokens: new Map() };
  bySecret.set(secret, made);
  return made;
}

/**
 * As `readSandboxId`; at once, and no promise, where the id was read before. `findMoved` looks for a sandbox whose id was made by a value of
 * the secret that is not accepted any more.
 */
export function knownSandboxId(
  secret: Secret,
  id: string,
  findMoved?: FindMoved,
): SandboxIdFacts | Promise<SandboxIdFacts | undefined> {
  const { ids } = admittedOf(secret);
  return (
    ids.get(id) ??
    readSandboxId(secret, id).then(async (read) => {
      const facts = read ?? (looksLikeSandboxId(id) ? await findMoved?.(id) : undefined);
      if (facts) keep(ids, id, facts);
      return facts;
    })
  );
}

/** As `isTokenOf`, in the same way. */
export function isKnownTokenOf(secret: Secret, id: string, token: string, nowMs: number): boolean | Promise<boolean> {
  const { tokens } = admittedOf(secret);
  const key = `${id}\n${token}`;
  const endMs = tokens.get(key);
  if (endMs !== undefined && nowMs < endMs) return true;
  if (endMs !== undefined) tokens.delete(key);
  return isTokenOf(secret, id, token, nowMs).then((isOurs) => {
    if (isOurs && token.length <= limits.keptTokenCharacters) keep(tokens, key, tokenEndMs(token));
    return isOurs;
  });
}

function keep<T>(all: Map<string, T>, key: string, value: T): void {
  if (all.size >= limits.keptAdmissions) all.clear();
  all.set(key, value);
}
