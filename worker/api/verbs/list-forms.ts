// Encodes a list in parts: the text before its objects, the objects, and the text after them.
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { protobufList, protobufType } from "../../../shared/schema/protobuf/protobuf-object.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import type { MemberObject } from "../../../shared/schema/protobuf/protobuf.ts";
import { keptEncodings } from "./kept-encodings.ts";
import type { Kind } from "../../kinds/kind.ts";
import { fromStorage } from "../../registry/registry.ts";
import type { Item } from "../../store/queries.ts";
import type { Store } from "../../store/store.ts";
import { encodeText } from "../negotiation/encoding.ts";
import type { OutputType } from "../negotiation/negotiation.ts";
import { mayHaveNulls, withNulls } from "../present/nulls.ts";
import { type ListMeta, listValue, decorated, storedKind } from "../present/present.ts";
import type { ApiRequest } from "../api-request.ts";

export interface ListItem extends Item {
  /** The parsed object, if it was parsed. */
  readonly object?: KubeObject | undefined;
}

export interface TextForm {
  /** Returns the start of the list. Without metadata, the tail has them. */
  head(metadata: ListMeta | undefined): string;
  items(page: readonly ListItem[]): string;
  tail(metadata: ListMeta): string;
  /** Returns a list without objects. */
  empty(metadata: ListMeta): string;
}

/** Returns the form of a list as text. All ages are as of `nowMs`, however long the reader takes. */
export function textForm(req: ApiRequest, kind: Kind, output: OutputType, nowMs: number): TextForm {
  const { store } = req.server.registry;
  const { meter } = store;
  let left: number = limits.tableWork;
  const isPlain = output.encoding === "json" && !output.pretty && !output.as && !kind.conversion?.hub;
  const valueOf = (objects: readonly KubeObject[], metadata: ListMeta) =>
    listValue(req, kind, objects, metadata, output, nowMs, { rowWork: Math.min(limits.rowWork, left) });
  const { separator } = memberForm(output);
  // Texts are concatenated, since joining would copy them once more.
  const textOf = isPlain
    ? (page: readonly ListItem[]) => {
        let all = "";
        for (const { text } of page) all += (all === "" ? "" : separator) + plainText(kind, text, nowMs);
        return all;
      }
    : (page: readonly ListItem[]) => {
        const before = meter.spent;
        const members = membersOf(
          valueOf(
            page.map((item) => objectOf(item, kind, store)),
            {},
          ),
        );
        left = Math.max(0, left - (meter.spent - before));
        return members.map((member) => memberText(member, output)).join(separator);
      };
  let isFirst = true;
  let isTold = false;
  const framed = (metadata: ListMeta | undefined) => frame(valueOf([], metadata ?? {}), output, metadata !== undefined);
  return {
    head: (metadata) => {
      isTold = metadata !== undefined;
      return framed(metadata).head;
    },
    items: (page) => {
      if (page.length === 0) return "";
      const text = (isFirst ? "" : separator) + textOf(page);
      isFirst = false;
      return text;
    },
    tail: (metadata) => {
      if (isTold) return framed(metadata).tail;
      const value = valueOf([], metadata);
      // In YAML, a key may come after all others.
      if (output.encoding === "yaml") return framed(undefined).tail + toYaml({ metadata: value["metadata"] });
      return frame(metadataLast(value), output, true).tail;
    },
    empty: (metadata) => encodeText(valueOf([], metadata), output),
  };
}

/** The work of reading a character of a stored object. */
const readWork = 0.015;

/** Returns the object of an item if the store has it in memory. */
export function cachedObject(
  { namespace, name, revision }: Item,
  resource: string,
  store: Store,
): KubeObject | undefined {
  return store.cachedAt({ resource, namespace, name }, revision);
}

/** Returns the stored object of an item, which is parsed unless the store has it in memory. */
function objectOf(item: ListItem, kind: Kind, store: Store): KubeObject {
  const object = item.object ?? cachedObject(item, storedKind(kind).resource, store);
  if (object) return object;
  store.meter.account(readWork * item.text.length);
  // Only commit writes these texts, from decoded objects.
  return JSON.parse(item.text) as KubeObject;
}

function keyOf(list: JsonObject): "items" | "rows" {
  return "rows" in list ? "rows" : "items";
}

function membersOf(list: JsonObject): readonly unknown[] {
  // The value is a list or a Table.
  return list[keyOf(list)] as readonly unknown[];
}

/** Returns the separator and the indentation of objects in the list. */
function memberForm({ encoding, pretty }: OutputType): { readonly separator: string; readonly indent: string } {
  if (encoding === "yaml") return { separator: "", indent: "  " };
  return pretty ? { separator: ",\n    ", indent: "    " } : { separator: ",", indent: "" };
}

