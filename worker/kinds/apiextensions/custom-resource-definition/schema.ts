// Validates the schema of a version: structural, with valid defaults, and within the supported part of OpenAPI v3.
import type { JSONSchemaProps } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid } from "../../../../shared/k8s/field.ts";
import { validateDefaults } from "../../../../shared/schema/structural/default-values.ts";
import { validateStructural } from "../../../../shared/schema/structural/structurality.ts";
import { unreadable } from "../../../../shared/schema/structural/unsupported.ts";
import { goName, internalForm } from "../../common/go-struct.ts";
import { defaultRules, ruleContext, totalCostErrors } from "./rule-context.ts";
import { validateOpenApi } from "./schema-rules.ts";
import type { Strictness } from "./strictness.ts";

const propsType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** The fields of the root in upstream's order. */
const rootFields = [
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
];

/** Validates a schema. `at` is the path of the object with `openAPIV3Schema`. */
export function validateSchema(
  props: JSONSchemaProps,
  hasStatus: boolean,
  rules: Strictness,
  version: string,
  at: FieldPath,
): FieldError[] {
  const where = at.child("openAPIV3Schema");
  const errors = hasStatus ? rootErrors(props, at) : [];
  if (props.nullable)
    errors.push(forbidden(at.child("openAPIV3Schema.nullable"), "nullable cannot be true at the root"));
  const problem = rules.structural ? unreadable(props) : undefined;
  const structure = rules.structural && !problem ? structureErrors(props, rules, where) : [];
  errors.push(...structure);
  const context = rules.structural && !problem && structure.length === 0 ? ruleContext(props, rules.meter) : undefined;
  errors.push(
    ...validateOpenApi(props, { ...rules, reportsRulesAboveLimit: !rules.unchanged.has(version) }, context, where),
  );
  if (errors.length === 0 && problem) errors.push(invalid(where, "", problem));
  return context ? [...errors, ...totalCostErrors(context, where)] : errors;
}

function structureErrors(props: JSONSchemaProps, rules: Strictness, at: FieldPath): FieldError[] {
  const wrong = validateStructural(props, at, rules.meter);
  return wrong.length > 0
    ? wrong
    : validateDefaults(props, at, rules.prunedDefaults, defaultRules(rules.meter), rules.meter);
}

/** Validates the root of a schema with a status subresource: only fields that do not constrain the status are allowed. */
function rootErrors(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  if (props.type !== undefined && props.type !== "object") {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(at.child("openAPIV3Schema.type"), props.type, why)];
  }
  const forbiddenEntry = Object.entries(props).find(([name, value]) => !rootFields.includes(name) && value !== false);
  if (!forbiddenEntry) return [];
  const why = `only [${rootFields.map((name) => goName(propsType, name)).join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(at.child("openAPIV3Schema"), internalForm(propsType, props), why)];
}
