// Sessions of people who have signed in: a secret in a cookie, of which D1 has the hash.
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
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

/** It is the caller's to store. */
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

/** The hash of what the cookie has; nothing where there is none. */
export async function sessionHash({ console }: Pick<ControlApiServer, "console">, headers: Headers) {
  const secret = readCookie(console, cookie, headers);
  return secret !== undefined && secretShape.test(secret) ? hashOf(secret) : undefined;
}

/** The value of `Set-Cookie` that takes it away. */
export function noSession({ console }: Pick<ControlApiServer, "console">): string {
  return dropCookie(console, cookie);
}
