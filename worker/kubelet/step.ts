// One look of the kubelet at a pod: what becomes of it now, what is told about it, and when to look again. Pure.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { isTerminalPhase, type LifeEvent, lifeOf, type LookWork, type NodeView } from "./life.ts";
import type { Delays } from "../machine/delays.ts";
import type { ContainerRun, Effect } from "../containers/cri.ts";
import { waitsFor } from "./stages/configuration.ts";
import { stages } from "./stages/catalogue.ts";
import { awaitsOthers, keepVolumes, programsWaitFor } from "./stages/running.ts";
import { advance } from "./stages/stage.ts";
import { podStatus } from "./status/pod-status.ts";

const rememberedMs = 1_000;

export interface PodStep {
  /** Absent: the status stays as it is. */
  readonly status: Pod["status"] | undefined;
  readonly events: readonly LifeEvent[];
  readonly effects: readonly Effect[];
  /** Runs that ask others of the cluster. */
  readonly visitors: readonly ContainerRun[];
  readonly nextMs: number | undefined;
  /** Everything up to then was done and told. */
  readonly lookedMs: number;
  /** The containers of a deleted pod have stopped: the object may go. */
  readonly finished: boolean;
  /** The look made as many moves as one may, and the next goes on from there. */
  readonly isCut: boolean;
  /** ConfigMaps and Secrets that the pod waits for: `configmap/<namespace>/<name>`. */
  readonly waitsFor: readonly string[];
  /** A program repeats its steps until others change what it finds. */
  readonly awaitsOthers: boolean;
}

/**
 * `sinceMs`: when the pod was looked at before. What is not remembered was not long ago. `work`: what earlier parts of the look have worked
 * out; this one adds to it, and throws `LookUnfinished` where the node's `part` ends before the look does.
 */
export function stepPod(
  pod: Pod,
  node: NodeView,
  delays: Delays,
  nowMs: number,
  sinceMs: number = nowMs - rememberedMs,
  work?: LookWork,
): PodStep {
  const life = lifeOf(pod, node, delays, nowMs, sinceMs, work);
  const { nextMs, isCut } = advance(life, stages, nowMs);
  keepVolumes(life, nowMs);
  const status = life.changed ? podStatus(life) : undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata;
  // A pod that ended before is deleted until its grace is zero; then only finalizers hold it. Without them, the process died between the two writes.
  const isHeld = deletionGracePeriodSeconds === 0 && finalizers.length > 0;
  const ended = life.stopped || (isTerminalPhase(pod.status.phase) && !isHeld);
  return {
    status,
    events: life.events,
    effects: life.effects,
    visitors: [...life.visitors.values()],
    nextMs,
    lookedMs: Math.min(nowMs, nextMs ?? nowMs),
    isCut,
    finished: deletionTimestamp !== undefined && ended,
    waitsFor: [
      ...waitsFor(life),
      ...programsWaitFor(life, nowMs),
      ...life.probesWaitFor,
      ...(life.resizePending ? [`room/${node.name}`] : []),
    ],
    awaitsOthers: awaitsOthers(life, nowMs),
  };
}
