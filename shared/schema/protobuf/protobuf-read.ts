// Reads a protobuf message into JSON that is not yet canonical.
import { base64Of } from "../../base/base64.ts";
import { BinaryReader, WireType, getTextEncoding } from "@bufbuild/protobuf/wire";
import { ApiError } from "../../k8s/status.ts";
import { formatDuration } from "../durations.ts";
import { type Field, type Form, type TypeNode, jsonSchemaProps, typeOf } from "../graph.ts";
import { type JsonObject, setKey } from "../json-values.ts";
import { formatMoment, zeroSeconds } from "../timestamps.ts";

/** The limit of nesting, so that a message cannot exhaust the stack. */
const maxDepth = 500;

export class MessageReader extends BinaryReader {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bytes;
  }

  /** Reads a field's number and wire type as one number; nearly all are one byte. */
  wholeTag(): number {
    const byte = this.#bytes[this.pos] ?? 0;
    if (byte >= 8 && byte < 0x80 && (byte & 7) <= 5) {
      this.pos++;
      return byte;
    }
    const [number, wireType] = this.tag();
    return number * 8 + wireType;
  }
}

/** Reads one member of a message, whose tag has been read, into the object. */
type MemberReader = (reader: MessageReader, wireType: WireType, depth: number, into: JsonObject) => void;

/** Reads the next value. */
type ValueReader = (reader: MessageReader, depth: number) => unknown;

/** The readers of each type's members by number, created once. */
const readers = new Map<TypeNode, readonly (MemberReader | undefined)[]>();

function readersOf(node: TypeNode): readonly (MemberReader | undefined)[] {
  const cached = readers.get(node);
  if (cached) return cached;
  const memberReaders: (MemberReader | undefined)[] = [];
  readers.set(node, memberReaders);
  for (const member of node.members) {
    memberReaders[member.number] = "nested" in member ? nestedReader(member.nested) : fieldReader(member.field);
  }
  return memberReaders;
}

/** Reads members until `end`, and skips unknown ones. */
export function readMessage(
  node: TypeNode,
  reader: MessageReader,
  end: number,
  depth: number,
  into: JsonObject = {},
): JsonObject {
  if (depth > maxDepth) throw ApiError.badRequest("exceeded max depth");
  if (end > reader.len) throw new RangeError("premature EOF");
  const members = readersOf(node);
  while (reader.pos < end) {
    const tag = reader.wholeTag();
    const number = tag >>> 3;
    // The reader has checked the wire type.
    const wireType = (tag & 7) as WireType;
    const read = members[number];
    if (read) read(reader, wireType, depth, into);
    else reader.skip(wireType, number);
  }
  if (reader.pos !== end) throw new RangeError("premature EOF");
  return into;
}

function nestedReader(nested: TypeNode): MemberReader {
  return (reader, wireType, depth, into) => {
    expect(wireType, WireType.LengthDelimited, nested.local);
    readMessage(nested, reader, endOf(reader), depth + 1, into);
  };
}

function fieldReader(field: Field): MemberReader {
  const key = field.json;
  const expectedType = wireTypeOf(field.form);
  const read = valueReader(field);
  if (field.shape === "map") return mapReader(field, read);
  if (field.shape === "one") {
    return (reader, wireType, depth, into) => {
      if (wireType !== expectedType) expect(wireType, expectedType, key);
      into[key] = read(reader, depth);
    };
  }
  return (reader, wireType, depth, into) => {
    const list = (into[key] ?? []) as unknown[]; // only this function sets it
    into[key] = list;
    if (field.isWrapped) {
      expect(wireType, WireType.LengthDelimited, key);
      const end = endOf(reader);
      eachOf(reader, end, () => list.push(read(reader, depth)));
    } else if (wireType === WireType.LengthDelimited && expectedType !== WireType.LengthDelimited) {
      const end = endOf(reader);
      while (reader.pos < end) list.push(read(reader, depth));
    } else {
      expect(wireType, expectedType, key);
      list.push(read(reader, depth));
    }
  };
}

function mapReader({ json, form }: Field, read: ValueReader): MemberReader {
  const expectedType = wireTypeOf(form);
  return (reader, wireType, depth, into) => {
    expect(wireType, WireType.LengthDelimited, json);
    const map = (into[json] ?? {}) as JsonObject; // only this function sets it
    let key = "";
    let value: unknown = null;
    const end = endOf(reader);
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      if (number === 1) key = reader.string();
      else if (number === 2) {
        expect(type, expectedType, json);
        value = read(reader, depth);
      } else reader.skip(type, number);
    }
    setKey(map, key, value);
    into[json] = map;
  };
}

function valueReader(field: Pick<Field, "form" | "type">): ValueReader {
  switch (field.form) {
    case "string":
      return (reader) => reader.string();
    case "bool":
      return (reader) => reader.bool();
    case "int32":
      return (reader) => reader.int32();
    case "uint8":
    case "uint32":
      return (reader) => reader.uint32();
    case "int64":
      return (reader) => Number(reader.int64());
    case "uint64":
      return (reader) => Number(reader.uint64());
    case "float64":
      return (reader) => reader.double();
    case "float32":
      return (reader) => reader.float();
    case "bytes":
      return (reader) => base64Of(reader.bytes());
    case "struct":
      return structReader(field.type);
    default:
      return (reader, depth) => readSpecial(field, reader, depth);
  }
}

