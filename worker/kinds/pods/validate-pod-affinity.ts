// What affinities and anti-affinities to other pods must be.
import type { Affinity, PodAffinityTerm } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required } from "../../../shared/k8s/field.ts";
import { dns1123Label, qualifiedName } from "../../../shared/k8s/names.ts";
import { each, validateLabelSelectorValues } from "./checks.ts";

export function validatePodAffinities(affinity: Affinity, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const at = path.child(name);
    const hard = affinity[name]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, term] of hard.entries()) {
      const termAt = at.child("requiredDuringSchedulingIgnoredDuringExecution").index(index);
      errors.push(...validateTerm(term, termAt));
    }
    const soft = affinity[name]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const [index, { weight, podAffinityTerm }] of soft.entries()) {
      const termAt = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(index);
      if (weight <= 0 || weight > 100) {
        errors.push(invalid(termAt.child("weight"), weight, "must be in the range 1-100"));
      }
      errors.push(...validateTerm(podAffinityTerm, termAt.child("podAffinityTerm")));
    }
  }
  return errors;
}

function validateTerm(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  return [
    ...validateLabelSelectorValues(labelSelector, path.child("labelSelector")),
    ...validateLabelSelectorValues(namespaceSelector, path.child("namespaceSelector")),
    ...namespaces.flatMap((name) => each(dns1123Label(name), path.child("namespace"), name)),
    ...validateLabelKeys(term, path),
    ...(topologyKey ? [] : [required(path.child("topologyKey"), "can not be empty")]),
    ...each(qualifiedName(topologyKey), path.child("topologyKey"), topologyKey),
  ];
}

function validateLabelKeys(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const errors: FieldError[] = [];
  for (const field of ["matchLabelKeys", "mismatchLabelKeys"] as const) {
    const keys = term[field] ?? [];
    if (keys.length > 0 && !labelSelector) {
      errors.push(forbidden(path.child(field), "must not be specified when labelSelector is not set"));
    } else {
      errors.push(...keys.flatMap((key, at) => each(qualifiedName(key), path.child(field).index(at), key)));
    }
  }
  const seen = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    if (matchLabelKeys.includes(key) && seen.has(key)) {
      const at = path.index(matchLabelKeys.lastIndexOf(key));
      errors.push(invalid(at, key, "exists in both matchLabelKeys and labelSelector"));
    }
    seen.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const at = path.child("matchLabelKeys").index(index);
    errors.push(invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
  return errors;
}
