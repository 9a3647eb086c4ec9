// Shared validation of admission policies: the matched requests, parameters and variables.
import type {
  MatchResources,
  ParamKind,
  ParamRef,
  Variable,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  notSupportedInOrder,
  required,
} from "../../../shared/k8s/field.ts";
import { dns1035Label, dns1123Subdomain, pathSegmentName } from "../../../shared/k8s/names.ts";
import { each, validateLabelSelectorValues } from "../common/checks.ts";
import { type Expression, type Scope, compileVariables, expressionErrors } from "./expressions.ts";
import { defaultRule, validateNamedRule } from "./rules.ts";

export const failurePolicies = ["Fail", "Ignore"];
export const matchPolicies = ["Equivalent", "Exact"];
export const reinvocationPolicies = ["IfNeeded", "Never"];

const notFoundActions = ["Deny", "Allow"];
const celKeywords =
  "true false null in as break const continue else for function if import let loop package namespace return var void while";
const exclusive = "name and selector are mutually exclusive";

export function defaultMatch(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) defaultRule(rule);
}

/** Validates a required value against the supported ones. */
export function validateChoice(value: string | undefined, at: FieldPath, supported: readonly string[]): FieldError[] {
  if (value === undefined) return [required(at)];
  return supported.includes(value) ? [] : [notSupported(at, value, supported)];
}

export function validateMatch(match: MatchResources, at: FieldPath): FieldError[] {
  const errors = validateChoice(match.matchPolicy, at.child("matchPolicy"), matchPolicies);
  for (const field of ["namespaceSelector", "objectSelector"] as const) {
    const where = at.child(field);
    errors.push(...(match[field] ? validateLabelSelectorValues(match[field], where) : [required(where)]));
  }
  for (const field of ["resourceRules", "excludeResourceRules"] as const) {
    const rules = match[field] ?? [];
    rules.forEach((rule, index) => errors.push(...validateNamedRule(rule, at.child(field).index(index))));
  }
  return errors;
}

/** Validates the match constraints of a policy, which are required. */
export function validateConstraints(match: MatchResources | undefined, at: FieldPath): FieldError[] {
  if (!match) return [required(at)];
  const isEmpty = !match.resourceRules?.length;
  return [...validateMatch(match, at), ...(isEmpty ? [required(at.child("resourceRules"))] : [])];
}

export function validatePolicyName(name: string | undefined, at: FieldPath): FieldError[] {
  return name ? each(dns1123Subdomain(name), at, name) : [required(at)];
}

export function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, at: FieldPath): FieldError[] {
  const errors = apiVersion
    ? validateApiVersion(apiVersion, at.child("apiVersion"))
    : [required(at.child("apiVersion"))];
  if (!kind) return [...errors, required(at.child("kind"))];
  const wrong = dns1035Label(kind.toLowerCase());
  if (!wrong.length) return errors;
  const why = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
  return [...errors, invalid(at.child("kind"), kind, why)];
}

export function validateParamRef(to: ParamRef | undefined, at: FieldPath): FieldError[] {
  if (!to) return [];
  const { name = "", selector, parameterNotFoundAction: action = "" } = to;
  const errors = name ? each(pathSegmentName(name), at.child("name"), name) : [];
  if (name && selector) errors.push(forbidden(at.child("name"), exclusive));
  errors.push(...validateLabelSelectorValues(selector, at.child("selector")));
  if (name && selector) errors.push(forbidden(at.child("selector"), exclusive));
  if (!name && !selector) errors.push(required(at, "one of name or selector must be specified"));
  const where = at.child("parameterNotFoundAction");
  if (!action) errors.push(required(where));
  else if (!notFoundActions.includes(action)) errors.push(notSupportedInOrder(where, action, notFoundActions));
  return errors;
}

export function validateVariables(variables: readonly Variable[], scope: Scope, at: FieldPath): FieldError[] {
  const { expressions } = compileVariables(variables, scope);
  return variables.flatMap((variable, index) =>
    validateVariable(variable, expressions.get(variable.name), at.index(index)),
  );
}

function validateVariable(
  { name, expression }: Variable,
  compiled: Expression | undefined,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name.trim()) errors.push(required(at.child("name"), "name is not specified"));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || celKeywords.split(" ").includes(name)) {
    errors.push(invalid(at.child("name"), name, "must be a valid CEL identifier"));
  }
  if (!expression.trim()) errors.push(required(at.child("expression"), "expression is not specified"));
  else if (compiled) errors.push(...expressionErrors(compiled, at.child("expression")));
  return errors;
}

/** Returns the table cell of a policy's parameters. */
export function paramKindText(kind: ParamKind | undefined): string {
  return kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";
}

export function paramRefText(to: ParamRef | undefined): string {
  if (to?.name) return `${to.namespace || "*"}/${to.name}`;
  if (!to?.selector) return "<unset>";
  // Prints the selector as Go does.
  const { matchLabels = {}, matchExpressions = [] } = to.selector;
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const lists = `MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},`;
  return `&LabelSelector{${lists}}`;
}

function validateApiVersion(text: string, at: FieldPath): FieldError[] {
  const segments = text === "/" ? ["", ""] : text.split("/");
  if (segments.length > 2) return [invalid(at, text, `unexpected GroupVersion string: ${text}`)];
  const [group, version] = segments.length === 2 ? [segments[0] ?? "", segments[1] ?? ""] : ["", segments[0] ?? ""];
  const wrongGroup = group ? dns1123Subdomain(group) : [];
  const errors = wrongGroup.length ? [invalid(at, group, wrongGroup.join(","))] : [];
  if (!version) return [...errors, invalid(at, text, "version must be specified")];
  const wrong = dns1035Label(version);
  return wrong.length ? [...errors, invalid(at, version, wrong.join(","))] : errors;
}
