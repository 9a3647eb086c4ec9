// What an instance of a definition must be: by its schema, then by what its lists and embedded resources are, then by its rules.
import { type FieldError, path, required, rootPath } from "../../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { Correlation } from "../../../../shared/schema/structural/correlation.ts";
import { validateListTypes } from "../../../../shared/schema/structural/list-types.ts";
import { validateEmbedded } from "../../../../shared/schema/structural/object-meta.ts";
import { validateValue } from "../../../../shared/schema/structural/validate.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import type { WriteContext } from "../../kind.ts";
import type { CompiledVersion } from "./compiled.ts";
import { scaleErrors } from "./scale.ts";
import { runRules } from "../../../../shared/schema/structural/run-rules.ts";

/** The meter that checks charge, and the receiver of warnings. */
type CheckContext = Pick<WriteContext, "meter" | "warn">;
type WithStatus = KubeObject & { readonly status?: unknown };

export function validateCreated(object: KubeObject, own: CompiledVersion, meter: WorkMeter): FieldError[] {
  const { node } = own.schema;
  const errors = [
    ...validateValue(node, object, meter),
    ...scaleErrors(object, own.definition?.subresources?.scale, ["spec", "status"]),
    ...validateEmbedded(object, node),
    ...validateListTypes(node, object),
  ];
  // The metadata is checked elsewhere, but nothing can be said of what has no name.
  const before = object.metadata.name ? errors : [...errors, required(path("metadata", "name"))];
  return [...errors, ...ruleErrors(before, object, undefined, own, { meter })];
}

/** What was wrong before and is as it was is left alone. */
export function validateUpdated(
  next: KubeObject,
  previous: KubeObject,
  own: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  const { node } = own.schema;
  const correlation = new Correlation(node, next, previous);
  const errors = [
    ...validateValue(node, next, context.meter, correlation),
    ...scaleErrors(next, own.definition?.subresources?.scale, ["spec", "status"]),
    ...validateEmbedded(next, node),
    ...listErrors(next, previous, own),
  ];
  return [...errors, ...ruleErrors(errors, next, correlation, own, context)];
}

/** Only the status is checked by the schema; the rules are those of the whole. */
export function validateStatus(
  next: WithStatus,
  previous: WithStatus,
  own: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  const { node } = own.schema;
  const correlation = new Correlation(node, next, previous);
  const status = node.property("status");
  const errors = [
    ...(status && next.status !== undefined
      ? validateValue(status, next.status, context.meter, correlation.key("status"), path("status"))
      : []),
    ...scaleErrors(next, own.definition?.subresources?.scale, ["status"]),
    ...listErrors(next, previous, own),
  ];
  return [...errors, ...ruleErrors(errors, next, correlation, own, context)];
}

function listErrors(next: KubeObject, previous: KubeObject, { schema: { node } }: CompiledVersion): FieldError[] {
  const errors = validateListTypes(node, next);
  return errors.length > 0 && validateListTypes(node, previous).length > 0 ? [] : errors;
}

/** Without these a rule could not rely on what it reads. */
const blocking: readonly string[] = [
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
];

function ruleErrors(
  errors: readonly FieldError[],
  object: KubeObject,
  correlation: Correlation | undefined,
  own: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  if (!own.hasRules) return [];
  if (!errors.some(({ type }) => blocking.includes(type))) return rulesErrors(own, object, correlation, context);
  const why =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [{ type: "FieldValueInvalid", field: "<nil>", message: `Invalid value: null: ${why}` }];
}

/** `warn` is told of what was wrong before, and is left alone. */
function rulesErrors(
  own: CompiledVersion,
  object: KubeObject,
  was: Correlation | undefined,
  { warn, meter }: CheckContext,
): FieldError[] {
  const run = { isRoot: true, at: rootPath, old: was?.old, correlation: was, meter, ...(warn ? { warn } : {}) };
  const errors = runRules(own.schema.node, object, run);
  return errors.map((error) => (error.field === "" ? { ...error, field: "<nil>" } : error));
}
