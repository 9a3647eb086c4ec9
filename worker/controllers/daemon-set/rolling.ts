// Computes the next step of a DaemonSet's rolling update: old pods to delete, or nodes that get a second pod for a while.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../../shared/k8s/meta.ts";
import { isPodAvailable } from "../common/pod-ready.ts";
import { type Changes, maxSurge, maxUnavailable } from "./manage.ts";
import type { NodeFacts } from "./node-facts.ts";
import type { PodsByNode } from "./nodes.ts";
import { isPodUpdated, templateGeneration } from "./template.ts";

export interface RollingView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly NodeFacts[];
  readonly byNode: PodsByNode;
  readonly hash: string;
  readonly nowMs: number;
  shouldRun(node: NodeFacts): boolean;
}

interface NodePods {
  readonly node: string;
  readonly shouldRun: boolean;
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
  /** Whether a node has several old or several new pods, which the rest of the controller corrects first. */
  readonly isCrowded: boolean;
}

/** Computes the changes without applying them. */
export function nextOfRollout(view: RollingView): Changes {
  const eligibleNodes = new Set(view.nodes.filter(view.shouldRun).map(({ name }) => name));
  const names = new Set([...view.byNode.keys(), ...eligibleNodes]);
  const all = [...names].map((name) => findUpdatedPodsOnNode(view, name, eligibleNodes.has(name)));
  const surge = maxSurge(view.daemonSet, eligibleNodes.size);
  if (surge > 0) return changesWithSurge(view, all, surge, eligibleNodes.size);
  return changesWithoutSurge(view, all, maxUnavailable(view.daemonSet, eligibleNodes.size));
}

function findUpdatedPodsOnNode({ daemonSet, byNode, hash }: RollingView, node: string, shouldRun: boolean): NodePods {
  const alive = (byNode.get(node) ?? []).filter((pod) => !isBeingDeleted(pod));
  const generation = templateGeneration(daemonSet);
  const isNew = alive.map((pod) => isPodUpdated(pod, hash, generation));
  const news = alive.filter((_, at) => isNew[at]);
  const olds = alive.filter((_, at) => !isNew[at]);
  return { node, shouldRun, newPod: news[0], oldPod: olds[0], isCrowded: news.length > 1 || olds.length > 1 };
}

/** Without surge: deletes as many old pods as may be unavailable, and all old pods that are unavailable already. */
function changesWithoutSurge(view: RollingView, all: readonly NodePods[], mayBeUnavailable: number): Changes {
  const gone: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { newPod, oldPod, isCrowded } of all) {
    const only = newPod && oldPod ? undefined : (newPod ?? oldPod);
    const isThere = !isCrowded && only !== undefined && isAvailable(view, only);
    if (!isThere) unavailable++;
    if (isCrowded || only === undefined || only === newPod) continue;
    if (!isThere) gone.push(only);
    else if (unavailable < mayBeUnavailable) candidates.push(only);
  }
  return { create: [], remove: [...gone, ...candidates.slice(0, Math.max(0, mayBeUnavailable - unavailable))] };
}

/** With surge: creates a new pod beside the old one, and deletes the old one when the new one is available. */
function changesWithSurge(view: RollingView, all: readonly NodePods[], surge: number, desired: number): Changes {
  const gone: Pod[] = [];
  const misplaced: Pod[] = [];
  const atOnce: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, shouldRun, newPod, oldPod, isCrowded } of all) {
    if (isCrowded) {
      surging++;
      continue;
    }
    const counted = oldPod ?? newPod;
    const isThere = counted !== undefined && isAvailable(view, counted);
    if (isThere) available++;
    if (!oldPod) continue;
    if (newPod) {
      if (isAvailable(view, newPod)) gone.push(oldPod);
      else surging++;
    } else if (!shouldRun) {
      (isThere ? misplaced : gone).push(oldPod);
    } else if (!isThere) {
      atOnce.push(node);
    } else if (surging < surge) {
      candidates.push(node);
    }
  }
  // An available pod on a node that should not run one is deleted only if enough others are available.
  const spare = Math.max(0, available - desired);
  return {
    create: [...atOnce, ...candidates.slice(0, Math.max(0, surge - surging))],
    remove: [...gone, ...misplaced.slice(0, spare)],
  };
}

function isAvailable({ daemonSet, nowMs }: RollingView, pod: Pod): boolean {
  return isPodAvailable(pod, daemonSet.spec.minReadySeconds ?? 0, nowMs);
}
