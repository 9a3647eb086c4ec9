// Removes fields that the schema does not declare (upstream: schema/pruning), and nulls that are not allowed
// (schema/defaulting/prunenulls). Both change the value.
import { isObject, type JsonObject } from "../json-values.ts";
import { type SchemaNode, rootNode, schemaBelow, typeFields } from "./node.ts";

/** Removes unknown fields, and returns their paths in order. Metadata and type fields of a root are not touched. */
export function prune(value: unknown, node: SchemaNode | undefined, isRoot: boolean): string[] {
  const gone: string[] = [];
  pruneAt(value, isRoot && node ? rootNode(node) : node, [], gone);
  return gone.sort();
}

type Steps = (string | number)[];

function pruneAt(value: unknown, node: SchemaNode | undefined, steps: Steps, gone: string[]): void {
  if (Array.isArray(value)) {
    const inner = node?.keepsUnknown === true ? keepAt : pruneAt;
    const items = node?.items();
    for (const [index, item] of (value as unknown[]).entries()) {
      steps.push(index);
      inner(item, items, steps, gone);
      steps.pop();
    }
  } else if (isObject(value)) {
    pruneFields(value, node, steps, gone);
  }
}

function pruneFields(object: JsonObject, node: SchemaNode | undefined, steps: Steps, gone: string[]): void {
  const additional = node?.additional();
  for (const name of Object.keys(object)) {
    if (node?.isEmbedded === true && typeFields.has(name)) continue;
    const field = node?.property(name);
    if (field || additional !== undefined) {
      steps.push(name);
      pruneAt(object[name], field ?? (typeof additional === "object" ? additional : undefined), steps, gone);
      steps.pop();
    } else if (node?.keepsUnknown !== true) {
      if (!typeFields.has(name) || steps.length > 0) gone.push(pathText([...steps, name]));
      Reflect.deleteProperty(object, name);
    }
  }
}

/** Prunes below a value that keeps unknown fields. Items of lists keep them in the same way. */
function keepAt(value: unknown, node: SchemaNode | undefined, steps: Steps, gone: string[]): void {
  if (!node) return;
  if (Array.isArray(value)) {
    const items = node.items();
    for (const [index, item] of (value as unknown[]).entries()) {
      steps.push(index);
      keepAt(item, items, steps, gone);
      steps.pop();
    }
  } else if (isObject(value)) {
    pruneFields(value, { ...node, keepsUnknown: true }, steps, gone);
  }
}

function pathText(steps: Steps): string {
  return steps.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** Removes nulls that are not allowed and have no default. */
export function pruneNulls(value: unknown, node: SchemaNode | undefined): void {
  if (Array.isArray(value)) {
    const items = node?.items();
    for (const item of value as unknown[]) pruneNulls(item, items);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const below = schemaBelow(node, name);
      if (value[name] === null && below && !below.isNullable && !hasDefault(below)) Reflect.deleteProperty(value, name);
      else pruneNulls(value[name], below);
    }
  }
}

function hasDefault({ props }: SchemaNode): boolean {
  return props.default !== undefined && props.default !== null;
}
