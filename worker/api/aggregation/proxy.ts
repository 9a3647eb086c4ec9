// Proxies a request to the server of an APIService with the identity of its user (upstream: the aggregator's proxyHandler).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, isRedirect, passedOn, redirected } from "../../../shared/contract/passed-on.ts";
import type { Headers as Pairs, OutsideRequest } from "../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { requesterOf } from "../filters/authorization.ts";
import { readBody } from "../body/body.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import { isWatch } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { isAvailable, recipientOf } from "./remote.ts";

/** The time within which a server must start to respond, as upstream's `--request-timeout`. A watch may start with its first event. */
const timeoutMs = 60_000;
const watchTimeoutMs = 3_600_000;
const failedPrefix = "failed ";

export async function proxied(req: ApiRequest, service: APIService): Promise<Response> {
  const { request } = req;
  const { send, relay } = req.server;
  const direction = directionOf(request);
  if (direction?.startsWith(failedPrefix))
    return failed(req, service, decodeURIComponent(direction.slice(failedPrefix.length)));
  if (!isAvailable(service) || !send) return page(503, "service unavailable");
  const upgrades = request.headers.has("upgrade") || direction === "upgrade";
  if (direction && relay) {
    const outgoing = outgoingOf(req, service, new Uint8Array());
    if (direction === "join") {
      req.server.sockets?.requireQuota();
      return relay.join(outgoing, req.credential) ?? page(503, unreached("EOF"));
    }
    const way = direction === "ask" || direction === "upgrade" ? relay.way(outgoing) : undefined;
    if (way && !(upgrades && way.way === "tunnel")) {
      return Response.json(way, { headers: { [internalHeaders.outside]: "here", ...uncached } });
    }
  }
  if (upgrades) throw notUpgraded(request);
  const answer = await send(outgoingOf(req, service, await readBody(request)));
  if (!answer.ok) return page(503, unreached(answer.message));
  const { status, headers } = answer;
  if (isRedirect(status, headers))
    return new Response(redirected, { status: 502, headers: { ...textPlain, ...uncached } });
  const answered = new Headers(uncached);
  for (const [name, value] of passedOn(headers)) answered.set(name, value);
  const isEmpty = isBodiless(status) || request.method === "HEAD";
  // The body is copied, since a Response must not use shared memory.
  return new Response(isEmpty ? null : new Uint8Array(answer.body), { status, headers: answered });
}

/** Returns the edge's question about a request that it forwards as it was sent: the directions of a GET. */
function directionOf({ method, headers }: Request): string | null {
  const header = headers.get(internalHeaders.outside);
  return header ?? (method === "GET" && !headers.has(internalHeaders.server) ? "ask" : null);
}

function outgoingOf(
  { request, url, identity, auditId }: ApiRequest,
  service: APIService,
  body: Uint8Array,
): OutsideRequest {
  return {
    to: recipientOf(service, url.pathname + url.search),
    method: request.method,
    headers: [
      ...passedOn([...request.headers]).filter(([name]) => name.toLowerCase() !== "audit-id"),
      ["Audit-Id", auditId],
      ...forwarded(request, url, service),
      ...remoteHeaders(requesterOf(identity)),
    ],
    body,
    timeoutMs: isWatch(url.searchParams) ? watchTimeoutMs : timeoutMs,
  };
}

/** Returns the headers that upstream's reverse proxy adds about itself and its client. */
function forwarded(request: Request, { pathname }: URL, { spec }: APIService): Pairs {
  const client = request.headers.get("cf-connecting-ip");
  const { namespace = "", name = "" } = spec.service ?? {};
  return [
    ...(client ? [["X-Forwarded-For", client] as const] : []),
    ["X-Forwarded-Host", `${name}.${namespace}.svc`],
    ["X-Forwarded-Proto", "https"],
    ["X-Forwarded-Uri", pathname],
  ];
}

/** Handles a server that the edge could not reach: its APIService may no longer be available. */
function failed({ server: { relay } }: ApiRequest, { spec: { service } }: APIService, why: string): Response {
  if (service)
    relay?.failed({ namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? 443 });
  return page(503, unreached(why));
}

function unreached(why: string): string {
  return `error trying to reach service: ${why}`;
}

/** Returns the error for upgrades that are not supported: SPDY, and any upgrade to a backend but WebSockets. */
function notUpgraded({ headers }: Request): ApiError {
  const isSpdy = /^spdy/i.test(headers.get("upgrade") ?? "");
  return ApiError.badRequest(
    isSpdy
      ? "this cluster speaks WebSockets and not SPDY: use kubectl 1.31 or later"
      : "a connection to an aggregated API is upgraded to a WebSocket only, and not through a tunnel: name a backend; see docs/WEBHOOKS.md",
  );
}

/** Returns the headers that identify the user (upstream's `SetAuthProxyHeaders`). */
export function remoteHeaders({ name, uid, groups, extra = {} }: UserInfo): Pairs {
  return [
    ["X-Remote-User", name],
    ...(uid ? [["X-Remote-Uid", uid] as const] : []),
    ...groups.map((group) => ["X-Remote-Group", group] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`X-Remote-Extra-${encodeURIComponent(key)}`, value] as const),
    ),
  ];
}

const textPlain = { "content-type": "text/plain; charset=utf-8" };

/** Returns a text response as Go's `http.Error` does, without a Status. */
function page(status: number, text: string): Response {
  const headers = { ...textPlain, "x-content-type-options": "nosniff", ...uncached };
  return new Response(`${text}\n`, { status, headers });
}