function memberText(value: unknown, output: OutputType): string {
  const { indent } = memberForm(output);
  if (output.encoding === "yaml") return `- ${toYaml(value).replaceAll(/\n(?=[^\n])/g, `\n${indent}`)}`;
  // JSON texts contain no raw line breaks.
  return output.pretty ? JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`) : JSON.stringify(value);
}

/** The placeholder of the objects in an encoded list. */
const placeholder = "here";

/** Returns the text before and after the objects of a list. */
function frame(list: JsonObject, output: OutputType, hasMetadata: boolean): { head: string; tail: string } {
  const { metadata, ...rest } = list;
  const key = keyOf(list);
  const value = hasMetadata ? { ...list, [key]: [placeholder] } : { ...rest, [key]: [placeholder] };
  const text = encodeText(value, output);
  const isYaml = output.encoding === "yaml";
  const mark = isYaml ? `- ${placeholder}\n` : JSON.stringify(placeholder);
  const at = text.indexOf(mark, text.indexOf(isYaml ? `${key}:\n` : `"${key}":`));
  return { head: text.slice(0, at), tail: text.slice(at + mark.length) };
}

function metadataLast({ metadata, ...rest }: JsonObject): JsonObject {
  return { ...rest, metadata };
}

/**
 * Returns an object of a list in JSON: the stored text if possible. As upstream, objects of built-in kinds do not repeat apiVersion and
 * kind.
 */
function plainText(kind: Kind, text: string, nowMs: number): string {
  if (kind.custom) return shownText(kind, text);
  return `{${decoratedText(kind, text, nowMs).slice(`{"kind":"${kind.kind}","apiVersion":"${kind.apiVersion}",`.length)}`;
}

/** Returns the stored text, converted if the object is stored in another form. */
function shownText(kind: Kind, text: string): string {
  // Only commit writes these texts.
  const stored = JSON.parse(text) as KubeObject;
  const converted = fromStorage(kind, stored);
  return converted === stored ? text : JSON.stringify(converted);
}

/** Returns the stored text, with added fields or nulls if the kind has any. */
function decoratedText(kind: Kind, text: string, nowMs: number): string {
  const isShownOtherwise = kind.decorator !== undefined || mayHaveNulls(kind, text);
  return isShownOtherwise ? JSON.stringify(withNulls(kind, decoratedObject(kind, text, nowMs))) : text;
}

function decoratedObject(kind: Kind, text: string, nowMs: number): KubeObject {
  // Only commit writes these texts.
  const stored = JSON.parse(text) as KubeObject;
  return kind.decorator?.decorate(stored, nowMs) ?? stored;
}

type Bytes = Uint8Array<ArrayBuffer>;

export interface ProtobufForm {
  /** Returns the start of the list. `length` is the total length of all items, because a message starts with its length. */
  head(metadata: ListMeta, length: number): Bytes;
  items(page: readonly ListItem[]): Bytes;
  /** Returns the length of encoded items. Items whose length is known are not encoded. */
  length(page: readonly ListItem[]): number;
  readonly tail: Bytes;
}

/** Returns the form of a list as protobuf. Throws 406 for a list without a protobuf form, such as a Table. */
export function protobufForm(req: ApiRequest, kind: Kind, output: OutputType, nowMs: number): ProtobufForm {
  const { apiVersion, kind: listName } = listValue(req, kind, [], {}, output, nowMs);
  const named = [String(apiVersion), String(listName)] as const;
  protobufType(...named);
  const type = output.as ? protobufType(named[0], "PartialObjectMetadata").name : kind.type;
  const { store } = req.server.registry;
  const valueOf = (item: ListItem): unknown => {
    const stored = objectOf(item, kind, store);
    if (output.as) return must(membersOf(listValue(req, kind, [stored], {}, output, nowMs))[0], "an item");
    return kind.conversion?.hub ? decorated(kind, stored, nowMs) : (kind.decorator?.decorate(stored, nowMs) ?? stored);
  };
  // Objects that are sent as stored have the same encoding for all clients and times.
  const isAsStored = !output.as && !kind.conversion && !kind.decorator;
  const encodings = isAsStored ? keptEncodings(store) : undefined;
  const memberOf = (item: ListItem): MemberObject => {
    const { revision } = item;
    const object = () => valueOf(item);
    if (!encodings) return { object };
    return { bytes: encodings.get(type, revision), object, keep: (bytes) => encodings.set(type, revision, bytes) };
  };
  const list = protobufList(...named, {});
  const items = (page: readonly ListItem[]) => list.items(type, page.map(memberOf));
  return {
    head: (metadata, length) => protobufList(...named, metadata).head(length),
    items,
    length: (page) => {
      let sum = 0;
      for (const item of page) sum += encodings?.lengthOf(type, item.revision) ?? items([item]).length;
      return sum;
    },
    tail: list.tail,
  };
}
