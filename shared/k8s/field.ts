// Field errors as upstream's `field.Error`: `validate` of a kind returns them, and a 422 `Status` lists them as causes.
import { limits } from "../base/limits.ts";
import { goJson, goNumber } from "./go-text.ts";

export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** The message without the field, as in a cause: `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
}

/** A path to a field: `spec.containers[0].ports[0].name`. */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #names: readonly string[];
  readonly #item: string | number | undefined;

  /** Only the parts of the path are stored, because most paths are never printed. */
  constructor(text = "", parent?: FieldPath, names: readonly string[] = [text], item?: string | number) {
    this.#parent = parent;
    this.#names = names;
    this.#item = item;
  }
  child(...names: string[]): FieldPath {
    return new FieldPath("", this, names);
  }
  index(at: number): FieldPath {
    return new FieldPath("", this, [], at);
  }
  key(key: string): FieldPath {
    return new FieldPath("", this, [], key);
  }
  toString(): string {
    const above = this.#parent?.toString() ?? "";
    if (this.#item !== undefined) return `${above}[${this.#item}]`;
    return [above, ...this.#names].filter(Boolean).join(".");
  }
}

export const rootPath = new FieldPath();

/** A path from the root: `path("spec", "replicas")`. */
export function path(...names: string[]): FieldPath {
  return rootPath.child(...names);
}

/** Prints a value as Go formats it in upstream's messages: strings quoted, structs as JSON. */
export function printValue(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return quoted(cut(value));
  if (typeof value === "number") return goNumber(value);
  if (typeof value === "boolean") return String(value);
  return cut(goJson(value));
}

function cut(text: string): string {
  return text.length > limits.toldValueCharacters ? `${text.slice(0, limits.toldValueCharacters)}...` : text;
}

/** Quotes a text like Go, which writes control characters in its own way. */
function quoted(text: string): string {
  if (!/\p{Cc}/u.test(text)) return JSON.stringify(text);
  const characters = [...text].map((character) =>
    /\p{Cc}/u.test(character) ? escaped(character) : JSON.stringify(character).slice(1, -1),
  );
  return `"${characters.join("")}"`;
}

const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\v": "\\v",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escaped(control: string): string {
  const code = (control.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
  return named[control] ?? (code < "80" ? `\\x${code}` : `\\u00${code}`);
}

function make(type: FieldErrorType, field: FieldPath, head: string, detail: string): FieldError {
  return { type, field: field.toString(), message: detail ? `${head}: ${detail}` : head };
}

export const required = (field: FieldPath, detail = ""): FieldError =>
  make("FieldValueRequired", field, "Required value", detail);
export const invalid = (field: FieldPath, value: unknown, detail: string): FieldError =>
  make("FieldValueInvalid", field, `Invalid value: ${printValue(value)}`, detail);
/** Returns an error whose message omits the value, as upstream has it for some fields. */
export const invalidWithoutValue = (field: FieldPath, detail: string): FieldError =>
  make("FieldValueInvalid", field, "Invalid value", detail);
export const duplicate = (field: FieldPath, value: unknown): FieldError =>
  make("FieldValueDuplicate", field, `Duplicate value: ${printValue(value)}`, "");
/** Returns an error whose message omits the value, as upstream has it for some fields. */
export const duplicateWithoutValue = (field: FieldPath): FieldError =>
  make("FieldValueDuplicate", field, "Duplicate value", "");
export const notFound = (field: FieldPath, value: unknown): FieldError =>
  make("FieldValueNotFound", field, `Not found: ${printValue(value)}`, "");
export const forbidden = (field: FieldPath, detail: string): FieldError =>
  make("FieldValueForbidden", field, "Forbidden", detail);
export const tooLong = (field: FieldPath, maxBytes: number): FieldError =>
  make("FieldValueTooLong", field, "Too long", `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`);
export const tooMany = (field: FieldPath, actual: number, max: number): FieldError =>
  make(
    "FieldValueTooMany",
    field,
    `Too many: ${actual}`,
    max < 0 ? "has too many items" : `must have at most ${max} ${max === 1 ? "item" : "items"}`,
  );
/** Returns an error for a value of the wrong type, worded as an invalid value. */
export const typeInvalid = (field: FieldPath, value: unknown, detail: string): FieldError =>
  make("FieldValueTypeInvalid", field, `Invalid value: ${printValue(value)}`, detail);
export const internalError = (field: FieldPath, detail: string): FieldError =>
  make("InternalError", field, "Internal error", detail);
/** Returns the error of an unsupported value, which lists the supported values sorted and quoted. */
export const notSupported = (field: FieldPath, value: unknown, supported: readonly string[]): FieldError =>
  make(
    "FieldValueNotSupported",
    field,
    `Unsupported value: ${printValue(value)}`,
    supported.length
      ? `supported values: ${[...supported]
          .sort()
          .map((value) => JSON.stringify(value))
          .join(", ")}`
      : "",
  );
/** Returns the same error for lists that upstream does not sort. */
export const notSupportedInOrder = (field: FieldPath, value: unknown, supported: readonly string[]): FieldError =>
  make(
    "FieldValueNotSupported",
    field,
    `Unsupported value: ${printValue(value)}`,
    `supported values: ${supported.map((value) => JSON.stringify(value)).join(", ")}`,
  );

/** Prints errors as Go prints an aggregate of them. */
export function aggregateText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => (field ? `${field}: ${message}` : message)))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
