// A sandbox's tokens. Each is bound to its sandbox by a tag, so the edge refuses a wrong or foreign one without waking the cluster.
import { randomText, sameText, tag } from "./mac.ts";

const adminPrefix = "sba_";
const viewPrefix = "sbv_";
const adminLength = 51;
const randomLength = 16;
const tagLength = 20;
/** Service account tokens: three base64url parts. The cluster signed them, so the cluster checks them. */
const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Derived, not stored: so the kubeconfig can be given again. It names its sandbox. */
export async function adminToken(secret: string, sandboxId: string): Promise<string> {
  return `${adminPrefix}${sandboxId}_${await tag(secret, "admin", sandboxId, adminLength)}`;
}

/** The sandbox that an admin token names; whether the token is genuine is for the caller to check. */
export function sandboxOfToken(token: string): string | undefined {
  return token.startsWith(adminPrefix) ? token.slice(adminPrefix.length).split("_")[0] : undefined;
}

/** A token for looking only; it carries its own expiry (whole seconds, in base 36). */
export async function newViewToken(secret: string, sandboxId: string, expiresAtMs: number): Promise<string> {
  const body = `${Math.floor(expiresAtMs / 1000).toString(36)}_${randomText(randomLength)}`;
  return `${viewPrefix}${body}_${await tag(secret, "view", `${sandboxId}:${body}`, tagLength)}`;
}

/** Whether a token may be shown to this sandbox; the cluster still decides who it is and what it may do. */
export async function isTokenOf(secret: string, sandboxId: string, token: string, nowMs: number): Promise<boolean> {
  if (token.startsWith(adminPrefix)) return sameText(token, await adminToken(secret, sandboxId));
  if (token.startsWith(viewPrefix)) return isViewToken(secret, sandboxId, token.slice(viewPrefix.length), nowMs);
  return jwtShape.test(token);
}

/** When a token that passed `isTokenOf` ends; never, where it does not say so itself. */
export function tokenEndMs(token: string): number {
  const [expires = ""] = token.startsWith(viewPrefix) ? token.slice(viewPrefix.length).split("_") : [];
  return expires ? Number.parseInt(expires, 36) * 1000 : Number.POSITIVE_INFINITY;
}

async function isViewToken(secret: string, sandboxId: string, text: string, nowMs: number): Promise<boolean> {
  const [expires = "", random = "", given = "", ...more] = text.split("_");
  if (more.length > 0) return false;
  const expected = await tag(secret, "view", `${sandboxId}:${expires}_${random}`, tagLength);
  return sameText(given, expected) && nowMs < Number.parseInt(expires, 36) * 1000;
}
