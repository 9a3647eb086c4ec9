// Writes JSON as a protobuf message, byte for byte like Go's generated marshallers: by ascending number, non-pointers even if they are
// empty, maps sorted by key. Each type's writer is created once, from closures; all write backwards.
import { bytesOfBase64 } from "../../base/base64.ts";
import { zeroOf } from "../decode-scalars.ts";
import { parseDuration } from "../durations.ts";
import { type Field, type TypeNode, jsonSchemaProps, typeOf } from "../graph.ts";
import { type JsonObject, isObject } from "../json-values.ts";
import { parseMoment, secondsOf } from "../timestamps.ts";
import { type BackwardWriter, tagOf } from "./backward-writer.ts";

/** Writes the content of a message, without its length. */
export type MessageWriter = (object: JsonObject, out: BackwardWriter) => void;

/** Writes a value that is present, with its tag and length. The value was decoded, so its type is that of the form. */
type ValueWriter = (value: unknown, out: BackwardWriter) => void;

const writers = new Map<TypeNode, MessageWriter>();

export function writerOf(node: TypeNode): MessageWriter {
  const cached = writers.get(node);
  if (cached) return cached;
  const writer = newWriter(node);
  writers.set(node, writer);
  return writer;
}

/** Creates the writer of a type. Types may be recursive, so the writers of fields are looked up on first use. */
function newWriter(node: TypeNode): MessageWriter {
  const members = node.members.map((member): MessageWriter => {
    if ("field" in member) return fieldWriter(member.number, member.field);
    const tag = tagOf(member.number, "delimited");
    const write = writerOf(member.nested);
    return (object, out) => {
      const before = out.length;
      write(object, out);
      out.end(tag, before);
    };
  });
  members.reverse();
  return (object, out) => {
    for (const write of members) write(object, out);
  };
}

function fieldWriter(number: number, field: Field): MessageWriter {
  const key = field.json;
  if (field.shape === "map") {
    const write = mapWriter(number, field);
    return (object, out) => {
      const map = object[key];
      if (isObject(map)) write(map, out);
    };
  }
  if (field.shape === "list") {
    const write = listWriter(number, field);
    return (object, out) => {
      const list = object[key];
      if (Array.isArray(list)) write(list, out);
    };
  }
  const write = valueWriter(number, field);
  const zero = field.isPointer ? undefined : zeroWriter(number, field);
  return (object, out) => {
    const value = object[key];
    if (value !== undefined && value !== null) write(value, out);
    else zero?.(out);
  };
}

/** Returns the writer of an absent field that is not a pointer, and therefore written. */
function zeroWriter(number: number, field: Field): ((out: BackwardWriter) => void) | undefined {
  switch (field.form) {
    case "bytes":
      return undefined;
    case "time":
    case "microtime":
    case "raw":
    case "json":
    case "fieldsV1":
      return emptyWriter(number);
    default: {
      const zero = field.form === "struct" ? {} : zeroOf(field.form);
      const write = valueWriter(number, field);
      return (out) => write(zero, out);
    }
  }
}

function emptyWriter(number: number): (out: BackwardWriter) => void {
  const tag = tagOf(number, "delimited");
  return (out) => out.end(tag, out.length);
}

function mapWriter(number: number, field: Field): (map: JsonObject, out: BackwardWriter) => void {
  const tag = tagOf(number, "delimited");
  const keyTag = tagOf(1, "delimited");
  const write = valueWriter(2, field);
  const writeEmpty = emptyWriter(2);
  return (map, out) => {
    const keys = Object.keys(map).sort();
    for (let at = keys.length - 1; at >= 0; at--) {
      const key = keys[at] as string; // within bounds
      const before = out.length;
      const value = map[key];
      if (value !== undefined && value !== null) write(value, out);
      else writeEmpty(out);
      out.text(keyTag, key);
      out.end(tag, before);
    }
  };
}

function listWriter(number: number, field: Field): (list: readonly unknown[], out: BackwardWriter) => void {
  const itemNumber = field.isWrapped ? 1 : number;
  const write = valueWriter(itemNumber, field);
  const writeEmpty = emptyWriter(itemNumber);
  const items = (list: readonly unknown[], out: BackwardWriter) => {
    for (let at = list.length - 1; at >= 0; at--) {
      if (list[at] === null) writeEmpty(out);
      else write(list[at], out);
    }
  };
  if (!field.isWrapped) return items;
  const tag = tagOf(number, "delimited");
  return (list, out) => {
    const before = out.length;
    items(list, out);
    out.end(tag, before);
  };
}

