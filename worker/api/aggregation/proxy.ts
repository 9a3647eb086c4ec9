// Passes a request on to the server of an APIService, as the user who made it (upstream: the aggregator's proxyHandler).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { isBodiless, isRedirect, passedOn, redirected } from "../../../shared/contract/passed-on.ts";
import type { Headers as Pairs, OutsideRequest } from "../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { requesterOf } from "../filters/authorization.ts";
import { readBody } from "../body/body.ts";
import { uncached } from "../present/present.ts";
import { isWatch } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { isAvailable, recipientOf } from "./remote.ts";

/** Whoever is asked must begin to answer within so long, as upstream's `--request-timeout`; a watch may begin with its first event. */
const timeoutMs = 60_000;
const watchTimeoutMs = 3_600_000;
const failedPrefix = "failed ";

export async function proxied(req: ApiRequest, service: APIService): Promise<Response> {
  const { request } = req;
  const { send, relay } = req.server;
  const asked = askedOf(request);
  if (asked?.startsWith(failedPrefix))
    return failed(req, service, decodeURIComponent(asked.slice(failedPrefix.length)));
  if (!isAvailable(service) || !send) return page(503, "service unavailable");
  const upgrades = request.headers.has("upgrade") || asked === "upgrade";
  if (asked && relay) {
    const outgoing = outgoingOf(req, service, new Uint8Array());
    if (asked === "join") {
      req.server.sockets?.requireRoom();
      return relay.join(outgoing, req.credential) ?? page(503, unreached("EOF"));
    }
    const way = asked === "ask" || asked === "upgrade" ? relay.way(outgoing) : undefined;
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
  // A copy, for what a response is made of must not be shared memory.
  return new Response(isEmpty ? null : new Uint8Array(answer.body), { status, headers: answered });
}

/** What the edge wants to know: of a request that it has passed on as it was sent, the directions of a GET. */
function askedOf({ method, headers }: Request): string | null {
  const asked = headers.get(internalHeaders.outside);
  return asked ?? (method === "GET" && !headers.has(internalHeaders.server) ? "ask" : null);
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

/** Upstream's reverse proxy names itself and who is behind it. */
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

/** The edge did not reach the server: it may not be available any more. */
function failed({ server: { relay } }: ApiRequest, { spec: { service } }: APIService, why: string): Response {
  if (service)
    relay?.failed({ namespace: service.namespace ?? "", name: service.name ?? "", port: service.port ?? 443 });
  return page(503, unreached(why));
}

function unreached(why: string): string {
  return `error trying to reach service: ${why}`;
}

/** What cannot be carried: SPDY anywhere, and anything but WebSockets to a backend. */
function notUpgraded({ headers }: Request): ApiError {
  const isSpdy = /^spdy/i.test(headers.get("upgrade") ?? "");
  return ApiError.badRequest(
    isSpdy
      ? "this cluster speaks WebSockets and not SPDY: use kubectl 1.31 or later"
      : "a connection to an aggregated API is upgraded to a WebSocket only, and not through a tunnel: name a backend; see docs/WEBHOOKS.md",
  );
}

/** Upstream's `SetAuthProxyHeaders`. */
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

/** As Go's `http.Error`: no Status. */
function page(status: number, text: string): Response {
  const headers = { ...textPlain, "x-content-type-options": "nosniff", ...uncached };
  return new Response(`${text}\n`, { status, headers });
}
