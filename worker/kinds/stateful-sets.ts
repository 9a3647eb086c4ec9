// The kind StatefulSet of apps.
import type { StatefulSet } from "../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { forbidden, path } from "../../shared/k8s/field.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { dns1123Label, unprefixed } from "../../shared/k8s/names.ts";
import { claimSpecWarnings, defaultClaim } from "./claims/claim-spec.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { dropDisabledOfTemplate } from "./pods/disabled-fields.ts";
import { defaultPodTemplate, podTemplateWarnings } from "./pods/pod-template.ts";
import { defaultStatefulSetSpec, validateStatefulSetSpec } from "./workloads/stateful-set-spec.ts";
import { templateColumns } from "./workloads/template-columns.ts";
import { validateCollisionCount, validateCounts } from "./workloads/validate-status.ts";

/** What an update may change, in upstream's order. */
const updatableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

export const statefulSets = defineKind<StatefulSet>("apps", "v1", "statefulsets", {
  validateName: unprefixed(dns1123Label),
  defaults({ spec }) {
    defaultStatefulSetSpec(spec);
    defaultPodTemplate(spec.template);
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = "v1";
      claim.kind = "PersistentVolumeClaim";
      defaultClaim(claim);
    }
  },
  prepareForCreate: (draft) => dropDisabled(draft),
  prepareForUpdate: (draft, previous) => dropDisabled(draft, previous),
  updateChecks: ["metadataChange", "change"],
  validate: ({ spec }) => validateStatefulSetSpec(spec, path("spec"), true),
  validateUpdate(next, previous) {
    const errors = validateStatefulSetSpec(next.spec, path("spec"), false);
    const rest = { ...next.spec };
    for (const field of updatableFields) Object.assign(rest, { [field]: previous.spec[field] });
    if (semanticEqual(rest, previous.spec)) return errors;
    const names = updatableFields.map((field) => `'${field}'`);
    const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    return [
      ...errors,
      forbidden(path("spec"), `updates to statefulset spec for fields other than ${list} are forbidden`),
    ];
  },
  warnings,
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateStatus,
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
      name: "Ready",
      type: "string",
      description: "How many pods are ready, of how many there should be.",
      cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    },
    ageColumn,
    ...templateColumns<StatefulSet>(({ spec }) => spec.template.spec),
  ],
});

/** `maxUnavailable` is behind a feature gate that is off by default. */
function dropDisabled({ spec }: StatefulSet, previous?: StatefulSet): void {
  dropDisabledOfTemplate(spec.template, previous?.spec.template);
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}

function warnings({ metadata, spec }: StatefulSet, previous: StatefulSet | undefined): string[] {
  const at = path("spec");
  const isChanged = previous?.metadata.generation !== metadata.generation;
  const texts = isChanged ? podTemplateWarnings(spec.template.spec, spec.template.metadata, at.child("template")) : [];
  for (const [index, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    const where = at.child("volumeClaimTemplates").index(index);
    // Upstream spells the path so on an update only.
    texts.push(...claimSpecWarnings(claim.spec, previous ? where.child("Spec") : where));
  }
  if ((spec.revisionHistoryLimit ?? 0) < 0) {
    const why = "a negative value retains all historical revisions; a value >= 0 is recommended";
    texts.push(`spec.revisionHistoryLimit: ${why}`);
  }
  return texts;
}

function validateStatus({ status }: StatefulSet, previous: StatefulSet) {
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas } = status;
  const { observedGeneration, collisionCount } = status;
  const counts = { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas };
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  const all = { ...counts, observedGeneration, collisionCount };
  return [
    ...validateCounts(all, parts, path("status"), "status.readyReplicas"),
    ...validateCollisionCount(collisionCount, previous.status.collisionCount, path("status")),
  ];
}
