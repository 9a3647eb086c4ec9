// The horizontal pod autoscaler: every fifteen seconds a target gets as many replicas as its metrics ask for.
//
// A look that would only see again what the last one saw is left out: an autoscaler whose target is as it should be, and whose
// windows are over, waits for a change. So a quiet cluster sleeps, and nothing that can be observed differs.
import type { HorizontalPodAutoscaler } from "../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime } from "../../shared/k8s/time.ts";
import { deployments } from "../kinds/apps/deployment.ts";
import { horizontalPodAutoscalers } from "../kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { Kind } from "../kinds/kind.ts";
import { scrapeMs } from "../kinds/metrics/samples.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { replicaSets } from "../kinds/apps/replica-set.ts";
import { replicationControllers } from "../kinds/core/replication-controller.ts";
import { statefulSets } from "../kinds/apps/stateful-set.ts";
import { type Result, type Watch, defineController, requestOf, watch } from "../runtime/controller.ts";
import { type Memory, readMemory, writeMemory } from "./parts/autoscaler/memory.ts";
import { initializationMs } from "./parts/autoscaler/pod-groups.ts";
import { longestPeriodMs } from "./parts/autoscaler/limits.ts";
import { isTargetOf } from "./parts/autoscaler/scale-target.ts";
import { type Looked, lookAt } from "./parts/autoscaler/sync.ts";

/** Upstream's `--horizontal-pod-autoscaler-sync-period`. */
const periodMs = 15_000;
/** After so many failures upstream's events say nothing more than once in five minutes. */
const loudFailures = 12;
const quietPeriods = 20;

/** The targets whose changes are seen; others are looked at without a pause. */
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
    const { client, nowMs, note } = context;
    const autoscaler = client.get(horizontalPodAutoscalers, namespace, name);
    if (!autoscaler) return undefined;
    const nextMs = nextTickMs(autoscaler, nowMs);
    const known = readMemory(note) ?? awoken(autoscaler, nextMs);
    // A change brings the next look forward, but never before its turn.
    if (nowMs < known.nextMs) return wait({ ...known, nextMs: Math.min(known.nextMs, nextMs) }, nowMs);
    const looked = lookAt(autoscaler, known, context);
    if (isSettled(autoscaler, looked, nowMs)) return undefined;
    const failures = looked.failed ? looked.memory.failures + 1 : 0;
    const pauses = failures > loudFailures ? quietPeriods - 1 : 0;
    return wait({ ...looked.memory, failures, nextMs: nextMs + pauses * periodMs }, nowMs);
  },
});

/** Of one that slept, the look before the next would have advised what there was. */
function awoken({ metadata, status }: HorizontalPodAutoscaler, nextMs: number): Memory {
  const madeMs = metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
  const lastMs = nextMs - periodMs;
  const advice = lastMs > madeMs ? [{ replicas: status.desiredReplicas, atMs: lastMs }] : [];
  return { nextMs, failures: 0, advice, ups: [], downs: [] };
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

/** Its own status is no news. */
function isSame(next: HorizontalPodAutoscaler, previous: HorizontalPodAutoscaler): boolean {
  const parts = ({ metadata, spec }: HorizontalPodAutoscaler) => [metadata.uid, metadata.annotations, spec];
  return semanticEqual(parts(next), parts(previous));
}

/** Its looks are counted from when it was made, the first a period later. */
function nextTickMs({ metadata }: HorizontalPodAutoscaler, nowMs: number): number {
  const madeMs = metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
  const periods = Math.floor(Math.max(nowMs - madeMs, 0) / periodMs);
  return madeMs + (periods + 1) * periodMs;
}

function wait(memory: Memory, nowMs: number): Result {
  return { afterMs: memory.nextMs - nowMs, note: writeMemory(memory) };
}

/** Whether all later looks would see and do the same, until something changes. */
function isSettled(autoscaler: HorizontalPodAutoscaler, { memory, failed, changed, pods }: Looked, nowMs: number) {
  const { behavior, metrics = [], scaleTargetRef } = autoscaler.spec;
  const isSeen = watched.some(({ kind }) => kind === scaleTargetRef.kind) && !metrics.some(({ object }) => object);
  if (failed || changed || !isSeen) return false;
  const hasOneAdvice = new Set(memory.advice.map(({ replicas }) => replicas)).size <= 1;
  const sinceMs = nowMs - Math.max(longestPeriodMs(behavior?.scaleUp), longestPeriodMs(behavior?.scaleDown));
  const isRecent = [...memory.ups, ...memory.downs].some(({ atMs }) => atMs >= sinceMs);
  return hasOneAdvice && !isRecent && pods.every((pod) => isOld(pod, nowMs));
}

/** Past the time in which what is measured of a pod changes by itself. */
function isOld({ status }: Pod, nowMs: number): boolean {
  const started = (status.containerStatuses ?? []).flatMap(({ state }) => state.running?.startedAt ?? []);
  const times = [status.startTime, ...started].flatMap((time) => (time ? [parseTime(time)] : []));
  return Math.max(0, ...times) + initializationMs + 2 * scrapeMs <= nowMs;
}
