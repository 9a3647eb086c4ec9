// Decodes JSON into the canonical form of a built-in type, as Go's round trip through its struct returns it.
import { type Context, type Source, mismatch, newContext, reportUnknown } from "./decode-context.ts";
import { type Reader, scalarReader, zeroOf } from "./decode-scalars.ts";
import { readSchemaOr } from "./structural/decode-schema.ts";
import { markEmptied, markGivenEmpty } from "./given-empty.ts";
import { type Field, type TypeNode, jsonSchemaProps, typeOf } from "./graph.ts";
import { type JsonObject, copyJson, isObject, setKey } from "./json-values.ts";

export interface Decoded {
  /**
   * A new copy with fields in the order of declaration. Nulls and fields that `omitempty` omits are left out; structs are always present.
   */
  readonly object: unknown;
  /** The paths of fields that the type does not have, in the order of the document. */
  readonly unknown: string[];
}

/**
 * Decodes a value. Throws 400 in the words of Go's decoder if a value has the wrong JSON type. A value of an unknown type is only copied.
 */
export function decode(type: string, value: unknown, source: Source = "json"): Decoded {
  const codec = codecOf(type);
  if (!codec) return { object: copyJson(value), unknown: [] };
  const context = newContext(source);
  const object = value === undefined || value === null ? codec.zero() : codec.read(value, context);
  return { object, unknown: [...context.unknown] };
}

/** The codec of a struct, created once for each type. */
interface Codec {
  readonly read: (value: unknown, context: Context) => JsonObject;
  /** Returns the empty struct: the fields that are printed though they are not set. */
  readonly zero: () => JsonObject;
}

const codecs = new Map<string, Codec>();

function codecOf(type: string): Codec | undefined {
  const cached = codecs.get(type);
  if (cached) return cached;
  const node = typeOf(type);
  if (!node) return undefined;
  const codec = newCodec(node);
  codecs.set(type, codec);
  return codec;
}

/** A field of a struct, with all that decoding needs. */
interface Slot {
  readonly key: string;
  readonly owner: string;
  readonly inlined: string;
  readonly index: number;
  readonly read: Reader;
  /** Returns the value of an absent field; undefined if nothing is printed. */
  readonly absent: (() => unknown) | undefined;
  /** Whether an empty string, zero or false is omitted. */
  readonly dropsZero: boolean;
  readonly keepsNull: boolean;
}

function newCodec(node: TypeNode): Codec {
  const slots = node.fields.map((field, index) => newSlot(node, field, index));
  const byKey = new Map(slots.map((slot) => [slot.key, slot]));
  const always = slots.filter((slot) => slot.absent !== undefined);
  const zero = () => {
    const object: JsonObject = {};
    for (const slot of always) object[slot.key] = slot.absent?.();
    return object;
  };
  const read = (value: unknown, context: Context) => {
    if (!isObject(value)) throw mismatch(value, node.goName, context, true);
    const values = readFields(slots.length, byKey, value, context);
    const object = write(slots, values.known);
    if (values.isEmptied && context.source !== "json") markEmptied(object);
    return object;
  };
  return { read, zero };
}

/** Returns the decoded values by the index of their slot. Walks the document, so that errors and unknown fields follow its order. */
function readFields(count: number, byKey: ReadonlyMap<string, Slot>, value: JsonObject, context: Context) {
  const decodedFields = new Array<unknown>(count).fill(undefined);
  let isEmptied = false;
  const { steps } = context;
  for (const key in value) {
    const slot = byKey.get(key);
    if (slot === undefined) {
      reportUnknown(context, key);
      continue;
    }
    const member = value[key];
    if (member === null || member === undefined) continue;
    steps.push(slot);
    const read = slot.read(member, context);
    if (read === undefined) isEmptied = true;
    decodedFields[slot.index] = read;
    steps.pop();
  }
  return { known: decodedFields, isEmptied };
}

function write(slots: readonly Slot[], values: readonly unknown[]): JsonObject {
  const object: JsonObject = {};
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index] as Slot; // within bounds
    let value = values[index];
    if (value === undefined || (value === null && !slot.keepsNull)) value = slot.absent?.();
    else if (slot.dropsZero && (value === "" || value === 0 || value === false)) continue;
    if (value !== undefined) object[slot.key] = value;
  }
  return object;
}

