// Reading of one protobuf message into the JSON form, not yet canonical.
import { base64Of } from "../../base/base64.ts";
import { type BinaryReader, WireType, getTextEncoding } from "@bufbuild/protobuf/wire";
import { ApiError } from "../../k8s/status.ts";
import { formatDuration } from "../durations.ts";
import { type Field, type Form, type TypeNode, jsonSchemaProps, typeOf } from "../graph.ts";
import { type JsonObject, setKey } from "../json-values.ts";
import { formatMoment, zeroSeconds } from "../timestamps.ts";

/** Nesting past this is refused, so that a message cannot exhaust the stack. */
const maxDepth = 500;

/** Reads members until `end`; unknown ones are passed over. */
export function readMessage(
  node: TypeNode,
  reader: BinaryReader,
  end: number,
  depth: number,
  into: JsonObject = {},
): JsonObject {
  if (depth > maxDepth) throw ApiError.badRequest("exceeded max depth");
  if (end > reader.len) throw new RangeError("premature EOF");
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const member = node.byNumber.get(number);
    if (!member) {
      reader.skip(wireType, number);
    } else if ("nested" in member) {
      expect(wireType, WireType.LengthDelimited, member.nested.local);
      readMessage(member.nested, reader, endOf(reader), depth + 1, into);
    } else {
      readField(member.field, wireType, reader, depth, into);
    }
  }
  if (reader.pos !== end) throw new RangeError("premature EOF");
  return into;
}

function readField(field: Field, wireType: WireType, reader: BinaryReader, depth: number, into: JsonObject): void {
  if (field.shape === "map") {
    expect(wireType, WireType.LengthDelimited, field.json);
    const map = (into[field.json] ?? {}) as JsonObject; // only this function sets it
    readEntry(field, reader, endOf(reader), depth, map);
    into[field.json] = map;
    return;
  }
  if (field.shape === "one") {
    expect(wireType, wireTypeOf(field.form), field.json);
    into[field.json] = readValue(field, reader, depth);
    return;
  }
  const list = (into[field.json] ?? []) as unknown[]; // only this function sets it
  into[field.json] = list;
  if (field.isWrapped) {
    expect(wireType, WireType.LengthDelimited, field.json);
    const end = endOf(reader);
    eachOf(reader, end, () => list.push(readValue(field, reader, depth)));
  } else if (wireType === WireType.LengthDelimited && wireTypeOf(field.form) !== WireType.LengthDelimited) {
    const end = endOf(reader);
    while (reader.pos < end) list.push(readValue(field, reader, depth));
  } else {
    expect(wireType, wireTypeOf(field.form), field.json);
    list.push(readValue(field, reader, depth));
  }
}

function readEntry(field: Field, reader: BinaryReader, end: number, depth: number, map: JsonObject): void {
  let key = "";
  let value: unknown = null;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1) key = reader.string();
    else if (number === 2) {
      expect(wireType, wireTypeOf(field.form), field.json);
      value = readValue(field, reader, depth);
    } else reader.skip(wireType, number);
  }
  setKey(map, key, value);
}

function readValue(field: Pick<Field, "form" | "type">, reader: BinaryReader, depth: number): unknown {
  switch (field.form) {
    case "string":
      return reader.string();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "uint8":
    case "uint32":
      return reader.uint32();
    case "int64":
      return Number(reader.int64());
    case "uint64":
      return Number(reader.uint64());
    case "float64":
      return reader.double();
    case "float32":
      return reader.float();
    case "bytes":
      return base64Of(reader.bytes());
    default:
      return readSpecial(field, reader, depth);
  }
}

/** The forms that are a message of their own. */
function readSpecial({ form, type }: Pick<Field, "form" | "type">, reader: BinaryReader, depth: number): unknown {
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

function readTime(reader: BinaryReader, end: number, micro: boolean): string | null {
  if (reader.pos === end) return null;
  let seconds = 0;
  let nanos = 0;
  members(reader, end, (number) => {
    if (number === 1) seconds = Number(reader.int64());
    else if (number === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  // Outside of what a date of the API can be: year 1 to 9999.
  if (seconds < zeroSeconds || seconds > 253402300799) throw ApiError.badRequest("proto: time out of range");
  return formatMoment({ seconds, nanos }, micro);
}

function readIntOrString(reader: BinaryReader, end: number): number | string {
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

function readJson(reader: BinaryReader, end: number): unknown {
  let bytes: Uint8Array = new Uint8Array();
  eachOf(reader, end, () => (bytes = reader.bytes()));
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(getTextEncoding().decodeUtf8(bytes));
  } catch {
    throw ApiError.badRequest("proto: embedded object is not JSON");
  }
}

function readSchemaOr(form: Form, reader: BinaryReader, end: number, depth: number): unknown {
  const schema = { form: "struct", type: jsonSchemaProps } as const;
  let one: unknown;
  let allows = false;
  const list: unknown[] = [];
  members(reader, end, (number) => {
    if (form === "schemaOrBool" && number === 1) allows = reader.bool();
    else if (form === "schemaOrBool" && number === 2) one = readSpecial(schema, reader, depth);
    else if (number === 1) one = readSpecial(schema, reader, depth);
    else if (form === "schemaOrArray" && number === 2) list.push(readSpecial(schema, reader, depth));
    else if (number === 2) list.push(reader.string());
    else return false;
    return true;
  });
  if (form === "schemaOrBool") return one ?? allows;
  return list.length > 0 ? list : (one ?? null);
}

/** Reads every member numbered 1; passes over others. */
function eachOf(reader: BinaryReader, end: number, read: () => void): void {
  members(reader, end, (number) => {
    if (number !== 1) return false;
    read();
    return true;
  });
}

/** Reads members until `end`: those that `read` does not want are passed over. */
function members(reader: BinaryReader, end: number, read: (number: number) => boolean): void {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (!read(number)) reader.skip(wireType, number);
  }
}

/** The end of the message whose length stands next. */
function endOf(reader: BinaryReader): number {
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

function expect(got: WireType, wanted: WireType, name: string): void {
  if (got === wanted) return;
  const goName = name.charAt(0).toUpperCase() + name.slice(1);
  throw ApiError.badRequest(`proto: wrong wireType = ${got} for field ${goName}`);
}
