// Upstream's pod strategy.
import type { Container, Pod, PodCondition, PodSpec, PodStatus } from "../../../../shared/k8s/api/core-v1.ts";
import type { LabelSelector } from "../../../../shared/k8s/api/meta-v1.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { copyJson } from "../../../../shared/schema/json-values.ts";
import type { WriteContext } from "../../kind.ts";
import { resetObjectMetaForStatus } from "../../common/status-metadata.ts";
import { applyAppArmorVersionSkew } from "./app-armor.ts";
import { dropDisabledFields } from "./disabled-fields.ts";
import { syncServiceAccount } from "./defaults.ts";
import { computePodQos } from "./qos.ts";
import { isFinished } from "../../../../shared/k8s/pod-summary.ts";

export function preparePodForCreate(pod: Pod, context: WriteContext): void {
  syncServiceAccount(pod.spec);
  dropDisabledFields(pod.spec, undefined, context.features);
  pod.status = { phase: "Pending", qosClass: pod.status.qosClass || computePodQos(pod.spec) };
  if (pod.spec.schedulingGates?.length) pod.status.conditions = [gatedCondition(context.nowMs)];
  mergeLabelKeys(pod);
  applyAppArmorVersionSkew(pod, context);
}

export function checkGracefulDelete(pod: Pod, requested: number | undefined): number {
  const { spec } = pod;
  // No container runs.
  if (!spec.nodeName || isFinished(pod)) return 0;
  const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Prepares an update of the status, which may also change labels and annotations. */
export function preparePodStatus(draft: Pod, previous: Pod): void {
  draft.spec = copyJson(previous.spec);
  dropDisabledStatus(draft.status);
  if (previous.metadata.deletionTimestamp === undefined) delete draft.metadata.deletionTimestamp;
  if (previous.metadata.ownerReferences) {
    draft.metadata.ownerReferences = copyJson(previous.metadata.ownerReferences);
  } else {
    delete draft.metadata.ownerReferences;
  }
  if (previous.status.qosClass) draft.status.qosClass ??= previous.status.qosClass;
  if (previous.status.observedGeneration) draft.status.observedGeneration ??= previous.status.observedGeneration;
  keepObservedGenerations(draft.status.conditions ?? [], previous.status.conditions ?? []);
}

/** Drops fields behind feature gates that are off by default. */
function dropDisabledStatus(status: PodStatus): void {
  delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    for (const { volumeMounts = [] } of status[list] ?? []) for (const mount of volumeMounts) delete mount.volumeStatus;
  }
}

/** Prepares an update of ephemeral containers, which changes nothing else. */
export function prepareEphemeralContainers(draft: Pod, previous: Pod): void {
  const { ephemeralContainers } = draft.spec;
  keepAllBut(draft, previous, {
    ...copyJson(previous.spec),
    ...(ephemeralContainers ? { ephemeralContainers } : {}),
  });
  if (!ephemeralContainers) delete draft.spec.ephemeralContainers;
}

/** Prepares a resize, which changes nothing else. */
export function preparePodResize(draft: Pod, previous: Pod): void {
  const { containers, initContainers = [], resources } = draft.spec;
  const { resources: _, ...old } = copyJson(previous.spec);
  // If containers were added, removed or renamed, validation rejects the update.
  if (containers.length !== old.containers.length) return;
  if (initContainers.length !== (old.initContainers ?? []).length) return;
  keepAllBut(draft, previous, {
    ...old,
    ...(resources ? { resources } : {}),
    containers: withResources(old.containers, containers),
    ...(old.initContainers ? { initContainers: withResources(old.initContainers, initContainers) } : {}),
  });
}

function keepAllBut(draft: Pod, previous: Pod, spec: PodSpec): void {
  resetObjectMetaForStatus(draft, previous);
  draft.spec = spec;
  draft.status = copyJson(previous.status);
}

function withResources(previous: readonly Container[], next: Container[]): Container[] {
  if (next.some(({ name }, index) => name !== previous[index]?.name)) return next;
  return previous.map((container, index) => {
    const { resizePolicy: _, ...rest } = container;
    const nextContainer = next[index];
    return {
      ...rest,
      resources: nextContainer?.resources ?? {},
      ...(nextContainer?.resizePolicy ? { resizePolicy: nextContainer.resizePolicy } : {}),
    };
  });
}

function gatedCondition(nowMs: number): PodCondition {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: rfc3339(nowMs),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
}

/** Adds the pod's values of `matchLabelKeys` to the selectors on creation. */
function mergeLabelKeys({ metadata, spec }: Pod): void {
  const labels = metadata.labels ?? {};
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const hard = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const soft = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [...hard, ...soft.map(({ podAffinityTerm }) => podAffinityTerm)]) {
      addRequirements(term.labelSelector, term.matchLabelKeys, "In", labels);
      addRequirements(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
    }
  }
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    addRequirements(labelSelector, matchLabelKeys, "In", labels);
  }
}

function addRequirements(
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>>,
): void {
  if (!selector) return;
  for (const key of keys ?? []) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

/** Keeps `observedGeneration` if the writer does not know the field. */
function keepObservedGenerations(next: readonly PodCondition[], previous: readonly PodCondition[]): void {
  for (const condition of next) {
    const old = previous.find(({ type }) => type === condition.type)?.observedGeneration;
    if (old !== undefined) condition.observedGeneration ??= old;
  }
}
