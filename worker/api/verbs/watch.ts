// WATCH in the Durable Object.
//
// The edge first reads the existing objects (a back-pressured body that ends at a stated revision). Then it opens a socket for the changes
// after that revision. Only the socket remains in the object.
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";
import { internalHeaders, protobufStream, withColumns } from "../../../shared/contract/cluster-object.ts";
import { limits } from "../../../shared/base/limits.ts";
import { forbidden, notSupported, path } from "../../../shared/k8s/field.ts";
import { parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { protobufType } from "../../../shared/schema/protobuf/protobuf-object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { expiredAt, type Store } from "../../store/store.ts";
import { negotiateOutput, resourceTransforms } from "../negotiation/negotiation.ts";
import { isTrue, type ListOptions, listOptions } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import type { ApiServer } from "../api-server.ts";
import { parseIncludeObject } from "../present/table.ts";
import { faultyRenderer, type Renderer, rendererOf, type WatchSpec } from "./watch-spec.ts";
import { userAgentOf } from "../filters/faults.ts";
import { tooLarge } from "./list.ts";
import { beginRead, items } from "./list-stream.ts";

export function watch(req: ApiRequest, kind: Kind, info: ResourceInfo): Response {
  const { server, request, url } = req;
  const options = listOptions(withoutMatch(url.searchParams));
  checkInitialEvents(url.searchParams, featuresFor(req, info));
  const sinceHeader = request.headers.get(internalHeaders.since);
  const since = sinceHeader === null ? undefined : Number(sinceHeader);
  const spec = specOf(req, kind, info, options, since);
  const renderer = faultyRenderer(
    rendererOf(server.registry.catalogue, server.registry.store.meter, spec),
    server.faults,
  );
  if (request.headers.get(internalHeaders.watch) === "join") return join(req, spec, renderer, since ?? 0);
  if (since === undefined) server.sockets?.requireQuota();
  const { store } = server.registry;
  const start = startOf(store, url.searchParams, options);
  if (since === undefined && start.isAhead) return refused(req, spec, tooLarge(start.version, store.revision));
  return pull(req, spec, renderer, info, since ?? start.after);
}

function specOf(req: ApiRequest, kind: Kind, info: ResourceInfo, options: ListOptions, since = 0): WatchSpec {
  const query = req.url.searchParams;
  const isAhead = since > req.server.registry.store.revision;
  const { as, encoding } = negotiateOutput(req.request.headers.get("accept"), resourceTransforms, { stream: true });
  // Rejects kinds without a protobuf form.
  if (encoding === "protobuf") protobufType(as ? `${as.group}/${as.version}` : kind.apiVersion, as?.kind ?? kind.kind);
  return {
    apiVersion: kind.apiVersion,
    plural: kind.plural,
    namespace: kind.namespaced ? info.namespace : "",
    labelSelector: options.labelSelector,
    fieldSelector: fieldSelectorOf(info, options),
    ...(as ? { as } : {}),
    ...(as?.kind === "Table" ? { includeObject: parseIncludeObject(query.get("includeObject")) } : {}),
    ...(encoding === "protobuf" ? { encoding } : {}),
    ...(isAhead ? { after: since } : {}),
    ...clientOf(req),
  };
}

/** Returns the client of a watch while faults are set. */
function clientOf({ server, identity, request }: ApiRequest): Pick<WatchSpec, "client"> {
  if (server.faults === undefined || server.faults.isIdle) return {};
  return { client: { user: identity.user.name, userAgent: userAgentOf(request.headers) } };
}

/**
 * Returns the field selector. A name in the path (only legacy watch paths have one) is added as a requirement, and must agree with the
 * given selector.
 */
function fieldSelectorOf({ name }: ResourceInfo, { fieldSelector }: ListOptions): string {
  if (name === "") return fieldSelector;
  if (fieldSelector === "") return `metadata.name=${name}`;
  const isSame = ({ field, operator, value }: { field: string; operator: string; value: string }) =>
    field === "metadata.name" && operator === "=" && value === name;
  if (parseFieldSelector(fieldSelector).terms.some(isSame)) return fieldSelector;
  throw ApiError.badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** Returns the features that a client sees. A lagging server has no initial events that are up to date: clients list instead. */
function featuresFor({ server, request, identity }: ApiRequest, info: ResourceInfo): Features {
  const { faults, registry } = server;
  if (faults === undefined || faults.isIdle) return registry.features;
  const { group, plural, subresource, namespace, name } = info;
  const resource = group === "" ? plural : `${plural}.${group}`;
  const client = { user: identity.user.name, userAgent: userAgentOf(request.headers) };
  const target = { ...client, verb: "watch", resource, subresource, namespace, name };
  return faults.staleRevision(target) === undefined ? registry.features : { ...registry.features, WatchList: false };
}

/** Validates `sendInitialEvents` (upstream's validateWatchOptions). */
function checkInitialEvents(query: URLSearchParams, { WatchList }: Features): void {
  const isRequested = query.has("sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  const field = path("resourceVersionMatch");
  const errors = [];
  if (isRequested && match !== "NotOlderThan") {
    errors.push(forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (isRequested && !WatchList) {
    const why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    errors.push(forbidden(path("sendInitialEvents"), why));
  }
  if (!isRequested && match !== "") {
    errors.push(forbidden(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (match !== "" && match !== "NotOlderThan") errors.push(notSupported(field, match, ["NotOlderThan"]));
  // Upstream treats a watch without a version as a watch with initial events.
  const isOfAny = !isRequested && match === "" && ["", "0"].includes(query.get("resourceVersion") ?? "");
  if ((match !== "" || isOfAny) && query.get("continue")) {
    errors.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", errors);
}

/** Removes resourceVersionMatch, which has been validated by the rules of watches. */
function withoutMatch(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete("resourceVersionMatch");
  return rest;
}

function join(req: ApiRequest, spec: WatchSpec, renderer: Renderer, since: number): Response {
  const { server } = req;
  const { store, clock } = server.registry;
  if (!server.sockets) throw ApiError.badRequest("watches cannot be joined here");
  server.sockets.requireQuota();
  if (since < store.compacted) throw expiredAt(since, store.compacted);
  const missed = store.changesSince(since, limits.changeBatch);
  const revision = missed.at(-1)?.revision ?? since;
  let catchUp = "";
  for (const change of missed) {
    if (change.resource === renderer.resource) catchUp += renderer.change(change, clock.nowMs()) ?? "";
  }
  if (revision < store.revision || catchUp.length > limits.watchJoinBytes) {
    throw new ApiError(409, "Conflict", "too far behind to join: pull first");
  }
  return server.sockets.join(JSON.stringify(spec), revision, catchUp, req.credential);
}

function pull(
  req: ApiRequest,
  spec: WatchSpec,
  renderer: Renderer,
  info: ResourceInfo,
  from: number | undefined,
): Response {
  const { server, url } = req;
  const { store } = server.registry;
  if (from !== undefined && from < store.compacted) return refused(req, spec, expiredAt(from, store.compacted));
  const revision = Math.max(store.revision, from ?? 0);
  const bookmarks = isTrue(url.searchParams.get("allowWatchBookmarks"));
  const events =
    from === undefined
      ? initialLines(req, renderer, info, revision, bookmarks)
      : changeLines(req, renderer, from, revision);
  const { lines, columns } = columnsFirst(events, opensStream(req.request) ? renderer.columns : undefined);
  return new Response(streamOf(req.server, lines, beginRead(req, from ?? revision)), {
    headers: {
      ...streamHeaders(spec, revision),
      ...(columns === undefined ? {} : { [internalHeaders.columns]: ascii(columns) }),
      ...(bookmarks ? { [internalHeaders.bookmark]: ascii(JSON.stringify(renderer.bookmark("$R"))) } : {}),
    },
  });
}

function streamHeaders({ encoding }: WatchSpec, revision: number): Record<string, string> {
  return {
    "content-type": encoding === "protobuf" ? protobufStream : "application/json",
    "cache-control": "no-cache, private, no-transform",
    [internalHeaders.revision]: String(revision),
  };
}

/**
 * Returns an error as upstream's watch cache does: a valid watch starts, and then sends an ERROR event. If the watch has started already,
 * the edge sends the event.
 */
function refused({ server, request }: ApiRequest, spec: WatchSpec, error: ApiError): Response {
  if (request.headers.has(internalHeaders.since)) throw error;
  const body = `${JSON.stringify({ type: "ERROR", object: error.toStatus() })}\n`;
  const headers = { ...streamHeaders(spec, server.registry.store.revision), [internalHeaders.ended]: "true" };
  return new Response(body, { headers });
}

/** Reports whether the client has received nothing of this watch yet. */
function opensStream({ headers }: Request): boolean {
  return !headers.has(internalHeaders.since) || headers.has(internalHeaders.columns);
}

/** Adds the columns to the first line. If there are no lines, the sender of the first event adds them. */
function columnsFirst(lines: Generator<string>, columns: string | undefined) {
  if (columns === undefined) return { lines, columns };
  for (let next = lines.next(); !next.done; next = lines.next()) {
    if (next.value !== "") return { lines: startingWith(withColumns(next.value, columns), lines), columns: undefined };
  }
  return { lines, columns };
}

function* startingWith(first: string, lines: Generator<string>): Generator<string> {
  yield first;
  yield* lines;
}

interface Start {
  /** The requested revision; 0 for none. */
  readonly version: number;
  /** Undefined: the watch starts with the existing objects. */
  readonly after: number | undefined;
  /** Whether the initial events are requested at a future revision. */
  readonly isAhead: boolean;
}

/**
 * Computes the start of a watch. As upstream, existing objects come first for no version and for 0, unless requested otherwise. A future
 * revision is waited for.
 */
function startOf(store: Store, query: URLSearchParams, { resourceVersion }: ListOptions): Start {
  const initial = query.get("sendInitialEvents");
  const version = Number(resourceVersion || "0");
  if (isTrue(initial)) return { version, after: undefined, isAhead: version > store.revision };
  if (version === 0) return { version, after: initial === null ? undefined : store.revision, isAhead: false };
  return { version, after: version, isAhead: false };
}

function* initialLines(
  req: ApiRequest,
  renderer: Renderer,
  info: ResourceInfo,
  revision: number,
  sendsEnd: boolean,
): Generator<string> {
  const { store, clock } = req.server.registry;
  for (const { text } of items(store, {
    resource: renderer.resource,
    namespace: info.namespace || undefined,
    revision,
  })) {
    // Only commit writes these texts, from decoded objects of this kind.
    yield renderer.initial(JSON.parse(text) as KubeObject, text, clock.nowMs()) ?? "";
  }
  if (sendsEnd) yield renderer.initialEventsEnd(String(revision));
}

function* changeLines(req: ApiRequest, renderer: Renderer, from: number, to: number): Generator<string> {
  const { store, clock } = req.server.registry;
  for (let at = from; at < to; ) {
    const batch = store.changesSince(at, limits.changeBatch, renderer.resource);
    for (const change of batch) {
      if (change.revision <= to) yield renderer.change(change, clock.nowMs()) ?? "";
    }
    at = batch.at(-1)?.revision ?? to;
  }
}

/** Streams lines on demand in chunks of a bounded size. If the body breaks off, the watch ends. */
function streamOf({ turns }: ApiServer, lines: Generator<string>, release: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        await turns?.next();
        const { chunk, done } = turns ? turns.measure(() => nextChunk(lines)) : nextChunk(lines);
        if (chunk !== "") controller.enqueue(encoder.encode(chunk));
        if (!done) return;
        release();
        controller.close();
      } catch (error) {
        release();
        controller.error(error);
      }
    },
    cancel: release,
  };
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

function nextChunk(lines: Generator<string>): { chunk: string; done: boolean } {
  const length = 64 * 1024;
  let chunk = "";
  while (chunk.length < length) {
    const next = lines.next();
    if (next.done) return { chunk, done: true };
    chunk += next.value;
  }
  return { chunk, done: false };
}

/** Escapes non-ASCII characters of a JSON header value. */
function ascii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
