// Passes a request on to the server of an APIService, as the user who made it (upstream: the aggregator's proxyHandler).
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { Headers as Pairs } from "../../../shared/k8s/question.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Requester } from "../../kinds/kind.ts";
import { requesterOf } from "../authorization.ts";
import { readBody } from "../body.ts";
import { uncached } from "../present.ts";
import { isWatch } from "../request-info.ts";
import type { Call } from "../service.ts";
import { isAvailable, recipientOf } from "./remote.ts";

/** A request that is no watch lasts this long, as upstream's `--request-timeout`. */
const timeoutMs = 60_000;
/** What concerns one connection, or is for this server alone. */
const dropped = new Set([
  "authorization",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "cookie",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const droppedPrefixes = ["cf-", "impersonate-", "sandbar-", "sec-websocket-", "x-forwarded-", "x-remote-"];

export async function proxied(call: Call, service: APIService): Promise<Response> {
  const { request, url } = call;
  if (!isAvailable(service)) return page(503, "service unavailable");
  if (isWatch(url.searchParams) || request.headers.has("upgrade")) {
    throw new ApiError(
      501,
      "NotImplemented",
      "watches and streams of aggregated APIs are not passed on by this cluster",
      {},
    );
  }
  const { send } = call.service;
  if (!send) return page(503, "service unavailable");
  const body = await readBody(request);
  const answer = await send({
    to: recipientOf(service, url.pathname + url.search),
    method: request.method,
    headers: [...passedOn([...request.headers]), ...remoteHeaders(requesterOf(call.identity))],
    body,
    timeoutMs,
  });
  if (!answer.ok) return page(503, answer.message);
  const { status, headers } = answer;
  const hasLocation = headers.some(([name]) => name.toLowerCase() === "location");
  if (status >= 300 && status < 400 && hasLocation) {
    return page(502, "the backend attempted to redirect this request, which is not permitted");
  }
  const answered = new Headers(passedOn(headers).map(([name, value]) => [name, value]));
  const isEmpty = status === 204 || status === 304 || request.method === "HEAD";
  // A copy, for what a response is made of must not be shared memory.
  return new Response(isEmpty ? null : new Uint8Array(answer.body), { status, headers: answered });
}

function passedOn(headers: Pairs): Pairs {
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.has(lower) && !droppedPrefixes.some((prefix) => lower.startsWith(prefix));
  });
}

/** Upstream's `SetAuthProxyHeaders`. */
export function remoteHeaders({ name, uid, groups, extra = {} }: Requester): Pairs {
  return [
    ["X-Remote-User", name],
    ...(uid ? [["X-Remote-Uid", uid] as const] : []),
    ...groups.map((group) => ["X-Remote-Group", group] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`X-Remote-Extra-${encodeURIComponent(key)}`, value] as const),
    ),
  ];
}

/** As Go's `http.Error`: no Status. */
function page(status: number, text: string): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...uncached };
  return new Response(`${text}\n`, { status, headers });
}
