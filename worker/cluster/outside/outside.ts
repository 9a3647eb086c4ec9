// Asking outside: webhooks, aggregated APIs. Nothing here rejects; what cannot be reached says why, as Go's HTTP client would.
import { deadlineExceeded, isBodyFailure } from "../../../shared/base/fetch-failures.ts";
import type {
  OutboundAnswer,
  OutboundCall,
  OutsideAnswer,
  OutsideRequest,
  Recipient,
  WebhookIdentity,
} from "../../../shared/k8s/outbound-call.ts";
import type { TunnelCall } from "../../../shared/contract/tunnel.ts";
import type { Credential, Relay } from "../../api/api-server.ts";
import { base64Of } from "../../../shared/base/base64.ts";
import type { FrontProxy } from "../../controllers/authentication-trust.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { Transport, TransportAnswer } from "./transports.ts";
import type { AskPods } from "./in-cluster.ts";
import { type RouteOptions, routeOf } from "./route.ts";

const maxRetries = 10;

export interface Outside {
  send(request: OutsideRequest): Promise<OutsideAnswer>;
  ask(call: OutboundCall): Promise<OutboundAnswer>;
  /** For an answer that comes in pieces. */
  readonly relay: Relay;
}

export interface WebhookFault {
  readonly delayMs: number;
  readonly failure: "timeout" | "refused" | "error" | undefined;
}

export interface OutsideOptions extends RouteOptions {
  readonly transport: Transport;
  readonly askPods: AskPods;
  tunnel(namespace: string, name: string, call: Omit<TunnelCall, "id">): Promise<TransportAnswer>;
  /** Returns the 101 answer; undefined where no tunnel is open. */
  stream(
    namespace: string,
    name: string,
    call: Omit<TunnelCall, "id">,
    credential: Credential | undefined,
  ): Response | undefined;
  /** Returns the cluster's identity towards the servers of aggregated APIs. */
  frontProxy?(): Pick<FrontProxy, "certificate" | "key">;
  /** Returns the injected fault of a call of a webhook. */
  webhookFault?(webhook: WebhookIdentity): WebhookFault | undefined;
  /** Waits for milliseconds of real time. */
  wait?(ms: number): Promise<void>;
  /** Told of a Service whose server did not answer. */
  failed(namespace: string, name: string): void;
}

export function newOutside(options: OutsideOptions): Outside {
  const { failed } = options;
  const send = async (request: OutsideRequest): Promise<OutsideAnswer> => {
    const answer = await routeRequest(request, options);
    if ("error" in answer) return { ok: false, message: answer.error };
    return { ok: true, ...answer };
  };
  const relay: Relay = {
    way: (request) => {
      const route = routeOf(request.to, options);
      if ("failure" in route) return undefined;
      if ("tunnel" in route) return { way: "tunnel", timeoutMs: request.timeoutMs };
      return { way: "direct", call: { ...callOf(request, route, options), id: "", origin: route.origin } };
    },
    join: (request, credential) => {
      const route = routeOf(request.to, options);
      if (!("tunnel" in route)) return undefined;
      const call = { ...callOf(request, route, options), stream: true };
      return options.stream(route.tunnel.namespace, route.tunnel.name, call, credential);
    },
    failed: ({ namespace, name }) => failed(namespace, name),
  };
  return { send, ask: (call) => askFaulty(call, send, options), relay };
}

async function routeRequest(request: OutsideRequest, options: OutsideOptions): Promise<TransportAnswer> {
  const route = routeOf(request.to, options);
  if ("failure" in route) {
    const answered = route.pods && (await options.askPods(route.pods, route.path, request));
    return answered ?? { error: route.failure };
  }
  const call = callOf(request, route, options);
  if ("origin" in route) return options.transport({ ...call, id: "", origin: route.origin });
  return options.tunnel(route.tunnel.namespace, route.tunnel.name, call);
}

