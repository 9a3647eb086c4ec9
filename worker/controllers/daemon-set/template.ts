// The pods of a DaemonSet as they are made: labels, tolerations, and the node that each is for.
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

/** The scheduler may choose this one node only. */
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

/** Where the pod is, or is to be; undefined where it does not say. */
export function getTargetNodeName({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === nodeNameField && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Made of the present template. */
export function isPodUpdated({ metadata }: Pod, hash: string, generation: string | undefined): boolean {
  if (metadata.labels?.[controllerRevisionHashLabelKey] === hash) return true;
  return generation !== undefined && metadata.labels?.[templateGenerationLabel] === generation;
}

/** What the annotation says, if it is a number. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[templateGenerationAnnotation] ?? "";
  return /^[+-]?\d+$/.test(text) ? String(Number(text)) : undefined;
}

/** A daemon stays where others must leave. */
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

/** One that differs in its seconds only is replaced. */
function withToleration(tolerations: Toleration[], added: Toleration): Toleration[] {
  const isSame = ({ key, operator, effect, value = "" }: Toleration) =>
    key === added.key && operator === added.operator && effect === added.effect && value === "";
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((one) => (isSame(one) ? added : one));
}
