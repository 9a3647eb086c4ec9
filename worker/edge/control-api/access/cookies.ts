// Cookies of signed-in people, and the check that a request with a cookie comes from a page of this service.
import { parse, serialize } from "hono/utils/cookie";
import { cookiePrefix } from "../../service/own-cookies.ts";
import { ControlError } from "../control-error.ts";

export interface CookieShape {
  readonly name: string;
  readonly path: string;
  readonly sameSite: "Strict" | "Lax";
  readonly maxAgeSeconds: number;
}

/** Encodes a `Set-Cookie` header. `console` is the base URL of the service as the browser sees it. */
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
 * Throws 403 if a request that changes data may come from another site's page. Browsers declare the origin in `Sec-Fetch-Site` and
 * `Origin`. A client that sends neither is no browser, so it has no ambient cookie.
 */
export function requireOwnPage(console: string, headers: Headers): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn =
    (site !== null || origin !== null) && (site ?? "same-origin") === "same-origin" && isOwnOrigin(console, origin);
  if (isOwn) return;
  throw new ControlError(403, "cross_origin", "a session may change something from the service's own pages alone");
}

/** Compares hosts only: if TLS ends before the service, the service does not see the client's scheme. */
function isOwnOrigin(console: string, origin: string | null): boolean {
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(console).host;
}

function nameOf(console: string, { name }: CookieShape): string {
  return isSecure(console) ? `${cookiePrefix}${name}` : name;
}

function isSecure(console: string): boolean {
  return console.startsWith("https:");
}
