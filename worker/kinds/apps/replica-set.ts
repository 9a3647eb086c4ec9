// The kind ReplicaSet of apps.
import { dropDisabledStatus } from "./terminating-replicas.ts";
import { replicaColumns } from "./template-printers.ts";
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { path } from "../../../shared/k8s/field.ts";
import { formatLabelSelector, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { validateImmutable, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { defaultPodTemplate } from "../core/pod/template.ts";
import { validateCounts } from "./status-validation.ts";
import { templateWarnings, validateSelectorAndTemplate } from "./template-validation.ts";

export const replicaSets = defineKind<ReplicaSet>("apps", "v1", "replicasets", {
  defaults(draft) {
    draft.spec.replicas ??= 1;
    defaultPodTemplate(draft.spec.template);
  },
  prepareForCreate(draft, { features }) {
    dropDisabledOfTemplate(draft.spec.template, undefined, features);
  },
  prepareForUpdate(draft, previous, { features }) {
    dropDisabledOfTemplate(draft.spec.template, previous.spec.template, features);
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
      prepareForUpdate(draft, previous, { features }) {
        draft.spec = previous.spec;
        dropDisabledStatus(draft.status, previous.status, features);
      },
      validateUpdate({ status }) {
        const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas } = status;
        const { terminatingReplicas, observedGeneration } = status;
        const counts = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas };
        const noMoreThanReplicas = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        return validateCounts({ ...counts, observedGeneration }, { noMoreThanReplicas }, path("status"));
      },
    },
  },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    statusReplicas: ({ status }) => status.replicas,
    selector: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
    withReplicas: (set, replicas) => ({ ...set, spec: { ...set.spec, replicas } }),
  },
  columns: replicaColumns<ReplicaSet>(
    ({ spec }) => spec.template.spec,
    ({ spec }) => formatLabelSelector(spec.selector),
  ),
});
