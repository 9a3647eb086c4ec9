// Validates PersistentVolumes and their updates.
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from "../../../../shared/k8s/api/core-v1.ts";
import { linesDiff } from "../../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../../shared/k8s/names.ts";
import { parseQuantity } from "../../../../shared/k8s/quantity.ts";
import { validateImmutable } from "../../../../shared/k8s/validate-meta.ts";
import { validateAccessModes } from "../persistent-volume-claim/access-modes.ts";
import { volumeModes, validateBasicResource } from "../persistent-volume-claim/validation.ts";
import { each } from "../../common/checks.ts";
import { validateNodeSelectorTerms } from "../pod/validation/scheduling.ts";
import { internalSource } from "./internal-source.ts";
import { mountOptionsAnnotation, sourceFields, takesMountOptions, validateSource } from "./sources.ts";

const reclaimPolicies = ["Delete", "Recycle", "Retain"];
/** Legacy labels with their new names. A volume's node affinity may be updated to these. */
const renamedLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

export function validateVolume({ metadata, spec }: PersistentVolume): FieldError[] {
  const errors = validateSpec(spec, metadata.name ?? "", path("spec"));
  if (metadata.annotations?.[mountOptionsAnnotation] === undefined || takesMountOptions(spec)) return errors;
  const where = path("metadata", "annotations", mountOptionsAnnotation);
  return [...errors, forbidden(where, "may not specify mount options for this volume type")];
}

/** Validates an update beyond `validateVolume` of the new volume. */
export function validateVolumeUpdate(next: PersistentVolume, previous: PersistentVolume): FieldError[] {
  const [nextSpec, old] = [next.spec, previous.spec];
  // Upstream validates the spec twice.
  const errors = validateSpec(nextSpec, next.metadata.name ?? "", path("spec"));
  const source = withoutNewExpandSecret(nextSpec, old);
  if (sourceFields.some((field) => !semanticEqual(source[field], old[field]))) {
    const difference = linesDiff(internalSource(old), internalSource(source));
    const why = `spec.persistentvolumesource is immutable after creation\n${difference}`;
    errors.push(forbidden(path("spec", "persistentvolumesource"), why));
  }
  errors.push(...validateImmutable(nextSpec.volumeMode, old.volumeMode, path("volumeMode")));
  if (old.nodeAffinity && !isSameAffinity(nextSpec.nodeAffinity, old.nodeAffinity)) {
    const why = "field is immutable, except for updating from beta label to GA";
    errors.push(invalid(path("nodeAffinity"), internalAffinity(nextSpec.nodeAffinity), why));
  }
  if (old.volumeAttributesClassName !== undefined && nextSpec.volumeAttributesClassName === undefined) {
    const why = "update from non-nil value to nil is forbidden";
    errors.push(forbidden(path("spec", "volumeAttributesClassName"), why));
  }
  return errors;
}

function validateSpec(spec: PersistentVolumeSpec, name: string, at: FieldPath): FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, storageClassName, volumeMode } = spec;
  const errors = accessModes.length === 0 ? [required(at.child("accessModes"))] : [];
  errors.push(...validateAccessModes(accessModes, at.child("accessModes")));
  errors.push(...validateCapacity(spec.capacity ?? {}, at.child("capacity")));
  const policyAt = at.child("persistentVolumeReclaimPolicy");
  if (policy && !reclaimPolicies.includes(policy)) errors.push(notSupported(policyAt, policy, reclaimPolicies));
  if (spec.nodeAffinity) errors.push(...validateNodeAffinity(spec.nodeAffinity, at.child("nodeAffinity", "required")));
  errors.push(...validateSource(spec, name, at));
  const isRoot = spec.hostPath && /^\/(\.?\/)*\.?$/.test(spec.hostPath.path);
  if (isRoot && policy === "Recycle") {
    errors.push(forbidden(policyAt, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (storageClassName) {
    errors.push(...each(dns1123Subdomain(storageClassName), at.child("storageClassName"), storageClassName));
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    errors.push(notSupported(at.child("volumeMode"), volumeMode, volumeModes));
  }
  return [...errors, ...validateAttributesClass(spec, at)];
}

function validateCapacity(capacity: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required(at)] : [];
  if (names.length !== 1 || names[0] !== "storage") {
    errors.push(notSupported(at, names.length ? capacity : null, ["storage"]));
  }
  for (const [name, text] of Object.entries(capacity)) {
    errors.push(...validateBasicResource(text, at.key(name)));
    const isPositive = (parseQuantity(text)?.nanos ?? 0n) > 0n;
    if (!isPositive) errors.push(invalid(at.key(name), text, "must be greater than zero"));
  }
  return errors;
}

function validateNodeAffinity({ required: selector }: VolumeNodeAffinity, at: FieldPath): FieldError[] {
  if (!selector) return [required(at, "must specify required node constraints")];
  return validateNodeSelectorTerms(selector.nodeSelectorTerms, at.child("nodeSelectorTerms"));
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec, at: FieldPath) {
  if (name === undefined) return [];
  const where = at.child("volumeAttributesClassName");
  const wrong = name ? each(dns1123Subdomain(name), where, name) : [required(where, "an empty string is disallowed")];
  const why = "has to be specified when using volumeAttributesClassName";
  return csi ? wrong : [...wrong, required(at.child("csi"), why)];
}

/** Removes a new secret for expansion, which may be added to a volume without one. */
function withoutNewExpandSecret(next: PersistentVolumeSpec, previous: PersistentVolumeSpec): PersistentVolumeSpec {
  if (!next.csi || !previous.csi || previous.csi.controllerExpandSecretRef) return next;
  const { controllerExpandSecretRef: _, ...csi } = next.csi;
  return { ...next, csi };
}

function isSameAffinity(next: VolumeNodeAffinity | undefined, previous: VolumeNodeAffinity): boolean {
  const nextTerms = (next?.required?.nodeSelectorTerms ?? []).map(({ matchExpressions }) => matchExpressions ?? []);
  const hasKey = (requirement: NodeSelectorRequirement, key: string | undefined) =>
    key !== undefined && (renamedLabels[requirement.key] ?? "") === key ? { ...requirement, key } : requirement;
  const terms = previous.required?.nodeSelectorTerms.map(
    (term, at): NodeSelectorTerm => ({
      ...term,
      matchExpressions: (term.matchExpressions ?? []).map((requirement, index) =>
        hasKey(requirement, nextTerms[at]?.[index]?.key),
      ),
    }),
  );
  return semanticEqual(next, terms && { required: { nodeSelectorTerms: terms } });
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalAffinity(affinity: VolumeNodeAffinity | undefined): unknown {
  if (!affinity) return null;
  const form = (list: readonly NodeSelectorRequirement[] | undefined) =>
    list?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null;
  const terms = affinity.required?.nodeSelectorTerms.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: form(matchExpressions),
    MatchFields: form(matchFields),
  }));
  return { Required: terms ? { NodeSelectorTerms: terms } : null };
}
