// Values as upstream prints them where it prints a whole struct: its internal structs have no JSON names, and leave nothing out.
import { type Field, typeOf } from "../../shared/schema/graph.ts";

/** Names that are not the field's own with a capital letter. */
const goNames: Readonly<Record<string, string>> = {
  apiGroup: "APIGroup",
  apiGroups: "APIGroups",
  $ref: "Ref",
  $schema: "Schema",
  id: "ID",
  "x-kubernetes-embedded-resource": "XEmbeddedResource",
  "x-kubernetes-int-or-string": "XIntOrString",
  "x-kubernetes-list-map-keys": "XListMapKeys",
  "x-kubernetes-list-type": "XListType",
  "x-kubernetes-map-type": "XMapType",
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
  bool: "BoolValue",
  bools: "BoolValues",
  cel: "CEL",
  int: "IntValue",
  ints: "IntValues",
  string: "StringValue",
  strings: "StringValues",
  uid: "UID",
  version: "VersionValue",
  versions: "VersionValues",
};
const numbers = ["int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"];
/** Types that both sides share keep their JSON names. */
const shared = "io.k8s.apimachinery.";

/** A decoded value of a type of the graph, in the form of its internal struct. */
export function internalForm(type: string, value: unknown): unknown {
  const node = type.startsWith(shared) ? undefined : typeOf(type);
  if (!node || typeof value !== "object" || value === null) return value ?? null;
  // What decoding gives of a struct is a plain object.
  const record = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(node.fields.map((field) => [goName(field.json), fieldForm(field, record[field.json])]));
}

function goName(json: string): string {
  const own = Object.hasOwn(goNames, json) ? goNames[json] : undefined;
  return own ?? `${json.slice(0, 1).toUpperCase()}${json.slice(1)}`;
}

function fieldForm(field: Field, value: unknown): unknown {
  if (value === undefined || value === null) return zeroOf(field);
  if (field.form !== "struct") return value;
  if (Array.isArray(value)) return value.map((one: unknown) => internalForm(field.type, one));
  if (field.shape !== "map") return internalForm(field.type, value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, internalForm(field.type, one)]));
}

function zeroOf({ shape, isPointer, form, type }: Field): unknown {
  if (shape !== "one" || isPointer) return null;
  if (form === "struct") return internalForm(type, {});
  if (form === "bool") return false;
  if (numbers.includes(form)) return 0;
  return form === "string" ? "" : null;
}
