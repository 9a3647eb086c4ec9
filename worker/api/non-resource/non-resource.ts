// Serves the paths that are not resources: health, discovery, OpenAPI, metrics, and the issuer's keys.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { openId } from "../authentication/open-id.ts";
import { remoteVersions } from "../aggregation/discovery.ts";
import { describedBy, remoteOpenApi } from "../aggregation/openapi.ts";
import { proxied } from "../aggregation/proxy.ts";
import { remoteOf } from "../aggregation/remote.ts";
import { answer } from "../negotiation/compression.ts";
import { discover } from "../discovery/discovery.ts";
import type { StaticResponse } from "./static-response.ts";
import { health, healthPaths } from "./health.ts";
import { checkAccept } from "../negotiation/media-routes.ts";
import { indicatorsResponse, metricsResponse } from "./metrics.ts";
import { outputTypes } from "../negotiation/negotiation.ts";
import { serveOpenApi } from "../openapi/openapi.ts";
import { openApiRelease } from "../openapi/release.ts";
import { versionInfoOf } from "./version.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import type { ApiRequest } from "../api-request.ts";

export async function nonResource(req: ApiRequest): Promise<Response> {
  const { request, url, server } = req;
  const path = url.pathname;
  const apiVersion = /^\/apis\/([^/]+\/[^/]+)\/?$/.exec(path)?.[1];
  const elsewhere = apiVersion && remoteOf(server.registry, apiVersion);
  if (elsewhere) return proxied(req, elsewhere);
  const healthy = health(path, url.searchParams);
  if (healthy) return healthy;
  if (path === "/metrics") return metricsResponse(server);
  if (path === "/metrics/slis") return indicatorsResponse(server);
  const isRefused = request.method !== "GET" && isRoute(path);
  const query = {
    path,
    // For an unsupported method, upstream does not check the Accept header.
    accept: isRefused ? null : request.headers.get("accept"),
    ifNoneMatch: request.headers.get("if-none-match"),
    userAgent: request.headers.get("user-agent"),
    pretty: url.searchParams.get("pretty"),
    serverAddress: url.host,
    hash: url.searchParams.get("hash"),
    version: versionInfoOf(server.registry.release),
    remote: (withResources: boolean) => remoteVersions(server, withResources),
  };
  const { kinds } = server.registry.catalogue;
  if (isServed(kinds, path)) checkAccept(request.headers, path === "/version" ? ["application/json"] : outputTypes);
  const described = path.startsWith(v3Prefix) ? await describedBy(server, path.slice(v3Prefix.length)) : undefined;
  if (described) return proxied(req, described);
  const document =
    openId(query, server.key, request.headers.get(internalHeaders.server) ?? url.origin) ??
    (await discover(kinds, query)) ??
    (await serveOpenApi(kinds, {
      ...query,
      nowMs: server.registry.clock.nowMs(),
      release: openApiRelease(server.registry.release),
      remote: remoteOpenApi(server),
    }));
  if (document && isRefused) throw ApiError.notAllowed();
  if (document) return documentResponse(request, document);
  if (path === "/" || path === "/index.html") return rootDocument(kinds);
  if (path.startsWith("/version/")) throw ApiError.noSuchPath();
  return noSuchPage();
}

/** Reports whether a path is a route for GET only. Other paths ignore the method. */
function isRoute(path: string): boolean {
  return /^\/(version|api|api\/v1|apis\/apiregistration\.k8s\.io|apis\/[^/]+\/[^/]+|\.well-known\/openid-configuration|openid\/v1\/jwks)\/?$/.test(
    path,
  );
}

/** Reports whether a path exists and checks the Accept header. */
function isServed(kinds: readonly Kind[], path: string): boolean {
  if (/^\/(version|api|api\/v1)$/.test(path)) return true;
  return kinds.some(({ apiVersion, custom }) => !custom && path === `/apis/${apiVersion}`);
}

const v3Prefix = "/openapi/v3/";

/** Returns Go's plain 404 for an unknown path, which is not a Status. */
export function noSuchPage(): Response {
  return new Response("404 page not found\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...uncached },
  });
}

function documentResponse(request: Request, { status, headers, body }: StaticResponse): Response {
  if (body === undefined) return new Response(null, { status, headers });
  return answer(request, body, status, headers);
}

function rootDocument(kinds: readonly Kind[]): Response {
  const headers = { "content-type": "application/json", ...uncached };
  return new Response(JSON.stringify({ paths: rootPaths(kinds) }, null, 2), { headers });
}

function rootPaths(kinds: readonly Kind[]): string[] {
  const groups = kinds
    .filter((kind) => kind.group !== "")
    .flatMap((kind) => [`/apis/${kind.group}`, `/apis/${kind.apiVersion}`]);
  const staticPaths = [
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/version",
  ];
  return [...new Set([...groups, ...staticPaths, ...healthPaths()])].sort();
}
