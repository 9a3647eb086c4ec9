// What ReplicaSets and Deployments ask of their selector and pod template.
import type { PodTemplateSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { LabelSelector, ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { dns1123Label } from "../../../shared/k8s/names.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { validateLabelSelector } from "../../../shared/k8s/validate-meta.ts";
import { podTemplateWarnings, validatePodTemplate } from "../pods/pod-template.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"];

export function validateSelectorAndTemplate(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
  spec: FieldPath,
): FieldError[] {
  const at = spec.child("selector");
  const errors = selector ? validateSelector(selector, at) : [required(at)];
  if (selector?.matchExpressions?.some(({ operator }) => !operators.includes(operator))) {
    return [...errors, invalid(at, selector, "invalid label selector")];
  }
  const { empty, matches } = selectorFrom(selector);
  const where = spec.child("template");
  if (!empty && !matches(template.metadata.labels)) {
    const labels = template.metadata.labels;
    const why = "`selector` does not match template `labels`";
    errors.push(invalid(where.child("metadata", "labels"), labels, why));
  }
  return [...errors, ...validatePodTemplate(template, where), ...validateLongRunning(template, where)];
}

/** On creation, also of a name that ends in pods' host names; on an update, only where the spec changed. */
export function templateWarnings(next: Workload, previous: Workload | undefined): string[] {
  const { metadata, spec } = next;
  if (previous && previous.metadata.generation === metadata.generation) return [];
  const messages = previous ? [] : dns1123Label(metadata.name ?? "");
  const why = "this is used in Pod names and hostnames, which can result in surprising behavior";
  return [
    ...(messages.length ? [`metadata.name: ${why}; a DNS label is recommended: [${messages.join(" ")}]`] : []),
    ...podTemplateWarnings(spec.template.spec, spec.template.metadata, path("spec", "template")),
  ];
}

interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplateSpec };
}

function validateSelector(selector: LabelSelector, at: FieldPath): FieldError[] {
  const errors = validateLabelSelector(selector, at);
  const terms = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0);
  // Upstream says "deployment" for ReplicaSets too.
  if (!terms) errors.push(invalid(at, selector, "empty selector is invalid for deployment"));
  return errors;
}

function validateLongRunning({ spec }: PodTemplateSpec, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.restartPolicy !== "Always") {
    errors.push(notSupported(at.child("spec", "restartPolicy"), spec.restartPolicy ?? "", ["Always"]));
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const why = "activeDeadlineSeconds in ReplicaSet is not Supported";
    errors.push(forbidden(at.child("spec", "activeDeadlineSeconds"), why));
  }
  return errors;
}
