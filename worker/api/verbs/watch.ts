// WATCH, the object's side. The edge first pulls what there is (a back-pressured body that ends at a revision it names),
// then joins what is live with a socket from that revision. Nothing of a watch stays in the object but the socket.
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
import { type Renderer, rendererOf, type WatchSpec } from "./watch-spec.ts";
import { tooLarge } from "./list.ts";
import { beginRead, items } from "./list-stream.ts";

export function watch(req: ApiRequest, kind: Kind, info: ResourceInfo): Response {
  const { server, request, url } = req;
  const options = listOptions(withoutMatch(url.searchParams));
  checkInitialEvents(url.searchParams, server.registry.features);
  const given = request.headers.get(internalHeaders.since);
  const since = given === null ? undefined : Number(given);
  const spec = specOf(req, kind, info, options, since);
  const renderer = rendererOf(server.registry.catalogue, server.registry.store.meter, spec);
  if (request.headers.get(internalHeaders.watch) === "join") return join(req, spec, renderer, since ?? 0);
  if (since === undefined) server.sockets?.requireRoom();
  const { store } = server.registry;
  const start = startOf(store, url.searchParams, options);
  if (since === undefined && start.isAhead) return refused(req, spec, tooLarge(start.version, store.revision));
  return pull(req, spec, renderer, info, since ?? start.after);
}

function specOf(req: ApiRequest, kind: Kind, info: ResourceInfo, options: ListOptions, since = 0): WatchSpec {
  const query = req.url.searchParams;
  const isAhead = since > req.server.registry.store.revision;
  const { as, encoding } = negotiateOutput(req.request.headers.get("accept"), resourceTransforms, { stream: true });
  // Refuses what has no protobuf form.
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
  };
}

/** A name in the path (only the old watch paths have one) counts as a field selector, and agrees with the one that is given. */
function fieldSelectorOf({ name }: ResourceInfo, { fieldSelector }: ListOptions): string {
  if (name === "") return fieldSelector;
  if (fieldSelector === "") return `metadata.name=${name}`;
  const isSame = ({ field, operator, value }: { field: string; operator: string; value: string }) =>
    field === "metadata.name" && operator === "=" && value === name;
  if (parseFieldSelector(fieldSelector).terms.some(isSame)) return fieldSelector;
  throw ApiError.badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** Upstream's rules for `sendInitialEvents` (validateWatchOptions). */
function checkInitialEvents(query: URLSearchParams, { WatchList }: Features): void {
  const asked = query.has("sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  const field = path("resourceVersionMatch");
  const errors = [];
  if (asked && match !== "NotOlderThan") {
    errors.push(forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (asked && !WatchList) {
    const why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    errors.push(forbidden(path("sendInitialEvents"), why));
  }
  if (!asked && match !== "") {
    errors.push(forbidden(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (match !== "" && match !== "NotOlderThan") errors.push(notSupported(field, match, ["NotOlderThan"]));
  // Of no version in particular, upstream takes it for a watch with initial events.
  const isOfAny = !asked && match === "" && ["", "0"].includes(query.get("resourceVersion") ?? "");
  if ((match !== "" || isOfAny) && query.get("continue")) {
    errors.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", errors);
}

/** The match of a watch has its own rules, checked above. */
function withoutMatch(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete("resourceVersionMatch");
  return rest;
}

function join(req: ApiRequest, spec: WatchSpec, renderer: Renderer, since: number): Response {
  const { server } = req;
  const { store, clock } = server.registry;
  if (!server.sockets) throw ApiError.badRequest("watches cannot be joined here");
  server.sockets.requireRoom();
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
 * As upstream's watch cache: a watch that is well formed begins, and then tells of what keeps it from going on in an ERROR event. One
 * that has begun already is told so by the edge, in the same words.
 */
function refused({ server, request }: ApiRequest, spec: WatchSpec, error: ApiError): Response {
  if (request.headers.has(internalHeaders.since)) throw error;
  const body = `${JSON.stringify({ type: "ERROR", object: error.toStatus() })}\n`;
  const headers = { ...streamHeaders(spec, server.registry.store.revision), [internalHeaders.ended]: "true" };
  return new Response(body, { headers });
}

/** Whether the client has seen nothing of this watch yet. */
function opensStream({ headers }: Request): boolean {
  return !headers.has(internalHeaders.since) || headers.has(internalHeaders.columns);
}

/** The lines with the columns in the first; where there is none, whoever sends the first event has to add them. */
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
  /** The revision asked for; 0 for none. */
  readonly version: number;
  /** Undefined: what there is comes first. */
  readonly after: number | undefined;
  /** What there is is wanted as it will be at a revision that is yet to come. */
  readonly isAhead: boolean;
}

/**
 * What there is comes first for no revision and for 0, as upstream has it, unless told otherwise. A revision that is yet to come is
 * waited for.
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

/** A body that is produced as it is read, and not before, in chunks of a bounded size. Where it breaks off, the watch is broken off. */
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

/** A header's value: what is not ASCII is escaped, which JSON allows. */
function ascii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
