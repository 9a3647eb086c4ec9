// The horizontal pod autoscaler: computes the replicas of its target from metrics every fifteen seconds.
//
// A reconcile that would have the same result as the last one is skipped: an autoscaler whose target is as desired and whose windows are
// over waits for a change. So a quiet cluster can sleep without an observable difference.
import type { HorizontalPodAutoscaler } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { horizontalPodAutoscalers } from "../../kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { Kind } from "../../kinds/kind.ts";
import { scrapeMs } from "../../kinds/metrics/samples.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import { replicationControllers } from "../../kinds/core/replication-controller.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import { type Result, type Watch, defineController, requestOf, watch } from "../../runtime/controller.ts";
import { type SavedState, parseSavedState, formatSavedState } from "./state.ts";
import { initializationMs } from "./pod-groups.ts";
import { longestPeriodMs } from "./limits.ts";
import { isTargetOf } from "./scale-target.ts";
import { type Synced, reconcileAutoscaler } from "./sync.ts";

/** The default of kube-controller-manager's `--horizontal-pod-autoscaler-sync-period`. */
const periodMs = 15_000;
/** The number of failures after which events are recorded at most every five minutes, as client-go's event recorder does. */
const loudFailures = 12;
const quietPeriods = 20;

/** The kinds of targets that are watched. Autoscalers of other targets sync periodically. */
const watched: readonly Kind[] = [deployments, replicaSets, statefulSets, replicationControllers];

export const horizontalPodAutoscalerController = defineController({
  name: "horizontal-pod-autoscaler",
  component: "horizontal-pod-autoscaler",
  watches: [
    watch(horizontalPodAutoscalers, function* (next, previous) {
      if (next && (!previous || !isSame(next, previous))) yield requestOf(next);
    }),
    watch<Pod>(pods, function* (next, previous, client) {
      const { namespace = "" } = (next ?? previous)?.metadata ?? {};
      if (client.count(horizontalPodAutoscalers) === 0) return;
      yield* client.list(horizontalPodAutoscalers, { namespace }).map(requestOf);
    }),
    ...watched.map(targetWatch),
  ],
  reconcile({ namespace, name }, context): Result | undefined {
    const { client, nowMs, savedState } = context;
    const autoscaler = client.get(horizontalPodAutoscalers, namespace, name);
    if (!autoscaler) return undefined;
    const nextMs = nextTickMs(autoscaler, nowMs);
    const saved = parseSavedState(savedState) ?? stateAfterRestart(autoscaler, nextMs);
    // A change moves the next sync forward, but never before the period is over.
    if (nowMs < saved.nextMs) return wait({ ...saved, nextMs: Math.min(saved.nextMs, nextMs) }, nowMs);
    const done = reconcileAutoscaler(autoscaler, saved, context);
    if (isSettled(autoscaler, done, nowMs)) return undefined;
    const failures = done.failed ? done.state.failures + 1 : 0;
    const pauses = failures > loudFailures ? quietPeriods - 1 : 0;
    return wait({ ...done.state, failures, nextMs: nextMs + pauses * periodMs }, nowMs);
  },
});

/** Returns the state after a restart: the last sync would have recommended the current replicas. */
function stateAfterRestart({ metadata, status }: HorizontalPodAutoscaler, nextMs: number): SavedState {
  const madeMs = metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
  const lastMs = nextMs - periodMs;
  const recommendations = lastMs > madeMs ? [{ replicas: status.desiredReplicas, atMs: lastMs }] : [];
  return { nextMs, failures: 0, recommendations, scaleUpEvents: [], scaleDownEvents: [] };
}

function targetWatch(kind: Kind): Watch {
  return watch(kind, function* (next, previous, client) {
    const object = next ?? previous;
    if (!object || client.count(horizontalPodAutoscalers) === 0) return;
    const { namespace = "" } = object.metadata;
    for (const autoscaler of client.list(horizontalPodAutoscalers, { namespace })) {
      if (isTargetOf(autoscaler, kind, object)) yield requestOf(autoscaler);
    }
  });
}

/** Reports whether only the status differs, which the autoscaler writes itself. */
function isSame(next: HorizontalPodAutoscaler, previous: HorizontalPodAutoscaler): boolean {
  const inputs = ({ metadata, spec }: HorizontalPodAutoscaler) => [metadata.uid, metadata.annotations, spec];
  return semanticEqual(inputs(next), inputs(previous));
}

/** Returns the next period boundary, counted from the creation. */
function nextTickMs({ metadata }: HorizontalPodAutoscaler, nowMs: number): number {
  const madeMs = metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
  const periods = Math.floor(Math.max(nowMs - madeMs, 0) / periodMs);
  return madeMs + (periods + 1) * periodMs;
}

function wait(state: SavedState, nowMs: number): Result {
  return { afterMs: state.nextMs - nowMs, savedState: formatSavedState(state) };
}

/** Reports whether every later sync would have the same result until something changes. */
function isSettled(autoscaler: HorizontalPodAutoscaler, { state, failed, changed, pods }: Synced, nowMs: number) {
  const { behavior, metrics = [], scaleTargetRef } = autoscaler.spec;
  const isSeen = watched.some(({ kind }) => kind === scaleTargetRef.kind) && !metrics.some(({ object }) => object);
  if (failed || changed || !isSeen) return false;
  const isSteady = new Set(state.recommendations.map(({ replicas }) => replicas)).size <= 1;
  const sinceMs = nowMs - Math.max(longestPeriodMs(behavior?.scaleUp), longestPeriodMs(behavior?.scaleDown));
  const isRecent = [...state.scaleUpEvents, ...state.scaleDownEvents].some(({ atMs }) => atMs >= sinceMs);
  return isSteady && !isRecent && pods.every((pod) => isOld(pod, nowMs));
}

/** Reports whether a pod is past the time in which its metrics change without events. */
function isOld({ status }: Pod, nowMs: number): boolean {
  const started = (status.containerStatuses ?? []).flatMap(({ state }) => state.running?.startedAt ?? []);
  const times = [status.startTime, ...started].flatMap((time) => (time ? [parseTime(time)] : []));
  return Math.max(0, ...times) + initializationMs + 2 * scrapeMs <= nowMs;
}
