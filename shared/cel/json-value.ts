// JSON without a schema as values: integers are ints.
import type { ListShape, MapShape, Value } from "./values.ts";

/** Wraps JSON as a value. The data must not change while the value is used, because it is read lazily. */
export function dynValue(data: unknown): Value {
  switch (typeof data) {
    case "string":
    case "boolean":
      return data;
    case "number":
      return Number.isSafeInteger(data) ? BigInt(data) : data;
    case "bigint":
      return data;
    default:
      if (data === null || data === undefined) return null;
      return Array.isArray(data)
        ? { kind: "list", items: data, shape: jsonItems }
        : { kind: "map", raw: data, shape: jsonFields };
  }
}

const jsonItems: ListShape = { at: (items, index) => dynValue(items[index]) };

const jsonFields: MapShape = {
  find(raw, key) {
    if (typeof key !== "string") return undefined;
    const data = raw as Readonly<Record<string, unknown>>;
    // An undefined field counts as absent: drafts may have such fields.
    return Object.hasOwn(data, key) && data[key] !== undefined ? dynValue(data[key]) : undefined;
  },
  keys: namesOf,
  size: (raw) => namesOf(raw).length,
};

function namesOf(raw: unknown): string[] {
  return Object.entries(raw as object).flatMap(([name, value]) => (value === undefined ? [] : name));
}
