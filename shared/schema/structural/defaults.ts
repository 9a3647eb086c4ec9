// Fills in the defaults of a schema (upstream: schema/defaulting). Changes the value.
import { spend } from "../../k8s/bounds/work.ts";
import { copyJson, isObject, type JsonObject, setKey } from "../json-values.ts";
import { type SchemaNode, schemaBelow } from "./node.ts";

export function applyDefaults(value: unknown, node: SchemaNode | undefined): void {
  if (!node) return;
  if (Array.isArray(value)) defaultItems(value as unknown[], node);
  else if (isObject(value)) defaultFields(value, node);
}

/** Small values in a schema make large objects: a list of empty maps may have a default for each field of each. */
function copyOf(name: string, fallback: unknown): unknown {
  spend(unitsOf.field + unitsOf.character * (name.length + sizeOf(fallback)));
  return copyJson(fallback);
}

/** So that no more is filled in than an object may hold a few times over. */
const unitsOf = { field: 20, character: 0.5 };
const sizes = new WeakMap<object, number>();

/** Characters as JSON. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 4;
  const known = sizes.get(value) ?? JSON.stringify(value).length;
  sizes.set(value, known);
  return known;
}

function defaultFields(object: JsonObject, node: SchemaNode): void {
  for (const [name, fallback] of node.defaults) {
    const isMissing = !Object.hasOwn(object, name);
    if (isMissing || (object[name] === null && node.property(name)?.isNullable === false)) {
      setKey(object, name, copyOf(name, fallback));
    }
  }
  const additional = node.additional();
  for (const name of Object.keys(object)) {
    const below = schemaBelow(node, name);
    const isEntry = below !== undefined && below === additional;
    if (isEntry && object[name] === null && !below.isNullable)
      setKey(object, name, copyOf(name, below.props.default ?? null));
    applyDefaults(object[name], below);
  }
}

function defaultItems(list: unknown[], node: SchemaNode): void {
  const items = node.items();
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && items && !items.isNullable) list[index] = copyOf("", items.props.default ?? null);
    applyDefaults(list[index], items);
  }
}
