// How a list is written in parts: what stands before its objects, the objects, and what stands after them.
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { protobufList, protobufType } from "../../../shared/schema/protobuf/protobuf-object.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import type { MemberObject } from "../../../shared/schema/protobuf/protobuf.ts";
import { keptEncodings } from "./kept-encodings.ts";
import type { Kind } from "../../kinds/kind.ts";
import { fromStorage } from "../../registry/registry.ts";
import { encodeText } from "../negotiation/encoding.ts";
import type { OutputType } from "../negotiation/negotiation.ts";
import { mayHaveNulls, withNulls } from "../present/nulls.ts";
import { type ListMeta, listValue, decorated } from "../present/present.ts";
import type { ApiRequest } from "../api-request.ts";

/** One object of a list. */
export interface Found {
  /** As it is stored. */
  readonly text: string;
  /** Absent where it is not known. */
  readonly revision?: number;
  /** The same, if it has been parsed. */
  readonly object?: KubeObject | undefined;
}

export interface TextForm {
  /** Without metadata where that is not known yet: then it comes with the tail. */
  head(metadata: ListMeta | undefined): string;
  /** The objects of one page, after those of the pages before it. */
  items(found: readonly Found[]): string;
  tail(metadata: ListMeta): string;
  /** A list that has no objects. */
  empty(metadata: ListMeta): string;
}

/** What is told is told at one moment, however long the reader takes. */
export function textForm(req: ApiRequest, kind: Kind, output: OutputType, nowMs: number): TextForm {
  const { meter } = req.server.registry.store;
  let left: number = limits.tableWork;
  const isPlain = output.encoding === "json" && !output.pretty && !output.as && !kind.conversion?.hub;
  const valueOf = (objects: readonly KubeObject[], metadata: ListMeta) =>
    listValue(req, kind, objects, metadata, output, nowMs, { rowWork: Math.min(limits.rowWork, left) });
  const { separator } = memberForm(output);
  // Texts are added one to the other: to join them would copy them once more.
  const textOf = isPlain
    ? (found: readonly Found[]) => {
        let all = "";
        for (const { text } of found) all += (all === "" ? "" : separator) + plainText(kind, text, nowMs);
        return all;
      }
    : (found: readonly Found[]) => {
        const before = meter.spent;
        const members = membersOf(
          valueOf(
            found.map((one) => objectOf(one, meter)),
            {},
          ),
        );
        left = Math.max(0, left - (meter.spent - before));
        return members.map((one) => memberText(one, output)).join(separator);
      };
  let isFirst = true;
  let isTold = false;
  const framed = (metadata: ListMeta | undefined) => frame(valueOf([], metadata ?? {}), output, metadata !== undefined);
  return {
    head: (metadata) => {
      isTold = metadata !== undefined;
      return framed(metadata).head;
    },
    items: (found) => {
      if (found.length === 0) return "";
      const text = (isFirst ? "" : separator) + textOf(found);
      isFirst = false;
      return text;
    },
    tail: (metadata) => {
      if (isTold) return framed(metadata).tail;
      const value = valueOf([], metadata);
      // Of YAML, a key may stand behind all others.
      if (output.encoding === "yaml") return framed(undefined).tail + toYaml({ metadata: value["metadata"] });
      return frame(metadataLast(value), output, true).tail;
    },
    empty: (metadata) => encodeText(valueOf([], metadata), output),
  };
}

/** Work of reading a character of a stored object. */
const readWork = 0.015;

function objectOf({ object, text }: Found, meter: WorkMeter): KubeObject {
  if (!object) meter.account(readWork * text.length);
  // Only commit writes these texts, from decoded objects.
  return object ?? (JSON.parse(text) as KubeObject);
}

function keyOf(list: JsonObject): "items" | "rows" {
  return "rows" in list ? "rows" : "items";
}

function membersOf(list: JsonObject): readonly unknown[] {
  // A list's objects, or a Table's rows.
  return list[keyOf(list)] as readonly unknown[];
}

/** How objects are set into the list. */
function memberForm({ encoding, pretty }: OutputType): { readonly separator: string; readonly indent: string } {
  if (encoding === "yaml") return { separator: "", indent: "  " };
  return pretty ? { separator: ",\n    ", indent: "    " } : { separator: ",", indent: "" };
}

function memberText(value: unknown, output: OutputType): string {
  const { indent } = memberForm(output);
  if (output.encoding === "yaml") return `- ${toYaml(value).replaceAll(/\n(?=[^\n])/g, `\n${indent}`)}`;
  // No text in JSON holds a line's end.
  return output.pretty ? JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`) : JSON.stringify(value);
}

/** Stands where the objects come. */
const placeholder = "here";

/** What is written before and after the objects of a list. */
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

/** An object of a list in JSON, as it is stored if it is shown so. As upstream's, typed ones do not repeat their apiVersion and kind. */
function plainText(kind: Kind, text: string, nowMs: number): string {
  if (kind.custom) return shownText(kind, text);
  return `{${decoratedText(kind, text, nowMs).slice(`{"kind":"${kind.kind}","apiVersion":"${kind.apiVersion}",`.length)}`;
}

/** The stored text, unless the object is shown otherwise than it is stored. */
function shownText(kind: Kind, text: string): string {
  // Only commit writes these texts.
  const stored = JSON.parse(text) as KubeObject;
  const shown = fromStorage(kind, stored);
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

type Bytes = Uint8Array<ArrayBuffer>;

export interface ProtobufForm {
  /** `length`: of all items together, since a message tells its length before it begins. */
  head(metadata: ListMeta, length: number): Bytes;
  items(found: readonly Found[]): Bytes;
  readonly tail: Bytes;
}

/** Throws 406 where the list has no protobuf form, as a Table. */
export function protobufForm(req: ApiRequest, kind: Kind, output: OutputType, nowMs: number): ProtobufForm {
  const { apiVersion, kind: listName } = listValue(req, kind, [], {}, output, nowMs);
  const named = [String(apiVersion), String(listName)] as const;
  protobufType(...named);
  const type = output.as ? protobufType(named[0], "PartialObjectMetadata").name : kind.type;
  const { meter } = req.server.registry.store;
  const shown = (found: Found): unknown => {
    if (output.as)
      return must(membersOf(listValue(req, kind, [objectOf(found, meter)], {}, output, nowMs))[0], "an item");
    return kind.conversion?.hub
      ? decorated(kind, objectOf(found, meter), nowMs)
      : decoratedObject(kind, found.text, nowMs);
  };
  // What is shown as it is stored is the same for everyone, at any time.
  const isAsStored = !output.as && !kind.conversion && !kind.decorator;
  const kept = isAsStored ? keptEncodings(req.server.registry.store) : undefined;
  const memberOf = (found: Found): MemberObject => {
    const { revision } = found;
    const object = () => shown(found);
    if (!kept || revision === undefined) return { object };
    return { bytes: kept.get(type, revision), object, keep: (bytes) => kept.set(type, revision, bytes) };
  };
  const list = protobufList(...named, {});
  return {
    head: (metadata, length) => protobufList(...named, metadata).head(length),
    items: (found) => list.items(type, found.map(memberOf)),
    tail: list.tail,
  };
}
