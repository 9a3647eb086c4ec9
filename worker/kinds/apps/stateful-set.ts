// The kind StatefulSet of apps.
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";
import type {
  StatefulSet,
  RollingUpdateStatefulSetStrategy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "../../../shared/k8s/api/apps-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  forbidden,
  path,
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../shared/k8s/field.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { dns1123Label, unprefixed } from "../../../shared/k8s/names.ts";
import {
  claimSpecWarnings,
  defaultClaim,
  validatePersistentVolumeClaimSpec,
} from "../core/persistent-volume-claim/validation.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { dropDisabledOfTemplate } from "../core/pod/disabled-fields.ts";
import { defaultPodTemplate, podTemplateWarnings, validatePodTemplateSpec } from "../core/pod/template.ts";
import { templateColumns } from "./template-printers.ts";
import { validateCollisionCount, validateCounts } from "./status-validation.ts";
import type { PodTemplateSpec, Volume } from "../../../shared/k8s/api/core-v1.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { validateAnnotations, validateLabels, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { each, validateLabelSelectorValues } from "../common/checks.ts";
import { validatePodAnnotations } from "../core/pod/validation/annotations.ts";
import { strategyAsGoStruct } from "./int-or-percent.ts";
import { isSelector, labelMismatch, validateLongRunning, validateNonEmptySelector } from "./template-validation.ts";

const retentionPolicies = ["Retain", "Delete"];

/** The fields that an update may change, in upstream's order. */
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
  prepareForCreate: (draft, { features }) => dropDisabled(draft, undefined, features),
  prepareForUpdate: (draft, previous, { features }) => dropDisabled(draft, previous, features),
  validate: ({ spec }) => validateStatefulSetSpec(spec, path("spec"), { isNew: true }),
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...validateSpecUpdate(next.spec, previous.spec),
  ],
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
    selector: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
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

/** Validates an update of the spec: of the new values, and that only `updatableFields` differ. */
function validateSpecUpdate(next: StatefulSetSpec, previous: StatefulSetSpec): FieldError[] {
  const errors = validateStatefulSetSpec(next, path("spec"), { isNew: false });
  const rest = { ...next };
  for (const field of updatableFields) Object.assign(rest, { [field]: previous[field] });
  if (semanticEqual(rest, previous)) return errors;
  const names = updatableFields.map((field) => `'${field}'`);
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const why = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [...errors, forbidden(path("spec"), why)];
}

/**
 * Removes the fields whose feature gates are off. `maxUnavailable` is always removed, because its gate, MaxUnavailableStatefulSet, is off by
 * default and cannot be switched on here.
 */
function dropDisabled({ spec }: StatefulSet, previous: StatefulSet | undefined, features: Features): void {
  dropDisabledOfTemplate(spec.template, previous?.spec.template, features);
  delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
}

