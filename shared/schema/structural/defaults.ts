// Fills in the defaults of a schema (upstream: schema/defaulting). Changes the value.
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { copyJson, isObject, type JsonObject, setKey } from "../json-values.ts";
import { type SchemaNode, schemaBelow } from "./node.ts";

export function applyDefaults(value: unknown, node: SchemaNode | undefined, meter: WorkMeter): void {
  if (!node) return;
  if (Array.isArray(value)) defaultItems(value as unknown[], node, meter);
  else if (isObject(value)) defaultFields(value, node, meter);
}

/**
 * Copies a default, and charges for its size. Short defaults can make large objects: a list of empty maps may have a default for each field
 * of each.
 */
function copyOf(name: string, fallback: unknown, meter: WorkMeter): unknown {
  meter.charge(workOf.field + workOf.character * (name.length + sizeOf(fallback)));
  return copyJson(fallback);
}

/** The work per field and per character, which bounds the defaults to a few times the size of an object. */
const workOf = { field: 0.4, character: 0.01 };
const sizes = new WeakMap<object, number>();

/** Returns the number of characters as JSON. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 4;
  const size = sizes.get(value) ?? JSON.stringify(value).length;
  sizes.set(value, size);
  return size;
}

function defaultFields(object: JsonObject, node: SchemaNode, meter: WorkMeter): void {
  for (const [name, fallback] of node.defaults) {
    const isMissing = !Object.hasOwn(object, name);
    if (isMissing || (object[name] === null && node.property(name)?.isNullable === false)) {
      setKey(object, name, copyOf(name, fallback, meter));
    }
  }
  const additional = node.additional();
  for (const name of Object.keys(object)) {
    const below = schemaBelow(node, name);
    const isEntry = below !== undefined && below === additional;
    if (isEntry && object[name] === null && !below.isNullable)
      setKey(object, name, copyOf(name, below.props.default ?? null, meter));
    applyDefaults(object[name], below, meter);
  }
}

function defaultItems(list: unknown[], node: SchemaNode, meter: WorkMeter): void {
  const items = node.items();
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && items && !items.isNullable)
      list[index] = copyOf("", items.props.default ?? null, meter);
    applyDefaults(list[index], items, meter);
  }
}
