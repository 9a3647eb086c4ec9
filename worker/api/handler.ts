// The handler chain of the Kubernetes API, in order: who asks, as whom, what for, may they, then the verb; any refusal is a Status.
import { assert } from "../../shared/base/assert.ts";
import { discardBody } from "../../shared/base/discard.ts";
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import { proxied } from "./aggregation/proxy.ts";
import { remoteOf } from "./aggregation/remote.ts";
import { whenAnswered } from "./asking.ts";
import { auditRequest } from "./filters/audit.ts";
import { authenticate } from "./filters/authentication.ts";
import { aboutSelected, authorize, fieldsOf, requesterOf } from "./filters/authorization.ts";
import { connection } from "./connect/catalogue.ts";
import { failure } from "./filters/error-status.ts";
import { flowHeaders } from "./filters/priority-and-fairness.ts";
import { impersonated } from "./filters/impersonation.ts";
import { checkAccept, checkPatchType, producedBy } from "./negotiation/media-routes.ts";
import { metricsOf } from "./non-resource/metrics.ts";
import { nonResource, noSuchPage } from "./non-resource/non-resource.ts";
import { answerOwnRead, asGet, ownRead } from "./own-reads.ts";
import { storedKind, uncached } from "./present/present.ts";
import { type RequestInfo, requestInfo, type ResourceInfo } from "./filters/request-info.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Identity, ApiServer } from "./api-server.ts";
import { action } from "./subresources/action.ts";
import { openTunnel, tunnelTarget } from "./connect/tunnel.ts";
import { scale } from "./subresources/scale.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection, deleteOne } from "./verbs/delete.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";
import { virtualResource, virtualSubresource } from "./virtual/catalogue.ts";
import { createVirtual } from "./virtual/resource.ts";

/** What is known of a request so far: an answer tells of it, whatever becomes of the request. */
interface Progress {
  readonly auditId: string;
  readonly warnings: string[];
  /** Headers that every answer carries. */
  readonly headers: Record<string, string>;
  readonly annotations: Map<string, string>;
  readonly posted: { name: string };
  info?: RequestInfo;
  sender?: Identity;
  identity?: Identity;
  error?: ApiError;
}

export async function handle(server: ApiServer, request: Request): Promise<Response> {
  const auditId = request.headers.get("audit-id") || crypto.randomUUID();
  const headers = { "audit-id": auditId };
  const progress: Progress = { auditId, warnings: [], annotations: new Map(), posted: { name: "" }, headers };
  const startedMs = server.nowMs();
  const done = metricsOf(server).begin(request);
  const response = await served(server, request, progress).catch((error: unknown) => {
    if (error instanceof ApiError) progress.error = error;
    return failure(server, request, error, progress.warnings);
  });
  auditRequest(server, request, progress, response.status);
  await discardBody(request, limits.discardedBodyBytes);
  done(progress.info, response.status, server.nowMs() - startedMs);
  // A socket's headers are the edge's.
  if (response.status === 101) return response;
  for (const [name, value] of Object.entries(progress.headers)) response.headers.set(name, value);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", uncached["cache-control"]);
  return response;
}

async function served(server: ApiServer, request: Request, progress: Progress): Promise<Response> {
  const url = new URL(request.url);
  const info = requestInfo(request.method, url.pathname, url.searchParams);
  progress.info = info;
  const sender = await authenticate(server, request);
  if (request.headers.has(internalHeaders.lifeline)) return held(server, sender);
  const fields = fieldsOf(url.searchParams, info.verb);
  const { headers } = progress;
  // What is refused here must not be taken for a page; what comes later is no stranger's.
  headers["x-content-type-options"] = "nosniff";
  const identity = impersonated(server.registry.authorizer, sender, request.headers, {
    info: aboutSelected(info, fields),
    fields,
  });
  Object.assign(progress, { sender, identity });
  Object.assign(headers, flowHeaders(server.registry, requesterOf(identity), info));
  // A step of what has begun already is no request of its own.
  if (goesOn(request)) return dispatched(server, request, { progress, url, info, identity, fields });
  const ended = server.load.begin(request);
  if (!ended) return tooManyRequests();
  try {
    return await dispatched(server, request, { progress, url, info, identity, fields });
  } finally {
    ended();
  }
}

interface Classified {
  readonly progress: Progress;
  readonly url: URL;
  readonly info: RequestInfo;
  readonly identity: Identity;
  readonly fields: ReturnType<typeof fieldsOf>;
}

async function dispatched(server: ApiServer, request: Request, classified: Classified): Promise<Response> {
  const { progress, url, info, identity, fields } = classified;
  const { headers } = progress;
  const own = ownRead(server, info);
  const tunnel = tunnelTarget(info, url.searchParams);
  const asked = tunnel ?? (own ? asGet(info) : aboutSelected(info, fields));
  authorize(server.registry.authorizer, identity, asked, fields);
  delete headers["x-content-type-options"];
  const { auditId, warnings, annotations, posted } = progress;
  const credential = progress.sender?.credential;
  const req: ApiRequest = { server, request, url, identity, credential, auditId, warnings, annotations, posted };
  if (tunnel) return openTunnel(req, tunnel);
  if (own && info.isResource) return answerOwnRead(req, info, own);
  return info.isResource ? resource(req, info) : nonResource(req);
}

/** Only the edge asks for one, for whom it has let in. */
function held({ sockets }: ApiServer, { credential }: Identity): Response {
  if (!sockets) throw ApiError.noSuchPath();
  return sockets.hold(credential);
}

/** The edge goes on with a watch, a log that is followed or a command. */
function goesOn({ headers, url }: Request): boolean {
  if (headers.has(internalHeaders.since) || headers.has(internalHeaders.logPosition)) return true;
  return headers.get(internalHeaders.session) === "step" && !new URL(url).pathname.endsWith("/portforward");
}

