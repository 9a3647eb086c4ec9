// Pod templates of workloads: defaults, validation, and the cells of their wide columns.
import type { PodSpec, PodTemplateSpec } from "../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, forbidden } from "../../../../shared/k8s/field.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/k8s/validate-meta.ts";
import { defaultPodSpec } from "./defaults.ts";
import { validatePodAnnotations } from "./validation/annotations.ts";
import { validatePodSpec } from "./validation/spec.ts";

export { warningsForPodSpecAndMeta as podTemplateWarnings } from "./warnings.ts";

/** Sets defaults in place, except those that only pods get (requests from limits, host ports). */
export function defaultPodTemplate(template: PodTemplateSpec): void {
  defaultPodSpec(template.spec);
}

export function validatePodTemplateSpec(template: PodTemplateSpec, path: FieldPath): FieldError[] {
  const { metadata, spec } = template;
  const at = path.child("spec");
  const errors = [
    ...validateLabels(metadata.labels, path.child("labels")),
    ...validateAnnotations(metadata.annotations, path.child("annotations")),
    ...validatePodAnnotations(metadata.annotations ?? {}, spec, path.child("annotations")),
    ...validatePodSpec(spec, undefined, at),
  ];
  if (spec.ephemeralContainers?.length) {
    errors.push(forbidden(at.child("ephemeralContainers"), "ephemeral containers not allowed in pod template"));
  }
  return errors;
}

/** Returns the cell CONTAINERS: `web,proxy`. */
export function containerNames(spec: PodSpec): string {
  return spec.containers.map(({ name }) => name).join(",");
}

/** Returns the cell IMAGES: `busybox:1.37,envoy`. */
export function containerImages(spec: PodSpec): string {
  return spec.containers.map(({ image = "" }) => image).join(",");
}
