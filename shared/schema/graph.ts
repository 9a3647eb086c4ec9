// The graph of built-in types: the facts of one type in the form that decoding, protobuf and patches use.
import corrections from "./facts/corrections.json" with { type: "json" };
import goTypes from "./facts/go-types.json" with { type: "json" };
import { fieldFactsOf, plainName } from "./facts/releases/scoped-types.ts";
import type { FieldFacts } from "./type-facts.ts";

/** The form of a value: `struct`, a scalar, or a special form with its own JSON and protobuf encoding. */
export type Form =
  | "struct"
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "uint8"
  | "uint32"
  | "uint64"
  | "float32"
  | "float64"
  | "bytes"
  | "quantity"
  | "time"
  | "microtime"
  | "duration"
  | "intOrString"
  | "raw"
  | "fieldsV1"
  | "json"
  | "schemaOrArray"
  | "schemaOrBool"
  | "schemaOrStringArray"
  | "strings";

export interface Field {
  readonly json: string;
  readonly form: Form;
  /** The name of the type if the form is `struct`. */
  readonly type: string;
  /** The type of one value as Go prints it in an error: `v1.Container`, `int32`. */
  readonly goType: string;
  /** The type of a map of these values as Go prints it. */
  readonly goMap: string;
  /** The inlined structs that declare the field, as Go's decoder writes them before its name: `RuleWithOperations.Rule.`. */
  readonly inlined: string;
  readonly shape: "one" | "list" | "map";
  readonly isPointer: boolean;
  /** Whether the field is printed although empty, because the Go tag has no `omitempty`. */
  readonly isKept: boolean;
  readonly isWrapped: boolean;
  readonly facts: FieldFacts;
}

/** A member of the protobuf message: a field, or the message of an inlined struct. */
export type Member =
  | { readonly number: number; readonly field: Field }
  | { readonly number: number; readonly nested: TypeNode };

export interface TypeNode {
  readonly name: string;
  /** The last segment of the name: `Deployment` of `io.k8s.api.apps.v1.Deployment`. */
  readonly local: string;
  /** `v1.Deployment`. */
  readonly goName: string;
  /** Fields in the order of declaration, with the fields of inlined structs in their place. */
  readonly fields: readonly Field[];
  readonly byJson: ReadonlyMap<string, Field>;
  /** Members by ascending number. */
  readonly members: readonly Member[];
  readonly byNumber: ReadonlyMap<number, Member>;
}

/** Returns the node of a type; undefined if the facts do not have the name. */
export function typeOf(name: string): TypeNode | undefined {
  const cached = nodes.get(name);
  if (cached) return cached;
  const facts = fieldFactsOf(name);
  if (!facts) return undefined;
  const node = resolve(name, facts);
  nodes.set(name, node);
  return node;
}

/** The name of the type in `schemaOr...` forms. */
export const jsonSchemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

type Corrections = Readonly<Record<string, readonly string[]>>;
const alwaysWritten: Corrections = corrections.alwaysWritten;
const omitted: Corrections = corrections.omitted;
const unwrapped: Corrections = corrections.unwrapped;
/** The Go types of named scalars that no enum declares, and of maps of them. */
const namedTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = goTypes;
const nodes = new Map<string, TypeNode>();

function resolve(name: string, allFacts: readonly FieldFacts[]): TypeNode {
  const fields: Field[] = [];
  const members: Member[] = [];
  for (const facts of allFacts) {
    if (facts.inline !== undefined) {
      const nested = typeOf(facts.inline);
      if (!nested) continue;
      const within = `${nested.local}.`;
      fields.push(...nested.fields.map((field) => ({ ...field, inlined: within + field.inlined })));
      if (facts.n !== undefined) members.push({ number: facts.n, nested });
    } else if (facts.json !== undefined && facts.json !== "-" && facts.type !== undefined) {
      const field = resolveField(name, facts.json, facts.type, facts);
      fields.push(field);
      if (facts.n !== undefined) members.push({ number: facts.n, field });
    }
  }
  members.sort((a, b) => a.number - b.number);
  return {
    name,
    local: localName(name),
    goName: goName(name),
    fields,
    byJson: new Map(fields.map((field) => [field.json, field])),
    members,
    byNumber: new Map(members.map((member) => [member.number, member])),
  };
}

function resolveField(
  scopedOwner: string,
  json: string,
  type: NonNullable<FieldFacts["type"]>,
  facts: FieldFacts,
): Field {
  const owner = plainName(scopedOwner);
  const has = (table: Corrections) => table[owner]?.includes(json) === true;
  const named = namedTypes[owner]?.[json];
  const isMap = named?.startsWith("map[") === true;
  const form = typeForm(type, isMap ? undefined : named);
  return {
    json,
    ...form,
    goMap: isMap ? named : form.form === "quantity" ? "v1.ResourceList" : `map[string]${form.goType}`,
    inlined: "",
    shape: facts.shape ?? "one",
    isPointer: facts.ptr === true,
    isKept: (facts.required === true && !has(omitted)) || has(alwaysWritten),
    isWrapped: facts.wrapped === true && !has(unwrapped),
    facts,
  };
}

function typeForm(
  type: NonNullable<FieldFacts["type"]>,
  named: string | undefined,
): Pick<Field, "form" | "type" | "goType"> {
  if (typeof type !== "string") return { form: "strings", type: "", goType: "v1.ExtraValue" };
  if (type.startsWith("enum:")) return { form: "string", type: "", goType: goName(type.slice(5)) };
  if (fieldFactsOf(type)) return { form: "struct", type, goType: goName(type) };
  const goType = type === "bytes" ? "[]uint8" : type === "quantity" ? "resource.Quantity" : type;
  // A type without facts is a scalar or a special form of the facts' own list.
  return { form: type as Form, type: "", goType: named ?? goType };
}

function localName(name: string): string {
  const plain = plainName(name);
  return plain.slice(plain.lastIndexOf(".") + 1);
}

function goName(name: string): string {
  return plainName(name).split(".").slice(-2).join(".");
}
