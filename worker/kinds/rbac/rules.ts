// Validates the rules of Roles and ClusterRoles.
import type { PolicyRule } from "../../../shared/k8s/api/rbac-v1.ts";
import { type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";

export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  { isNamespaced }: { readonly isNamespaced: boolean },
): FieldError[] {
  return (rules ?? []).flatMap((rule, at) => validateRule(rule, isNamespaced, path("rules").index(at)));
}

function validateRule(rule: PolicyRule, namespaced: boolean, at: FieldPath): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs: urls = [] } = rule;
  const errors: FieldError[] = [];
  if (!verbs?.length) errors.push(required(at.child("verbs"), "verbs must contain at least one value"));
  if (urls.length) {
    const where = at.child("nonResourceURLs");
    if (namespaced) errors.push(invalid(where, urls, "namespaced rules cannot apply to non-resource URLs"));
    if (apiGroups.length || resources.length || resourceNames.length) {
      errors.push(invalid(where, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return errors;
  }
  if (!apiGroups.length) {
    errors.push(required(at.child("apiGroups"), "resource rules must supply at least one api group"));
  }
  if (!resources.length) {
    errors.push(required(at.child("resources"), "resource rules must supply at least one resource"));
  }
  return errors;
}
