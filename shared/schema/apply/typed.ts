// Type errors of an applied configuration, in upstream's words. They are found before any merge, whatever `fieldValidation` says.
import { isObject } from "../json-values.ts";
import { type Field, type Form, type TypeNode, typeOf } from "../graph.ts";
import { pathText } from "./field-set.ts";
import { elementOf, type ListShape } from "./items.ts";
import { type Shape, shapeOf } from "./shape.ts";
import { inside } from "./compare.ts";

/** Returns all type errors in one text; undefined if there are none. */
export function typedComplaint(type: string, config: unknown): string | undefined {
  const errors: string[] = [];
  checkType(type, config, "", errors);
  return complaintOf(errors);
}

export function complaintOf(errors: readonly string[]): string | undefined {
  const [only, ...more] = errors;
  return more.length === 0 ? only : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n");
}

/** Adds the errors of a value of a type at a path. */
export function checkType(type: string, value: unknown, at: string, errors: string[]): void {
  const node = typeOf(type);
  if (node) checkStruct(node, shapeOf(type), value, at, errors);
}

function checkStruct(node: TypeNode, shape: Shape, value: unknown, at: string, errors: string[]): void {
  if (value === null) return;
  if (!isObject(value)) {
    errors.push(`${at}: expected map, got ${valueText(value)}`);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    const field = node.byJson.get(name);
    if (!field) {
      // As upstream does, stops this map at its first undeclared field.
      errors.push(`${at}.${name}: field not declared in schema`);
      return;
    }
    checkField(field, inside(shape, name), item, `${at}.${name}`, errors);
  }
}

/**
 * Checks a field. `field.shape` says how it holds values: as one, in a list or in a map. `field.form` is the Go type of one value, and
 * `shape.form` how server-side apply merges it: as a set, by keys, or as a leaf.
 */
function checkField(field: Field, shape: Shape, value: unknown, at: string, errors: string[]): void {
  if (value === null || field.goType === "json.RawMessage") return;
  if (field.shape === "list") {
    checkList(field, shape, value, at, errors);
  } else if (field.shape === "map") {
    if (!isObject(value)) errors.push(`${at}: expected map, got ${valueText(value)}`);
    else
      for (const [name, item] of Object.entries(value))
        checkOne(field, inside(shape, name), item, `${at}.${name}`, errors);
  } else {
    checkOne(field, shape, value, at, errors);
  }
}

function checkList(field: Field, shape: Shape, value: unknown, at: string, errors: string[]): void {
  checkItems(shape, value, at, errors, (item, below, where) => {
    checkOne(field, below, item, where, errors);
  });
}

/** Checks that items have their keys, and that no two items have the same. */
export function checkItems(
  shape: Shape,
  value: unknown,
  at: string,
  errors: string[],
  check: (item: unknown, shape: Shape, at: string) => void,
): void {
  if (!Array.isArray(value)) {
    errors.push(`${at}: expected list, got ${valueText(value)}`);
    return;
  }
  const elements = new Set<string>();
  for (const [index, item] of (value as unknown[]).entries()) {
    if (shape.form !== "set" && shape.form !== "keyed") {
      check(item, shape, `${at}[${index}]`);
      continue;
    }
    const wrong = wrongItem(shape, item);
    if (wrong) {
      errors.push(`${at}: element ${index}: ${wrong}`);
      return;
    }
    const element = elementOf(shape, item);
    if (elements.has(element)) errors.push(`${at}: duplicate entries for key ${pathText([element])}`);
    elements.add(element);
    check(item, shape.form === "keyed" ? shape.items : shape, at + pathText([element]));
  }
}

function wrongItem(shape: ListShape, item: unknown): string | undefined {
  if (shape.form === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return "not supported: associative list with lists as elements";
    return isObject(item) ? "associative list without keys has an element that's a map type" : undefined;
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  if (shape.keys.some(({ name, absent }) => name in item || absent !== undefined)) return undefined;
  const names = shape.keys.map(({ name }) => JSON.stringify(name)).join(" ");
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

const numeric: ReadonlySet<Form> = new Set(["int32", "int64", "uint8", "uint32", "uint64", "float32", "float64"]);
const textual: ReadonlySet<Form> = new Set(["string", "bytes", "time", "microtime", "duration"]);

function checkOne(field: Field, shape: Shape, value: unknown, at: string, errors: string[]): void {
  if (value === null) return;
  const { form, type } = field;
  if (form === "struct") {
    const node = typeOf(type);
    if (node) checkStruct(node, shape.form === "leaf" ? shapeOf(type) : shape, value, at, errors);
  } else if (numeric.has(form)) checkScalar("numeric", value, at, errors);
  else if (textual.has(form)) checkScalar("string", value, at, errors);
  else if (form === "bool") checkScalar("boolean", value, at, errors);
  else if (form === "quantity") checkScalar("any", value, at, errors);
}

/** `any` is every value that is neither a list nor a map. */
export function checkScalar(
  type: "numeric" | "string" | "boolean" | "any",
  value: unknown,
  at: string,
  errors: string[],
): void {
  if (type === "numeric") {
    if (typeof value !== "number") errors.push(`${at}: expected numeric (int or float), got ${goType(value)}`);
  } else if (type === "string") {
    if (typeof value !== "string")
      errors.push(`${at}: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  } else if (type === "boolean") {
    if (typeof value !== "boolean") errors.push(`${at}: expected boolean, got ${valueText(value)}`);
  } else if (typeof value === "object") {
    errors.push(`${at}: expected any scalar, got ${valueText(value)}`);
  }
}

/** Returns the type of a JSON value as Go prints it. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "bool" : "map[string]interface {}";
}

/** Returns a JSON value as Go prints it inside a pointer to a struct. */
export function valueText(value: unknown): string {
  return `&{${plainText(value)}}`;
}

function plainText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainText).join(" ")}]`;
  if (value === null) return "<nil>";
  if (!isObject(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, item]) => `${name}:${plainText(item)}`).join(" ")}]`;
}

/** Returns a JSON value in Go's syntax. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (value instanceof Uint8Array) {
    return `[]uint8{${Array.from(value, (byte) => `0x${byte.toString(16)}`).join(", ")}}`;
  }
  if (!isObject(value)) return value === null ? "interface {}(nil)" : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([name, item]) => `${JSON.stringify(name)}:${goSyntax(item)}`).join(", ")}}`;
}
