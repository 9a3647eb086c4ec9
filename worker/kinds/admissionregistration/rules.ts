// Which requests a webhook or a policy is for: rules of groups, versions, resources and operations.
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
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors = validateAll(given, at.child("operations"), "operations");
  given.forEach((one, index) => {
    if (!operations.includes(one)) errors.push(notSupported(at.child("operations").index(index), one, operations));
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

/** The same, of a rule that may name objects. */
export function validateNamedRule(rule: NamedRuleWithOperations, at: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  const errors = names.flatMap((name, index) => {
    const where = at.child("resourceNames").index(index);
    const repeated = names.indexOf(name) < index ? [duplicate(where, name)] : [];
    return [...each(pathSegmentName(name), where, name), ...repeated];
  });
  return [...errors, ...validateRule(rule, at)];
}

/** What is deleted cannot be mutated. */
export function validateMutatingOperations(rules: readonly NamedRuleWithOperations[], at: FieldPath): FieldError[] {
  const given = rules.flatMap(({ operations = [] }): readonly OperationType[] => operations);
  const wrong = given.filter((one) => !mutatingOperations.includes(one));
  return wrong.map((one) => notSupported(at.child("resourceRules", "operations"), one, mutatingOperations));
}

/** At least one; and the wildcard stands alone. */
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
  // Upstream looks at the last resource without a subresource only.
  if (resources.includes("*") && lastPlain !== "*" && lastPlain !== undefined) {
    const why = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(at, resources, why));
  }
  return errors;
}
