// Data of a schema as values. The schema decides which numbers are doubles, which texts are times, and which lists are sets.
import { equal } from "./equality.ts";
import { unescapeName, escapeName } from "./escape.ts";
import { dynValue } from "./json-value.ts";
import { type Schema, extraSchema, withMeta } from "./schema.ts";
import { parseTimestamp } from "./timestamps.ts";
import { keyText } from "./key-text.ts";
import { bytesOfBase64 } from "../base/base64.ts";
import {
  type ListShape,
  type ListValue,
  type MapShape,
  type Value,
  at,
  fail,
  itemsOf,
  noSuchOverload,
} from "./values.ts";
import { parseDuration } from "../schema/durations.ts";
import { canonicalBase64 } from "../schema/base64.ts";

/** Wraps data as a value. The data must not change while the value is used, because it is read lazily. */
export function schemaValue(data: unknown, schema: Schema): Value {
  if (data === null || data === undefined) {
    return schema.nullable ? null : fail("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof data === "string") return data;
    if (Number.isInteger(data)) return BigInt(data as number);
    return fail("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      return objectValue(data, schema);
    case "array":
      return listValue(data, schema);
    case "string":
      return typeof data === "string"
        ? stringValue(data, schema)
        : fail(`invalid data, expected string, got ${goType(data)}`);
    case "number":
      return typeof data === "number" ? data : fail(`invalid data, expected float, got ${goType(data)}`);
    case "integer":
      return Number.isInteger(data) ? BigInt(data as number) : fail(`invalid data, expected int, got ${goType(data)}`);
    case "boolean":
      return typeof data === "boolean" ? data : fail(`invalid data, expected bool, got ${goType(data)}`);
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] ? dynValue(data) : fail(unknownType(schema));
  }
}

function unknownType({ type = "" }: Schema): string {
  const allowed = "object, array, number, integer, boolean or string";
  const marks = "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true";
  return `invalid type, expected ${allowed}, or no type with ${marks}, got ${type}`;
}

function goType(data: unknown): string {
  if (Array.isArray(data)) return "[]interface {}";
  switch (typeof data) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(data) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

/** Shapes by schema, so that reading data creates no shapes. */
const mapShapes = new WeakMap<Schema, MapShape>();
const listShapes = new WeakMap<Schema, ListShape>();

function objectValue(data: unknown, schema: Schema): Value {
  if (typeof data !== "object" || Array.isArray(data)) {
    return fail("invalid data, expected a map for the provided schema with type=object");
  }
  let shape = mapShapes.get(schema);
  if (!shape) {
    shape = shapeOfObject(schema);
    mapShapes.set(schema, shape);
  }
  return { kind: "map", raw: data, shape };
}

type Fields = Readonly<Record<string, unknown>>;

function shapeOfObject(objectSchema: Schema): MapShape {
  const schema = objectSchema["x-kubernetes-embedded-resource"] ? withMeta(objectSchema) : objectSchema;
  const { properties } = schema;
  const extra = extraSchema(schema);
  const schemaOf = (name: string): Schema | undefined =>
    properties ? (Object.hasOwn(properties, name) ? properties[name] : undefined) : extra;
  return {
    find(raw, key) {
      if (typeof key !== "string") return noSuchOverload;
      const name = properties ? unescapeName(key) : key;
      const data = raw as Fields;
      if (name === undefined || !Object.hasOwn(data, name)) return undefined;
      // A null field counts as absent.
      if (properties && data[name] === null) return undefined;
      const inner = schemaOf(name);
      return inner && schemaValue(data[name], inner);
    },
    keys(raw) {
      const names = Object.keys(raw as Fields).filter((name) => schemaOf(name) !== undefined);
      return properties ? names.map((name) => escapeName(name) ?? name) : names;
    },
    size: (raw) => Object.keys(raw as Fields).length,
    rest: (raw) => Object.entries(raw as Fields).filter(([name]) => schemaOf(name) === undefined),
  };
}

function listValue(data: unknown, schema: Schema): Value {
  if (!Array.isArray(data)) return fail("invalid data, expected an array for the provided schema with type=array");
  if (!schema.items) return fail("invalid array type, expected Items with a non-empty Schema");
  let shape = listShapes.get(schema);
  if (!shape) {
    shape = shapeOfList(schema, schema.items);
    listShapes.set(schema, shape);
  }
  return { kind: "list", items: data, shape };
}

/** Wraps an item that is a value already, among items that are data, after two lists were joined. */
class Joined {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

function shapeOfList(schema: Schema, items: Schema): ListShape {
  const shape: ListShape = {
    at: (all, index) => {
      const item = all[index];
      return item instanceof Joined ? item.value : schemaValue(item, items);
    },
  };
  const joined = (all: readonly unknown[]): ListValue => ({ kind: "list", items: all, shape });
  const plain = (all: readonly unknown[], added: ListValue) =>
    joined([...all, ...[...itemsOf(added)].map((item) => new Joined(item))]);
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return Object.assign(
        shape,
        keyedBy((value) => value, joined),
      );
    case "map": {
      const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
      return Object.assign(
        shape,
        keyedBy((value) => keyOf(value, keys), joined),
      );
    }
    default:
      return Object.assign(shape, { add: plain });
  }
}

/** Returns the operations of a list whose order does not matter, and in which joining keeps one item for each key. */
function keyedBy(key: (value: Value) => Value, joined: (all: readonly unknown[]) => ListValue): Omit<ListShape, "at"> {
  const indexesOf = (all: ListValue): Map<string, number> =>
    new Map(Array.from(itemsOf(all), (item, index) => [keyText(key(item)), index]));
  return {
    equal(all, right, pay) {
      const left = joined(all);
      const indexes = indexesOf(left);
      for (const item of itemsOf(right)) {
        const index = indexes.get(keyText(key(item)));
        if (index === undefined || !equal(at(left, index), item, pay)) return false;
      }
      return true;
    },
    add(all, added) {
      const next = [...all];
      const indexes = indexesOf(joined(all));
      for (const item of itemsOf(added)) {
        const text = keyText(key(item));
        const index = indexes.get(text) ?? next.length;
        indexes.set(text, index);
        next[index] = new Joined(item);
      }
      return joined(next);
    },
  };
}

function keyOf(value: Value, keys: readonly string[]): Value {
  const map =
    typeof value === "object" && value !== null && "shape" in value && value.kind === "map" ? value : undefined;
  const keyValues = keys.map((key) => map?.shape.find(map.raw, key) ?? null);
  return keyValues.length === 1
    ? (keyValues[0] ?? null)
    : { kind: "list", items: keyValues, shape: { at: (all, index) => all[index] as Value } };
}

function stringValue(text: string, { format }: Schema): Value {
  switch (format) {
    case "duration": {
      const ns = parseDuration(text);
      return typeof ns === "bigint"
        ? { kind: "duration", ns }
        : fail(`Invalid duration ${text}: unable to parse ${text} as duration`);
    }
    case "date": {
      const ns = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : { error: wrongDate(text) };
      return typeof ns === "bigint"
        ? { kind: "timestamp", ns }
        : fail(`Invalid date formatted string ${text}: ${ns.error}`);
    }
    case "date-time": {
      const ns = parseTimestamp(text);
      return typeof ns === "bigint"
        ? { kind: "timestamp", ns }
        : fail(`Invalid date-time formatted string ${text}: ${ns.error}`);
    }
    case "byte": {
      const bytes = canonicalBase64(text);
      return typeof bytes === "string"
        ? bytesOfBase64(bytes)
        : fail(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${bytes.badByte}`);
    }
    default:
      return text;
  }
}

function wrongDate(text: string): string {
  return `parsing time ${JSON.stringify(text)} as "2006-01-02": cannot parse ${JSON.stringify(text)} as "2006"`;
}
