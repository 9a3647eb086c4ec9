// A sync of a pod: computes its next status, its events, and the time of the next sync. Pure.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { isTerminalPhase, type LifeEvent, lifeOf, type SyncWork, type NodeView } from "./life.ts";
import type { PullFault } from "./node-faults.ts";
import type { Delays } from "../machine/delays.ts";
import type { ContainerRun, Effect } from "../containers/cri.ts";
import { waitsFor } from "./stages/configuration.ts";
import { stages } from "./stages/catalogue.ts";
import { awaitsOthers, keepVolumes, programsWaitFor } from "./stages/running.ts";
import { advance } from "./stages/stage.ts";
import { podStatus } from "./status/pod-status.ts";

/** The assumed time since the previous sync of a pod whose sync time is not in memory. */
const defaultSyncGapMs = 1_000;

export interface PodStep {
  /** Undefined if the status does not change. */
  readonly status: Pod["status"] | undefined;
  readonly events: readonly LifeEvent[];
  readonly effects: readonly Effect[];
  /** The injected faults of pulls that happened. */
  readonly pullFaults: readonly PullFault[];
  /** Runs that send requests to other pods. */
  readonly visitors: readonly ContainerRun[];
  readonly nextMs: number | undefined;
  /** Everything up to this time was done and recorded. */
  readonly syncedMs: number;
  /** The containers of a deleted pod have stopped, so the object can be deleted. */
  readonly finished: boolean;
  /** The sync made the maximum number of moves; the next sync continues. */
  readonly isCut: boolean;
  /** The objects that the pod waits for: `configmap/<namespace>/<name>`. */
  readonly waitsFor: readonly string[];
  /** A program repeats its steps until another object changes. */
  readonly awaitsOthers: boolean;
}

/**
 * Synchronizes a pod. `sinceMs`: the time of the previous sync. `work`: the results of earlier parts of the sync, to which this part adds.
 * Throws `SyncUnfinished` if the node's `syncPart` ends before the sync does.
 */
export function stepPod(
  pod: Pod,
  node: NodeView,
  delays: Delays,
  nowMs: number,
  sinceMs: number = nowMs - defaultSyncGapMs,
  work?: SyncWork,
): PodStep {
  const life = lifeOf(pod, node, delays, nowMs, sinceMs, work);
  const { nextMs, isCut } = advance(life, stages, nowMs);
  keepVolumes(life, nowMs);
  const status = life.changed ? podStatus(life) : undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata;
  // A pod that ended before it was deleted, with a grace period of zero, waits only for its finalizers. If it has none, the process ended
  // between the write of the grace period and the deletion, so the deletion is repeated.
  const isKeptByFinalizers = deletionGracePeriodSeconds === 0 && finalizers.length > 0;
  const hasEnded = life.stopped || (isTerminalPhase(pod.status.phase) && !isKeptByFinalizers);
  return {
    status,
    events: life.events,
    effects: life.effects,
    pullFaults: life.pullFaults,
    visitors: [...life.visitors.values()],
    nextMs,
    syncedMs: Math.min(nowMs, nextMs ?? nowMs),
    isCut,
    finished: deletionTimestamp !== undefined && hasEnded,
    waitsFor: [
      ...waitsFor(life),
      ...programsWaitFor(life, nowMs),
      ...life.probesWaitFor,
      ...(life.resizePending ? [`room/${node.name}`] : []),
    ],
    awaitsOthers: awaitsOthers(life, nowMs),
  };
}
