// The handler chain of the Kubernetes API, in order: who asks, what for, may they, then the verb; any refusal is a Status.
import { AssertionError } from "../../shared/base/assert.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import { authenticate } from "./authentication.ts";
import { authorize } from "./authorization.ts";
import { discover } from "./discovery.ts";
import type { Document } from "./document.ts";
import { encodeOutput } from "./encoding.ts";
import { health } from "./health.ts";
import { serveOpenApi } from "./openapi.ts";
import { storedKind, warningsOf } from "./present.ts";
import { requestInfo, type ResourceInfo } from "./request-info.ts";
import type { Call, Service } from "./service.ts";
import { action } from "./subresources/action.ts";
import { scale } from "./subresources/scale.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection, deleteOne } from "./verbs/delete.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

export async function handle(service: Service, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const warnings: string[] = [];
  try {
    const identity = authenticate(service, request);
    const info = requestInfo(request.method, url.pathname, url.searchParams);
    authorize(identity, info);
    const call: Call = { service, request, url, identity, warnings };
    return await (info.isResource ? resource(call, info) : nonResource(call));
  } catch (error) {
    return failure(service, request, error, warningsOf({ warnings }));
  }
}

async function nonResource(call: Call): Promise<Response> {
  const { request, url, service } = call;
  const path = url.pathname;
  const isRead = request.method === "GET" || request.method === "HEAD";
  const answer = isRead ? health(path, url.searchParams) : undefined;
  if (answer) return answer;
  const query = {
    path,
    accept: request.headers.get("accept"),
    ifNoneMatch: request.headers.get("if-none-match"),
    userAgent: request.headers.get("user-agent"),
    pretty: url.searchParams.get("pretty"),
    serverAddress: url.host,
    hash: url.searchParams.get("hash"),
  };
  const { kinds } = service.registry.catalogue;
  const document = isRead
    ? ((await discover(kinds, query)) ??
      (await serveOpenApi(kinds, { ...query, nowMs: service.registry.clock.nowMs() })))
    : undefined;
  if (document) return documentResponse(document);
  if (path === "/" && isRead) return Response.json({ paths: rootPaths(kinds) });
  throw ApiError.noSuchPath();
}

function rootPaths(kinds: readonly Kind[]): string[] {
  const groups = kinds
    .filter((kind) => kind.group !== "")
    .flatMap((kind) => [`/apis/${kind.group}`, `/apis/${kind.apiVersion}`]);
  const others = [
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return [...new Set([...groups, ...others])].sort();
}

function documentResponse({ status, headers, body }: Document): Response {
  return new Response(body ?? null, { status, headers });
}

async function resource(call: Call, info: ResourceInfo): Promise<Response> {
  const kind = call.service.registry.catalogue.byPath(info.apiVersion, info.plural);
  if (!kind || (info.rest !== "" && info.subresource !== "proxy")) throw ApiError.noSuchPath();
  // A namespace in the path of what has none, or none where one is needed for a name: no such path.
  if (!kind.namespaced && info.namespace !== "" && kind.plural !== "namespaces") throw ApiError.noSuchPath();
  if (kind.namespaced && info.namespace === "" && info.name !== "") throw ApiError.noSuchPath();
  // As upstream: every request about a deprecated version is told so.
  if (kind.deprecation) call.warnings.push(kind.deprecation);
  const target = kind.namespaced ? info : { ...info, namespace: "" };
  return info.subresource === "" ? verb(call, kind, target) : subresource(call, kind, target);
}

function verb(call: Call, kind: Kind, info: ResourceInfo): Response | Promise<Response> {
  if (info.verb !== "connect" && !kind.verbs.includes(info.verb)) throw notAllowed();
  switch (info.verb) {
    case "get":
      return get(call, kind, info);
    case "list":
      return list(call, kind, info);
    case "watch":
      return watch(call, kind, info);
    case "create":
      if (info.name !== "") throw notAllowed();
      return create(call, kind, info);
    case "update":
      if (info.name === "") throw notAllowed();
      return update(call, kind, info);
    case "patch":
      if (info.name === "") throw notAllowed();
      return patch(call, kind, info);
    case "delete":
      return deleteOne(call, kind, info);
    case "deletecollection":
      return deleteCollection(call, kind, info);
    default:
      throw ApiError.noSuchPath();
  }
}

async function subresource(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const methods = kind.subresources[info.subresource];
  if (!methods) throw ApiError.noSuchPath();
  if (!methods.includes(call.request.method.toLowerCase())) throw notAllowed();
  if (info.subresource === "scale" && kind.scale) return scale(call, kind, info);
  if (storedKind(kind).actions?.[info.subresource]) return action(call, kind, info);
  const isWritten = info.subresource === "status" || kind.subresourceStrategies?.[info.subresource] !== undefined;
  if (!isWritten) {
    throw new ApiError(501, "NotImplemented", `${kind.plural}/${info.subresource} is not served by this cluster yet`);
  }
  if (info.verb === "get") return get(call, kind, info);
  return info.verb === "patch" ? patch(call, kind, info) : update(call, kind, info);
}

function notAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** Errors become Status objects here and nowhere else. */
function failure(service: Service, request: Request, error: unknown, headers: Record<string, string>): Response {
  const expected = error instanceof ApiError ? error : unexpected(service, request, error);
  const retry = expected.details?.retryAfterSeconds;
  return new Response(encodeOutput(expected.toStatus(), { encoding: "json", pretty: false }), {
    status: expected.code,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      ...headers,
      ...(retry === undefined ? {} : { "retry-after": String(retry) }),
    },
  });
}

function unexpected(service: Service, request: Request, error: unknown): ApiError {
  service.report(error, `${request.method} ${new URL(request.url).pathname}`);
  const message = error instanceof AssertionError ? error.message : "unexpected error";
  return ApiError.internal(message);
}
