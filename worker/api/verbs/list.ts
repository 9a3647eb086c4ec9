// GET of a collection: at one revision, paged by key.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { readsOf, type Registry } from "../../registry/registry.ts";
import type { PageQuery } from "../../store/queries.ts";
import type { Store } from "../../store/store.ts";
import { type Continuation, decodeContinue, encodeContinue } from "./continue-token.ts";
import { listResponse, storedKind } from "../present/present.ts";
import { type ListOptions, listOptions, matches, type Selection, selectionOf } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { items, listAnswer, type ListRead } from "./list-stream.ts";

/** The revision of an inconsistent continuation. */
const newest = -1;

export function list(req: ApiRequest, kind: Kind, info: ResourceInfo): Response | Promise<Response> {
  const options = withoutVainLimit(listOptions(req.url.searchParams));
  const { store } = req.server.registry;
  const selection = selectionOf(kind, store.meter, options.labelSelector, options.fieldSelector);
  if (kind.computed) {
    const all = kind.computed(readsOf(req.server.registry), info.namespace || undefined);
    return listResponse(
      req,
      kind,
      all.filter((object) => matches(kind, selection, object)),
    );
  }
  const read = readOf(req.server.registry, kind, info, options, selection);
  // A list of the current revision without a selector needs no more than its limit.
  const most = options.limit > 0 && selection.all ? options.limit : Number.POSITIVE_INFINITY;
  if (read.query.revision < store.revision) kind.conversion?.prefetch?.(objectsAt(store, read.query, most));
  return listAnswer(req, kind, read);
}

/** Computes the read of a list request. */
export function readOf(
  registry: Pick<Registry, "store" | "clock">,
  kind: Kind,
  { namespace }: ResourceInfo,
  options: ListOptions,
  selection: Selection,
): ListRead {
  const { revision, after, beganMs } = startOf(registry, options);
  const query = { resource: storedKind(kind).resource, namespace: namespace || undefined, after, revision };
  return { query, selection, limit: options.limit, beganMs };
}

function* objectsAt(store: Store, query: Omit<PageQuery, "limit">, most: number): Generator<KubeObject> {
  let count = 0;
  for (const { text } of items(store, query)) {
    if (count++ === most) return;
    // Only commit writes these texts, from decoded objects.
    yield JSON.parse(text) as KubeObject;
  }
}

/** Drops a limit that upstream's watch cache ignores: it returns all objects for any resourceVersion. */
function withoutVainLimit(options: ListOptions): ListOptions {
  const isOfAny = options.resourceVersion === "0" && options.continueToken === "";
  return isOfAny ? { ...options, limit: 0 } : options;
}

interface Start {
  readonly revision: number;
  /** The key after which the list continues. */
  readonly after: Continuation["after"] | undefined;
  /** The start of the list. */
  readonly beganMs: number;
}

function startOf({ store, clock }: Pick<Registry, "store" | "clock">, options: ListOptions): Start {
  const nowMs = clock.nowMs();
  if (options.continueToken !== "") {
    const { revision, after, beganMs = nowMs } = decodeContinue(options.continueToken);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw ApiError.badRequest("specifying resource version is not allowed when using continue");
    }
    if (revision === newest) return { revision: store.revision, after, beganMs: nowMs };
    if (revision < store.compacted) throw compactedList(after);
    if (nowMs - beganMs >= limits.changeLogMs) {
      // Compaction would have happened in a busy cluster, so a new list gets a new revision.
      if (revision === store.revision) store.advance();
      throw compactedList(after);
    }
    return { revision, after, beganMs };
  }
  const requestedVersion = Number(options.resourceVersion || "0");
  if (requestedVersion > store.revision) throw tooLarge(requestedVersion, store.revision);
  const exact =
    options.resourceVersionMatch === "Exact" ||
    (options.limit > 0 && options.resourceVersionMatch === "" && requestedVersion > 0);
  if (exact && requestedVersion < store.compacted) {
    throw ApiError.expired("The resourceVersion for the provided list is too old.");
  }
  return { revision: exact ? requestedVersion : store.revision, after: undefined, beganMs: nowMs };
}

/** Returns the 410 for a list whose revision is compacted, with a token for the rest of the list at the newest revision. */
function compactedList(after: Continuation["after"]): ApiError {
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError(410, "Expired", message, undefined, encodeContinue({ revision: newest, after }));
}

export function tooLarge(requested: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}
