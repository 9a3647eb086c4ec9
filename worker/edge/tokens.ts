// Tokens of a sandbox. A tag binds each to its sandbox, so the edge refuses a wrong or foreign token without waking the cluster.
import { currentSecret, type Secret, secretValues } from "../../shared/base/secret.ts";
import { valueOfSandboxId } from "./sandbox-id.ts";
import { isTag, randomText, sameText, tag } from "./mac.ts";

const adminPrefix = "sba_";
const viewPrefix = "sbv_";
const userPrefix = "sbu_";
/** The random characters of an administrator's token: 255 bits. */
export const adminTokenCharacters = 51;
const randomLength = 16;
const tagLength = 20;
const secretIdLength = 10;
/** The shape of tokens that only the cluster can verify: of service accounts and issuers (three base64url parts), and bootstrap tokens. */
const foreignShape = /^([\w-]+\.[\w-]+\.[\w-]+|[a-z0-9]{6}\.[a-z0-9]{16})$/;

/** The columns from which a sandbox's tokens are derived. */
export interface TokenFacts {
  readonly id: string;
  readonly tokenVersion: number;
  readonly secretId: string;
}

/** Returns an id of a secret that does not reveal it. */
export function idOfSecret(value: string): Promise<string> {
  return tag(value, "secret", "id", secretIdLength);
}

/**
 * Returns the secret from which a sandbox's stored tokens are derived. During a rotation, an unmoved sandbox uses the retired secret,
 * because its cluster has no hash of the new token.
 */
export async function valueForSandbox(secret: Secret, { id, secretId }: Pick<TokenFacts, "id" | "secretId">) {
  for (const value of secretValues(secret)) if ((await idOfSecret(value)) === secretId) return value;
  return (await valueOfSandboxId(secret, id)) ?? currentSecret(secret);
}

/** Returns the administrator's token that the cluster accepts. */
export async function currentAdminToken(secret: Secret, row: TokenFacts): Promise<string> {
  return adminToken(await valueForSandbox(secret, row), row.id, row.tokenVersion);
}

/**
 * Derives the administrator's token, so that the kubeconfig can be returned again. `version` increases with each rotation; the tag covers
 * it, and the cluster accepts only the newest.
 */
export async function adminToken(secret: Secret, sandboxId: string, version = 0): Promise<string> {
  if (version === 0) return `${adminPrefix}${sandboxId}_${await tag(secret, "admin", sandboxId, adminTokenCharacters)}`;
  const body = `${sandboxId}_${version.toString(36)}`;
  return `${adminPrefix}${body}_${await tag(secret, "admin", body, adminTokenCharacters)}`;
}

/** Reports whether any value of the secret made the administrator's token, in any version. */
async function isAdminToken(secret: Secret, sandboxId: string, token: string): Promise<boolean> {
  const [, version = "", ...more] = token.slice(adminPrefix.length).split("_");
  const isVersioned = more.length > 0;
  for (const value of secretValues(secret)) {
    const expected = await adminToken(value, sandboxId, isVersioned ? Number.parseInt(version, 36) : 0);
    if (sameText(token, expected)) return true;
  }
  return false;
}

/** Returns the sandbox that an administrator's or user's token names, without verifying the token. */
export function sandboxOfToken(token: string): string | undefined {
  const prefix = [adminPrefix, userPrefix].find((tokenPrefix) => token.startsWith(tokenPrefix));
  return prefix && token.slice(prefix.length).split("_")[0];
}

/** Returns a read-only token. It contains its expiry in seconds, in base 36. */
export async function newViewToken(
  secret: Secret,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return viewPrefix + (await endingText(secret, "view", sandboxId, expiresAtMs, random));
}

/** Returns a token of a user. It contains its sandbox and its expiry. `random` is 16 letters and digits that cannot be guessed. */
export async function newUserToken(
  secret: Secret,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return `${userPrefix}${sandboxId}_${await endingText(secret, "user", sandboxId, expiresAtMs, random)}`;
}

/** Reports whether the token belongs to this sandbox. The cluster authenticates and authorizes it. */
export async function isTokenOf(secret: Secret, sandboxId: string, token: string, nowMs: number): Promise<boolean> {
  if (token.startsWith(adminPrefix)) return isAdminToken(secret, sandboxId, token);
  const ending = endingOf(token);
  if (!ending) return foreignShape.test(token);
  if (ending.sandboxId !== undefined && ending.sandboxId !== sandboxId) return false;
  const { purpose, expires, random, given: mac, more } = ending;
  if (more.length > 0) return false;
  const isOurs = await isTag(secret, purpose, `${sandboxId}:${expires}_${random}`, mac, tagLength);
  return isOurs && nowMs < endMs(expires);
}

/** Reports whether this service made a token for this sandbox, even if it has expired or was revoked. */
export async function wasTokenOf(secret: Secret, sandboxId: string, token: string): Promise<boolean> {
  return !foreignShape.test(token) && isTokenOf(secret, sandboxId, token, Number.NEGATIVE_INFINITY);
}

/** Returns the end of a verified token, or infinity if it contains none. */
export function tokenEndMs(token: string): number {
  const ending = endingOf(token);
  return ending ? endMs(ending.expires) : Number.POSITIVE_INFINITY;
}

async function endingText(
  secret: Secret,
  purpose: string,
  sandboxId: string,
  expiresAtMs: number,
  random: string,
): Promise<string> {
  const body = `${Math.floor(expiresAtMs / 1000).toString(36)}_${random}`;
  return `${body}_${await tag(secret, purpose, `${sandboxId}:${body}`, tagLength)}`;
}

/** Splits a token that contains its expiry. */
function endingOf(token: string) {
  const isUser = token.startsWith(userPrefix);
  if (!isUser && !token.startsWith(viewPrefix)) return undefined;
  const segments = token.slice(viewPrefix.length).split("_");
  const sandboxId = isUser ? (segments.shift() ?? "") : undefined;
  const [expires = "", random = "", mac = "", ...more] = segments;
  return { purpose: isUser ? "user" : "view", sandboxId, expires, random, given: mac, more };
}

function endMs(expires: string): number {
  return Number.parseInt(expires, 36) * 1000;
}