/** As upstream's priority and fairness: who is refused is told in one line, and comes again. */
function tooManyRequests(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": String(limits.retryAfterSeconds) };
  return new Response("Too many requests, please try again later.\n", { status: 429, headers });
}

async function resource(req: ApiRequest, info: ResourceInfo): Promise<Response> {
  const { catalogue } = req.server.registry;
  const kind = catalogue.byPath(info.apiVersion, info.plural);
  const elsewhere = kind && !kind.custom ? undefined : remoteOf(req.server.registry, info.apiVersion);
  if (elsewhere) return proxied(req, elsewhere);
  if (kind ? isElsewhere(kind, info) : !isKnown(catalogue.kinds, info)) return noSuchPage();
  if (!kind || (info.rest !== "" && info.subresource !== "proxy")) throw ApiError.noSuchPath();
  // A namespace in the path of what has none, or none where one is needed for a name: no such path.
  if (!kind.namespaced && info.namespace !== "" && kind.plural !== "namespaces") throw ApiError.noSuchPath();
  if (kind.namespaced && info.namespace === "" && info.name !== "") throw ApiError.noSuchPath();
  const target = kind.namespaced ? info : { ...info, namespace: "" };
  return info.subresource === "" ? verb(req, kind, target) : subresource(req, kind, target);
}

function verb(req: ApiRequest, kind: Kind, info: ResourceInfo): Response | Promise<Response> {
  // What is only ever created has no paths of single objects.
  if (info.name !== "" && virtualResource(kind)) throw ApiError.noSuchPath();
  if (req.request.method === "HEAD" || info.verb === "") throw ApiError.notAllowed();
  if (info.verb !== "connect" && !kind.verbs.includes(info.verb)) throw ApiError.notAllowed();
  // All namespaces at once are only read.
  const isRead = info.verb === "list" || info.verb === "watch";
  if (kind.namespaced && info.namespace === "" && !isRead) throw ApiError.notAllowed();
  const isOfOne = info.verb === "update" || info.verb === "patch";
  if (info.verb === "create" ? info.name !== "" : isOfOne && info.name === "") throw ApiError.notAllowed();
  routed(req, kind, info);
  switch (info.verb) {
    case "get":
      return whenAnswered(req, () => get(req, kind, info));
    case "list":
      return whenAnswered(req, () => readAhead(req, kind, info) ?? list(req, kind, info));
    case "watch":
      return whenAnswered(req, () => readAhead(req, kind, info) ?? watch(req, kind, info));
    case "create":
      return created(req, kind, info);
    case "update":
      return update(req, kind, info);
    case "patch":
      return patch(req, kind, info);
    case "delete":
      return deleteOne(req, kind, info);
    case "deletecollection":
      return whenAnswered(req, () => readAhead(req, kind, info)).then(() => deleteCollection(req, kind, info));
    default:
      throw ApiError.noSuchPath();
  }
}

/** The router has its say about what is sent and wanted, and every request about a deprecated version is told so. */
function routed({ request, warnings }: ApiRequest, kind: Kind, { verb, subresource }: ResourceInfo): void {
  if (kind.deprecation) warnings.push(kind.deprecation);
  if (kind.custom) return;
  if (verb === "patch") checkPatchType(request.headers);
  checkAccept(request.headers, producedBy(verb, subresource === "log"));
}

/** What a collection's objects must be asked for is asked at once. */
function readAhead({ server }: ApiRequest, kind: Kind, { namespace }: ResourceInfo): undefined {
  const { store } = server.registry;
  kind.conversion?.prefetch?.(store.list({ resource: kind.resource, namespace: namespace || undefined }));
}

function created(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const virtual = virtualResource(kind);
  return virtual ? createVirtual(req, virtual, info) : create(req, kind, info);
}

async function subresource(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { subresources } = kind;
  const methods = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
  // Every request about a custom resource is taken up, whatever it asks.
  if (kind.custom) routed(req, kind, info);
  if (!methods && kind.custom) throw ApiError.notFound(kind.groupResource, info.name);
  if (!methods) throw ApiError.noSuchPath();
  if (!methods.includes(req.request.method.toLowerCase())) {
    throw kind.custom ? ApiError.methodNotAllowed(kind.groupResource, info.verb) : ApiError.notAllowed();
  }
  const connect = connection(kind, info.subresource);
  if (!kind.custom && (!connect || info.subresource === "log")) routed(req, kind, info);
  const virtual = virtualSubresource(kind, info.subresource);
  if (virtual) return virtual(req, info);
  if (connect) return connect(req, kind, info);
  if (info.subresource === "scale" && kind.scale) return scale(req, kind, info);
  if (storedKind(kind).actions?.[info.subresource]) return action(req, kind, info);
  const isWritten = info.subresource === "status" || kind.subresourceStrategies?.[info.subresource] !== undefined;
  assert(isWritten, `${kind.plural}/${info.subresource} is served`);
  if (info.verb === "get") return whenAnswered(req, () => get(req, kind, info));
  return info.verb === "patch" ? patch(req, kind, info) : update(req, kind, info);
}

/** A group of Kubernetes' own answers for whatever is asked of it, a custom one for what it serves. */
function isKnown(kinds: readonly Kind[], { group }: ResourceInfo): boolean {
  return kinds.some((kind) => kind.group === group && !kind.custom);
}

/** As upstream: what a definition brings is in a namespace in all paths, but for reading those of all, or in none. */
function isElsewhere(kind: Kind, { namespace, verb }: ResourceInfo): boolean {
  if (!kind.custom) return false;
  const isOfAll = verb === "list" || verb === "watch";
  return kind.namespaced ? namespace === "" && !isOfAll : namespace !== "";
}
