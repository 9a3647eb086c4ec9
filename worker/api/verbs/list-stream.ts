// Streams a list page by page on demand: only one page is in memory, however long the list and slow the reader.
import { joinBytes } from "../../../shared/base/byte-text.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Item, PageQuery } from "../../store/queries.ts";
import type { Store } from "../../store/store.ts";
import { answer } from "../negotiation/compression.ts";
import { type Continuation, encodeContinue } from "./continue-token.ts";
import { uncached } from "../negotiation/answer-headers.ts";
import { inVersion, type ListMeta, outputOf, warningsOf } from "../present/present.ts";
import { matches, type Selection } from "./query.ts";
import type { ApiRequest } from "../api-request.ts";
import { Pauses } from "../pauses.ts";
import { cachedObject, type ListItem, protobufForm, type TextForm, textForm } from "./list-forms.ts";

export type ListQuery = Omit<PageQuery, "limit"> & { readonly revision: number };

export interface ListRead {
  readonly query: ListQuery;
  readonly selection: Selection;
  /** 0 for no limit. */
  readonly limit: number;
  /** The start of the list, which its tokens contain. */
  readonly beganMs: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface Part {
  readonly bytes: Bytes;
  readonly done: boolean;
}

/** The parts of an encoded list. */
interface Parts {
  next(): Part | Promise<Part>;
}

/** Returns the response. Throws `PendingCalls` if showing the first objects needs outbound calls. */
export async function listAnswer(req: ApiRequest, kind: Kind, read: ListRead): Promise<Response> {
  const output = outputOf(req, kind);
  const release = beginRead(req, read.query.revision);
  try {
    const listParts =
      output.encoding === "protobuf" ? await protobufParts(req, kind, read) : textParts(req, kind, read);
    const headers = { "content-type": output.mediaType, ...uncached, ...warningsOf(req) };
    const opening = await listParts.next();
    if (!opening.done) return answer(req.request, streamOf(req, opening.bytes, listParts, release), 200, headers);
    release();
    return answer(req.request, opening.bytes, 200, headers);
  } catch (error) {
    release();
    throw error;
  }
}

function streamOf(req: ApiRequest, opening: Bytes, listParts: Parts, release: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(opening),
    pull: async (controller) => {
      const { turns, pause } = req.server;
      try {
        for (;;) {
          await turns?.next();
          const { bytes, done } = await listParts.next();
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) {
            release();
            controller.close();
          }
          if (done || bytes.length > 0) return;
          // A page without selected objects is followed by the next one, after a pause.
          await pause?.();
        }
      } catch (error) {
        release();
        controller.error(error);
      }
    },
    cancel: release,
  });
}

/** Encodes a list as text. Metadata come first if they are known. If a paged list is long, they come last. */
function textParts(req: ApiRequest, kind: Kind, read: ListRead): Parts {
  const { store, clock } = req.server.registry;
  // A copy, never of shared memory.
  const encode = (text: string) => new TextEncoder().encode(text) as Bytes;
  const form = textForm(req, kind, outputOf(req, kind), clock.nowMs());
  const pages = new Pages(store, kind, read);
  const isHeavy = kind.custom !== undefined && outputOf(req, kind).as?.kind === "Table";
  const pauses = new Pauses(req.server);
  const nextText = () =>
    isHeavy
      ? pausedText(
          req,
          form,
          inTurn(req, () => pages.next()),
          pauses,
        )
      : inTurn(req, () => form.items(pages.next()));
  const rest = async () => {
    await pauses.next();
    const text = await nextText();
    const { metadata } = pages;
    return { bytes: encode(metadata ? text + form.tail(metadata) : text), done: metadata !== undefined };
  };
  const opening = async () => {
    const most = read.limit > 0 ? limits.listAtOnceBytes : 0;
    let text = "";
    for (;;) {
      text += await nextText();
      if (pages.metadata || pages.bytes >= most) break;
      await req.server.pause?.();
    }
    const { metadata } = pages;
    if (metadata && text === "") return { bytes: encode(form.empty(metadata)), done: true };
    const initialMetadata = read.limit > 0 ? metadata : { resourceVersion: String(read.query.revision) };
    const all = form.head(initialMetadata) + text + (metadata ? form.tail(metadata) : "");
    return { bytes: encode(all), done: metadata !== undefined };
  };
  let next: Parts["next"] = () => {
    next = rest;
    return opening();
  };
  return { next: () => next() };
}

/** Does work of a list that is charged to the sandbox's share, also after the request has waited for something. */
function inTurn<T>({ server: { turns } }: ApiRequest, body: () => T): T {
  return turns ? turns.measure(body) : body();
}

/** Encodes objects one by one, with pauses if it takes long. */
async function pausedText(req: ApiRequest, form: TextForm, page: readonly ListItem[], pauses: Pauses): Promise<string> {
  let text = "";
  for (const item of page) {
    text += inTurn(req, () => form.items([item]));
    await pauses.next();
  }
  return text;
}

