// How a value may be owned: as one, or field by field. The type graph has the shapes of built-in types; schemas of custom resources convert
// to the same form.
import { type Field, type TypeNode, typeOf } from "../graph.ts";
import { atomicTypes, scalars } from "../openapi/leaves.ts";
import { plainName } from "../facts/releases/scoped-types.ts";

export type Shape =
  /** A value that is owned as one: scalars, and fields that are marked atomic. */
  | { readonly form: "leaf" }
  /** `rest`: the shape of fields that the struct does not declare. */
  | { readonly form: "struct"; field(name: string): Shape | undefined; readonly rest?: Shape }
  | { readonly form: "map"; readonly values: Shape }
  | { readonly form: "set" }
  /** Keys in alphabetical order. */
  | { readonly form: "keyed"; readonly keys: readonly Key[]; readonly items: Shape };

/** A field that identifies the items of a list, with its value if it is absent. */
export interface Key {
  readonly name: string;
  readonly absent: unknown;
}

export const leaf: Shape = { form: "leaf" };

/** The shape of data without a schema: maps are owned entry by entry, other values as one. */
export const untyped: Shape = {
  form: "map",
  get values(): Shape {
    return untyped;
  },
};

const shapes = new Map<string, Shape>();

/** Returns the shape of a built-in type. Unknown types are owned as one. */
export function shapeOf(type: string): Shape {
  const cached = shapes.get(type);
  if (cached) return cached;
  const node = typeOf(type);
  const shape = !node || atomicTypes.has(plainName(type)) ? leaf : structOf(node);
  shapes.set(type, shape);
  return shape;
}

function structOf(node: TypeNode): Shape {
  const fields = new Map<string, Shape>();
  return {
    form: "struct",
    field: (name) => {
      const cached = fields.get(name);
      if (cached) return cached;
      const field = node.byJson.get(name);
      if (!field) return undefined;
      const shape = fieldShape(field);
      fields.set(name, shape);
      return shape;
    },
  };
}

function fieldShape(field: Field): Shape {
  const { listType, listMapKeys, mapType, structType } = field.facts;
  const itemShape = field.form === "struct" ? shapeOf(field.type) : leaf;
  if (field.shape === "map") return mapType === "atomic" ? leaf : { form: "map", values: itemShape };
  if (field.shape === "one") return oneShape(field, structType, itemShape);
  if (listType === "set") return { form: "set" };
  if (listType !== "map" || !listMapKeys) return leaf;
  const node = typeOf(field.type);
  const keys = [...listMapKeys].sort().map((name) => ({ name, absent: absentValue(node, name) }));
  return { form: "keyed", keys, items: itemShape };
}

/** Returns the shape of a single value. A field may override the ownership that the struct's type declares. */
function oneShape(field: Field, structType: string | undefined, usual: Shape): Shape {
  if (structType === "atomic") return leaf;
  const node = structType === "granular" ? typeOf(field.type) : undefined;
  return node ? structOf(node) : usual;
}

/** Returns the default, or the zero value of a field that Go always writes. */
function absentValue(node: TypeNode | undefined, name: string): unknown {
  const field = node?.byJson.get(name);
  const text = field?.facts.default;
  if (text !== undefined && !text.startsWith("ref(")) return JSON.parse(text) as unknown;
  return field?.isKept && !field.isPointer ? scalars[field.form]?.zero : undefined;
}
