// Asking outside: webhooks, aggregated APIs. Nothing here rejects; what cannot be reached says why, as Go's HTTP client would.
import type { Answer, OutsideAnswer, OutsideRequest, Question } from "../../../shared/k8s/question.ts";
import type { TunnelQuestion } from "../../../shared/contract/tunnel.ts";
import { base64Of } from "./base64.ts";
import type { Carried, Carrier } from "./carriers.ts";
import { type RouteOptions, routeOf } from "./route.ts";

export interface Outside {
  send(request: OutsideRequest): Promise<OutsideAnswer>;
  ask(question: Question): Promise<Answer>;
}

export interface OutsideOptions extends RouteOptions {
  readonly carrier: Carrier;
  tunnel(namespace: string, name: string, question: Omit<TunnelQuestion, "id">): Promise<Carried>;
}

export function newOutside(options: OutsideOptions): Outside {
  const send = async (request: OutsideRequest): Promise<OutsideAnswer> => {
    const carried = await carry(request, options);
    if (!("error" in carried)) return { ok: true, ...carried };
    return { ok: false, message: `${verbOf(request.method)} "${request.to.url}": ${carried.error}` };
  };
  return { send, ask: (question) => ask(question, send) };
}

async function carry(request: OutsideRequest, options: OutsideOptions): Promise<Carried> {
  const { to, method, headers, body, timeoutMs } = request;
  const route = routeOf(to, options);
  if ("failure" in route) return { error: route.failure };
  const { path, serverName } = route;
  const question = {
    method,
    path,
    serverName,
    ...(to.caBundle ? { caBundle: to.caBundle } : {}),
    ...(to.insecure ? { insecure: true } : {}),
    headers,
    body: base64Of(body),
    timeoutMs,
  };
  if ("origin" in route) return options.carrier({ ...question, id: "", origin: route.origin });
  return options.tunnel(route.tunnel.namespace, route.tunnel.name, question);
}

async function ask(question: Question, send: Outside["send"]): Promise<Answer> {
  const { to, body, timeoutMs, method = "POST", headers = [] } = question;
  const answer = await send({
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
  return answer.ok ? { ok: true, status: answer.status, body: new TextDecoder().decode(answer.body) } : answer;
}

/** As Go's errors begin: `Post "https://..."`. */
function verbOf(method: string): string {
  return method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase();
}
