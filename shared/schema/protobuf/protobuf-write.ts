// Writing of the JSON form as one protobuf message, byte for byte as Go's generated marshallers do: by ascending number,
// what is no pointer written even when empty, maps sorted by key.
import { bytesOfBase64 } from "../../base/base64.ts";
import { type BinaryWriter, WireType, getTextEncoding } from "@bufbuild/protobuf/wire";
import { zeroOf } from "../decode-scalars.ts";
import { parseDuration } from "../durations.ts";
import { type Field, type TypeNode, jsonSchemaProps, typeOf } from "../graph.ts";
import { type JsonObject, isObject } from "../json-values.ts";
import { parseMoment } from "../timestamps.ts";

export function writeMessage(node: TypeNode, object: JsonObject, writer: BinaryWriter): void {
  for (const member of node.members) {
    if ("nested" in member) {
      writer.tag(member.number, WireType.LengthDelimited).fork();
      writeMessage(member.nested, object, writer);
      writer.join();
    } else {
      writeField(member.number, member.field, object[member.field.json], writer);
    }
  }
}

function writeField(number: number, field: Field, value: unknown, writer: BinaryWriter): void {
  if (field.shape === "map") {
    if (isObject(value)) writeMap(number, field, value, writer);
  } else if (field.shape === "list") {
    if (Array.isArray(value)) writeList(number, field, value, writer);
  } else if (value !== undefined && value !== null) {
    writeValue(number, field, value, writer);
  } else if (!field.isPointer) {
    writeZero(number, field, writer);
  }
}

/** A field that is no pointer is written though nothing is there. */
function writeZero(number: number, field: Field, writer: BinaryWriter): void {
  switch (field.form) {
    case "bytes":
      return;
    case "struct":
      return writeValue(number, field, {}, writer);
    case "time":
    case "microtime":
    case "raw":
    case "json":
    case "fieldsV1":
      writer.tag(number, WireType.LengthDelimited).bytes(new Uint8Array());
      return;
    default:
      return writeValue(number, field, zeroOf(field.form), writer);
  }
}

function writeMap(number: number, field: Field, map: JsonObject, writer: BinaryWriter): void {
  for (const key of Object.keys(map).sort()) {
    writer.tag(number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    const value = map[key];
    if (value !== undefined && value !== null) writeValue(2, field, value, writer);
    else writer.tag(2, WireType.LengthDelimited).bytes(new Uint8Array());
    writer.join();
  }
}

function writeList(number: number, field: Field, list: readonly unknown[], writer: BinaryWriter): void {
  if (field.isWrapped) writer.tag(number, WireType.LengthDelimited).fork();
  for (const item of list) {
    const itemNumber = field.isWrapped ? 1 : number;
    if (item === null) writer.tag(itemNumber, WireType.LengthDelimited).bytes(new Uint8Array());
    else writeValue(itemNumber, field, item, writer);
  }
  if (field.isWrapped) writer.join();
}

/** The value has gone through decoding, so its type is the form's. */
function writeValue(number: number, field: Pick<Field, "form" | "type">, value: unknown, writer: BinaryWriter): void {
  switch (field.form) {
    case "string":
      writer.tag(number, WireType.LengthDelimited).string(value as string);
      return;
    case "bool":
      writer.tag(number, WireType.Varint).bool(value as boolean);
      return;
    case "int32":
      writer.tag(number, WireType.Varint).int32(value as number);
      return;
    case "uint8":
    case "uint32":
      writer.tag(number, WireType.Varint).uint32(value as number);
      return;
    case "int64":
      writer.tag(number, WireType.Varint).int64(clamp(value as number, -(1n << 63n), (1n << 63n) - 1n));
      return;
    case "uint64":
      writer.tag(number, WireType.Varint).uint64(clamp(value as number, 0n, (1n << 64n) - 1n));
      return;
    case "float64":
      writer.tag(number, WireType.Bit64).double(value as number);
      return;
    case "float32":
      writer.tag(number, WireType.Bit32).float(value as number);
      return;
    case "bytes":
      writer.tag(number, WireType.LengthDelimited).bytes(bytesOfBase64(value as string));
      return;
    default:
      writer.tag(number, WireType.LengthDelimited).fork();
      writeSpecial(field, value, writer);
      writer.join();
  }
}

/** The forms that are a message of their own. */
function writeSpecial({ form, type }: Pick<Field, "form" | "type">, value: unknown, writer: BinaryWriter): void {
  switch (form) {
    case "struct": {
      const node = typeOf(type);
      if (node && isObject(value)) writeMessage(node, value, writer);
      return;
    }
    case "strings":
      for (const item of value as string[]) writer.tag(1, WireType.LengthDelimited).string(item);
      return;
    case "quantity":
      writer.tag(1, WireType.LengthDelimited).string(value as string);
      return;
    case "time":
    case "microtime":
      return writeTime(value as string, form === "microtime", writer);
    case "duration": {
      const nanos = parseDuration(value as string);
      writer.tag(1, WireType.Varint).int64(typeof nanos === "bigint" ? nanos : 0n);
      return;
    }
    case "intOrString":
      writer.tag(1, WireType.Varint).int64(typeof value === "string" ? 1 : 0);
      writer.tag(2, WireType.Varint).int32(typeof value === "number" ? value : 0);
      writer.tag(3, WireType.LengthDelimited).string(typeof value === "string" ? value : "");
      return;
    case "raw":
    case "json":
    case "fieldsV1":
      writer.tag(1, WireType.LengthDelimited).bytes(getTextEncoding().encodeUtf8(JSON.stringify(value)));
      return;
    default:
      return writeSchemaOr(form === "schemaOrBool", value, writer);
  }
}

function writeTime(text: string, micro: boolean, writer: BinaryWriter): void {
  const moment = parseMoment(text, micro);
  if ("error" in moment) return;
  writer.tag(1, WireType.Varint).int64(moment.seconds);
  writer.tag(2, WireType.Varint).int32(micro ? moment.nanos : 0);
}

function writeSchemaOr(isOrBool: boolean, value: unknown, writer: BinaryWriter): void {
  const schema = { form: "struct", type: jsonSchemaProps } as const;
  if (isOrBool) writer.tag(1, WireType.Varint).bool(value !== false);
  if (isObject(value)) writeValue(isOrBool ? 2 : 1, schema, value, writer);
  if (!Array.isArray(value)) return;
  for (const item of value) {
    if (typeof item === "string") writer.tag(2, WireType.LengthDelimited).string(item);
    else writeValue(2, schema, item, writer);
  }
}

/** Numbers past 2^53 are the nearest that the platform has; the largest is one too large. */
function clamp(value: number, least: bigint, most: bigint): bigint {
  const whole = BigInt(value);
  return whole < least ? least : whole > most ? most : whole;
}
