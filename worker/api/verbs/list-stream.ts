// A list as it is read, a page at each pull: however long the list and slow the reader, one page is in memory.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Item, PageQuery } from "../../store/queries.ts";
import type { Store } from "../../store/store.ts";
import { answer } from "../negotiation/compression.ts";
import { type Continuation, encodeContinue } from "./continue-token.ts";
import { inVersion, type ListMeta, outputOf, uncached, warningsOf } from "../present/present.ts";
import { matches, type Selection } from "./query.ts";
import type { ApiRequest } from "../api-request.ts";
import { Pauses } from "../pauses.ts";
import { type Found, protobufForm, type TextForm, textForm } from "./list-forms.ts";

export type ListQuery = Omit<PageQuery, "limit"> & { readonly revision: number };

export interface ListRead {
  readonly query: ListQuery;
  readonly selection: Selection;
  /** 0 for none. */
  readonly limit: number;
  /** When the list began, which its tokens tell. */
  readonly beganMs: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface Part {
  readonly bytes: Bytes;
  readonly done: boolean;
}

/** A list in parts; the last tells that it is. */
interface Parts {
  next(): Part | Promise<Part>;
}

/** Throws `PendingCalls` where someone has to be asked how the first objects are shown. */
export async function listAnswer(req: ApiRequest, kind: Kind, read: ListRead): Promise<Response> {
  const output = outputOf(req, kind);
  const release = beginRead(req, read.query.revision);
  try {
    const parts = output.encoding === "protobuf" ? await protobufParts(req, kind, read) : textParts(req, kind, read);
    const headers = { "content-type": output.mediaType, ...uncached, ...warningsOf(req) };
    const opening = await parts.next();
    if (!opening.done) return answer(req.request, streamOf(req, opening.bytes, parts, release), 200, headers);
    release();
    return answer(req.request, opening.bytes, 200, headers);
  } catch (error) {
    release();
    throw error;
  }
}

function streamOf(req: ApiRequest, opening: Bytes, parts: Parts, release: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(opening),
    pull: async (controller) => {
      const { turns, pause } = req.server;
      try {
        for (;;) {
          await turns?.next();
          const { bytes, done } = await (turns ? turns.measure(() => parts.next()) : parts.next());
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) {
            release();
            controller.close();
          }
          if (done || bytes.length > 0) return;
          // A page in which nothing is selected is followed by another, but not at once.
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

/** Metadata come first where they are known: of a list that is cut off they are told at its end, if what is before it is long. */
function textParts(req: ApiRequest, kind: Kind, read: ListRead): Parts {
  const { store, clock } = req.server.registry;
  // Never of shared memory.
  const encode = (text: string) => new TextEncoder().encode(text) as Bytes;
  const form = textForm(req, kind, outputOf(req, kind), clock.nowMs());
  const pages = new Pages(store, kind, read);
  const isHeavy = kind.custom !== undefined && outputOf(req, kind).as?.kind === "Table";
  const pauses = new Pauses(req.server);
  const textOf = (found: readonly Found[]) => (isHeavy ? pausedText(req, form, found, pauses) : form.items(found));
  const rest = async () => {
    await pauses.next();
    const text = await textOf(pages.next());
    const { metadata } = pages;
    return { bytes: encode(metadata ? text + form.tail(metadata) : text), done: metadata !== undefined };
  };
  const opening = async () => {
    const most = read.limit > 0 ? limits.listAtOnceBytes : 0;
    let text = "";
    for (;;) {
      text += await textOf(pages.next());
      if (pages.metadata || pages.bytes >= most) break;
      await req.server.pause?.();
    }
    const { metadata } = pages;
    if (metadata && text === "") return { bytes: encode(form.empty(metadata)), done: true };
    const known = read.limit > 0 ? metadata : { resourceVersion: String(read.query.revision) };
    const all = form.head(known) + text + (metadata ? form.tail(metadata) : "");
    return { bytes: encode(all), done: metadata !== undefined };
  };
  let next: Parts["next"] = () => {
    next = rest;
    return opening();
  };
  return { next: () => next() };
}

/** Renders objects one by one, and lets others have their turn when that has taken long. */
async function pausedText(
  { server: { turns } }: ApiRequest,
  form: TextForm,
  found: readonly Found[],
  pauses: Pauses,
): Promise<string> {
  const textOf = (one: Found) => form.items([one]);
  let text = "";
  for (const one of found) {
    text += turns ? turns.measure(() => textOf(one)) : textOf(one);
    await pauses.next();
  }
  return text;
}

/** A message tells its length before it begins, so the items are measured first. */
async function protobufParts(req: ApiRequest, kind: Kind, read: ListRead): Promise<Parts> {
  const { store, clock } = req.server.registry;
  const form = protobufForm(req, kind, outputOf(req, kind), clock.nowMs());
  const measured = new Pages(store, kind, read);
  const kept: Bytes[] = [];
  // Those of a short list, and the first of a long one, are kept, and not made once more.
  let goesOn: Pages | undefined;
  let length = 0;
  for (;;) {
    const before = measured.copy();
    const items = form.items(measured.next());
    length += items.length;
    if (!goesOn && length <= limits.listPageBytes) kept.push(items);
    else goesOn ??= before;
    if (measured.metadata) break;
    await req.server.pause?.();
  }
  let head: readonly Bytes[] = [form.head(measured.metadata, length), ...kept];
  const pages = goesOn;
  if (!pages) return { next: () => ({ bytes: join([...head, form.tail]), done: true }) };
  return {
    next: () => {
      const items = form.items(pages.next());
      const done = pages.metadata !== undefined;
      const bytes = join([...head, items, ...(done ? [form.tail] : [])]);
      head = [];
      return { bytes, done };
    },
  };
}

/** Work of selecting an object, of a term of a selector, and of a character that is parsed for it. */
const selectedWork = 4;
/** The same of an object that is sent as it is stored. */
const copiedWork = 2;
const copiedCharacterWork = 0.005;
const termWork = 0.15;
const parsedCharacterWork = 0.015;

/** What is selected of a list, a page of the store at a time. */
export class Pages {
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #read: ListRead;
  /** Work of comparing one object with the selectors. */
  readonly #selectionWork: number;
  #after: Continuation["after"] | undefined;
  #last: Continuation["after"] | undefined;
  #count = 0;
  /** Of the texts that were read so far. */
  bytes = 0;
  /** Of the list, once all of it has been read. */
  metadata: ListMeta | undefined;

  constructor(store: Store, kind: Kind, read: ListRead) {
    this.#store = store;
    this.#kind = kind;
    this.#read = read;
    this.#after = read.query.after;
    const { labels, fields } = read.selection;
    this.#selectionWork = selectedWork + termWork * (labels.size + fields.terms.length);
  }

  /** One that goes on from here. */
  copy(): Pages {
    const copy = new Pages(this.#store, this.#kind, this.#read);
    copy.#after = this.#after;
    copy.#last = this.#last;
    copy.#count = this.#count;
    return copy;
  }

  /** Those of the next page, which may be none; to be called until there are metadata. */
  next(): (Found & Item)[] {
    const { query, limit } = this.#read;
    const left = limit > 0 ? limit - this.#count + 1 : limits.listPageObjects;
    const each = this.#selectionWork;
    const most = Math.min(left, limits.listPageObjects, Math.max(1, Math.floor(limits.unpausedWork / each)));
    const { items, more } = this.#store.page({ ...query, after: this.#after, limit: most });
    const found: (Found & Item)[] = [];
    for (const item of items) {
      this.bytes += item.text.length;
      const { all } = this.#read.selection;
      this.#store.meter.account(
        all ? copiedWork + item.text.length * copiedCharacterWork : each + item.text.length * parsedCharacterWork,
      );
      const one = this.#selected(item);
      if (!one) continue;
      if (limit > 0 && this.#count === limit) {
        this.metadata = this.#cutOff();
        return found;
      }
      found.push(one);
      this.#count++;
      this.#last = { namespace: item.namespace, name: item.name };
    }
    this.#after = items.at(-1) ?? this.#after;
    if (!more) this.metadata = { resourceVersion: String(query.revision) };
    return found;
  }

  #selected(item: Item): (Found & Item) | undefined {
    const { selection } = this.#read;
    if (selection.all) return item;
    // Only commit writes these texts, from decoded objects of this kind.
    const object = JSON.parse(item.text) as KubeObject;
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

/** A read that takes as long as its reader: its revision is kept. Returns what ends it; throws 429 where there are too many. */
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

/** All items in key order at one revision, read a page at a time. */
export function* items(store: Store, query: Omit<PageQuery, "limit">): Generator<Item> {
  let after = query.after;
  for (;;) {
    const page = store.page({ ...query, after, limit: limits.listPageObjects });
    yield* page.items;
    if (!page.more) return;
    after = page.items.at(-1);
  }
}

function join(parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
