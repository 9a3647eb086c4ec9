// The identity of a StatefulSet's pods: names, ordinals and labels.
import type { StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";
const maxInt32 = 2 ** 31 - 1;

/** Returns the number at the end of the name; undefined if there is none. */
export function ordinalOf({ metadata }: Named): number | undefined {
  const digits = /-([0-9]+)$/.exec(metadata.name ?? "")?.[1];
  const ordinal = Number(digits);
  return digits === undefined || ordinal > maxInt32 ? undefined : ordinal;
}

interface Named {
  readonly metadata: ObjectMeta;
}

/** Reports whether a pod belongs to the set by its name. */
export function isMemberOf({ metadata }: Named, set: StatefulSet): boolean {
  return /^(.*)-[0-9]+$/.exec(metadata.name ?? "")?.[1] === set.metadata.name;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name ?? ""}-${ordinal}`;
}

export function wantedReplicas({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

export function podInOrdinalRange(pod: Named, set: StatefulSet): boolean {
  const at = (ordinalOf(pod) ?? -1) - startOrdinal(set);
  return at >= 0 && at < wantedReplicas(set);
}

export function identityMatches(pod: Pod, set: StatefulSet): boolean {
  const ordinal = ordinalOf(pod);
  const { name, namespace, labels } = pod.metadata;
  return (
    ordinal !== undefined &&
    name === podName(set, ordinal) &&
    namespace === set.metadata.namespace &&
    labels?.[podNameLabel] === name
  );
}

/** Returns the labels of upstream's `updateIdentity`. */
export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return { [podNameLabel]: podName(set, ordinal), [podIndexLabel]: String(ordinal) };
}

/** Returns the name of the pod's revision. */
export function revisionOf({ metadata }: Pick<Pod, "metadata"> | Draft<Pod>): string {
  return metadata?.labels?.[controllerRevisionHashLabelKey] ?? "";
}

export function partitionOf({ spec }: StatefulSet): number {
  return spec.updateStrategy.rollingUpdate?.partition ?? 0;
}

/** Reports whether pods wait for their predecessors. With `Parallel` they do not. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec.podManagementPolicy !== "Parallel";
}
