// The fields by which an organisation tells its sandboxes apart. Each is declared here once. The bodies and responses of the control API are
// derived from the declaration, and D1's table, the command line and the console do not compile until they have the field.
import * as z from "zod";
import { limits } from "../base/limits.ts";

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const name = z
  .string()
  .max(limits.sandboxNameCharacters)
  .regex(dnsLabel, "must consist of lower case letters, digits and '-', and begin and end with a letter or digit");

/** Text that fits on one line. */
export const description = z
  .string()
  .max(limits.sandboxDescriptionCharacters)
  .regex(/^\P{Cc}*$/u, "must be one line without control characters");

const labelPart =
  "must consist of letters, digits, '-', '_', '.' (a key also of '/'), and begin and end with a letter or digit";
const labelKey = z
  .string()
  .max(limits.labelCharacters)
  .regex(/^[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?$/, labelPart);
const labelValue = z
  .string()
  .max(limits.labelCharacters)
  .regex(/^(?:[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?)?$/, labelPart);

/** The labels by which a tenant selects sandboxes. */
export const labels = z
  .record(labelKey, labelValue)
  .refine((labelMap) => Object.keys(labelMap).length <= limits.labels, `must have at most ${limits.labels} entries`);

export type Labels = z.output<typeof labels>;

const labelChanges = z
  .record(labelKey, labelValue.nullable())
  .refine(
    (changes) => Object.keys(changes).length <= 2 * limits.labels,
    `must have at most ${2 * limits.labels} entries`,
  );

/** Changes of labels as a JSON merge patch. */
export type LabelChanges = z.output<typeof labelChanges>;

/** The schemas of each field: in the body that creates a sandbox, in the body that changes one, and in a response. */
export const sandboxFields = {
  name: { create: name.optional(), change: name.optional(), response: z.string() },
  description: { create: description.default(""), change: description.optional(), response: z.string() },
  labels: {
    create: labels.default({}),
    /** Merged with the existing labels; null removes one. */
    change: labelChanges.optional(),
    response: labels,
  },
} as const;

type Fields = typeof sandboxFields;
export type SandboxField = keyof Fields;

// `Object.keys` returns `string[]`, but these are the keys of the declaration above.
export const sandboxFieldNames = Object.keys(sandboxFields) as SandboxField[];

/** Returns the schemas that the fields have in one place. */
export function schemasFor<Place extends "create" | "change" | "response">(place: Place) {
  return mapFields((field) => sandboxFields[field][place]) as { [Field in SandboxField]: Fields[Field][Place] };
}

/** The fields as a mask of zod's `pick` and `omit`. */
export const sandboxFieldMask = mapFields(() => true as const);

/** Returns the fields of a sandbox, of its row in D1 or of its options. */
export function fieldsOf<Source extends { readonly [Field in SandboxField]?: unknown }>(source: Source) {
  return mapFields((field) => source[field]) as Pick<Source, SandboxField & keyof Source>;
}

function mapFields<Value>(valueOf: (field: SandboxField) => Value): Record<SandboxField, Value> {
  // `Object.fromEntries` loses the keys, but there is one entry for each field.
  return Object.fromEntries(sandboxFieldNames.map((field) => [field, valueOf(field)])) as Record<SandboxField, Value>;
}
