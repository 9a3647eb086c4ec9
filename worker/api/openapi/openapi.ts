// Serves `/openapi/v3`, `/openapi/v3/<group version>` and `/openapi/v2` with upstream's cache headers.
import { must } from "../../../shared/base/assert.ts";
import type { Describe } from "../../../shared/schema/openapi/schema.ts";
import { groupVersion } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { groupsOf } from "../discovery/groups.ts";
import type { StaticResponse } from "../non-resource/static-response.ts";
import { etagOf } from "../non-resource/hash.ts";
import { parseAccept } from "../negotiation/negotiation.ts";
import { type OpenApiDocument, openApiDocument, plainDocument } from "./document.ts";
import { gnosticDocument } from "./gnostic.ts";
import { gnosticV3Document } from "./gnostic-v3.ts";
import { mergedV2, type RemoteV2 } from "./merge.ts";
import { plainPaths } from "./plain-paths.ts";
import { newestOpenApi, type OpenApiRelease } from "./release.ts";
import { v2Document, v2Json } from "./v2.ts";

export interface OpenApiRequest {
  readonly path: string;
  /** The `hash` query parameter. A client that has the URL from the index may cache the response forever. */
  readonly hash?: string | null;
  readonly accept?: string | null;
  readonly ifNoneMatch?: string | null;
  readonly nowMs: number;
  /** Undefined: the newest release. */
  readonly release?: OpenApiRelease;
  /** The documents of aggregated servers, which are requested. */
  readonly remote?: RemoteOpenApi;
}

export interface RemoteOpenApi {
  /** Returns the names and URLs of their documents. */
  index(): Promise<Readonly<Record<string, { readonly serverRelativeURL: string }>>>;
  v2(): Promise<readonly RemoteV2[]>;
}

const yearMs = 365 * 24 * 3600 * 1000;
const jsonType = "application/json";
const v2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The media type of older clients, from before the @ was removed. */
const v2ProtobufOld = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

const v3Protobuf = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
const v3ProtobufOld = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

const notFound: StaticResponse = { status: 404, headers: {}, body: undefined };

/** Serves an OpenAPI path; undefined for other paths. */
export async function serveOpenApi(
  kinds: readonly Kind[],
  request: OpenApiRequest,
): Promise<StaticResponse | undefined> {
  const path = request.path.replace(/\/$/, "");
  const release = releaseOf(request);
  if (path === "/openapi/v2") return serveV2(kinds, request);
  if (request.path === "/openapi/v3") return serveIndex(kinds, request);
  if (!request.path.startsWith("/openapi/v3/")) return undefined;
  const name = path.slice("/openapi/v3/".length);
  const members = groupVersions(kinds).get(name);
  if (members)
    return serveDocument(
      name,
      await described(openApiDocument, members, release),
      request,
      await hashOf(members, release),
    );
  const paths = plainPaths(kinds).get(name);
  return paths ? serveDocument(name, await described(plainDocument, paths, release), request) : notFound;
}

async function serveIndex(kinds: readonly Kind[], request: OpenApiRequest): Promise<StaticResponse> {
  const release = releaseOf(request);
  const hashed = new Map(await plainHashes(kinds, release));
  for (const [name, members] of groupVersions(kinds)) hashed.set(name, await hashOf(members, release));
  const all = new Map(Object.entries((await request.remote?.index()) ?? {}));
  for (const [name, hash] of hashed) all.set(name, { serverRelativeURL: address(name, hash) });
  const paths = Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
  const body = JSON.stringify({ paths });
  // As upstream, which does not set the type of this response.
  return { status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body };
}

async function serveDocument(
  name: string,
  document: OpenApiDocument,
  request: OpenApiRequest,
  hash?: string,
): Promise<StaticResponse> {
  const type = accepted(request.accept, [jsonType, v3Protobuf, v3ProtobufOld]);
  if (!type) return notAcceptable;
  const etag = hash ?? (await etagOf(JSON.stringify(document)));
  const headers = { Vary: "Accept", ETag: quoted(etag), "Content-Type": type === jsonType ? jsonType : v3Protobuf };
  const body = () => (type === jsonType ? JSON.stringify(document) : gnosticV3Document(document));
  if (!request.hash) return conditional(request, headers, body);
  if (request.hash !== etag) return { status: 301, headers: { ...headers, Location: address(name, etag) }, body: "" };
  const forever = {
    "Cache-Control": "public, immutable",
    Expires: new Date(request.nowMs + yearMs).toUTCString(),
  };
  return conditional(request, { ...headers, ...forever }, body);
}

