// GET of a collection: at one revision, paged by key, streamed as stored text where nothing must be changed in it.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { readsOf } from "../../registry/registry.ts";
import type { PageQuery, Store } from "../../store/store.ts";
import { type Continuation, decodeContinue, encodeContinue } from "../continue-token.ts";
import { inVersion, type ListMeta, listResponse, outputOf, storedKind } from "../present.ts";
import { type ListOptions, listOptions, matches, type Selection, selectionOf } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";
import { items, streamed } from "./list-stream.ts";

/** The revision of a continuation that is not consistent with what went before. */
const newest = -1;

export function list(call: Call, kind: Kind, info: ResourceInfo): Response {
  const options = withoutVainLimit(listOptions(call.url.searchParams));
  const selection = selectionOf(kind, options.labelSelector, options.fieldSelector);
  if (kind.computed) {
    const all = kind.computed(readsOf(call.service.registry), info.namespace || undefined);
    const objects = all.filter((object) => matches(kind, selection, object));
    return listResponse(call, kind, objects, {});
  }
  const store = call.service.registry.store;
  const { revision, after } = startOf(store, options);
  const query = { resource: storedKind(kind).resource, namespace: info.namespace || undefined, after, revision };
  const output = outputOf(call, kind);
  // Of what there is now all has been asked for already.
  const most = options.limit > 0 && selection.all ? options.limit : Number.POSITIVE_INFINITY;
  if (revision < store.revision) kind.conversion?.prefetch?.(objectsAt(store, query, most));
  const asStored = selection.all && !output.as && !kind.conversion?.hub && options.limit === 0;
  if (asStored && output.encoding !== "yaml" && !output.pretty) return streamed(call, kind, query, output);
  const { objects, metadata } = readPage(store, kind, query, selection, options);
  return listResponse(call, kind, objects, metadata);
}

function* objectsAt(store: Store, query: Omit<PageQuery, "limit">, most: number): Generator<KubeObject> {
  let count = 0;
  for (const { text } of items(store, query)) {
    if (count++ === most) return;
    // Only commit writes these texts, from decoded objects.
    yield JSON.parse(text) as KubeObject;
  }
}

/** Upstream's watch cache, which answers for any revision, gives all that there is. */
function withoutVainLimit(options: ListOptions): ListOptions {
  const isOfAny = options.resourceVersion === "0" && options.continueToken === "";
  return isOfAny ? { ...options, limit: 0 } : options;
}

/** The revision to read at, and the key to go on after. */
export function startOf(
  store: Store,
  options: ListOptions,
): { revision: number; after: Continuation["after"] | undefined } {
  if (options.continueToken !== "") {
    const { revision, after } = decodeContinue(options.continueToken);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw ApiError.badRequest("specifying resource version is not allowed when using continue");
    }
    if (revision === newest) return { revision: store.revision, after };
    if (revision < store.compacted) throw compactedList(after);
    return { revision, after };
  }
  const wanted = Number(options.resourceVersion || "0");
  if (wanted > store.revision) throw tooLarge(wanted, store.revision);
  const exact =
    options.resourceVersionMatch === "Exact" ||
    (options.limit > 0 && options.resourceVersionMatch === "" && wanted > 0);
  if (exact && wanted < store.compacted) {
    throw ApiError.expired("The resourceVersion for the provided list is too old.");
  }
  return { revision: exact ? wanted : store.revision, after: undefined };
}

/** The revision of the list is compacted: 410, with a token by which the rest can be had as it is now. */
function compactedList(after: Continuation["after"]): ApiError {
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError(410, "Expired", message, undefined, encodeContinue({ revision: newest, after }));
}

export function tooLarge(wanted: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** Reads until the limit is full of matching objects, or the end. */
export function readPage(
  store: Store,
  kind: Kind,
  query: Omit<PageQuery, "limit">,
  selection: Selection,
  { limit }: ListOptions,
): { objects: KubeObject[]; metadata: ListMeta } {
  const objects: KubeObject[] = [];
  const resourceVersion = String(query.revision);
  for (const item of items(store, query)) {
    if (limit > 0 && objects.length === limit) {
      const after = last(objects, storedNamespace(kind));
      const token = encodeContinue({ revision: query.revision ?? store.revision, after });
      const rest = selection.all ? { remainingItemCount: store.count({ ...query, after }) } : {};
      return { objects, metadata: { resourceVersion, continue: token, ...rest } };
    }
    // Only commit writes these texts, from decoded objects of this kind.
    const object = JSON.parse(item.text) as KubeObject;
    if (matches(kind, selection, inVersion(kind, object))) objects.push(object);
  }
  return { objects, metadata: { resourceVersion } };
}

function storedNamespace(kind: Kind) {
  return (object: KubeObject) => (kind.namespaced ? (object.metadata.namespace ?? "") : "");
}

function last(objects: readonly KubeObject[], namespaceOf: (object: KubeObject) => string): Continuation["after"] {
  const object = objects.at(-1);
  return { namespace: object ? namespaceOf(object) : "", name: object?.metadata.name ?? "" };
}
