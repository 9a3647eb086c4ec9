// Upstream's `validatePodMetadataAndSpec` and `ValidatePodCreate`. The registry validates the metadata.
import type { Pod } from "../../../../../shared/k8s/api/core-v1.ts";
import { type FieldError, forbidden, path } from "../../../../../shared/k8s/field.ts";
import { validatePodAnnotations } from "./annotations.ts";
import { validateImagePadding } from "./containers.ts";
import { validatePodSpec } from "./spec.ts";

/** Validates any pod. */
export function validatePodMetadataAndSpec({ metadata, spec }: Pod): FieldError[] {
  const at = path("spec");
  const errors = [
    ...validatePodAnnotations(metadata.annotations ?? {}, spec, path("metadata", "annotations")),
    ...validatePodSpec(spec, metadata, at),
  ];
  for (const [index, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [source, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (spec.serviceAccountName || !serviceAccountToken) continue;
      const sourceAt = at.child("volumes").index(index).child("projected", "sources").index(source);
      const detail = "must not be specified when serviceAccountName is not set";
      errors.push(forbidden(sourceAt.child("serviceAccountToken"), detail));
    }
  }
  for (const field of ["containers", "initContainers"] as const) {
    const list = at.child(field);
    errors.push(
      ...(spec[field] ?? []).flatMap((container, index) => validateImagePadding(container, list.index(index))),
    );
  }
  return errors;
}

/** Validates a new pod. */
export function validatePodCreate({ spec }: Pod): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ephemeralContainers?.length) {
    errors.push(forbidden(path("spec", "ephemeralContainers"), "cannot be set on create"));
  }
  if (spec.nodeName && spec.schedulingGates?.length) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(forbidden(path("spec", "nodeName"), detail));
  }
  return errors;
}
