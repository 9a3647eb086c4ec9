// Writes a request to the audit log of an API server with an audit policy (upstream: apiserver's `WithAudit`). A watch or a session has no
// event of its end.
import { limits } from "../../../shared/base/limits.ts";
import type { AuditDecision, AuditStage } from "../../../shared/k8s/audit-policy.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { objectRef, statusOf, userInfoOf } from "../../registry/audit.ts";
import type { AuditSink } from "../api-server.ts";
import { requesterOf } from "./authorization.ts";
import { type FilterContext, type Handler, infoOf } from "./filter.ts";

const userAgentCharacters = 1024;
const truncated = { "audit.k8s.io/truncated": "true" };

interface Audit {
  readonly context: FilterContext;
  readonly sink: AuditSink;
  readonly decision: AuditDecision;
  readonly receivedMs: number;
}

/** The results of a request that its last event names. */
interface Outcome {
  readonly stage: AuditStage;
  readonly code: number;
  readonly error?: ApiError;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
}

/** Handles a request and writes its events. Returns undefined if the policy leaves the request out. */
export function auditedBy(sink: AuditSink, next: Handler, context: FilterContext): Promise<Response> | undefined {
  const info = infoOf(context);
  const sender = context.sender?.user;
  if (!sender) return undefined;
  const path = info.isResource ? context.url.pathname : info.path;
  const about = info.isResource ? info : { group: "", plural: "", subresource: "", namespace: "", name: "" };
  const decision = sink.decide({ ...about, isResource: info.isResource, verb: info.verb, path, user: sender });
  if (decision.level === "None") return undefined;
  const receivedMs = context.server.registry.clock.nowMs();
  return follow({ context, sink, decision, receivedMs }, next);
}

async function follow(audit: Audit, next: Handler): Promise<Response> {
  const { context, decision } = audit;
  const { request } = context;
  write(audit, { stage: "RequestReceived", code: 0 });
  const withBodies = decision.level === "Request" || decision.level === "RequestResponse";
  const copy = withBodies && request.body ? request.clone() : undefined;
  const requestObject = () => (copy ? bodyOf(copy) : Promise.resolve(undefined));
  let response: Response;
  try {
    response = await next(context);
  } catch (error) {
    if (error instanceof ApiError) {
      const responseObject = decision.level === "RequestResponse" ? error.toStatus() : undefined;
      const outcome = { stage: "ResponseComplete", code: error.code, error, responseObject } as const;
      write(audit, { ...outcome, requestObject: await requestObject() });
    }
    throw error;
  }
  const isLong = response.status === 101 || (context.info?.verb === "watch" && response.ok);
  const answer = !isLong && decision.level === "RequestResponse" && response.body ? response.clone() : undefined;
  write(audit, {
    stage: isLong ? "ResponseStarted" : "ResponseComplete",
    code: response.status,
    requestObject: await requestObject(),
    responseObject: answer && (await bodyOf(answer)),
  });
  return response;
}

/** Reads a body as JSON or YAML; undefined for other forms and for long bodies. */
async function bodyOf(message: Request | Response): Promise<unknown> {
  const type = message.headers.get("content-type") ?? "application/json";
  const isYaml = type.includes("yaml");
  if ((!isYaml && !type.includes("json")) || message.headers.has("content-encoding")) {
    stop(message.body?.cancel());
    return undefined;
  }
  const text = await textOf(message.body);
  if (text === undefined || text === "") return undefined;
  try {
    return isYaml ? readYaml(text).value : (JSON.parse(text) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof YamlError) return undefined;
    throw error;
  }
}

/** Reads a text up to the limit of an event. */
async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= limits.auditEventCharacters) continue;
    stop(reader.cancel());
    return undefined;
  }
}

/** Ends a copy of a stream. Its end is not awaited, because it waits for the end of the other copy. */
function stop(cancelled: Promise<void> | undefined): void {
  cancelled?.catch(() => undefined);
}

function write(audit: Audit, outcome: Outcome): void {
  const { sink, decision, context } = audit;
  if (decision.omitStages.includes(outcome.stage)) return;
  const nowMs = context.server.registry.clock.nowMs();
  const { requestObject, responseObject, annotations, ...event } = eventOf(audit, outcome);
  const full = JSON.stringify({ ...event, requestObject, responseObject, ...times(audit, nowMs), annotations });
  if (full.length <= limits.auditEventCharacters) return sink.write(nowMs, [full]);
  const short = JSON.stringify({ ...event, ...times(audit, nowMs), annotations: { ...annotations, ...truncated } });
  if (short.length <= limits.auditEventCharacters) sink.write(nowMs, [short]);
}

function times({ receivedMs }: Audit, nowMs: number) {
  return { requestReceivedTimestamp: rfc3339Micro(receivedMs), stageTimestamp: rfc3339Micro(nowMs) };
}

function eventOf({ context, decision }: Audit, outcome: Outcome) {
  const { url, request, sender, identity, posted } = context;
  const info = infoOf(context);
  const isReceived = outcome.stage === "RequestReceived";
  const userAgent = request.headers.get("user-agent") ?? "";
  const version = info.isResource ? info.apiVersion.slice(info.apiVersion.indexOf("/") + 1) : "";
  const bare = (value: unknown) => (decision.omitManagedFields ? withoutManagedFields(value) : value);
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: decision.level,
    auditID: context.auditId,
    stage: outcome.stage,
    requestURI: url.pathname + url.search,
    verb: info.verb,
    user: sender && userInfoOf(requesterOf(sender)),
    impersonatedUser: isReceived || !identity || identity === sender ? undefined : userInfoOf(requesterOf(identity)),
    userAgent:
      userAgent.length > userAgentCharacters ? `${userAgent.slice(0, userAgentCharacters)}...TRUNCATED` : userAgent,
    objectRef: info.isResource
      ? objectRef({ ...info, name: info.name || (isReceived ? "" : posted.name), version })
      : undefined,
    responseStatus: isReceived
      ? undefined
      : outcome.error
        ? statusOf(outcome.error)
        : { metadata: {}, code: outcome.code },
    requestObject: bare(outcome.requestObject),
    responseObject: bare(outcome.responseObject),
    annotations: isReceived ? undefined : annotationsOf(context),
  };
}

/** Returns the annotations of plugins, and the authorizer's decision. */
function annotationsOf({ server, identity, annotations, info }: FilterContext) {
  const own = Object.fromEntries(annotations);
  if (!identity || !info) return own;
  const attributes = info.isResource
    ? { ...info, path: "" }
    : { ...info, group: "", plural: "", subresource: "", namespace: "", name: "" };
  const { allowed, reason } = server.registry.authorizer.decide(requesterOf(identity), attributes);
  return {
    "authorization.k8s.io/decision": allowed ? "allow" : "forbid",
    "authorization.k8s.io/reason": reason,
    ...own,
  };
}

/** Returns an object, list or table without the managed fields of its objects. */
function withoutManagedFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata, items, rows } = value;
  return {
    ...value,
    ...(isObject(metadata) ? { metadata: without(metadata) } : {}),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
    ...(Array.isArray(rows)
      ? { rows: rows.map((row) => (isObject(row) ? { ...row, object: withoutManagedFields(row["object"]) } : row)) }
      : {}),
  };
}

function without(metadata: Readonly<Record<string, unknown>>): object {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}
