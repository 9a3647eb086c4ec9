// The kind ReplicationController.
import { replicaColumns } from "../apps/template-printers.ts";
import type { PodTemplateSpec, ReplicationController } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, path, required } from "../../../shared/k8s/field.ts";
import { formatLabels, selectorFromSet } from "../../../shared/k8s/selectors/labels.ts";
import { dns1123Subdomain, pathSegmentPrefix } from "../../../shared/k8s/names.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "./pod/disabled-fields.ts";
import { defaultPodTemplate, podTemplateWarnings, validatePodTemplateSpec } from "./pod/template.ts";
import { validateCounts } from "../apps/status-validation.ts";
import { labelMismatch, podNameWarnings, validateLongRunning } from "../apps/template-validation.ts";

export const replicationControllers = defineKind<ReplicationController>("", "v1", "replicationcontrollers", {
  resourcePrefix: "controllers",
  deletion: { orphansDependents: true },
  // A prefix must only be a valid path segment, as upstream.
  validateName: (name, prefix) => (prefix ? pathSegmentPrefix(name) : dns1123Subdomain(name)),
  defaults({ metadata, spec }) {
    spec.replicas ??= 1;
    const labels = spec.template?.metadata.labels;
    if (labels && !hasAny(spec.selector)) spec.selector = { ...labels };
    if (labels && !hasAny(metadata.labels)) metadata.labels = { ...labels };
    if (spec.template) defaultPodTemplate(spec.template);
  },
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.spec.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template, features);
  },
  validate({ spec }) {
    const at = path("spec");
    return [
      ...validateNonNegative(spec.minReadySeconds, at.child("minReadySeconds")),
      ...(hasAny(spec.selector) ? [] : [required(at.child("selector"))]),
      ...validateNonNegative(spec.replicas, at.child("replicas")),
      ...(spec.template ? validateTemplate(spec.template, spec.selector) : [required(at.child("template"))]),
    ];
  },
  warnings(next, previous) {
    if (previous && previous.metadata.generation === next.metadata.generation) return [];
    // On an update, upstream checks the old template.
    const { template } = (previous ?? next).spec;
    const where = path("spec", "template");
    return [
      ...(previous ? [] : podNameWarnings(next.metadata)),
      ...(template ? podTemplateWarnings(template.spec, template.metadata, where) : []),
    ];
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate({ status }) {
        const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration } = status;
        const counts = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration };
        const noMoreThanReplicas = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        return validateCounts(counts, { noMoreThanReplicas }, path("status"));
      },
    },
  },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    statusReplicas: ({ status }) => status.replicas,
    selector: ({ spec }) => selectorFromSet(spec.selector).toString(),
    withReplicas: (controller, replicas) => ({ ...controller, spec: { ...controller.spec, replicas } }),
  },
  selectableFields: ({ status }) => ({ "status.replicas": String(status.replicas ?? 0) }),
  columns: replicaColumns<ReplicationController>(
    ({ spec }) => spec.template?.spec,
    ({ spec }) => formatLabels(spec.selector),
  ),
});

function hasAny(labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(labels ?? {}).length > 0;
}

function validateTemplate(template: PodTemplateSpec, selector: Record<string, string> | undefined): FieldError[] {
  const at = path("spec", "template");
  const isMatched = selectorFromSet(selector).matches(template.metadata.labels);
  return [
    ...(isMatched ? [] : [labelMismatch(template, at)]),
    ...validatePodTemplateSpec(template, at),
    ...validateLongRunning(template, at, "ReplicationController"),
  ];
}
