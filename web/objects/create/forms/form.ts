// A form for a kind: its fields, and the object that they make. Independent of the page.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import type { texts } from "../../../messages/forms.ts";

export type Values = Readonly<Record<string, string>>;

export interface FormField {
  readonly id: keyof typeof texts.fields;
  /** `pairs` are lines such as `LOG_LEVEL=debug`. */
  readonly form: "text" | "count" | "choice" | "pairs";
  readonly initial: string;
  /** The values of a choice. */
  readonly among?: readonly string[];
}

export interface KindForm {
  readonly kind: string;
  readonly fields: readonly FormField[];
  objectOf(values: Values): JsonObject;
}

/** Parses lines such as `KEY=value`. Lines without a key are left out. */
export function pairsIn(text: string): readonly (readonly [string, string])[] {
  return text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    const key = line.slice(0, Math.max(at, 0)).trim();
    return key === "" ? [] : [[key, line.slice(at + 1)] as const];
  });
}

/** Returns an entry of an object if its value is not empty. */
export function optional(name: string, value: unknown): JsonObject {
  const isEmpty =
    value === undefined ||
    value === "" ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return isEmpty ? {} : { [name]: value };
}

/** Returns a number if the text is one, and otherwise the text, which the API refuses with a reason. */
export function numberIn(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

export function metadataOf({ name = "" }: Values): JsonObject {
  return { name };
}

/** Returns the initial values of a form. */
export function initialValues({ fields }: KindForm): Values {
  return Object.fromEntries(fields.map(({ id, initial }) => [id, initial]));
}
