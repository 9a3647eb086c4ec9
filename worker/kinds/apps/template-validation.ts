// Validates workloads with a selector and a pod template.
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
  rootPath,
} from "../../../shared/k8s/field.ts";
import { dns1123Label } from "../../../shared/k8s/names.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { validateLabelSelectorValues } from "../common/checks.ts";
import { podTemplateWarnings, validatePodTemplateSpec } from "../core/pod/template.ts";

/** Validates the selector and the template of a ReplicaSet or Deployment, with upstream's messages, which are the same for both. */
export function validateSelectorAndTemplate(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
  spec: FieldPath,
): FieldError[] {
  const at = spec.child("selector");
  const errors = selector ? validateSelector(selector, at) : [required(at)];
  if (!isSelector(selector)) return [...errors, invalid(at, selector, "invalid label selector")];
  const { empty, matches } = labelSelectorAsSelector(selector);
  const where = spec.child("template");
  if (!empty && !matches(template.metadata.labels)) errors.push(labelMismatch(template, where));
  return [
    ...errors,
    ...validatePodTemplateSpec(template, where),
    // Upstream's message has "ReplicaSet" for Deployments too.
    ...validateLongRunning(template, where, "ReplicaSet"),
  ];
}

/** Returns warnings: on creation also about names that become hostnames, on updates only for a changed spec. */
export function templateWarnings(next: Workload, previous: Workload | undefined): string[] {
  const { metadata, spec } = next;
  if (previous && previous.metadata.generation === metadata.generation) return [];
  return [
    ...(previous ? [] : podNameWarnings(metadata)),
    ...podTemplateWarnings(spec.template.spec, spec.template.metadata, path("spec", "template")),
  ];
}

/** Returns warnings about a name from which pod names and hostnames are derived. */
export function podNameWarnings({ name = "" }: ObjectMeta): string[] {
  const messages = dns1123Label(name);
  const why = "this is used in Pod names and hostnames, which can result in surprising behavior";
  return messages.length ? [`metadata.name: ${why}; a DNS label is recommended: [${messages.join(" ")}]`] : [];
}

/** Validates templates of pods that run forever. `owner` is the kind in upstream's words. */
export function validateLongRunning({ spec }: PodTemplateSpec, at: FieldPath, owner: string): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.restartPolicy !== "Always") {
    errors.push(notSupported(at.child("spec", "restartPolicy"), spec.restartPolicy ?? "", ["Always"]));
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbidden(at.child("spec", "activeDeadlineSeconds"), why));
  }
  return errors;
}

/** Requires a non-empty selector. `owner` is the kind in upstream's words. */
export function validateNonEmptySelector(selector: LabelSelector, at: FieldPath, owner: string): FieldError[] {
  const terms = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0);
  return terms ? [] : [invalid(at, selector, `empty selector is invalid for ${owner}`)];
}

/** Reports whether upstream's `LabelSelectorAsSelector` accepts the selector. */
export function isSelector(selector: LabelSelector | undefined): boolean {
  return validateLabelSelectorValues(selector, rootPath).length === 0;
}

/** Returns the error for labels that do not match. `at` is the path of the template. */
export function labelMismatch({ metadata: { labels } }: PodTemplateSpec, at: FieldPath): FieldError {
  return invalid(at.child("metadata", "labels"), labels, "`selector` does not match template `labels`");
}

interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplateSpec };
}

function validateSelector(selector: LabelSelector, at: FieldPath): FieldError[] {
  // Upstream's message has "deployment" for ReplicaSets too.
  return [...validateLabelSelectorValues(selector, at), ...validateNonEmptySelector(selector, at, "deployment")];
}