function warnings({ metadata, spec }: StatefulSet, previous: StatefulSet | undefined): string[] {
  const at = path("spec");
  const isChanged = previous?.metadata.generation !== metadata.generation;
  const texts = isChanged ? podTemplateWarnings(spec.template.spec, spec.template.metadata, at.child("template")) : [];
  for (const [index, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    const where = at.child("volumeClaimTemplates").index(index);
    // Upstream capitalizes this path on updates only.
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
  return [
    ...validateCounts(
      { ...counts, observedGeneration, collisionCount },
      {
        noMoreThanReplicas: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
        readyReplicasInMessage: "status.readyReplicas",
      },
      path("status"),
    ),
    ...validateCollisionCount(collisionCount, previous.status.collisionCount, path("status")),
  ];
}

function defaultStatefulSetSpec(spec: StatefulSetSpec): void {
  spec.podManagementPolicy ??= "OrderedReady";
  const strategy = spec.updateStrategy;
  if (!strategy.type) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ??= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
}

/** Validates the spec. Immutable fields are validated only when the object is new. */
function validateStatefulSetSpec(
  spec: StatefulSetSpec,
  at: FieldPath,
  { isNew }: { readonly isNew: boolean },
): FieldError[] {
  const { podManagementPolicy: policy = "", persistentVolumeClaimRetentionPolicy: retention } = spec;
  const errors: FieldError[] = [];
  if (policy !== "OrderedReady" && policy !== "Parallel") {
    errors.push(invalid(at.child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(...validateStrategy(spec.updateStrategy, at.child("updateStrategy")));
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    const value = retention?.[field] ?? "";
    const where = at.child("persistentVolumeClaimRetentionPolicy", field);
    if (retention && !retentionPolicies.includes(value))
      errors.push(notSupportedInOrder(where, value, retentionPolicies));
  }
  for (const [index, claim] of (isNew ? (spec.volumeClaimTemplates ?? []) : []).entries()) {
    errors.push(
      ...validatePersistentVolumeClaimSpec(claim.spec, at.child("volumeClaimTemplates").index(index).child("spec")),
    );
  }
  errors.push(...validateNonNegative(spec.replicas, at.child("replicas")));
  errors.push(...validateNonNegative(spec.minReadySeconds, at.child("minReadySeconds")));
  errors.push(...validateNonNegative(spec.ordinals?.start, at.child("ordinals.start")));
  if (isNew && spec.serviceName)
    errors.push(...each(dns1123Label(spec.serviceName), at.child("serviceName"), spec.serviceName));
  errors.push(...validateSelector(spec.selector, at.child("selector")));
  const template = at.child("template");
  if (isSelector(spec.selector)) errors.push(...validateTemplate(spec, template));
  // Upstream adds this second error of an invalid selector, without a text.
  else errors.push(invalid(at.child("selector"), spec.selector, ""));
  return [...errors, ...validateLongRunning(spec.template, template, "StatefulSet")];
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, at: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const where = at.child("rollingUpdate");
  if (type === "OnDelete") {
    if (!rollingUpdate) return [];
    return [invalid(where, rollingUpdateAsGoStruct(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type === "RollingUpdate") return validateNonNegative(rollingUpdate?.partition, where.child("partition"));
  const form = strategyAsGoStruct(type, rollingUpdate && rollingUpdateAsGoStruct(rollingUpdate));
  return [invalid(at, form, "must be 'RollingUpdate' or 'OnDelete'")];
}

/** Returns the fields under their Go names. Upstream's messages print this value as a Go struct. */
function rollingUpdateAsGoStruct({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy) {
  return { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
}

function validateSelector(selector: LabelSelector | undefined, at: FieldPath): FieldError[] {
  if (!selector) return [required(at)];
  return [...validateLabelSelectorValues(selector, at), ...validateNonEmptySelector(selector, at, "statefulset")];
}

/** Validates the template as its pods will have it: with their labels, and a volume for each claim. */
function validateTemplate(spec: StatefulSetSpec, at: FieldPath): FieldError[] {
  const template = templateOfPods(spec);
  const { labels, annotations } = template.metadata;
  const { empty, matches } = labelSelectorAsSelector(spec.selector);
  return [
    ...(empty || matches(labels) ? [] : [labelMismatch(template, at)]),
    ...validatePodTemplateSpec(template, at),
    // Upstream validates these twice.
    ...validateLabels(labels, at.child("labels")),
    ...validateAnnotations(annotations, at.child("annotations")),
    ...validatePodAnnotations(annotations ?? {}, template.spec, at.child("annotations")),
  ];
}

/**
 * Returns the template as the controller completes it for a pod: with a volume for each claim template. The controller sets hostname and
 * subdomain, so those of the template do not count.
 */
function templateOfPods({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec: rest };
  const names = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ""))];
  const claims = names.map((name): Volume => ({ name, persistentVolumeClaim: { claimName: name } }));
  const otherVolumes = (rest.volumes ?? []).filter(({ name }) => !names.includes(name));
  return { ...template, spec: { ...rest, volumes: [...claims, ...otherVolumes] } };
}
