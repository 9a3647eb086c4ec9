// The disruption controller: computes the allowed disruptions of each budget.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../shared/k8s/api/policy-v1.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import {
  updateDisruptionAllowedCondition,
  withSyncFailed,
  podDisruptionBudgets,
} from "../../kinds/policy/pod-disruption-budget.ts";
import { pods as podKind } from "../../kinds/core/pod/pod.ts";
import {
  type ReconcileContext,
  type Result,
  defineController,
  requestOf,
  self,
  watch,
} from "../../runtime/controller.ts";
import { expectedOf } from "./expected.ts";
import { selectorForm } from "../common/selector-form.ts";
import { updatePodCondition } from "../common/pod-condition.ts";
import { isPodReady, isPodTerminal } from "../common/pod-ready.ts";

/** The time after which an evicted pod that was not deleted counts again. */
const deletionTimeoutMs = 120_000;
const stalePodDisruptionTimeoutMs = 120_000;

export const disruptionController = defineController({
  name: "disruption-controller",
  component: "controllermanager",
  watches: [
    self(podDisruptionBudgets, (next) => next !== undefined),
    watch<Pod>(podKind, function* (next, previous, client) {
      const { namespace = "" } = (next ?? previous)?.metadata ?? {};
      for (const budget of client.list(podDisruptionBudgets, { namespace })) {
        const selector = labelSelectorAsSelector(budget.spec.selector);
        if ([next, previous].some((pod) => pod && selector.matches(pod.metadata.labels))) yield requestOf(budget);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const budget = context.client.get(podDisruptionBudgets, namespace, name);
    return budget ? trySync(budget, context) : undefined;
  },
});

/** Records a warning for a pod that several budgets select, since it cannot be evicted (upstream's `getPdbForPod`). */
export const severalBudgetsController = defineController({
  name: "disruption-several-budgets",
  user: "system:serviceaccount:kube-system:disruption-controller",
  component: "controllermanager",
  watches: [
    watch<Pod>(podKind, function* (next, _, client) {
      if (next && budgetsOf(next, client).length > 1) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, { client, event }) {
    const pod = client.get(podKind, namespace, name);
    const [first, second] = pod ? budgetsOf(pod, client) : [];
    if (!pod || !first || !second) return undefined;
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name ?? ""}" arbitrarily.`;
    event(pod, "Warning", "MultiplePodDisruptionBudgets", message);
    return undefined;
  },
});

function budgetsOf({ metadata }: Pod, client: ReconcileContext["client"]): PodDisruptionBudget[] {
  return client
    .list(podDisruptionBudgets, { namespace: metadata.namespace ?? "" })
    .filter(({ spec }) => labelSelectorAsSelector(spec.selector).matches(metadata.labels));
}

/** Removes the condition DisruptionTarget if the disruption did not happen. */
export const staleDisruptionController = defineController({
  name: "stale-pod-disruption",
  user: "system:serviceaccount:kube-system:disruption-controller",
  component: "controllermanager",
  watches: [self(podKind, (next) => next !== undefined && staleSinceMs(next) !== undefined)],
  reconcile({ namespace, name }, { client, nowMs }) {
    const pod = client.get(podKind, namespace, name);
    const sinceMs = pod && staleSinceMs(pod);
    if (!pod || sinceMs === undefined) return undefined;
    if (sinceMs + stalePodDisruptionTimeoutMs > nowMs)
      return { afterMs: sinceMs + stalePodDisruptionTimeoutMs - nowMs };
    const { generation } = pod.metadata;
    const condition = {
      type: "DisruptionTarget",
      status: "False",
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const conditions = [...updatePodCondition(pod.status.conditions, condition, nowMs)];
    client.updateStatus(podKind, { ...pod, status: { ...pod.status, conditions } });
    return undefined;
  },
});

/** Returns since when a pod that is not being deleted has the condition. Terminating pods may take their time. */
function staleSinceMs(pod: Pod): number | undefined {
  const mark = pod.status.conditions?.find(({ type }) => type === "DisruptionTarget");
  if (mark?.status !== "True" || mark.reason === "TerminationByKubelet") return undefined;
  if (isBeingDeleted(pod) || isPodTerminal(pod)) return undefined;
  return mark.lastTransitionTime ? parseTime(mark.lastTransitionTime) : 0;
}

/** Syncs a budget, and handles an error. */
function trySync(budget: PodDisruptionBudget, context: ReconcileContext): Result | undefined {
  const { client, event, nowMs } = context;
  const { namespace = "" } = budget.metadata;
  const save = (status: PodDisruptionBudgetStatus) => client.updateStatus(podDisruptionBudgets, { ...budget, status });
  const pods = client.list(podKind, { namespace, labels: labelSelectorAsSelector(budget.spec.selector) });
  if (pods.length === 0) event(budget, "Normal", "NoPods", "No matching pods found");
  const expected = expectedOf(budget, pods, client);
  if ("error" in expected) {
    const message = `Failed to calculate the number of expected pods: ${expected.error}`;
    event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    save(withSyncFailed(budget.status, expected.error, nowMs));
    return undefined;
  }
  if (expected.hasUnmanaged) event(budget, "Warning", "UnmanagedPods", unmanagedMessage(budget));
  const { disruptedPods, nextMs } = buildDisruptedPodMap(budget, pods, context);
  const healthy = pods.filter((pod) => isHealthy(pod, disruptedPods, nowMs)).length;
  const allowed = expected.pods > 0 ? Math.max(0, healthy - expected.healthy) : 0;
  const status: PodDisruptionBudgetStatus = {
    currentHealthy: healthy,
    desiredHealthy: expected.healthy,
    expectedPods: expected.pods,
    disruptionsAllowed: allowed,
    disruptedPods,
    observedGeneration: budget.metadata.generation ?? 0,
    ...(budget.status.conditions ? { conditions: budget.status.conditions } : {}),
  };
  save(updateDisruptionAllowedCondition(status, nowMs));
  return nextMs === undefined ? undefined : { afterMs: nextMs - nowMs };
}

/** Reports whether a pod is ready and not terminating (upstream's `countHealthyPods`). */
function isHealthy(pod: Pod, disrupted: Readonly<Record<string, string>>, nowMs: number): boolean {
  const since = disrupted[pod.metadata.name ?? ""];
  const isExpectedToGo = since !== undefined && parseTime(since) + deletionTimeoutMs > nowMs;
  return !isBeingDeleted(pod) && !isExpectedToGo && isPodReady(pod);
}

/** Returns the evicted pods that are not deleted yet, and the time by which they must be. */
function buildDisruptedPodMap(budget: PodDisruptionBudget, pods: readonly Pod[], { event, nowMs }: ReconcileContext) {
  const disruptedPods: Record<string, string> = {};
  let nextMs: number | undefined;
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const since = budget.status.disruptedPods?.[name];
    if (isBeingDeleted(pod) || since === undefined) continue;
    const untilMs = parseTime(since) + deletionTimeoutMs;
    if (untilMs < nowMs) {
      const { namespace = "" } = budget.metadata;
      // Upstream's message contains the namespace twice.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      event(pod, "Warning", "NotDeleted", message);
      continue;
    }
    disruptedPods[name] = since;
    nextMs = Math.min(nextMs ?? untilMs + 1, untilMs + 1);
  }
  return { disruptedPods, nextMs };
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  return `Pods selected by this PodDisruptionBudget (selector: ${selectorForm(spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}
