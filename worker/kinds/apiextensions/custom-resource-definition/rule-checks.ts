// Validates the rules of a schema (`x-kubernetes-validations`): their form, and the errors of the compiler.
import type { JSONSchemaProps, ValidationRule } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../../shared/k8s/field.ts";
import { knownPath } from "../../../../shared/schema/structural/field-path.ts";
import { schemaNode } from "../../../../shared/schema/structural/node.ts";
import { unreadable } from "../../../../shared/schema/structural/unsupported.ts";
import { compileErrors, type RulePlace } from "./rule-context.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

export function validateRules(props: JSONSchemaProps, place: RulePlace): { schema: FieldError[]; rules: FieldError[] } {
  const rules = props["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return { schema: [], rules: [] };
  const at = place.at.child("x-kubernetes-validations");
  const schema = rules.flatMap((rule, index) => formErrors(rule, props, at.index(index)));
  if (schema.length > 0 || !place.context) return { schema, rules: [] };
  return { schema, rules: compileErrors(place.context, { ...place, at }) };
}

function formErrors(rule: ValidationRule, props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const { message = "", messageExpression = "", fieldPath = "", reason } = rule;
  const errors: FieldError[] = [];
  const [text, messageText] = [rule.rule.trim(), message.trim()];
  if (text === "") errors.push(required(at.child("rule"), "rule is not specified"));
  else if (message !== "" && messageText === "") {
    errors.push(invalid(at.child("message"), message, "must be non-empty if specified"));
  } else if (hasLines(messageText)) {
    errors.push(invalid(at.child("message"), message, "must not contain line breaks"));
  } else if (hasLines(text) && messageText === "") {
    errors.push(required(at.child("message"), "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(at.child("messageExpression"), "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupportedInOrder(at.child("reason"), reason, reasons));
  }
  if (fieldPath === "") return errors;
  const where = at.child("fieldPath");
  if (fieldPath.trim() === "") errors.push(invalid(where, fieldPath, "must be non-empty if specified"));
  if (hasLines(fieldPath)) errors.push(invalid(where, fieldPath, "must not contain line breaks"));
  if (!unreadable(props) && "error" in knownPath(fieldPath, schemaNode(props))) {
    errors.push(invalid(where, fieldPath, "must be a valid path"));
  }
  return errors;
}

function hasLines(text: string): boolean {
  return /[\n\r]/.test(text);
}
