// Validates the rules of webhooks and policies: groups, versions, resources and operations.
import type {
  NamedRuleWithOperations,
  OperationType,
  RuleWithOperations,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  invalid,
  notSupported,
  required,
} from "../../../shared/k8s/field.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { each } from "../common/checks.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

export function defaultRule(rule: RuleWithOperations): void {
  rule.scope ??= "*";
}

export function validateRule(rule: RuleWithOperations, at: FieldPath): FieldError[] {
  const { operations: operationTypes = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors = validateAll(operationTypes, at.child("operations"), "operations");
  operationTypes.forEach((operation, index) => {
    if (!operations.includes(operation))
      errors.push(notSupported(at.child("operations").index(index), operation, operations));
  });
  errors.push(...validateAll(apiGroups, at.child("apiGroups"), "API groups"));
  errors.push(...validateAll(apiVersions, at.child("apiVersions"), "API versions"));
  apiVersions.forEach((version, index) => {
    if (!version) errors.push(required(at.child("apiVersions").index(index)));
  });
  errors.push(...validateResources(resources, at.child("resources")));
  if (scope !== undefined && !scopes.includes(scope)) errors.push(notSupported(at.child("scope"), scope, scopes));
  return errors;
}

/** Validates a rule with resource names. */
export function validateNamedRule(rule: NamedRuleWithOperations, at: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  const errors = names.flatMap((name, index) => {
    const where = at.child("resourceNames").index(index);
    const repeated = names.indexOf(name) < index ? [duplicate(where, name)] : [];
    return [...each(pathSegmentName(name), where, name), ...repeated];
  });
  return [...errors, ...validateRule(rule, at)];
}

/** Rejects DELETE and CONNECT, which cannot be mutated. */
export function validateMutatingOperations(rules: readonly NamedRuleWithOperations[], at: FieldPath): FieldError[] {
  const operationTypes = rules.flatMap(({ operations = [] }): readonly OperationType[] => operations);
  const unsupported = operationTypes.filter((operation) => !mutatingOperations.includes(operation));
  return unsupported.map((operation) =>
    notSupported(at.child("resourceRules", "operations"), operation, mutatingOperations),
  );
}

/** Requires at least one value, and that a wildcard is the only one. */
function validateAll(values: readonly string[], at: FieldPath, what: string): FieldError[] {
  if (!values.length) return [required(at)];
  const isMixed = values.length > 1 && values.includes("*");
  return isMixed ? [invalid(at, values, `if '*' is present, must not specify other ${what}`)] : [];
}

function validateResources(resources: readonly string[], at: FieldPath): FieldError[] {
  if (!resources.length) return [required(at)];
  const allSubresourcesOf = new Set<string>();
  const ofAllResources = new Set<string>();
  let lastPlain: string | undefined;
  const errors: FieldError[] = [];
  resources.forEach((text, index) => {
    const slash = text.indexOf("/");
    if (!text) errors.push(required(at.index(index)));
    else if (slash < 0) lastPlain = text;
    if (slash < 0) return;
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    const refuse = (wide: string) =>
      invalid(at.index(index), text, `if '${wide}' is present, must not specify ${text}`);
    if (allSubresourcesOf.has(resource)) errors.push(refuse(`${resource}/*`));
    if (ofAllResources.has(sub)) errors.push(refuse(`*/${sub}`));
    if (sub === "*") allSubresourcesOf.add(resource);
    if (resource === "*") ofAllResources.add(sub);
  });
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalid(at, resources, "if '*/*' is present, must not specify other resources"));
  }
  // Upstream checks only the last resource without a subresource.
  if (resources.includes("*") && lastPlain !== "*" && lastPlain !== undefined) {
    const why = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(at, resources, why));
  }
  return errors;
}