/** Encodes a list as protobuf. A message starts with its length, so the items are measured first. */
async function protobufParts(req: ApiRequest, kind: Kind, read: ListRead): Promise<Parts> {
  const { store, clock } = req.server.registry;
  const form = protobufForm(req, kind, outputOf(req, kind), clock.nowMs());
  const measured = new Pages(store, kind, read);
  const measuredItems: Bytes[] = [];
  // The measured items of a short list, or the first of a long one, are reused.
  let goesOn: Pages | undefined;
  let length = 0;
  for (;;) {
    const before = measured.copy();
    if (goesOn) length += inTurn(req, () => form.length(measured.next()));
    else {
      const items = inTurn(req, () => form.items(measured.next()));
      length += items.length;
      if (length <= limits.listPageBytes) measuredItems.push(items);
      else goesOn = before;
    }
    if (measured.metadata) break;
    await req.server.pause?.();
  }
  let head: readonly Bytes[] = [form.head(measured.metadata, length), ...measuredItems];
  const pages = goesOn;
  if (!pages) return { next: () => ({ bytes: joinBytes([...head, form.tail]), done: true }) };
  return {
    next: () => {
      const items = inTurn(req, () => form.items(pages.next()));
      const done = pages.metadata !== undefined;
      const bytes = joinBytes([...head, items, ...(done ? [form.tail] : [])]);
      head = [];
      return { bytes, done };
    },
  };
}

/** The work of selecting an object, of a term of a selector, and of a parsed character. */
const selectedWork = 4;
/** The work of an object that is sent: its text is copied, encoded and compressed. */
const copiedWork = 2;
const copiedCharacterWork = 0.005;
const termWork = 0.15;
const parsedCharacterWork = 0.015;

/** The selected objects of a list, by pages of the store. */
export class Pages {
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #read: ListRead;
  /** The work of matching one object against the selectors. */
  readonly #selectionWork: number;
  #after: Continuation["after"] | undefined;
  #last: Continuation["after"] | undefined;
  #count = 0;
  /** The total length of the texts that were read. */
  bytes = 0;
  /** The metadata of the list, set after all of it has been read. */
  metadata: ListMeta | undefined;

  constructor(store: Store, kind: Kind, read: ListRead) {
    this.#store = store;
    this.#kind = kind;
    this.#read = read;
    this.#after = read.query.after;
    const { labels, fields } = read.selection;
    this.#selectionWork = selectedWork + termWork * (labels.size + fields.terms.length);
  }

  /** Returns a copy that continues from here. */
  copy(): Pages {
    const copy = new Pages(this.#store, this.#kind, this.#read);
    copy.#after = this.#after;
    copy.#last = this.#last;
    copy.#count = this.#count;
    return copy;
  }

  /** Returns the objects of the next page, which may be empty. Call it until there are metadata. */
  next(): ListItem[] {
    const { query, limit } = this.#read;
    const left = limit > 0 ? limit - this.#count + 1 : limits.listPageObjects;
    const each = this.#selectionWork;
    const most = Math.min(left, limits.listPageObjects, Math.max(1, Math.floor(limits.unpausedWork / each)));
    const { items, more } = this.#store.page({ ...query, after: this.#after, limit: most });
    const selected: ListItem[] = [];
    for (const item of items) {
      this.bytes += item.text.length;
      const { all } = this.#read.selection;
      const { meter } = this.#store;
      if (!all) meter.account(each + item.text.length * parsedCharacterWork);
      const match = this.#selected(item);
      if (!match) continue;
      meter.account(copiedWork + item.text.length * copiedCharacterWork);
      if (limit > 0 && this.#count === limit) {
        this.metadata = this.#cutOff();
        return selected;
      }
      selected.push(match);
      this.#count++;
      this.#last = { namespace: item.namespace, name: item.name };
    }
    this.#after = items.at(-1) ?? this.#after;
    if (!more) this.metadata = { resourceVersion: String(query.revision) };
    return selected;
  }

  #selected(item: Item): ListItem | undefined {
    const { query, selection } = this.#read;
    if (selection.all) return item;
    // Only commit writes these texts, from decoded objects of this kind.
    const object = cachedObject(item, query.resource, this.#store) ?? (JSON.parse(item.text) as KubeObject);
    return matches(this.#kind, selection, inVersion(this.#kind, object)) ? { ...item, object } : undefined;
  }

  #cutOff(): ListMeta {
    const { query, selection, beganMs } = this.#read;
    const after = this.#last ?? { namespace: "", name: "" };
    const token = encodeContinue({ revision: query.revision, after, beganMs });
    const rest = selection.all ? { remainingItemCount: this.#store.count({ ...query, after }) } : {};
    return { resourceVersion: String(query.revision), continue: token, ...rest };
  }
}

/**
 * Starts a read that lasts as long as its reader, and holds its revision. Returns a function that ends it. Throws 429 if there are too many
 * reads.
 */
export function beginRead({ server }: ApiRequest, revision: number): () => void {
  const { reads } = server.load;
  const id = Symbol();
  reads.take(id);
  const release = server.registry.store.hold(revision);
  return () => {
    reads.release(id);
    release();
  };
}

/** Iterates over all items in key order at one revision, page by page. */
export function* items(store: Store, query: Omit<PageQuery, "limit">): Generator<Item> {
  let after = query.after;
  for (;;) {
    const page = store.page({ ...query, after, limit: limits.listPageObjects });
    yield* page.items;
    if (!page.more) return;
    after = page.items.at(-1);
  }
}