/** Returns the reader of a struct. Types may be recursive, so the node is looked up on first use. */
function structReader(type: string): ValueReader {
  let node: TypeNode | undefined;
  return (reader, depth) => {
    const end = endOf(reader);
    node ??= typeOf(type);
    if (node) return readMessage(node, reader, end, depth + 1);
    reader.pos = end;
    return {};
  };
}

/** Reads the forms that are messages of their own. */
function readSpecial({ form, type }: Pick<Field, "form" | "type">, reader: MessageReader, depth: number): unknown {
  const end = endOf(reader);
  switch (form) {
    case "struct": {
      const node = typeOf(type);
      return node ? readMessage(node, reader, end, depth + 1) : {};
    }
    case "strings": {
      const list: string[] = [];
      eachOf(reader, end, () => list.push(reader.string()));
      return list;
    }
    case "quantity": {
      let text = "";
      eachOf(reader, end, () => (text = reader.string()));
      return text || "0";
    }
    case "time":
    case "microtime":
      return readTime(reader, end, form === "microtime");
    case "duration": {
      let nanos = 0n;
      eachOf(reader, end, () => (nanos = BigInt(reader.int64())));
      return formatDuration(nanos);
    }
    case "intOrString":
      return readIntOrString(reader, end);
    case "raw":
    case "json":
    case "fieldsV1":
      return readJson(reader, end);
    default:
      return readSchemaOr(form, reader, end, depth);
  }
}

function readTime(reader: MessageReader, end: number, micro: boolean): string | null {
  if (reader.pos === end) return null;
  let seconds = 0;
  let nanos = 0;
  members(reader, end, (number) => {
    if (number === 1) seconds = Number(reader.int64());
    else if (number === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  // The time is outside the range of the API: year 1 to 9999.
  if (seconds < zeroSeconds || seconds > 253402300799) throw ApiError.badRequest("proto: time out of range");
  return formatMoment({ seconds, nanos }, micro);
}

function readIntOrString(reader: MessageReader, end: number): number | string {
  let isText = false;
  let number = 0;
  let text = "";
  members(reader, end, (member) => {
    if (member === 1) isText = reader.int64().toString() === "1";
    else if (member === 2) number = reader.int32();
    else if (member === 3) text = reader.string();
    else return false;
    return true;
  });
  return isText ? text : number;
}

function readJson(reader: MessageReader, end: number): unknown {
  let bytes: Uint8Array = new Uint8Array();
  eachOf(reader, end, () => (bytes = reader.bytes()));
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(getTextEncoding().decodeUtf8(bytes));
  } catch {
    throw ApiError.badRequest("proto: embedded object is not JSON");
  }
}

function readSchemaOr(form: Form, reader: MessageReader, end: number, depth: number): unknown {
  const schema = { form: "struct", type: jsonSchemaProps } as const;
  let single: unknown;
  let allows = false;
  const list: unknown[] = [];
  members(reader, end, (number) => {
    if (form === "schemaOrBool" && number === 1) allows = reader.bool();
    else if (form === "schemaOrBool" && number === 2) single = readSpecial(schema, reader, depth);
    else if (number === 1) single = readSpecial(schema, reader, depth);
    else if (form === "schemaOrArray" && number === 2) list.push(readSpecial(schema, reader, depth));
    else if (number === 2) list.push(reader.string());
    else return false;
    return true;
  });
  if (form === "schemaOrBool") return single ?? allows;
  return list.length > 0 ? list : (single ?? null);
}

/** Reads every member with number 1, and skips others. */
function eachOf(reader: MessageReader, end: number, read: () => void): void {
  members(reader, end, (number) => {
    if (number !== 1) return false;
    read();
    return true;
  });
}

/** Reads members until `end`, and skips those that `read` does not take. */
function members(reader: MessageReader, end: number, read: (number: number) => boolean): void {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (!read(number)) reader.skip(wireType, number);
  }
}

/** Reads a length, and returns the end of the message that follows. */
function endOf(reader: MessageReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError("premature EOF");
  return end;
}

function wireTypeOf(form: Form): WireType {
  if (form === "float64") return WireType.Bit64;
  if (form === "float32") return WireType.Bit32;
  return varints.has(form) ? WireType.Varint : WireType.LengthDelimited;
}

const varints: ReadonlySet<Form> = new Set(["bool", "int32", "int64", "uint8", "uint32", "uint64"]);

function expect(got: WireType, expectedType: WireType, name: string): void {
  if (got === expectedType) return;
  const goName = name.charAt(0).toUpperCase() + name.slice(1);
  throw ApiError.badRequest(`proto: wrong wireType = ${got} for field ${goName}`);
}
