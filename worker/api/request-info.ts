// What a request is about, read off its path and method (upstream: RequestInfoFactory).
import { trimmed } from "../../shared/base/trim.ts";

/** RBAC's verbs; "" for a method that stands for none. */
export type RequestVerb =
  | ""
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "connect";

export interface ResourceInfo {
  readonly isResource: true;
  readonly verb: RequestVerb;
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, `v1`. */
  readonly apiVersion: string;
  /** "" where the path has none. */
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, for proxies. */
  readonly rest: string;
  /** `/api/v1/watch/...`: the form of old clients. */
  readonly legacyWatch: boolean;
}

/** What an authorizer is asked about a resource; verbs of RBAC's own (`impersonate`) have no method. */
export type ResourceAttributes = Pick<
  ResourceInfo,
  "isResource" | "group" | "plural" | "subresource" | "namespace" | "name"
> & { readonly verb: string };

export interface PathInfo {
  readonly isResource: false;
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceInfo | PathInfo;

/** `path` is decoded segment by segment here, so an encoded slash never splits a name. An empty segment is one too, but at the ends. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other: PathInfo = { isResource: false, verb: method.toLowerCase(), path };
  const segments = trimmed(path, "/").split("/").map(decodeSegment);
  if (segments.includes(undefined)) return other;
  const parts = segments as string[];
  const root = parts.shift();
  if (root !== "api" && root !== "apis") return other;
  const group = root === "apis" ? parts.shift() : "";
  const version = parts.shift();
  if (group === undefined || version === undefined || parts.length === 0) return other;
  const legacyWatch = parts[0] === "watch";
  if (legacyWatch) parts.shift();
  const { namespace, plural, name, subresource, rest } = target(parts);
  if (plural === undefined) return other;
  return {
    isResource: true,
    verb: verbOf(method, name, query, legacyWatch),
    group,
    version,
    apiVersion: group ? `${group}/${version}` : version,
    namespace,
    plural,
    name,
    subresource,
    rest,
    legacyWatch,
  };
}

function target(parts: readonly string[]) {
  // `namespaces/x` is the namespace itself, with its own subresources; `namespaces/x/pods` is what is in it.
  const own = parts[0] === "namespaces" && (parts.length < 3 || parts[2] === "status" || parts[2] === "finalize");
  const inNamespace = parts[0] === "namespaces" && !own;
  const [plural, name = "", subresource = "", ...rest] = inNamespace ? parts.slice(2) : parts;
  const namespace = inNamespace || own ? (parts[1] ?? "") : "";
  return { namespace, plural, name, subresource, rest: rest.join("/") };
}

function verbOf(method: string, name: string, query: URLSearchParams, legacyWatch: boolean): RequestVerb {
  if (legacyWatch) return "watch";
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    case "GET":
    case "HEAD":
      // Of a single object only the old paths watch: there a `watch` parameter means nothing.
      if (name === "" && isWatch(query)) return "watch";
      return name === "" ? "list" : "get";
    default:
      return "";
  }
}

/** Whether a `watch` parameter says yes, as Go's ParseBool and Kubernetes' own conversion read it. */
export function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
