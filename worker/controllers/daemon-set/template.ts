// Builds the pods of a DaemonSet: labels, tolerations, and the affinity to their node.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from "../../../shared/k8s/api/core-v1.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";

const templateGenerationAnnotation = "deprecated.daemonset.template.generation";
const templateGenerationLabel = "pod-template-generation";
const nodeNameField = "metadata.name";

export function createPodTemplate(daemonSet: DaemonSet, hash: string): PodTemplateSpec {
  const { metadata, spec } = daemonSet.spec.template;
  const generation = templateGeneration(daemonSet);
  const labels = {
    ...metadata.labels,
    ...(generation === undefined ? {} : { [templateGenerationLabel]: generation }),
    [controllerRevisionHashLabelKey]: hash,
  };
  return { metadata: { ...metadata, labels }, spec: { ...spec, tolerations: addOrUpdateDaemonPodTolerations(spec) } };
}

/** Replaces the node affinity so that the scheduler can only select this node. */
export function replaceDaemonSetPodNodeNameNodeAffinity(
  { metadata, spec }: PodTemplateSpec,
  nodeName: string,
): PodTemplateSpec {
  const affinity: Affinity = {
    ...spec.affinity,
    nodeAffinity: {
      ...spec.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: nodeNameField, operator: "In", values: [nodeName] }] }],
      },
    },
  };
  return { metadata, spec: { ...spec, affinity } };
}

/** Returns the node of a pod, or the node that it is for; undefined if it has neither. */
export function getTargetNodeName({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === nodeNameField && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Reports whether a pod is of the current template. */
export function isPodUpdated({ metadata }: Pod, hash: string, generation: string | undefined): boolean {
  if (metadata.labels?.[controllerRevisionHashLabelKey] === hash) return true;
  return generation !== undefined && metadata.labels?.[templateGenerationLabel] === generation;
}

/** Returns the value of the annotation, if it is a number. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[templateGenerationAnnotation] ?? "";
  return /^[+-]?\d+$/.test(text) ? String(Number(text)) : undefined;
}

/** Adds the tolerations that keep daemon pods on nodes which other pods must leave. */
export function addOrUpdateDaemonPodTolerations({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = [
    exists("not-ready", "NoExecute"),
    exists("unreachable", "NoExecute"),
    exists("disk-pressure", "NoSchedule"),
    exists("memory-pressure", "NoSchedule"),
    exists("pid-pressure", "NoSchedule"),
    exists("unschedulable", "NoSchedule"),
    ...(hostNetwork ? [exists("network-unavailable", "NoSchedule")] : []),
  ];
  return added.reduce(withToleration, tolerations);
}

function exists(key: string, effect: "NoExecute" | "NoSchedule"): Toleration {
  return { key: `node.kubernetes.io/${key}`, operator: "Exists", effect };
}

/** Adds a toleration. One that differs only in its seconds is replaced. */
function withToleration(tolerations: Toleration[], added: Toleration): Toleration[] {
  const isSame = ({ key, operator, effect, value = "" }: Toleration) =>
    key === added.key && operator === added.operator && effect === added.effect && value === "";
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((toleration) => (isSame(toleration) ? added : toleration));
}
