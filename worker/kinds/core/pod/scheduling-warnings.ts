// Warnings about scheduling: deprecated node labels, and selectors that match nothing.
import type { NodeSelectorTerm, PodSpec } from "../../../../shared/k8s/api/core-v1.ts";
import type { FieldPath } from "../../../../shared/k8s/field.ts";
import { labelValue } from "../../../../shared/k8s/names.ts";

const deprecatedLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

export function schedulingWarnings(spec: PodSpec, at: FieldPath): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const message = getNodeLabelDeprecatedMessage(key);
    if (message) warnings.push(`${at.child("nodeSelector").key(key)}: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const affinityAt = at.child("affinity", "nodeAffinity");
  const hard = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const hardAt = affinityAt.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
  for (const [index, term] of hard.entries()) warnings.push(...termWarnings(term, hardAt.index(index)));
  const soft = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const softAt = affinityAt.child("preferredDuringSchedulingIgnoredDuringExecution");
  for (const [index, { preference }] of soft.entries()) {
    warnings.push(...termWarnings(preference, softAt.index(index).child("preference")));
  }
  for (const [index, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const where = at.child("topologySpreadConstraints").index(index);
    const message = getNodeLabelDeprecatedMessage(topologyKey);
    if (message) warnings.push(`${where.child("topologyKey")}: ${topologyKey} is ${message}`);
    if (!labelSelector) {
      warnings.push(`${where.child("labelSelector")}: a null labelSelector results in matching no pod`);
    }
  }
  return warnings;
}

/** Returns warnings about affinity without a label selector. */
export function affinityWarnings({ affinity }: PodSpec, at: FieldPath): string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => {
    const where = at.child("affinity", kind);
    const hard = affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const soft = affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const fields = [
      ...hard.map(({ labelSelector }, index) => ({
        labelSelector,
        field: where.child("requiredDuringSchedulingIgnoredDuringExecution").index(index),
      })),
      ...soft.map(({ podAffinityTerm: { labelSelector } }, index) => ({
        labelSelector,
        field: where.child("preferredDuringSchedulingIgnoredDuringExecution").index(index).child("podAffinityTerm"),
      })),
    ];
    return fields
      .filter(({ labelSelector }) => !labelSelector)
      .map(({ field }) => `${field.child("labelSelector")}: a null labelSelector results in matching no pod`);
  });
}

/** Returns warnings about the keys of a term, and (except for volumes, as upstream) its values. */
export function termWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  at: FieldPath,
  { checksValues = true }: { readonly checksValues?: boolean } = {},
): string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const where = at.child("matchExpressions").index(index);
    const message = getNodeLabelDeprecatedMessage(key);
    const wrong = (checksValues ? values : []).flatMap((value, valueAt) =>
      labelValue(value).map((text) => `${where.child("values").index(valueAt)}: ${value} is invalid, ${text}`),
    );
    return [...(message ? [`${where.child("key")}: ${key} is ${message}`] : []), ...wrong];
  });
}

export function getNodeLabelDeprecatedMessage(label: string): string | undefined {
  return Object.hasOwn(deprecatedLabels, label) ? deprecatedLabels[label] : undefined;
}