function valueWriter(number: number, field: Pick<Field, "form" | "type">): ValueWriter {
  const tag = tagOf(number, "delimited");
  const varint = tagOf(number, "varint");
  switch (field.form) {
    case "string":
      return (value, out) => out.text(tag, value as string);
    case "bool":
      return (value, out) => {
        out.byte(value === true ? 1 : 0);
        out.varint(varint);
      };
    case "int32":
    case "uint8":
    case "uint32":
      return (value, out) => {
        out.int64(value as number);
        out.varint(varint);
      };
    case "int64":
    case "uint64": {
      const [least, most] = field.form === "int64" ? [-(1n << 63n), (1n << 63n) - 1n] : [0n, (1n << 64n) - 1n];
      return (value, out) => {
        out.int64(Number.isSafeInteger(value) ? (value as number) : clamp(value as number, least, most));
        out.varint(varint);
      };
    }
    case "float64":
      return (value, out) => {
        out.double(value as number);
        out.varint(tagOf(number, "bit64"));
      };
    case "float32":
      return (value, out) => {
        out.float(value as number);
        out.varint(tagOf(number, "bit32"));
      };
    case "bytes":
      return (value, out) => {
        const before = out.length;
        out.raw(bytesOfBase64(value as string));
        out.end(tag, before);
      };
    default: {
      const write = specialWriter(field);
      return (value, out) => {
        const before = out.length;
        write(value, out);
        out.end(tag, before);
      };
    }
  }
}

const first = { text: tagOf(1, "delimited"), number: tagOf(1, "varint") };
const second = { text: tagOf(2, "delimited"), number: tagOf(2, "varint") };
const third = { text: tagOf(3, "delimited") };

/** Returns the writer of the content of forms that are messages of their own. */
function specialWriter({ form, type }: Pick<Field, "form" | "type">): ValueWriter {
  switch (form) {
    case "struct":
      return structWriter(type);
    case "strings":
      return (value, out) => {
        for (const item of (value as readonly string[]).toReversed()) out.text(first.text, item);
      };
    case "quantity":
      return (value, out) => out.text(first.text, value as string);
    case "time":
      return (value, out) => writeTime(value as string, false, out);
    case "microtime":
      return (value, out) => writeTime(value as string, true, out);
    case "duration":
      return (value, out) => {
        const nanos = parseDuration(value as string);
        out.int64(typeof nanos === "bigint" ? nanos : 0);
        out.varint(first.number);
      };
    case "intOrString":
      return writeIntOrString;
    case "raw":
    case "json":
    case "fieldsV1":
      return (value, out) => out.text(first.text, JSON.stringify(value));
    default:
      return (value, out) => writeSchemaOr(form === "schemaOrBool", value, out);
  }
}

function structWriter(type: string): ValueWriter {
  let write: MessageWriter | undefined;
  return (value, out) => {
    if (!write) {
      const node = typeOf(type);
      write = node ? writerOf(node) : () => undefined;
    }
    if (isObject(value)) write(value, out);
  };
}

function writeTime(text: string, micro: boolean, out: BackwardWriter): void {
  const seconds = micro ? undefined : secondsOf(text);
  const moment = seconds === undefined ? parseMoment(text, micro) : { seconds, nanos: 0 };
  if ("error" in moment) return;
  out.int64(micro ? moment.nanos : 0);
  out.varint(second.number);
  out.int64(moment.seconds);
  out.varint(first.number);
}

function writeIntOrString(value: unknown, out: BackwardWriter): void {
  out.text(third.text, typeof value === "string" ? value : "");
  out.int64(typeof value === "number" ? value : 0);
  out.varint(second.number);
  out.byte(typeof value === "string" ? 1 : 0);
  out.varint(first.number);
}

const writeSchema = structWriter(jsonSchemaProps);

function writeSchemaOr(isOrBool: boolean, value: unknown, out: BackwardWriter): void {
  const schema = (tag: number, item: unknown) => {
    const before = out.length;
    writeSchema(item, out);
    out.end(tag, before);
  };
  if (Array.isArray(value)) {
    for (const item of (value as readonly unknown[]).toReversed()) {
      if (typeof item === "string") out.text(second.text, item);
      else schema(second.text, item);
    }
  }
  if (isObject(value)) schema(isOrBool ? second.text : first.text, value);
  if (!isOrBool) return;
  out.byte(value === false ? 0 : 1);
  out.varint(first.number);
}

/** Clamps a number. Numbers past 2^53 are the nearest that JavaScript has; the largest is one too large. */
function clamp(value: number, least: bigint, most: bigint): bigint {
  const integer = BigInt(value);
  return integer < least ? least : integer > most ? most : integer;
}
