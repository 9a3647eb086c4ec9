// How a value may be owned: as a whole, or part by part. Built-in types give their shapes from the graph; schemas of custom
// resources can give the same.
import { type Field, type TypeNode, typeOf } from "../graph.ts";
import { atomicTypes, scalars } from "../openapi/leaves.ts";

export type Shape =
  /** ManagedFields as a whole: scalars, and what is marked atomic. */
  | { readonly form: "leaf" }
  /** `rest`: of fields that are not its own. */
  | { readonly form: "struct"; field(name: string): Shape | undefined; readonly rest?: Shape }
  | { readonly form: "map"; readonly values: Shape }
  | { readonly form: "set" }
  /** Keys in the order of their names. */
  | { readonly form: "keyed"; readonly keys: readonly Key[]; readonly items: Shape };

/** A field that tells the items of a list apart, with the value it has where it is not given. */
export interface Key {
  readonly name: string;
  readonly absent: unknown;
}

export const leaf: Shape = { form: "leaf" };

/** Of what no schema describes: maps are owned entry by entry, anything else as a whole. */
export const untyped: Shape = {
  form: "map",
  get values(): Shape {
    return untyped;
  },
};

const shapes = new Map<string, Shape>();

/** The shape of a built-in type; unknown types are owned as a whole. */
export function shapeOf(type: string): Shape {
  const known = shapes.get(type);
  if (known) return known;
  const node = typeOf(type);
  const shape = !node || atomicTypes.has(type) ? leaf : structOf(node);
  shapes.set(type, shape);
  return shape;
}

function structOf(node: TypeNode): Shape {
  const fields = new Map<string, Shape>();
  return {
    form: "struct",
    field: (name) => {
      const known = fields.get(name);
      if (known) return known;
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
  const one = field.form === "struct" ? shapeOf(field.type) : leaf;
  if (field.shape === "map") return mapType === "atomic" ? leaf : { form: "map", values: one };
  if (field.shape === "one") return oneShape(field, structType, one);
  if (listType === "set") return { form: "set" };
  if (listType !== "map" || !listMapKeys) return leaf;
  const node = typeOf(field.type);
  const keys = [...listMapKeys].sort().map((name) => ({ name, absent: absentValue(node, name) }));
  return { form: "keyed", keys, items: one };
}

/** A field may own its struct otherwise than the struct's type says. */
function oneShape(field: Field, structType: string | undefined, usual: Shape): Shape {
  if (structType === "atomic") return leaf;
  const node = structType === "granular" ? typeOf(field.type) : undefined;
  return node ? structOf(node) : usual;
}

/** Its default, or the zero value of a field that Go always writes. */
function absentValue(node: TypeNode | undefined, name: string): unknown {
  const field = node?.byJson.get(name);
  const text = field?.facts.default;
  if (text !== undefined && !text.startsWith("ref(")) return JSON.parse(text) as unknown;
  return field?.isKept && !field.isPointer ? scalars[field.form]?.zero : undefined;
}
