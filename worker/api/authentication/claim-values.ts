// Converts claims to CEL values. As Go reads JSON without a schema, every number is a double. A field with dots in its name can be written
// as an identifier: `claims.a__dot__b`.
import { unescapeName } from "../../../shared/cel/escape.ts";
import type { ListShape, MapShape, Value } from "../../../shared/cel/values.ts";

export function claimValue(data: unknown): Value {
  if (typeof data === "string" || typeof data === "boolean" || typeof data === "number") return data;
  if (data === null || data === undefined) return null;
  if (Array.isArray(data)) return { kind: "list", items: data, shape: listShape };
  return { kind: "map", raw: data, shape: mapShape };
}

const listShape: ListShape = { at: (items, index) => claimValue(items[index]) };

const mapShape: MapShape = {
  find: (raw, key) => {
    if (typeof key !== "string") return undefined;
    const name = unescapeName(key) ?? key;
    const data = dataOf(raw);
    return Object.hasOwn(data, name) ? claimValue(data[name]) : undefined;
  },
  keys: (raw) => Object.keys(dataOf(raw)),
  size: (raw) => Object.keys(dataOf(raw)).length,
};

/** Only `claimValue` creates maps of this shape. */
function dataOf(raw: unknown): Readonly<Record<string, unknown>> {
  return raw as Readonly<Record<string, unknown>>;
}
