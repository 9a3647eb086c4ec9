// A sandbox's tokens. Each is bound to its sandbox by a tag, so the edge refuses a wrong or foreign one without waking the cluster.
import { randomText, sameText, tag } from "./mac.ts";

const adminPrefix = "sba_";
const viewPrefix = "sbv_";
const userPrefix = "sbu_";
const adminLength = 51;
const randomLength = 16;
const tagLength = 20;
/**
 * Tokens of others, whose sandbox alone can check them: of service accounts and issuers (three base64url parts), and those of nodes that
 * join.
 */
const foreignShape = /^([\w-]+\.[\w-]+\.[\w-]+|[a-z0-9]{6}\.[a-z0-9]{16})$/;

/** Derived, not stored: so the kubeconfig can be given again. It names its sandbox. */
export async function adminToken(secret: string, sandboxId: string): Promise<string> {
  return `${adminPrefix}${sandboxId}_${await tag(secret, "admin", sandboxId, adminLength)}`;
}

/** The sandbox that a token of an administrator or a user names; whether the token is genuine is for the caller to check. */
export function sandboxOfToken(token: string): string | undefined {
  const prefix = [adminPrefix, userPrefix].find((one) => token.startsWith(one));
  return prefix && token.slice(prefix.length).split("_")[0];
}

/** A token for looking only; it carries its own expiry (whole seconds, in base 36). */
export async function newViewToken(
  secret: string,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return viewPrefix + (await endingText(secret, "view", sandboxId, expiresAtMs, random));
}

/** A token of some user; it names its sandbox and carries its expiry. `random`: 16 letters and digits that nobody can guess. */
export async function newUserToken(
  secret: string,
  sandboxId: string,
  expiresAtMs: number,
  random = randomText(randomLength),
): Promise<string> {
  return `${userPrefix}${sandboxId}_${await endingText(secret, "user", sandboxId, expiresAtMs, random)}`;
}

/** Whether a token may be shown to this sandbox; the cluster still decides who it is and what it may do. */
export async function isTokenOf(secret: string, sandboxId: string, token: string, nowMs: number): Promise<boolean> {
  if (token.startsWith(adminPrefix)) return sameText(token, await adminToken(secret, sandboxId));
  const ending = endingOf(token);
  if (!ending) return foreignShape.test(token);
  if (ending.sandboxId !== undefined && ending.sandboxId !== sandboxId) return false;
  const { purpose, expires, random, given, more } = ending;
  if (more.length > 0) return false;
  const expected = await tag(secret, purpose, `${sandboxId}:${expires}_${random}`, tagLength);
  return sameText(given, expected) && nowMs < endMs(expires);
}

/** When a token that passed `isTokenOf` ends; never, where it does not say so itself. */
export function tokenEndMs(token: string): number {
  const ending = endingOf(token);
  return ending ? endMs(ending.expires) : Number.POSITIVE_INFINITY;
}

async function endingText(
  secret: string,
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
