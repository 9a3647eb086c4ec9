// Writes a request to the audit log of an API server with an audit policy (upstream: apiserver's `WithAudit`). A watch, a
// followed log or a session has no event of its end.
import { joinBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import { decodeUtf8Leniently } from "../../../shared/base/utf8.ts";
import type { AuditDecision, AuditStage } from "../../../shared/k8s/audit/policy.ts";
import { goJson } from "../../../shared/k8s/go-text.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { rfc3339Micro } from "../../../shared/k8s/time.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import { decodeEnvelope, decodeProtobuf } from "../../../shared/schema/protobuf/protobuf.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { objectRef, statusOf, userInfoOf } from "../../registry/audit.ts";
import type { AuditSink } from "../api-server.ts";
import { requesterOf } from "./authorization.ts";
import { type FilterContext, type Handler, infoOf } from "./filter.ts";
import { isLongRunning } from "./request-deadline.ts";

const userAgentCharacters = 1024;
const statusType = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
/** The work of reading one byte of a body. */
const byteWork = 0.1;
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
  const info = infoOf(context);
  write(audit, { stage: "RequestReceived", code: 0 });
  const isLong = isLongRunning(info);
  // Bodies of long-running requests are of other servers, or are no objects.
  const withRequest = !isLong && (decision.level === "Request" || decision.level === "RequestResponse");
  const withAnswer = decision.level === "RequestResponse";
  const copy = withRequest && request.body ? request.clone() : undefined;
  const requestObject = () => (copy ? bodyOf(audit, copy) : Promise.resolve(undefined));
  let response: Response;
  try {
    response = await next(context);
  } catch (error) {
    if (error instanceof ApiError) {
      const outcome = { code: error.code, error, requestObject: await requestObject() };
      if (isLong) write(audit, { ...outcome, stage: "ResponseStarted" });
      const responseObject = withAnswer ? error.toStatus() : undefined;
      write(audit, { ...outcome, stage: "ResponseComplete", responseObject });
    }
    throw error;
  }
  const isOpen = response.status === 101 || (response.ok && isFollowed(context));
  const answer = !isLong && withAnswer && response.body ? response.clone() : undefined;
  const outcome = { code: response.status, requestObject: await requestObject() };
  if (isLong) write(audit, { ...outcome, stage: "ResponseStarted" });
  if (!isOpen)
    write(audit, { ...outcome, stage: "ResponseComplete", responseObject: answer && (await bodyOf(audit, answer)) });
  return response;
}

/** Reports whether a request's answer goes on until its client leaves. */
function isFollowed(context: FilterContext): boolean {
  const info = infoOf(context);
  const isLog = info.isResource && info.subresource === "log";
  return info.verb === "watch" || (isLog && context.url.searchParams.get("follow") === "true");
}

/** Reads a body; undefined for unknown forms and for long bodies. */
async function bodyOf({ context }: Audit, message: Request | Response): Promise<unknown> {
  const type = message.headers.get("content-type") ?? "application/json";
  if (!/json|yaml|protobuf/.test(type) || message.headers.has("content-encoding")) {
    stop(message.body?.cancel());
    return undefined;
  }
  const bytes = await bytesOf(message.body);
  if (bytes === undefined || bytes.length === 0) return undefined;
  context.server.registry.store.meter.account(bytes.length * byteWork);
  try {
    if (type.includes("protobuf")) return fromProtobuf(context, bytes);
    const text = decodeUtf8Leniently(bytes);
    return type.includes("yaml") ? readYaml(text).value : (JSON.parse(text) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof YamlError || error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Decodes an object, a list or a status. */
function fromProtobuf({ server }: FilterContext, bytes: Uint8Array): unknown {
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  const { catalogue } = server.registry;
  const item = catalogue.byKind(apiVersion, kind.replace(/List$/, ""))?.type;
  const type = kind === "Status" ? statusType : item && (kind.endsWith("List") ? `${item}List` : item);
  return type === undefined ? undefined : { kind, apiVersion, ...(decodeProtobuf(type, raw) as object) };
}

/** Reads bytes up to the limit of an event. */
async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(chunks, length);
    chunks.push(value);
    length += value.length;
    if (length <= limits.auditEventCharacters) continue;
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
  const full = goJson({ ...event, requestObject, responseObject, ...times(audit, nowMs), annotations });
  if (full.length <= limits.auditEventCharacters) return sink.write(nowMs, [full]);
  const short = goJson({ ...event, ...times(audit, nowMs), annotations: { ...annotations, ...truncated } });
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
  const pluginAnnotations = [...annotations].sort(([a], [b]) => (a < b ? -1 : 1));
  if (!identity || !info) return Object.fromEntries(pluginAnnotations);
  const attributes = info.isResource
    ? { ...info, path: "" }
    : { ...info, group: "", plural: "", subresource: "", namespace: "", name: "" };
  const { allowed, reason } = server.registry.authorizer.decide(requesterOf(identity), attributes);
  return {
    "authorization.k8s.io/decision": allowed ? "allow" : "forbid",
    "authorization.k8s.io/reason": reason,
    ...Object.fromEntries(pluginAnnotations),
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
      ? {
          rows: rows.map((row: unknown) =>
            isObject(row) ? { ...row, object: withoutManagedFields(row["object"]) } : row,
          ),
        }
      : {}),
  };
}

function without(metadata: Readonly<Record<string, unknown>>): object {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}