async function serveV2(kinds: readonly Kind[], request: OpenApiRequest): Promise<StaticResponse> {
  const type = accepted(request.accept, [jsonType, v2ProtobufOld, v2Protobuf]);
  if (!type) return notAcceptable;
  const contentType = type === jsonType ? jsonType : v2Protobuf;
  const remote = (await request.remote?.v2()) ?? [];
  const ownTag = v2Etags.get(kinds);
  const knownTag = ownTag && (await mergedEtag(ownTag, remote));
  const headers = (etag: string) => ({
    Vary: "Accept-Encoding, Accept",
    ETag: quoted(etag),
    "Content-Type": contentType,
  });
  if (knownTag && isKnown(request, quoted(knownTag)))
    return { status: 304, headers: headers(knownTag), body: undefined };
  const release = releaseOf(request);
  const document = v2Document(kinds, await release.loadDescriptions(), release);
  const json = v2Json(document);
  const ownEtag = ownTag ?? (await etagOf(json));
  v2Etags.set(kinds, ownEtag);
  const merged = mergedV2(document, remote);
  const etag = await mergedEtag(ownEtag, remote);
  const text = () => (merged === document ? json : v2Json(merged));
  return conditional(request, headers(etag), () => (type === jsonType ? text() : gnosticDocument(merged)));
}

async function mergedEtag(ownTag: string, remote: readonly RemoteV2[]): Promise<string> {
  return remote.length === 0 ? ownTag : etagOf([ownTag, ...remote.map(({ etag }) => etag)].join("\n"));
}

/** The hashes of v2 documents by the list of kinds. Clients mostly check whether a document has changed. */
const v2Etags = new WeakMap<readonly Kind[], string>();

/**
 * The hashes of group version documents by their first kind. A document has megabytes, and every client requests all hashes. Kinds never
 * change. Only finished hashes are cached, because a promise belongs to the request that created it.
 */
const hashes = new WeakMap<Kind, { readonly members: readonly Kind[]; readonly hash: string }>();

async function hashOf(members: readonly Kind[], release: OpenApiRelease): Promise<string> {
  const first = must(members[0], "a kind of the group version");
  const cached = hashes.get(first);
  if (cached && cached.members.length === members.length && members.every((kind, at) => kind === cached.members[at])) {
    return cached.hash;
  }
  // For custom kinds, the tags of their definitions suffice. A cluster may have a thousand of them.
  const tags = members.map(({ plural, custom }) => custom && `${plural} ${custom.openApi.tag}`);
  const isTold = tags.every((tag) => tag !== undefined);
  const hash = await etagOf(isTold ? tags.join("\n") : await textOf(openApiDocument, members, release));
  hashes.set(first, { members, hash });
  return hash;
}

/** The hashes of documents without a group version, by the list of kinds. */
const otherHashes = new WeakMap<readonly Kind[], readonly [string, string][]>();

async function plainHashes(kinds: readonly Kind[], release: OpenApiRelease): Promise<readonly [string, string][]> {
  const cached = otherHashes.get(kinds);
  if (cached) return cached;
  const documentHashes: [string, string][] = [];
  for (const [name, paths] of plainPaths(kinds))
    documentHashes.push([name, await etagOf(await textOf(plainDocument, paths, release))]);
  otherHashes.set(kinds, documentHashes);
  return documentHashes;
}

type Make<T> = (of: T, describe: Describe, release: OpenApiRelease) => OpenApiDocument;

async function textOf<T>(make: Make<T>, of: T, release: OpenApiRelease): Promise<string> {
  return JSON.stringify(await described(make, of, release));
}

async function described<T>(make: Make<T>, of: T, release: OpenApiRelease): Promise<OpenApiDocument> {
  return make(of, await release.loadDescriptions(), release);
}

function releaseOf({ release = newestOpenApi }: OpenApiRequest): OpenApiRelease {
  return release;
}

/** Groups kinds by the name of their document: `api/v1`, `apis/apps/v1`. */
function groupVersions(kinds: readonly Kind[]): Map<string, readonly Kind[]> {
  const entries = groupsOf(kinds).flatMap((group) =>
    group.versions.map((entry): [string, readonly Kind[]] => [
      `${group.name ? "apis" : "api"}/${groupVersion(group.name, entry.version)}`,
      entry.kinds,
    ]),
  );
  return new Map(entries);
}

function address(name: string, etag: string): string {
  return `/openapi/v3/${name}?hash=${etag}`;
}

/** Returns the first type that the client accepts. */
function accepted(accept: string | null | undefined, types: readonly string[]): string | undefined {
  for (const clause of parseAccept(accept || "*/*")) {
    const acceptedType = types.find((type) => {
      const [main, sub] = type.split("/");
      return (clause.type === "*" || clause.type === main) && (clause.subtype === "*" || clause.subtype === sub);
    });
    if (acceptedType) return acceptedType;
  }
  return undefined;
}

const notAcceptable: StaticResponse = { status: 406, headers: { Vary: "Accept" }, body: "" };

function conditional(
  request: OpenApiRequest,
  headers: Record<string, string>,
  body: () => string | Uint8Array<ArrayBuffer>,
): StaticResponse {
  if (isKnown(request, headers.ETag)) return { status: 304, headers, body: undefined };
  return { status: 200, headers, body: body() };
}

function isKnown(request: OpenApiRequest, etag: string | undefined): boolean {
  const clientTags = request.ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return clientTags?.some((tag) => tag === "*" || tag === etag) ?? false;
}

function quoted(etag: string): string {
  return JSON.stringify(etag);
}