function callOf(
  { to: { caBundle, insecure, isAggregated }, method, headers, body, timeoutMs }: OutsideRequest,
  { path, serverName }: { readonly path: string; readonly serverName: string },
  { frontProxy }: Pick<OutsideOptions, "frontProxy">,
): Omit<TunnelCall, "id"> {
  const { certificate, key } = (isAggregated && frontProxy?.()) || {};
  const trust = {
    ...(caBundle ? { caBundle } : {}),
    ...(insecure ? { insecure } : {}),
    ...(certificate && key ? { client: { certificate, key } } : {}),
  };
  return { method, path, serverName, ...trust, headers, body: base64Of(body), timeoutMs };
}

async function askFaulty(call: OutboundCall, send: Outside["send"], options: OutsideOptions): Promise<OutboundAnswer> {
  const { webhook, to, timeoutMs, method } = call;
  const fault = webhook && options.webhookFault?.(webhook);
  if (!fault) return ask(call, send);
  const isTimeout = fault.failure === "timeout" || fault.delayMs >= timeoutMs;
  await options.wait?.(isTimeout ? timeoutMs : fault.delayMs);
  const failed = (message: string): OutboundAnswer => ({
    ok: false,
    message: `${verbOf(method ?? "POST")} "${to.url}": ${message}`,
  });
  if (isTimeout) return failed(deadlineExceeded);
  if (fault.failure === "refused") return failed(`dial tcp ${addressOf(to, options)}: connect: connection refused`);
  if (fault.failure === "error") return { ok: true, status: 500, body: "", contentType: "text/plain" };
  return ask({ ...call, timeoutMs: timeoutMs - fault.delayMs }, send);
}

/** Returns the address that a connection to a recipient is refused at. */
function addressOf({ url, service }: Recipient, { reads }: OutsideOptions): string {
  if (!service) {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port || "443"}`;
  }
  const { clusterIP = "" } = reads.get(services, service.namespace, service.name)?.spec ?? {};
  return `${clusterIP}:${service.port}`;
}

async function ask(call: OutboundCall, send: Outside["send"]): Promise<OutboundAnswer> {
  const { to, body, timeoutMs, method = "POST", headers = [] } = call;
  const answer = await patiently(send, {
    to,
    method,
    headers: [
      ["accept", "application/json, */*"],
      ...(method === "POST" ? ([["content-type", "application/json"]] as const) : []),
      ...headers,
    ],
    body: method === "POST" ? new TextEncoder().encode(body) : new Uint8Array(),
    timeoutMs,
  });
  if (!answer.ok) {
    const { message } = answer;
    return { ok: false, message: isBodyFailure(message) ? message : `${verbOf(method)} "${to.url}": ${message}` };
  }
  const contentType = answer.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const { status } = answer;
  return { ok: true, status, body: new TextDecoder().decode(answer.body), ...(contentType ? { contentType } : {}) };
}

/** Repeats a request that was answered with Retry-After, as upstream's client of webhooks does: as often, and within the whole timeout. */
async function patiently(send: Outside["send"], request: OutsideRequest): Promise<OutsideAnswer> {
  const endMs = Date.now() + request.timeoutMs;
  for (let retry = 1; ; retry++) {
    const answer = await send(retry === 1 ? request : { ...request, timeoutMs: Math.max(1, endMs - Date.now()) });
    const waitMs = request.method === "POST" && retry <= maxRetries ? waitOf(answer) : undefined;
    if (waitMs === undefined) return answer;
    const leftMs = endMs - Date.now();
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
    if (waitMs >= leftMs) return { ok: false, message: deadlineExceeded };
  }
}

/** Returns the delay that a busy or failing server requests; undefined for none. */
function waitOf(answer: OutsideAnswer): number | undefined {
  if (!answer.ok || (answer.status !== 429 && answer.status < 500)) return undefined;
  const header = answer.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? "";
  return /^[+-]?\d+$/.test(header) ? Math.max(0, Number(header) * 1000) : undefined;
}

/** As Go's errors begin: `Post "https://..."`. */
function verbOf(method: string): string {
  return method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase();
}
