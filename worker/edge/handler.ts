// Routes every request of the Worker: to a sandbox, to the control API, or to a page.
import { waitUntil } from "cloudflare:workers";
import { trimmedEnd } from "../../shared/base/trim.ts";
import { limits } from "../../shared/base/limits.ts";
import { discardBody } from "../../shared/base/discard.ts";
import { secretOf } from "../../shared/base/secret.ts";
import { hasRoom } from "../../shared/base/room.ts";
import { systemClock } from "../../shared/base/clock.ts";
import type { Env } from "../env.ts";
import { type SandboxAddress, sandboxAddress } from "./address.ts";
import { verifySandboxId } from "./verified-credentials.ts";
import { backing, clusterOf, findMovedOf, originsOf, throttleOf } from "./service/backing.ts";
import { withoutOwnCookies } from "./control-api/access/cookies.ts";
import { controlApiApp } from "./control-api/control-api.ts";
import type { ControlApiServer } from "./control-api/server.ts";
import { countResponse } from "./control-api/tenancy/metrics.ts";
import { allow, foreignOrigin, isPreflight, preflightAnswer } from "./cors.ts";
import { isLti, lti, withoutTicket } from "./lti/handler.ts";
import { report, reportServed } from "./service/log.ts";
import { builtFile } from "./service/built-files.ts";
import { embedPage } from "./embed-page.ts";
import { page } from "./pages.ts";
import { encodeRefusal } from "./service/refusals.ts";
import { proxyToSandbox, type SandboxProxyOptions } from "./sandbox-proxy.ts";
import { traceparentOf } from "./service/trace.ts";
import { Holdings } from "./watch/holdings.ts";

export async function handle(request: Request, env: Env): Promise<Response> {
  const startedMs = systemClock.nowMs();
  const url = new URL(request.url);
  const address = sandboxAddress(request, url);
  const isControl = !address && (url.pathname.startsWith("/v1/") || ["/healthz", "/metrics"].includes(url.pathname));
  const response = address
    ? withoutOwnCookies(await inSandbox(request, address, env))
    : await beside(request, url, isControl, env);
  countResponse(request.method, address ? "sandbox" : isControl ? "control" : "page", response.status);
  reportServed(response.status, systemClock.nowMs() - startedMs, () => ({
    method: request.method,
    path: withoutTicket(url.pathname),
    isPatient: url.searchParams.has("wait"),
    traceparent: traceparentOf(request),
  }));
  if (!request.bodyUsed && request.body) await discardBody(request, limits.discardedBodyBytes);
  return encodeRefusal(request, response);
}

/** Serves a sandbox. CORS allows the origins of the sandbox's tenant. */
function inSandbox(request: Request, address: SandboxAddress, env: Env): Promise<Response> {
  const origin = foreignOrigin(request);
  return origin === undefined
    ? proxyToSandbox(request, address, proxyOf(env))
    : inSandboxFrom(origin, request, address, env);
}

/** Serves a sandbox to a page of another origin. */
async function inSandboxFrom(origin: string, request: Request, address: SandboxAddress, env: Env): Promise<Response> {
  const proxy = proxyOf(env);
  // A forged id causes no query.
  const isAsked = (await verifySandboxId(proxy.secret, address.id, proxy.findMoved)) !== undefined;
  const mayAsk = isAsked && (await originsOf(env).bySandbox(origin, address.id));
  if (mayAsk && isPreflight(request)) return preflightAnswer(origin);
  const answer = await proxyToSandbox(request, address, proxy);
  if (!mayAsk || answer.status === 101) return answer;
  const corsResponse = new Response(answer.body, answer);
  allow(corsResponse.headers, origin);
  return corsResponse;
}

/** Serves the control API or a page. */
async function beside(request: Request, url: URL, isControl: boolean, env: Env): Promise<Response> {
  if (isLti(url)) return finished(lti(request, url, service(env, url)));
  const { secret } = proxyOf(env);
  if (isControl) return controlled(request, service(env, url));
  const fileOf = (path: string, of: Request) => builtFile(env.ASSETS, path, of);
  const specialPage = url.pathname.startsWith("/embed/")
    ? await embedPage(request, url, { controlApi: service(env, url), file: fileOf })
    : await page(request, url, { secret, file: fileOf });
  return specialPage ?? controlled(request, service(env, url));
}

/** Returns the options that depend only on the bindings, of which an isolate has one set. `server` is empty for the request's origin. */
const proxies = new WeakMap<Env, SandboxProxyOptions>();

function proxyOf(env: Env): SandboxProxyOptions {
  const cached = proxies.get(env);
  if (cached) return cached;
  const options: SandboxProxyOptions = {
    secret: secretOf(env),
    server: trimmedEnd(env.SANDBAR_SERVER ?? "", "/"),
    domain: env.SANDBAR_DOMAIN || undefined,
    certificates: env.SANDBAR_CLIENT_CERTIFICATES || undefined,
    node: env.OUTSIDE,
    holdings: new Holdings({ sandboxBytes: limits.heldBySandboxBytes, totalBytes: limits.heldByAllBytes }),
    ...freeSpaceOf(env),
    throttle: throttleOf(env),
    findMoved: findMovedOf(env),
    nowMs: () => systemClock.nowMs(),
    cluster: clusterOf(env),
    report,
  };
  proxies.set(env, options);
  return options;
}

/** Runs a control API request to its end, even if the client disconnects. */
async function controlled(request: Request, of: ControlApiServer): Promise<Response> {
  return finished(Promise.resolve(controlApiApp.fetch(request, { controlApi: of })));
}

async function finished(answered: Promise<Response>): Promise<Response> {
  waitUntil(answered);
  return answered;
}

/** Only the Node.js process beside a Worker on a user's machine can report free space. */
function freeSpaceOf({ OUTSIDE: node }: Env): { hasRoom?(): Promise<boolean> } {
  return node ? { hasRoom: () => hasRoom(node) } : {};
}

/** Returns the public URL of the service. */
function serverOf(env: Env, { origin }: URL): string {
  return trimmedEnd(env.SANDBAR_SERVER ?? "", "/") || origin;
}

function service(env: Env, url: URL): ControlApiServer {
  return {
    ...backing(env),
    server: serverOf(env, url),
    console: url.origin,
    ...freeSpaceOf(env),
  };
}
