// Dispatches a request of the Kubernetes API to its verb, subresource or document.
import { Evaluations } from "../../shared/k8s/bounds/evaluations.ts";
import { assert, must } from "../../shared/base/assert.ts";
import { type MaybePromise, whenThere } from "./maybe-promise.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import { proxied } from "./aggregation/proxy.ts";
import { remoteOf } from "./aggregation/remote.ts";
import type { ApiRequest } from "./api-request.ts";
import { whenAnswered } from "./asking.ts";
import { connection } from "./connect/catalogue.ts";
import { openTunnel, tunnelTarget } from "./connect/tunnel.ts";
import { type FilterContext, infoOf } from "./filters/filter.ts";
import { checkAccept, checkPatchType, producedBy } from "./negotiation/media-routes.ts";
import { nonResource, noSuchPage } from "./non-resource/non-resource.ts";
import { answerOwnRead, ownRead } from "./own-reads.ts";
import { serverAt } from "./past.ts";
import { storedKind } from "./present/present.ts";
import type { ResourceInfo } from "./request-info.ts";
import { action } from "./subresources/action.ts";
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

/** Dispatches a request at the end of the handler chain. */
export function dispatch(context: FilterContext): MaybePromise<Response> {
  const { request, url, sender, auditId, warnings, annotations, posted } = context;
  const server = serverAt(context);
  const identity = must(context.identity, "the identity");
  const credential = sender?.credential;
  const impersonator = identity === sender ? undefined : sender?.user.name;
  const of = { identity, credential, impersonator, auditId, sent: context };
  const req: ApiRequest = {
    server,
    request,
    url,
    ...of,
    warnings,
    annotations,
    posted,
    evaluations: new Evaluations(),
  };
  const info = infoOf(context);
  if (info.isResource) {
    const additionalRead = ownRead(server, info);
    return additionalRead ? answerOwnRead(req, info, additionalRead) : resource(req, info);
  }
  const tunnel = tunnelTarget(info, url.searchParams);
  return tunnel ? openTunnel(req, tunnel) : nonResource(req);
}

function resource(req: ApiRequest, info: ResourceInfo): MaybePromise<Response> {
  const { catalogue } = req.server.registry;
  const kind = catalogue.byPath(info.apiVersion, info.plural);
  const elsewhere = kind && !kind.custom ? undefined : remoteOf(req.server.registry, info.apiVersion);
  if (elsewhere && req.server.registry.store.isPast)
    throw ApiError.badRequest("at: an aggregated API has no past here");
  if (elsewhere) return proxied(req, elsewhere);
  if (kind ? isElsewhere(kind, info) : !isKnown(catalogue.kinds, info)) return noSuchPage();
  if (!kind || (info.rest !== "" && info.subresource !== "proxy")) throw ApiError.noSuchPath();
  // A path with a namespace for a cluster-scoped kind, or without one for a named object, does not exist.
  if (!kind.namespaced && info.namespace !== "" && kind.plural !== "namespaces") throw ApiError.noSuchPath();
  if (kind.namespaced && info.namespace === "" && info.name !== "") throw ApiError.noSuchPath();
  const target = kind.namespaced ? info : { ...info, namespace: "" };
  return info.subresource === "" ? verb(req, kind, target) : subresource(req, kind, target);
}

function verb(req: ApiRequest, kind: Kind, info: ResourceInfo): MaybePromise<Response> {
  // Resources that are only created have no paths of single objects.
  if (info.name !== "" && virtualResource(kind)) throw ApiError.noSuchPath();
  if (req.request.method === "HEAD" || info.verb === "") throw ApiError.notAllowed();
  if (info.verb !== "connect" && !kind.verbs.includes(info.verb)) throw ApiError.notAllowed();
  // Across all namespaces, only reads are possible.
  const isRead = info.verb === "list" || info.verb === "watch";
  if (kind.namespaced && info.namespace === "" && !isRead) throw ApiError.notAllowed();
  const isOfOne = info.verb === "update" || info.verb === "patch";
  if (info.verb === "create" ? info.name !== "" : isOfOne && info.name === "") throw ApiError.notAllowed();
  routed(req, kind, info);
  switch (info.verb) {
    case "get":
      return whenMeasured(req, kind, () => whenAnswered(req, () => get(req, kind, info)));
    case "list":
      return whenMeasured(req, kind, () =>
        whenAnswered(req, () => readAhead(req, kind, info) ?? list(req, kind, info)),
      );
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
      return whenThere(
        whenAnswered(req, () => readAhead(req, kind, info)),
        () => deleteCollection(req, kind, info),
      );
    default:
      throw ApiError.noSuchPath();
  }
}

/** Checks media types as upstream's router does, and warns about deprecated versions. */
function routed({ request, warnings }: ApiRequest, kind: Kind, { verb, subresource }: ResourceInfo): void {
  if (kind.deprecation) warnings.push(kind.deprecation);
  if (kind.custom) return;
  if (verb === "patch") checkPatchType(request.headers);
  checkAccept(request.headers, producedBy(verb, subresource === "log"));
}

/** Reads a kind after the measurements that it shows are renewed. */
function whenMeasured(
  { server }: ApiRequest,
  kind: Kind,
  answer: () => MaybePromise<Response>,
): MaybePromise<Response> {
  const renewing = kind.showsMeasurements ? server.measure?.() : undefined;
  return renewing ? whenThere(renewing, answer) : answer();
}

/** Starts the outbound calls that reading a collection needs. */
function readAhead({ server }: ApiRequest, kind: Kind, { namespace }: ResourceInfo): undefined {
  const { store } = server.registry;
  kind.conversion?.prefetch?.(store.list({ resource: kind.resource, namespace: namespace || undefined }));
}

function created(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  const virtual = virtualResource(kind);
  return virtual ? createVirtual(req, virtual, info) : create(req, kind, info);
}

function subresource(req: ApiRequest, kind: Kind, info: ResourceInfo): MaybePromise<Response> {
  const { subresources } = kind;
  const methods = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
  // Upstream's router accepts every request for a custom resource.
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

/** Reports whether a group handles the request. A built-in group handles all paths, a custom one only served resources. */
function isKnown(kinds: readonly Kind[], { group }: ResourceInfo): boolean {
  return kinds.some((kind) => kind.group === group && !kind.custom);
}

/**
 * Reports whether a path has a wrong scope. As upstream, custom resources accept lists across namespaces, and otherwise require a matching
 * scope.
 */
function isElsewhere(kind: Kind, { namespace, verb }: ResourceInfo): boolean {
  if (!kind.custom) return false;
  const isOfAll = verb === "list" || verb === "watch";
  return kind.namespaced ? namespace === "" && !isOfAll : namespace !== "";
}
