// Prints a label selector as Go does, for a message of upstream.
import type { LabelSelector, LabelSelectorRequirement } from "../../../shared/k8s/api/meta-v1.ts";

export function selectorForm(selector: LabelSelector | undefined): string {
  if (!selector) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const requirements = (selector.matchExpressions ?? []).map((requirement) => `${requirementForm(requirement)},`);
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}

function requirementForm({ key, operator, values = [] }: LabelSelectorRequirement): string {
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],}`;
}
