// The kind ReplicaSet of apps.
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { path } from "../../../shared/k8s/field.ts";
import { formatSelector, selectorFrom } from "../../../shared/k8s/labels.ts";
import { validateImmutable, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { containerImages, containerNames, defaultPodTemplate } from "../core/pod/template.ts";
import { validateCounts } from "./status-validation.ts";
import { templateWarnings, validateSelectorAndTemplate } from "./template-validation.ts";

export const replicaSets = defineKind<ReplicaSet>("apps", "v1", "replicasets", {
  defaults(draft) {
    draft.spec.replicas ??= 1;
    defaultPodTemplate(draft.spec.template);
  },
  prepareForCreate(draft) {
    dropDisabledOfTemplate(draft.spec.template);
  },
  prepareForUpdate(draft, previous) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template);
  },
  validate: ({ spec }) => [
    ...validateNonNegative(spec.replicas, path("spec", "replicas")),
    ...validateNonNegative(spec.minReadySeconds, path("spec", "minReadySeconds")),
    ...validateSelectorAndTemplate(spec.selector, spec.template, path("spec")),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.validate(),
    ...validateImmutable(next.spec.selector, previous.spec.selector, path("spec", "selector")),
  ],
  warnings: templateWarnings,
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate({ status }) {
        const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas } = status;
        const { terminatingReplicas, observedGeneration } = status;
        const counts = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas };
        const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        return validateCounts({ ...counts, observedGeneration }, parts, path("status"));
      },
    },
  },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    statusReplicas: ({ status }) => status.replicas,
    selector: ({ spec }) => selectorFrom(spec.selector).toString(),
    withReplicas: (set, replicas) => ({ ...set, spec: { ...set.spec, replicas } }),
  },
  columns: [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description: "How many pods there should be.",
      cell: ({ spec }) => spec.replicas ?? 0,
    },
    {
      name: "Current",
      type: "integer",
      description: "How many pods there are.",
      cell: ({ status }) => status.replicas,
    },
    {
      name: "Ready",
      type: "integer",
      description: "How many pods are ready.",
      cell: ({ status }) => status.readyReplicas ?? 0,
    },
    ageColumn,
    {
      name: "Containers",
      type: "string",
      priority: 1,
      description: "Names of the template's containers.",
      cell: ({ spec }) => containerNames(spec.template.spec),
    },
    {
      name: "Images",
      type: "string",
      priority: 1,
      description: "Images of the template's containers.",
      cell: ({ spec }) => containerImages(spec.template.spec),
    },
    {
      name: "Selector",
      type: "string",
      priority: 1,
      description: "Labels of the pods that count.",
      cell: ({ spec }) => formatSelector(spec.selector),
    },
  ],
});
