// Fills in the defaults of a schema (upstream: schema/defaulting). Changes the value.
import { copyJson, isObject, type JsonObject, setKey } from "../json-values.ts";
import { type SchemaNode, schemaBelow } from "./node.ts";

export function applyDefaults(value: unknown, node: SchemaNode | undefined): void {
  if (!node) return;
  if (Array.isArray(value)) defaultItems(value as unknown[], node);
  else if (isObject(value)) defaultFields(value, node);
}

function defaultFields(object: JsonObject, node: SchemaNode): void {
  for (const [name, fallback] of node.defaults) {
    const isMissing = !Object.hasOwn(object, name);
    if (isMissing || (object[name] === null && node.property(name)?.isNullable === false)) {
      setKey(object, name, copyJson(fallback));
    }
  }
  const additional = node.additional();
  for (const name of Object.keys(object)) {
    const below = schemaBelow(node, name);
    const isEntry = below !== undefined && below === additional;
    if (isEntry && object[name] === null && !below.isNullable)
      setKey(object, name, copyJson(below.props.default ?? null));
    applyDefaults(object[name], below);
  }
}

function defaultItems(list: unknown[], node: SchemaNode): void {
  const items = node.items();
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && items && !items.isNullable) list[index] = copyJson(items.props.default ?? null);
    applyDefaults(list[index], items);
  }
}
