// Serves `/preview/<ticket>/c/<sandbox>/<path of the API's proxy>`: a server in a sandbox, shown in a frame of the console. The page gets an
// opaque origin and reaches only its own address, so it can neither use the viewer's session nor send anything elsewhere.
import type { Secret } from "../../../shared/base/secret.ts";
import { type SandboxAddress, sandboxAddress } from "../address.ts";
import { read } from "../control-api/embed/signed.ts";
import type { SandboxRow } from "../db/schema.ts";
import { currentAdminToken } from "../tokens.ts";

export interface PreviewOptions {
  readonly secret: Secret;
  findRow(tenantId: string, id: string): Promise<SandboxRow | undefined>;
  /** Sends a request to the sandbox. `server` is the address before `/c/<sandbox>`, to which the proxy leads links. */
  proxy(request: Request, address: SandboxAddress, server: string): Promise<Response>;
  nowMs(): number;
}

const shape = /^(\/preview\/([\w-]+\.[\w-]+\.[\w-]+))\/c\/([a-z0-9]+)(\/.*)$/;

/** Headers of the browser that belong to the console and not to the page. */
const dropped = ["authorization", "cookie", "referer"];

const anyPage = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "*",
} as const;

export async function servePreview(request: Request, url: URL, options: PreviewOptions): Promise<Response> {
  const [, base = "", ticket = "", id = "", path = ""] = shape.exec(url.pathname) ?? [];
  if (request.method === "OPTIONS" && request.headers.has("access-control-request-method"))
    return new Response(null, { status: 204, headers: anyPage });
  const token = await tokenFor({ ticket, id, path }, options);
  if (token === undefined) return ended();
  const target = new URL(`/c/${id}${path}${url.search}`, url);
  const headers = new Headers(request.headers);
  for (const name of dropped) headers.delete(name);
  headers.set("authorization", `Bearer ${token}`);
  const { method, body, signal } = request;
  const forwarded = new Request(target, { method, headers, body, signal, redirect: "manual" });
  const address = sandboxAddress(forwarded, target);
  if (!address) return ended();
  const server = `${url.origin}${base}`;
  return isolated(await options.proxy(forwarded, address, server), `${server}/`);
}

interface Asked {
  readonly ticket: string;
  readonly id: string;
  readonly path: string;
}

/** Returns the token for the request, or undefined if the ticket has ended, was revoked by a new token, or is for another address. */
async function tokenFor({ ticket, id, path }: Asked, options: PreviewOptions): Promise<string | undefined> {
  if (ticket === "") return undefined;
  const claims = await read(options.secret, "preview", ticket, options.nowMs());
  if (claims?.sandbox !== id || !`${path}/`.startsWith(`${claims.path}/`)) return undefined;
  const row = await options.findRow(claims.tenant, id);
  if (row?.state !== "ready" || row.tokenVersion !== claims.version) return undefined;
  return currentAdminToken(options.secret, row);
}

/** Gives the page an opaque origin, and its own address as the only one that it can load from. */
function isolated(response: Response, address: string): Response {
  const answer = new Response(response.body, response);
  answer.headers.set(
    "content-security-policy",
    [
      "sandbox allow-scripts allow-forms allow-modals",
      `default-src ${address} 'unsafe-inline' 'unsafe-eval' data: blob:`,
      `form-action ${address}`,
      `base-uri ${address}`,
      "frame-ancestors 'self'",
    ].join("; "),
  );
  // The address is a secret of its viewer.
  answer.headers.set("referrer-policy", "no-referrer");
  answer.headers.delete("set-cookie");
  answer.headers.delete("x-frame-options");
  for (const [name, value] of Object.entries(anyPage)) answer.headers.set(name, value);
  return answer;
}

function ended(): Response {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
  };
  return new Response("This preview has ended. Open it again in the console.\n", { status: 403, headers });
}
