// Routes every request of the Worker: to a sandbox, to the control API, or to a page.
import { trimmedEnd } from "../../shared/base/trim.ts";
import { limits } from "../../shared/base/limits.ts";
import { discardBody } from "../../shared/base/discard.ts";
import { secretOf } from "../../shared/base/secret.ts";
import { hasFreeSpace } from "../../shared/base/disk/disk-space.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { inJurisdiction } from "../../shared/contract/hosted/object-place.ts";
import type { Env } from "../env.ts";
import { type SandboxAddress, sandboxAddress } from "./address.ts";
import { verifySandboxId } from "./verified-credentials.ts";
import { clusterOf } from "./service/processes.ts";
import { throttleOf } from "./service/throttle.ts";
import { withoutOwnCookies } from "./service/own-cookies.ts";
import { countRequest, flushLater } from "./service/request-metrics.ts";
import { allow, foreignOrigin, isPreflight, preflightAnswer } from "./cors.ts";
import { withoutTicket } from "./lti/paths.ts";
import { report, reportServed } from "./service/log.ts";
import { encodeRefusal } from "./service/refusals.ts";
import { proxyToSandbox, type SandboxProxyOptions } from "./sandbox-proxy.ts";
import { traceparentOf } from "./service/trace.ts";
import { Holdings } from "./watch/holdings.ts";

export async function handle(request: Request, env: Env): Promise<Response> {
  const startedMs = systemClock.nowMs();
  const url = new URL(request.url);
  const address = sandboxAddress(request, url);
  const isControl =
    !address && (url.pathname.startsWith("/v1/") || ["/healthz", "/metrics", "/status"].includes(url.pathname));
  const response = address
    ? withoutOwnCookies(await inSandbox(request, address, env))
    : await besideSandboxes(request, url, isControl, env);
  const endedMs = systemClock.nowMs();
  const milliseconds = endedMs - startedMs;
  countRequest({ request, sandboxUrl: address?.url, isControl, status: response.status, milliseconds });
  flushLater(env.METRICS && inJurisdiction(env.METRICS, env), endedMs);
  reportServed(response.status, milliseconds, () => ({
    method: request.method,
    path: withoutTicket(url.pathname),
    isPatient: url.searchParams.has("wait"),
    traceparent: traceparentOf(request),
    requestId: response.headers.get("request-id") ?? undefined,
  }));
  if (!request.bodyUsed && request.body) await discardBody(request, limits.discardedBodyBytes);
  return encodeRefusal(request, response);
}

/** Serves a preview of a sandbox's server, the control API, or a page. */
async function besideSandboxes(request: Request, url: URL, isControl: boolean, env: Env): Promise<Response> {
  if (!url.pathname.startsWith("/preview/"))
    return (await import("./service/beside.ts")).beside(request, url, isControl, env);
  const options = proxyOf(env);
  return (await import("./service/preview.ts")).servePreview(request, url, {
    secret: options.secret,
    findRow: async (tenantId, id) => (await backing()).backing(env).directory.find(tenantId, id),
    proxy: (forwarded, address, server) => {
      const previewOptions: SandboxProxyOptions = { ...options, server, domain: undefined };
      return proxyToSandbox(forwarded, address, previewOptions);
    },
    nowMs: options.nowMs,
  });
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
  const mayAsk = isAsked && (await (await backing()).originsOf(env).bySandbox(origin, address.id));
  if (mayAsk && isPreflight(request)) return preflightAnswer(origin);
  const answer = await proxyToSandbox(request, address, proxy);
  if (!mayAsk || answer.status === 101) return answer;
  const corsResponse = new Response(answer.body, answer);
  allow(corsResponse.headers, origin);
  return corsResponse;
}

/** Loads the queries of the database, which few requests to sandboxes need. */
function backing() {
  return import("./service/backing.ts");
}

/** The options that depend only on the bindings, of which an isolate has one set. */
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
    findMoved: async (id) => (await backing()).findMovedOf(env)(id),
    nowMs: () => systemClock.nowMs(),
    cluster: clusterOf(env),
    report,
  };
  proxies.set(env, options);
  return options;
}

/** Only the Node.js process beside a Worker on a user's machine can report free space. */
function freeSpaceOf({ OUTSIDE: node }: Env): Pick<SandboxProxyOptions, "hasFreeSpace"> {
  return node ? { hasFreeSpace: () => hasFreeSpace(node) } : {};
}
