// The cookies of people who have signed in, and whether a request with one comes from a page of this service's own.
import { parse, serialize } from "hono/utils/cookie";
import { ControlError } from "../control-error.ts";

export interface CookieShape {
  readonly name: string;
  readonly path: string;
  readonly sameSite: "Strict" | "Lax";
  readonly maxAgeSeconds: number;
}

/** What the cookies are called; over https with `__Secure-` before it. Sandboxes set none of these: see `withoutOwnCookies`. */
export const ownCookies = ["sandbar-session", "sandbar-oauth"];
/** Those of LTI's logins begin so; they have no prefix. */
const loginCookies = "sandbar-lti-";
const prefix = "__Secure-";

/** `console` is the base URL of the service as the browser has it. */
export function setCookie(console: string, shape: CookieShape, value: string): string {
  const secure = isSecure(console);
  return serialize(nameOf(console, shape), value, {
    path: shape.path,
    maxAge: shape.maxAgeSeconds,
    httpOnly: true,
    sameSite: shape.sameSite,
    secure,
  });
}

export function dropCookie(console: string, shape: CookieShape): string {
  return setCookie(console, { ...shape, maxAgeSeconds: 0 }, "");
}

export function readCookie(console: string, shape: CookieShape, headers: Headers): string | undefined {
  const name = nameOf(console, shape);
  return parse(headers.get("cookie") ?? "", name)[name] || undefined;
}

/**
 * Throws a 403 where a request that changes something may come from another site's page: browsers say where it comes from, in `Sec-Fetch-Site`
 * and `Origin`; who says neither is no browser that has the cookie.
 */
export function requireOwnPage(console: string, headers: Headers): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn =
    (site !== null || origin !== null) && (site ?? "same-origin") === "same-origin" && isOwnOrigin(console, origin);
  if (isOwn) return;
  throw new ControlError(403, "cross_origin", "a session may change something from the service's own pages alone");
}

/** The scheme aside: where TLS ends before the service it is not told of it. */
function isOwnOrigin(console: string, origin: string | null): boolean {
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(console).host;
}

function nameOf(console: string, { name }: CookieShape): string {
  return isSecure(console) ? `${prefix}${name}` : name;
}

function isSecure(console: string): boolean {
  return console.startsWith("https:");
}

/** An answer of a sandbox sets no cookie that this service would take for its own. */
export function withoutOwnCookies(response: Response): Response {
  if (!response.headers.has("set-cookie")) return response;
  const all = response.headers.getSetCookie();
  const others = all.filter((one) => {
    const name = (one.split("=")[0] ?? "").trim().replace(prefix, "");
    return !ownCookies.includes(name) && !name.startsWith(loginCookies);
  });
  if (others.length === all.length) return response;
  const own = new Response(response.body, response);
  own.headers.delete("set-cookie");
  for (const one of others) own.headers.append("set-cookie", one);
  return own;
}
