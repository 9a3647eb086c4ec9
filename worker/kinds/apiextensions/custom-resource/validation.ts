// Validates instances: by the schema, then lists and embedded resources, then rules.
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

/** The meter that validation charges, and the receiver of warnings. */
type CheckContext = Pick<WriteContext, "meter" | "warn">;
type WithStatus = KubeObject & { readonly status?: unknown };

export function validateCreated(object: KubeObject, compiledVersion: CompiledVersion, meter: WorkMeter): FieldError[] {
  const { node } = compiledVersion.schema;
  const errors = [
    ...validateValue(node, object, meter),
    ...scaleErrors(object, compiledVersion.definition?.subresources?.scale, ["spec", "status"]),
    ...validateEmbedded(object, node),
    ...validateListTypes(node, object),
  ];
  // Metadata is validated elsewhere, but rules need a name.
  const before = object.metadata.name ? errors : [...errors, required(path("metadata", "name"))];
  return [...errors, ...ruleErrors(before, object, undefined, compiledVersion, { meter })];
}

/** Validates an update. Violations in unchanged values are ignored. */
export function validateUpdated(
  next: KubeObject,
  previous: KubeObject,
  compiledVersion: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  const { node } = compiledVersion.schema;
  const correlation = new Correlation(node, next, previous);
  const errors = [
    ...validateValue(node, next, context.meter, correlation),
    ...scaleErrors(next, compiledVersion.definition?.subresources?.scale, ["spec", "status"]),
    ...validateEmbedded(next, node),
    ...listErrors(next, previous, compiledVersion),
  ];
  return [...errors, ...ruleErrors(errors, next, correlation, compiledVersion, context)];
}

/** Validates an update of the status: its schema, but the rules of the whole object. */
export function validateStatus(
  next: WithStatus,
  previous: WithStatus,
  compiledVersion: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  const { node } = compiledVersion.schema;
  const correlation = new Correlation(node, next, previous);
  const status = node.property("status");
  const errors = [
    ...(status && next.status !== undefined
      ? validateValue(status, next.status, context.meter, correlation.key("status"), path("status"))
      : []),
    ...scaleErrors(next, compiledVersion.definition?.subresources?.scale, ["status"]),
    ...listErrors(next, previous, compiledVersion),
  ];
  return [...errors, ...ruleErrors(errors, next, correlation, compiledVersion, context)];
}

function listErrors(next: KubeObject, previous: KubeObject, { schema: { node } }: CompiledVersion): FieldError[] {
  const errors = validateListTypes(node, next);
  return errors.length > 0 && validateListTypes(node, previous).length > 0 ? [] : errors;
}

/** Errors after which rules are not evaluated, because they could not rely on the values. */
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
  compiledVersion: CompiledVersion,
  context: CheckContext,
): FieldError[] {
  if (!compiledVersion.hasRules) return [];
  if (!errors.some(({ type }) => blocking.includes(type)))
    return rulesErrors(compiledVersion, object, correlation, context);
  const why =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [{ type: "FieldValueInvalid", field: "<nil>", message: `Invalid value: null: ${why}` }];
}

/** Evaluates the rules. `warn` receives violations in unchanged values, which are ignored. */
function rulesErrors(
  compiledVersion: CompiledVersion,
  object: KubeObject,
  was: Correlation | undefined,
  { warn, meter }: CheckContext,
): FieldError[] {
  const run = { isRoot: true, at: rootPath, old: was?.old, correlation: was, meter, ...(warn ? { warn } : {}) };
  const errors = runRules(compiledVersion.schema.node, object, run);
  return errors.map((error) => (error.field === "" ? { ...error, field: "<nil>" } : error));
}