function newSlot(node: TypeNode, field: Field, index: number): Slot {
  const isTime = field.form === "time" || field.form === "microtime";
  const isSingle = field.shape === "one";
  return {
    key: field.json,
    owner: node.local,
    inlined: field.inlined,
    index,
    read: shaped(field),
    absent: absentValue(field),
    dropsZero: isSingle && !field.isPointer && !field.isKept && field.form !== "quantity" && field.form !== "duration",
    keepsNull: isSingle && isTime && !field.isPointer && !isOmittedTime(field),
  };
}

/** Reports whether a field is the one time that `omitzero` omits if it is unset. */
function isOmittedTime(field: Field): boolean {
  return field.json === "creationTimestamp";
}

/** Returns the JSON of a field that is absent: Go's zero value, unless `omitempty` omits it. */
function absentValue(field: Field): (() => unknown) | undefined {
  if (field.isPointer) return undefined;
  if (field.shape === "list") return field.isKept ? () => [] : undefined;
  if (field.shape === "map") return field.isKept ? () => ({}) : undefined;
  if (field.form === "struct") return () => codecOf(field.type)?.zero();
  if (isOmittedTime(field)) return undefined;
  // `omitempty` does not omit types that are structs in Go.
  const isStruct = ["quantity", "time", "microtime", "duration"].includes(field.form);
  if (!isStruct && !field.isKept) return undefined;
  const zero = zeroOf(field.form);
  return zero === undefined ? undefined : () => zero;
}

function shaped(field: Field): Reader {
  const item = itemReader(field);
  const empty = itemZero(field);
  const empties = field.isPointer ? "kept" : field.isKept ? "shown" : "dropped";
  if (field.shape === "list") return listReader(item, empty, `[]${field.goType}`, empties);
  if (field.shape === "map") return mapReader(item, empty, field.goMap, empties);
  return item;
}

function itemReader(field: Field): Reader {
  if (field.form === "struct") {
    let codec: Codec | undefined;
    return (value, context) => {
      codec ??= codecOf(field.type);
      return codec?.read(value, context);
    };
  }
  if (field.form === "strings") return listReader(stringReader, () => "", "v1.ExtraValue", "kept");
  if (field.form === "schemaOrArray" || field.form === "schemaOrBool" || field.form === "schemaOrStringArray") {
    const { form } = field;
    const readSchema = (value: unknown) => codecOf(jsonSchemaProps)?.read(value, newContext());
    return (value) => readSchemaOr(form, value, readSchema);
  }
  return scalarReader(field.form, field.goType) ?? copyJson;
}

/** Returns the value that a null item of a list or map stands for. */
function itemZero(field: Field): () => unknown {
  if (field.form === "struct") return () => codecOf(field.type)?.zero();
  if (field.form === "strings") return () => [];
  const zero = zeroOf(field.form) ?? null;
  return () => zero;
}

const stringReader: Reader = (value, context) => {
  if (typeof value === "string") return value;
  throw mismatch(value, "string", context);
};

/** The treatment of an empty list or map. `shown`: it is also written if it is absent. */
type Empties = "kept" | "shown" | "dropped";

function listReader(item: Reader, empty: () => unknown, goType: string, empties: Empties): Reader {
  return (value, context) => {
    if (!Array.isArray(value)) throw mismatch(value, goType, context);
    if (value.length === 0) return emptyOf([], empties, context);
    const list: unknown[] = [];
    const { steps } = context;
    for (let index = 0; index < value.length; index++) {
      steps.push(index);
      list.push(value[index] === null ? empty() : item(value[index], context));
      steps.pop();
    }
    return list;
  };
}

function mapReader(item: Reader, empty: () => unknown, goType: string, empties: Empties): Reader {
  return (value, context) => {
    if (!isObject(value)) throw mismatch(value, goType, context);
    const keys = sorted(Object.keys(value));
    if (keys.length === 0) return emptyOf({}, empties, context);
    const map: JsonObject = {};
    const { steps } = context;
    for (const key of keys) {
      steps.push(key);
      setKey(map, key, value[key] === null ? empty() : item(value[key], context));
      steps.pop();
    }
    return map;
  };
}

function emptyOf<T extends object>(value: T, empties: Empties, { source }: Context): T | undefined {
  if (empties === "dropped") return undefined;
  return empties === "shown" && source !== "json" ? markGivenEmpty(value) : value;
}

function sorted(keys: string[]): string[] {
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort(); // within bounds
  }
  return keys;
}
