// The spec of a StatefulSet: defaults and rules.
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "../../../shared/k8s/api/apps-v1.ts";
import type { PodTemplateSpec, Volume } from "../../../shared/k8s/api/core-v1.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import { type FieldError, type FieldPath, invalid, notSupportedInOrder, required } from "../../../shared/k8s/field.ts";
import { selectorFrom } from "../../../shared/k8s/labels.ts";
import { dns1123Label } from "../../../shared/k8s/names.ts";
import { validateAnnotations, validateLabels, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { validateClaimSpec } from "../claims/claim-spec.ts";
import { each, validateLabelSelectorValues } from "../pods/checks.ts";
import { validatePodTemplate } from "../pods/pod-template.ts";
import { validatePodAnnotations } from "../pods/validate-annotations.ts";
import { strategyForm } from "./shares.ts";
import { isSelector, labelMismatch, validateLongRunning, validateNonEmptySelector } from "./validate-template.ts";

const retentionPolicies = ["Retain", "Delete"];

export function defaultStatefulSetSpec(spec: StatefulSetSpec): void {
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

/** What never changes is only looked at when it is new. */
export function validateStatefulSetSpec(spec: StatefulSetSpec, at: FieldPath, isNew: boolean): FieldError[] {
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
    errors.push(...validateClaimSpec(claim.spec, at.child("volumeClaimTemplates").index(index).child("spec")));
  }
  errors.push(...validateNonNegative(spec.replicas, at.child("replicas")));
  errors.push(...validateNonNegative(spec.minReadySeconds, at.child("minReadySeconds")));
  errors.push(...validateNonNegative(spec.ordinals?.start, at.child("ordinals.start")));
  if (isNew && spec.serviceName)
    errors.push(...each(dns1123Label(spec.serviceName), at.child("serviceName"), spec.serviceName));
  errors.push(...validateSelector(spec.selector, at.child("selector")));
  const template = at.child("template");
  if (isSelector(spec.selector)) errors.push(...validateTemplate(spec, template));
  else errors.push(invalid(at.child("selector"), spec.selector, ""));
  return [...errors, ...validateLongRunning(spec.template, template, "StatefulSet")];
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, at: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const where = at.child("rollingUpdate");
  if (type === "OnDelete") {
    if (!rollingUpdate) return [];
    return [invalid(where, rollingForm(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type === "RollingUpdate") return validateNonNegative(rollingUpdate?.partition, where.child("partition"));
  const form = strategyForm(type, rollingUpdate && rollingForm(rollingUpdate));
  return [invalid(at, form, "must be 'RollingUpdate' or 'OnDelete'")];
}

function rollingForm({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy) {
  return { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
}

function validateSelector(selector: LabelSelector | undefined, at: FieldPath): FieldError[] {
  if (!selector) return [required(at)];
  return [...validateLabelSelectorValues(selector, at), ...validateNonEmptySelector(selector, at, "statefulset")];
}

/** The template as its pods will have it: named after themselves, with a volume for each claim. */
function validateTemplate(spec: StatefulSetSpec, at: FieldPath): FieldError[] {
  const template = withIdentity(spec);
  const { labels, annotations } = template.metadata;
  const { empty, matches } = selectorFrom(spec.selector);
  return [
    ...(empty || matches(labels) ? [] : [labelMismatch(template, at)]),
    ...validatePodTemplate(template, at),
    // Upstream looks at these twice.
    ...validateLabels(labels, at.child("labels")),
    ...validateAnnotations(annotations, at.child("annotations")),
    ...validatePodAnnotations(annotations ?? {}, template.spec, at.child("annotations")),
  ];
}

function withIdentity({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec: rest };
  const names = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ""))];
  const claims = names.map((name): Volume => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (rest.volumes ?? []).filter(({ name }) => !names.includes(name));
  return { ...template, spec: { ...rest, volumes: [...claims, ...others] } };
}
