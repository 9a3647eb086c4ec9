// The files of the console and the documentation, and the live view and the learner's page, which other sites can frame. Only built files are
// served.
import type { Secret } from "../../shared/base/secret.ts";
import { frameOrigins } from "./frame-policy.ts";

export interface Pages {
  readonly secret: Secret;
  /** Loads a built file by path. */
  file(path: string, request: Request): Promise<Response>;
}

/** Returns undefined if the path has no page or file. */
export async function page(request: Request, url: URL, pages: Pages): Promise<Response | undefined> {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const [, kind, framed] = /^\/(view|learn)\/([a-z0-9]+)$/.exec(url.pathname) ?? [];
  const file = kind ? `/${kind}.html` : filePath(url.pathname);
  const response = await pages.file(file, request);
  if (response.status === 404) return undefined;
  const secured = new Response(response.body, {
    status: response.status,
    headers: response.headers,
    // A compressed file is sent as it is stored.
    ...(response.headers.has("content-encoding") ? { encodeBody: "manual" } : {}),
  });
  if (isForOthers(url)) secured.headers.set("access-control-allow-origin", "*");
  // The build puts a hash into the names below /assets/.
  if (url.pathname.startsWith("/assets/")) secured.headers.set("cache-control", "public, max-age=31536000, immutable");
  const origins = framed ? await frameOrigins(pages.secret, framed, url.searchParams.get("frame") ?? "") : [];
  secure(secured.headers, framed !== undefined, origins);
  return secured;
}

/** Returns the path of the built file of a page. Pages of the documentation have names without an ending. */
function filePath(path: string): string {
  if (path === "/") return "/index.html";
  if (path === "/docs" || path === "/docs/") return "/docs/index.html";
  return path.startsWith("/docs/") && !/\.\w+$/.test(path) ? `${path}.html` : path;
}

/** Reports whether pages of every origin can load the file, which module scripts require explicitly. */
function isForOthers({ pathname }: URL): boolean {
  return pathname === "/embed.js" || pathname === "/embed.css";
}

function secure(headers: Headers, isFramed: boolean, origins: readonly string[]): void {
  const ancestors = isFramed ? ["'self'", ...origins].join(" ") : "'none'";
  headers.set(
    "content-security-policy",
    [
      "default-src 'none'",
      "script-src 'self'",
      // Charts and virtual lists position elements with style attributes.
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      // Previews of servers in sandboxes.
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      `frame-ancestors ${ancestors}`,
    ].join("; "),
  );
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-opener-policy", "same-origin");
  if (!isFramed) headers.set("x-frame-options", "DENY");
}
