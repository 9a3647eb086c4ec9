// Invariants of quotas and disruption budgets: no moment exceeds them, and their status is correct in the end.
import type { Pod, ResourceQuota } from "../../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../../shared/k8s/api/policy-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { Change } from "../../../worker/store/change.ts";
import { called, conditionOf, hasAll, isReady, type View } from "./view.ts";

const counted: Readonly<Record<string, Kind>> = {
  pods,
  services,
  configmaps: configMaps,
  persistentvolumeclaims: persistentVolumeClaims,
  "count/deployments.apps": deployments,
  "count/jobs.batch": jobs,
};

/** Returns the usage in thousandths, or in units for counts. */
function usage(resource: string, quota: ResourceQuota, client: Client, nowMs: number): number {
  const { namespace = "" } = quota.metadata;
  if (resource === "requests.cpu") return sum(podsOf(quota, client, nowMs), (pod) => requested(pod));
  if (resource === "pods") return podsOf(quota, client, nowMs).length * 1000;
  if (resource === "requests.storage") {
    const claims = client.list(persistentVolumeClaims, { namespace });
    return sum(claims, ({ spec }) => quantityMilliValue(spec.resources.requests?.["storage"] ?? "0"));
  }
  const kind = counted[resource];
  return kind ? client.list<KubeObject>(kind, { namespace }).length * 1000 : Number.NaN;
}

function podsOf({ metadata, spec }: ResourceQuota, client: Client, nowMs: number): readonly Pod[] {
  return client.list(pods, { namespace: metadata.namespace ?? "" }).filter((pod) => {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const isOver = deletionTimestamp && parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000 < nowMs;
    if (isOver || pod.status.phase === "Succeeded" || pod.status.phase === "Failed") return false;
    return (spec.scopes ?? []).every((scope) => isIn(pod, scope));
  });
}

function isIn(pod: Pod, scope: string): boolean {
  const asks = pod.spec.containers.some(({ resources }) => resources.requests ?? resources.limits);
  if (scope === "BestEffort") return !asks;
  if (scope === "NotBestEffort") return asks;
  return (pod.spec.activeDeadlineSeconds === undefined) === (scope === "NotTerminating");
}

function requested({ spec }: Pod): number {
  return sum(spec.containers, ({ resources }) => quantityMilliValue(resources.requests?.["cpu"] ?? 0));
}

function sum<T>(all: readonly T[], of: (item: T) => number): number {
  return all.reduce((total, item) => total + of(item), 0);
}

/** Checks that a new object is within every quota whose status has a bound. */
export function* quotaOverruns({ type, resource, object }: Change, client: Client, nowMs: number): Generator<string> {
  if (type !== "ADDED" || !object.metadata.namespace) return;
  for (const quota of client.list(resourceQuotas, { namespace: object.metadata.namespace })) {
    for (const [name, hard] of Object.entries(quota.status.hard ?? {})) {
      if (!concerns(name, resource)) continue;
      if (name === "pods" && !(quota.spec.scopes ?? []).every((scope) => isIn(object as Pod, scope))) continue;
      if (name === "requests.cpu" && requested(object as Pod) === 0) continue;
      const used = usage(name, quota, client, nowMs);
      if (used > quantityMilliValue(hard))
        yield `${called(object)}: ${name} is ${used}m of ${hard} in ${called(quota)}`;
    }
  }
}

function concerns(name: string, resource: string): boolean {
  if (name === "requests.cpu") return resource === "pods";
  if (name === "requests.storage") return resource === "persistentvolumeclaims";
  return name === resource || name === `count/${resource}`;
}

export function* quotaProblems(client: Client, nowMs: number): Generator<string> {
  for (const quota of client.list(resourceQuotas)) {
    const { hard = {} } = quota.spec;
    for (const [name, text] of Object.entries(hard)) {
      const { hard: hardLimits = {}, used = {} } = quota.status;
      if (hardLimits[name] !== text)
        yield `${called(quota)}: ${name} is told as ${String(hardLimits[name])}, not ${text}`;
      const real = usage(name, quota, client, nowMs);
      if (quantityMilliValue(used[name] ?? "-1") !== real)
        yield `${called(quota)}: ${name} used ${String(used[name])}, not ${real}m`;
    }
  }
}

export function* budgetProblems(view: View): Generator<string> {
  for (const budget of view.budgets) {
    const covered = view.pods.filter(
      ({ metadata }) =>
        metadata.namespace === budget.metadata.namespace &&
        hasAll(metadata.labels, budget.spec.selector?.matchLabels ?? {}),
    );
    const healthy = covered.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length;
    yield* budgetStatusProblems(budget, covered.length, healthy);
  }
}

function* budgetStatusProblems(budget: PodDisruptionBudget, all: number, healthy: number): Generator<string> {
  const { status, spec } = budget;
  const label = called(budget);
  if (status.observedGeneration !== budget.metadata.generation) yield `${label}: has not seen its last change`;
  if (Object.keys(status.disruptedPods ?? {}).length > 0) yield `${label}: waits for disrupted pods`;
  if (conditionOf(status.conditions, "DisruptionAllowed")?.reason === "SyncFailed") {
    if (status.disruptionsAllowed !== 0) yield `${label}: allows disruptions though it cannot count`;
    return;
  }
  if (status.currentHealthy !== healthy) yield `${label}: ${status.currentHealthy} healthy, not ${healthy}`;
  const allowed = status.expectedPods > 0 ? Math.max(0, healthy - status.desiredHealthy) : 0;
  if (status.disruptionsAllowed !== allowed) yield `${label}: allows ${status.disruptionsAllowed}, not ${allowed}`;
  if (typeof spec.minAvailable !== "number") return;
  if (status.desiredHealthy !== spec.minAvailable || status.expectedPods !== all)
    yield `${label}: ${status.desiredHealthy} of ${status.expectedPods}, not ${spec.minAvailable} of ${all}`;
}
