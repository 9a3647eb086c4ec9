// Serves discovery: `/api`, `/apis` and the paths below, plain or aggregated, and `/version`.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { apiGroup, apiGroupDiscoveryList, apiGroupList, apiResourceList, apiVersions } from "./documents.ts";
import type { RemoteVersion } from "./groups.ts";
import type { StaticResponse } from "../non-resource/static-response.ts";
import { encodeOutput } from "../negotiation/encoding.ts";
import { etagOf } from "../non-resource/hash.ts";
import {
  discoveryTransforms,
  negotiateOutput,
  noTransforms,
  type OutputQuery,
  tryOutput,
} from "../negotiation/negotiation.ts";
import type { VersionInfo } from "../non-resource/version.ts";

export interface DiscoveryRequest extends OutputQuery {
  /** `/api`, `/api/v1`, `/apis`, `/apis/apps`, `/apis/apps/v1`, `/version`. A trailing slash is ignored. */
  readonly path: string;
  readonly accept?: string | null;
  readonly ifNoneMatch?: string | null;
  /** The server's `host:port`, for `serverAddressByClientCIDRs`. */
  readonly serverAddress: string;
  readonly version: VersionInfo;
  /** Returns the versions of aggregated servers. `withResources` calls the servers. */
  remote?(withResources: boolean): Promise<readonly RemoteVersion[]>;
}

/** Serves a discovery path; undefined for other paths. Throws 406. */
export async function discover(kinds: readonly Kind[], request: DiscoveryRequest): Promise<StaticResponse | undefined> {
  const path = request.path.replace(/\/$/, "");
  if (path === "/version") return json(200, JSON.stringify(request.version, null, 2));
  const [root, group, version, ...rest] = path.split("/").slice(1);
  if (rest.length > 0 || (root !== "api" && root !== "apis")) return undefined;
  if (group === undefined) return rootDocument(kinds, root === "api", request);
  if (root === "api") {
    if (version !== undefined) return undefined;
    return plain(request, await apiResourceList(kinds, "", group));
  }
  // For an unknown version, built-in groups respond with a Status; custom groups respond with a plain 404.
  const isBuiltIn = kinds.some((kind) => kind.group === group && !kind.custom);
  const document =
    version === undefined
      ? apiGroup(kinds, group, await request.remote?.(false))
      : await apiResourceList(kinds, group, version);
  return document || isBuiltIn ? plain(request, document) : undefined;
}

async function rootDocument(kinds: readonly Kind[], core: boolean, request: DiscoveryRequest): Promise<StaticResponse> {
  const output = tryOutput(request.accept, discoveryTransforms, request);
  const remote = core ? [] : await request.remote?.(output?.as !== undefined);
  if (!output?.as) return plain(request, core ? apiVersions(request.serverAddress) : apiGroupList(kinds, remote));
  const { group, version, kind } = output.as;
  const body = encodeOutput(await apiGroupDiscoveryList(kinds, core, version, remote), output);
  const etag = JSON.stringify(await etagOf(body));
  const headers = { ETag: etag, Vary: "Accept", "Cache-Control": "public" };
  if (request.ifNoneMatch === etag) return { status: 304, headers, body: undefined };
  const mediaType = `${output.mediaType};g=${group};v=${version};as=${kind}`;
  return { status: 200, headers: { ...headers, "Content-Type": mediaType }, body };
}

function plain(request: DiscoveryRequest, document: object | undefined): StaticResponse {
  if (document === undefined) throw ApiError.noSuchPath();
  const output = negotiateOutput(request.accept, noTransforms, request);
  return { status: 200, headers: { "Content-Type": output.mediaType }, body: encodeOutput(document, output) };
}

function json(status: number, body: string): StaticResponse {
  return { status, headers: { "Content-Type": "application/json" }, body };
}
