// Sessions of signed-in people: a secret in a cookie, of which D1 stores the hash.
import { limits } from "../../../../shared/base/limits.ts";
import type { SessionRow } from "../../db/tenant-tables.ts";
import { hashOf, randomText } from "../../mac.ts";
import { networkOf } from "../../network.ts";
import type { ControlApiServer } from "../server.ts";
import { type CookieShape, dropCookie, readCookie, setCookie } from "./cookies.ts";

const cookie: CookieShape = {
  name: "sandbar-session",
  path: "/v1",
  sameSite: "Strict",
  maxAgeSeconds: limits.sessionMs / 1000,
};
const secretShape = /^sbs_[a-z2-7]{51}$/;

export interface NewSession {
  readonly row: SessionRow;
  /** The `Set-Cookie` header. */
  readonly cookie: string;
}

/** Creates a session. The caller stores it. */
export async function newSession(
  { console, nowMs }: Pick<ControlApiServer, "console" | "nowMs">,
  headers: Headers,
  personId: string,
  tenantId: string | undefined,
): Promise<NewSession> {
  const secret = `sbs_${randomText(51)}`;
  const createdAtMs = nowMs();
  const row = {
    hash: await hashOf(secret),
    personId,
    tenantId: tenantId ?? null,
    browser: (headers.get("user-agent") ?? "").slice(0, limits.browserCharacters),
    address: networkOf(headers),
    createdAtMs,
    expiresAtMs: createdAtMs + limits.sessionMs,
    lastUsedAtMs: createdAtMs,
  };
  return { row, cookie: setCookie(console, cookie, secret) };
}

/** Returns the hash of the session cookie, or undefined without a cookie. */
export async function sessionHash({ console }: Pick<ControlApiServer, "console">, headers: Headers) {
  const secret = readCookie(console, cookie, headers);
  return secret !== undefined && secretShape.test(secret) ? hashOf(secret) : undefined;
}

/** Returns the `Set-Cookie` header that clears the session. */
export function clearSession({ console }: Pick<ControlApiServer, "console">): string {
  return dropCookie(console, cookie);
}
