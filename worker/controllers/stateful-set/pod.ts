// Builds the pods of a StatefulSet: a stable name, a hostname, and a volume for each claim.
import type { StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod, PodTemplateSpec, Volume } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import { getPodFromTemplate } from "../common/pod-control.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";
import { getPersistentVolumeClaimName } from "./claims.ts";
import { identityLabels, ordinalOf, partitionOf, podName, startOrdinal } from "./identity.ts";

/** A template and the name of its revision. */
export interface NamedTemplate {
  readonly revision: string;
  readonly template: PodTemplateSpec;
}

/** Builds a pod. Below the partition it has the current revision. */
export function newVersionedStatefulSetPod(
  set: StatefulSet,
  ordinal: number,
  current: NamedTemplate,
  updated: NamedTemplate,
): Draft<Pod> & { readonly metadata: { readonly name: string } } {
  const { revision, template } = isHeldBack(set, ordinal) ? current : updated;
  const draft = getPodFromTemplate({ object: set, kind: statefulSets }, template);
  const labels = {
    ...draft.metadata?.labels,
    ...identityLabels(set, ordinal),
    [controllerRevisionHashLabelKey]: revision,
  };
  const name = podName(set, ordinal);
  return {
    metadata: { ...draft.metadata, name, labels },
    spec: {
      ...template.spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      volumes: updateStorage(set, template.spec.volumes, ordinal),
    },
  };
}

function isHeldBack(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (rollingUpdate) return ordinal < startOrdinal(set) + partitionOf(set);
  return type === "RollingUpdate" && ordinal < startOrdinal(set) + (set.status.currentReplicas ?? 0);
}

/** Returns the volumes. Volumes of claims replace volumes with the same name. */
export function updateStorage(
  set: StatefulSet,
  templateVolumes: readonly Volume[] | undefined,
  ordinal: number,
): Volume[] {
  const names = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "");
  const claims = names.map((name): Volume => {
    return { name, persistentVolumeClaim: { claimName: getPersistentVolumeClaimName(set, name, ordinal) } };
  });
  return [...claims, ...(templateVolumes ?? []).filter(({ name }) => !names.includes(name))];
}

export function storageMatches(pod: Pod, set: StatefulSet): boolean {
  const ordinal = ordinalOf(pod);
  if (ordinal === undefined) return false;
  return (set.spec.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const volume = pod.spec.volumes?.find(({ name }) => name === metadata.name);
    return volume?.persistentVolumeClaim?.claimName === getPersistentVolumeClaimName(set, metadata.name ?? "", ordinal);
  });
}
