// A sandbox's tokens. Each is bound to its sandbox by a tag, so the edge refuses a wrong or foreign one without waking the cluster.
import { currentSecret, type Secret, secretValues } from "../../shared/base/secret.ts";
import { valueOfSandboxId } from "./sandbox-id.ts";
import { isTag, randomText, sameText, tag } from "./mac.ts";

const adminPrefix = "sba_";
const viewPrefix = "sbv_";
const userPrefix = "sbu_";
const adminLength = 51;
const randomLength = 16;
const tagLength = 20;
const secretIdLength = 10;
/**
 * Tokens of others, whose sandbox alone can check them: of service accounts and issuers (three base64url parts), and those of nodes that
 * join.
 */
const foreignShape = /^([\w-]+\.[\w-]+\.[\w-]+|[a-z0-9]{6}\.[a-z0-9]{16})$/;

/** What a sandbox's tokens follow from: its row in D1 has it. */
export interface TokenFacts {
  readonly id: string;
  readonly tokenVersion: number;
  readonly secretId: string;
}

/** Names a value of the secret without telling it. */
export function idOfSecret(value: string): Promise<string> {
  return tag(value, "secret", "id", secretIdLength);
}

/**
 * Returns the value of the secret that a sandbox's stored tokens follow from. While the secret has two values, a sandbox that has not been
 * moved keeps the earlier one: its cluster knows no hash of a token that follows from the current one.
 */
export async function valueForSandbox(secret: Secret, { id, secretId }: Pick<TokenFacts, "id" | "secretId">) {
  for (const value of secretValues(secret)) if ((await idOfSecret(value)) === secretId) return value;
  return (await valueOfSandboxId(secret, id)) ?? currentSecret(secret);
}

/** The administrator's token that the sandbox's cluster accepts. */
export async function currentAdminToken(secret: Secret, row: TokenFacts): Promise<string> {
  return adminToken(await valueForSandbox(secret, row), row.id, row.tokenVersion);
}

/**
 * Derived, not stored: so the kubeconfig can be given again. It names its sandbox. `version` rises each time the token is rotated; the tag
 * covers it, and the cluster accepts the newest alone.
 */
export async function adminToken(secret: Secret, sandboxId: string, version = 0): Promise<string> {
  if (version === 0) return `${adminPrefix}${sandboxId}_${await tag(secret, "admin", sandboxId, adminLength)}`;
  const body = `${sandboxId}_${version.toString(36)}`;
  return `${adminPrefix}${body}_${await tag(secret, "admin", body, adminLength)}`;
}

/** Reports whether any value of the secret made an administrator's token, of whichever version. */
async function isAdminToken(secret: Secret, sandboxId: string, token: string): Promise<boolean> {
  const [, version = "", ...more] = token.slice(adminPrefix.length).split("_");
  const isVersioned = more.length > 0;
  for (const value of secretValues(secret)) {
    const expected = await adminToken(value, sandboxId, isVersioned ? Number.parseInt(version, 36) : 0);
    if (sameText(token, expected)) return true;
  }
  return false;
}

/** The sandbox that a token of an administrator or a user names; whether the token is genuine is for the caller to check. */
export function sandboxOfToken(token: string): string | undefined {
  const prefix = [adminPrefix, userPrefix].find((one) => token.startsWith(one));
  return prefix && token.slice(prefix.length).split("_")[0];
}

/** A token for looking only; it carries its own expiry (whole seconds, in base 36). */
export async function newViewToken(
  secret: Secret,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return viewPrefix + (await endingText(secret, "view", sandboxId, expiresAtMs, random));
}

/** A token of some user; it names its sandbox and carries its expiry. `random`: 16 letters and digits that nobody can guess. */
export async function newUserToken(
  secret: Secret,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return `${userPrefix}${sandboxId}_${await endingText(secret, "user", sandboxId, expiresAtMs, random)}`;
}

/** Whether a token may be shown to this sandbox; the cluster still decides who it is and what it may do. */
export async function isTokenOf(secret: Secret, sandboxId: string, token: string, nowMs: number): Promise<boolean> {
  if (token.startsWith(adminPrefix)) return isAdminToken(secret, sandboxId, token);
  const ending = endingOf(token);
  if (!ending) return foreignShape.test(token);
  if (ending.sandboxId !== undefined && ending.sandboxId !== sandboxId) return false;
  const { purpose, expires, random, given, more } = ending;
  if (more.length > 0) return false;
  const isOurs = await isTag(secret, purpose, `${sandboxId}:${expires}_${random}`, given, tagLength);
  return isOurs && nowMs < endMs(expires);
}

/** Reports whether this service made a token for this sandbox, also if it has expired or was revoked since. */
export async function wasTokenOf(secret: Secret, sandboxId: string, token: string): Promise<boolean> {
  return !foreignShape.test(token) && isTokenOf(secret, sandboxId, token, Number.NEGATIVE_INFINITY);
}

/** When a token that passed `isTokenOf` ends; never, where it does not say so itself. */
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

/** The parts of a token that carries its expiry. */
function endingOf(token: string) {
  const isUser = token.startsWith(userPrefix);
  if (!isUser && !token.startsWith(viewPrefix)) return undefined;
  const parts = token.slice(viewPrefix.length).split("_");
  const sandboxId = isUser ? (parts.shift() ?? "") : undefined;
  const [expires = "", random = "", given = "", ...more] = parts;
  return { purpose: isUser ? "user" : "view", sandboxId, expires, random, given, more };
}

function endMs(expires: string): number {
  return Number.parseInt(expires, 36) * 1000;
}
