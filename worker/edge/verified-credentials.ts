// Caches verified sandbox ids and tokens. Nearly every request repeats the token of the previous one, and verifying it costs several HMACs.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Secret } from "../../shared/base/secret.ts";
import { looksLikeSandboxId, readSandboxId, type SandboxIdFacts } from "./sandbox-id.ts";
import { isTokenOf, tokenEndMs } from "./tokens.ts";

export type FindMoved = (id: string) => Promise<SandboxIdFacts | undefined>;

interface VerifiedCredentials {
  /** The facts of each verified sandbox id. Ids that fail verification are not cached. */
  readonly ids: BoundedCache<string, SandboxIdFacts>;
  /** The end of each verified token, by sandbox id and token. Revocation is checked by the cluster on each request, not here. */
  readonly tokens: BoundedCache<string, number>;
}

/** Caches by secret. A service has one secret; tests have several. */
const verifiedBySecret = new BoundedCache<Secret, VerifiedCredentials>(20);

function verifiedCredentialsOf(secret: Secret): VerifiedCredentials {
  const cached = verifiedBySecret.get(secret);
  if (cached) return cached;
  const verified: VerifiedCredentials = {
    ids: new BoundedCache(limits.keptAdmissions),
    tokens: new BoundedCache(limits.keptAdmissions),
  };
  verifiedBySecret.set(secret, verified);
  return verified;
}

/**
 * Verifies a sandbox id as `readSandboxId` does. Cached ids are returned synchronously. `findMoved` looks up a sandbox whose id was made
 * with a retired secret.
 */
export function verifySandboxId(
  secret: Secret,
  id: string,
  findMoved?: FindMoved,
): SandboxIdFacts | Promise<SandboxIdFacts | undefined> {
  const { ids } = verifiedCredentialsOf(secret);
  return (
    ids.get(id) ??
    readSandboxId(secret, id).then(async (read) => {
      const facts = read ?? (looksLikeSandboxId(id) ? await findMoved?.(id) : undefined);
      if (facts) ids.set(id, facts);
      return facts;
    })
  );
}

/** Reports whether the token belongs to the sandbox, as `isTokenOf` does. Cached tokens are answered synchronously. */
export function verifySandboxToken(
  secret: Secret,
  id: string,
  token: string,
  nowMs: number,
): boolean | Promise<boolean> {
  const { tokens } = verifiedCredentialsOf(secret);
  const key = `${id}\n${token}`;
  const endMs = tokens.get(key);
  if (endMs !== undefined && nowMs < endMs) return true;
  if (endMs !== undefined) tokens.delete(key);
  return isTokenOf(secret, id, token, nowMs).then((isOurs) => {
    if (isOurs && token.length <= limits.keptTokenCharacters) tokens.set(key, tokenEndMs(token));
    return isOurs;
  });
}
