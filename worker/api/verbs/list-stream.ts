// A whole list as it is stored, a page at each pull: however long the list and slow the reader, one page is in memory.
import { limits } from "../../../shared/base/limits.ts";
import { encodeProtobuf } from "../../../shared/schema/protobuf.ts";
import { protobufType, protobufList } from "../../../shared/schema/protobuf-object.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { served } from "../../registry/registry.ts";
import type { Item, PageQuery, Store } from "../../store/store.ts";
import { answer } from "../answer.ts";
import type { OutputType } from "../negotiation.ts";
import { mayHaveNulls, withNulls } from "../nulls.ts";
import { listKind, uncached, warningsOf } from "../present.ts";
import type { Call } from "../service.ts";

export type ListQuery = Omit<PageQuery, "limit"> & { readonly revision: number };

type Bytes = Uint8Array;

/** How a list is written in parts. */
interface Form {
  readonly head: Bytes;
  items(page: readonly Item[]): Bytes;
  readonly tail: Bytes;
}

export function streamed(call: Call, kind: Kind, query: ListQuery, output: OutputType): Response {
  const { store, clock } = call.service.registry;
  // All of it is told at one moment, however long the reader takes.
  const nowMs = clock.nowMs();
  const form = output.encoding === "protobuf" ? protobufForm(store, kind, query, nowMs) : jsonForm(kind, query, nowMs);
  let after = query.after;
  const next = () => {
    const page = store.page({ ...query, after, limit: limits.listPageObjects });
    after = page.items.at(-1) ?? after;
    return { bytes: form.items(page.items), done: !page.more };
  };
  const headers = { "content-type": output.mediaType, ...uncached, ...warningsOf(call) };
  const opening = next();
  if (opening.done) return answer(call.request, join([form.head, opening.bytes, form.tail]), 200, headers);
  const release = store.hold(query.revision);
  const body = new ReadableStream<Bytes>({
    start: (controller) => controller.enqueue(join([form.head, opening.bytes])),
    pull: (controller) => {
      try {
        const { bytes, done } = next();
        controller.enqueue(done ? join([bytes, form.tail]) : bytes);
        if (!done) return;
        release();
        controller.close();
      } catch (error) {
        release();
        controller.error(error);
      }
    },
    cancel: release,
  });
  return answer(call.request, body, 200, headers);
}

function jsonForm(kind: Kind, { revision }: ListQuery, nowMs: number): Form {
  const encoder = new TextEncoder();
  if (kind.custom) return untypedForm(kind, revision);
  // As upstream's typed lists, items do not repeat their apiVersion and kind.
  const prefix = `{"kind":"${kind.kind}","apiVersion":"${kind.apiVersion}",`.length;
  let separator = "";
  return {
    head: encoder.encode(
      `{"kind":"${kind.kind}List","apiVersion":"${kind.apiVersion}","metadata":{"resourceVersion":"${revision}"},"items":[`,
    ),
    items: (page) => {
      let chunk = "";
      for (const { text } of page) {
        chunk += `${separator}{${decoratedText(kind, text, nowMs).slice(prefix)}`;
        separator = ",";
      }
      return encoder.encode(chunk);
    },
    tail: encoder.encode("]}\n"),
  };
}

/** As maps are written: in order of the keys, items as they are. */
function untypedForm(kind: Kind, revision: number): Form {
  const encoder = new TextEncoder();
  let separator = "";
  return {
    head: encoder.encode(`{"apiVersion":"${kind.apiVersion}","items":[`),
    items: (page) => {
      let chunk = "";
      for (const { text } of page) {
        chunk += separator + shownText(kind, text);
        separator = ",";
      }
      return encoder.encode(chunk);
    },
    tail: encoder.encode(`],"kind":"${listKind(kind)}","metadata":{"continue":"","resourceVersion":"${revision}"}}\n`),
  };
}

/** The stored text, unless the object is shown otherwise than it is stored. */
function shownText(kind: Kind, text: string): string {
  // Only commit writes these texts.
  const stored = JSON.parse(text) as KubeObject;
  const shown = served(kind, stored);
  return shown === stored ? text : JSON.stringify(shown);
}

/** The stored text, unless something is added to it or shown as null. */
function decoratedText(kind: Kind, text: string, nowMs: number): string {
  const isShownOtherwise = kind.decorator !== undefined || mayHaveNulls(kind, text);
  return isShownOtherwise ? JSON.stringify(withNulls(kind, decoratedObject(kind, text, nowMs))) : text;
}

function decoratedObject(kind: Kind, text: string, nowMs: number): KubeObject {
  // Only commit writes these texts.
  const stored = JSON.parse(text) as KubeObject;
  return kind.decorator?.decorate(stored, nowMs) ?? stored;
}

/** A message tells its length before it begins, so the items are measured first. */
function protobufForm(store: Store, kind: Kind, query: ListQuery, nowMs: number): Form {
  protobufType(kind.apiVersion, `${kind.kind}List`);
  const message = ({ text }: Item) => encodeProtobuf(kind.type, decoratedObject(kind, text, nowMs));
  const list = protobufList(kind.apiVersion, `${kind.kind}List`, { resourceVersion: String(query.revision) });
  let length = 0;
  for (const item of items(store, query)) length += list.item(message(item)).length;
  return {
    head: list.head(length),
    items: (page) => join(page.map((item) => list.item(message(item)))),
    tail: list.tail,
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

function join(parts: readonly Bytes[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
