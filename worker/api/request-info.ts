// Parses the path and the method of a request (upstream: RequestInfoFactory).
import { trimmed } from "../../shared/base/trim.ts";

/** The verbs of RBAC; "" for a method without one. */
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
  /** "" if the path has no namespace. */
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** The path after the subresource, for proxies. */
  readonly rest: string;
  /** Whether the path is `/api/v1/watch/...`, the form of old clients. */
  readonly legacyWatch: boolean;
}

/** The attributes of a resource request for an authorizer. Verbs that only RBAC has (`impersonate`) have no method. */
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

/**
 * Parses a request. Each segment of `path` is decoded separately, so an encoded slash never splits a name. Empty segments count, except at
 * the ends.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource: PathInfo = { isResource: false, verb: method.toLowerCase(), path };
  const segments = trimmed(path, "/").split("/").map(decodeSegment);
  if (segments.includes(undefined)) return nonResource;
  const pathSegments = segments as string[];
  const root = pathSegments.shift();
  if (root !== "api" && root !== "apis") return nonResource;
  const group = root === "apis" ? pathSegments.shift() : "";
  const version = pathSegments.shift();
  if (group === undefined || version === undefined || pathSegments.length === 0) return nonResource;
  const legacyWatch = pathSegments[0] === "watch";
  if (legacyWatch) pathSegments.shift();
  const { namespace, plural, name, subresource, rest } = target(pathSegments);
  if (plural === undefined) return nonResource;
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

function target(pathSegments: readonly string[]) {
  // `namespaces/x` is the namespace itself with its subresources; `namespaces/x/pods` are its pods.
  const isNamespaceItself =
    pathSegments[0] === "namespaces" &&
    (pathSegments.length < 3 || pathSegments[2] === "status" || pathSegments[2] === "finalize");
  const inNamespace = pathSegments[0] === "namespaces" && !isNamespaceItself;
  const [plural, name = "", subresource = "", ...rest] = inNamespace ? pathSegments.slice(2) : pathSegments;
  const namespace = inNamespace || isNamespaceItself ? (pathSegments[1] ?? "") : "";
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
      // Only legacy paths watch a single object. On other paths of an object, `watch` is ignored.
      if (name === "" && isWatch(query)) return "watch";
      return name === "" ? "list" : "get";
    default:
      return "";
  }
}

/** Reports whether a `watch` parameter is true for Go's ParseBool and Kubernetes' own conversion. */
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
