// Computes the missing and the surplus daemon pods of each node.
import type { DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted, keyOf } from "../../../shared/k8s/meta.ts";
import { isPodAvailable, isPodReady } from "../common/pod-ready.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";
import type { NodeFacts } from "./node-facts.ts";
import { type Placement, type PodsByNode, oldestFirst } from "./nodes.ts";
import { getScaledValueFromIntOrPercent } from "../../../shared/k8s/intstr.ts";

/** The planned changes: the nodes on which a pod is created, and the pods to delete. */
export interface Changes {
  readonly create: string[];
  readonly remove: Pod[];
}

export interface ManageView {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly NodeFacts[];
  readonly byNode: PodsByNode;
  readonly hash: string;
  readonly nowMs: number;
  placement(node: NodeFacts): Placement;
  /** Reports whether an ended pod may be replaced now. If so, records an event. */
  replaces(pod: Pod, nodeName: string, message: string): boolean;
}

/** Computes the changes without applying them. */
export function missingAndSurplus(view: ManageView): Changes {
  const changes: Changes = { create: [], remove: [] };
  for (const node of view.nodes) podsShouldBeOnNode(view, node, changes);
  changes.remove.push(...unplaceable(view));
  return changes;
}

function podsShouldBeOnNode(view: ManageView, node: NodeFacts, changes: Changes): void {
  const { shouldRun, mayStay } = view.placement(node);
  const { name } = node;
  const pods = view.byNode.get(name);
  if (shouldRun && !pods) {
    changes.create.push(name);
    return;
  }
  const alive = (pods ?? []).filter((pod) => !isBeingDeleted(pod));
  if (!mayStay) {
    changes.remove.push(...alive);
    return;
  }
  const running = alive.filter((pod) => {
    const message = endMessage(pod, name);
    if (message && view.replaces(pod, name, message)) changes.remove.push(pod);
    return message === undefined;
  });
  if (!allowsSurge(view.daemonSet)) {
    changes.remove.push(...oldestFirst(running).slice(1));
    return;
  }
  if (running.length === 0 && shouldRun) changes.create.push(name);
  if (running.length > 1) changes.remove.push(...surplusOfSurge(view, running));
}

function endMessage(pod: Pod, nodeName: string): string | undefined {
  const what = `daemon pod ${keyOf(pod)} on node ${nodeName}, will try to`;
  if (pod.status.phase === "Failed") return `Found failed ${what} kill it`;
  if (pod.status.phase === "Succeeded") return `Found succeeded ${what} delete it`;
  return undefined;
}

/** Returns the surplus pods of a surge. An old and a new pod may coexist until the new one is available or the old one is not ready. */
function surplusOfSurge({ daemonSet, hash, nowMs }: ManageView, running: readonly Pod[]): Pod[] {
  const isNew = (pod: Pod) => pod.metadata.labels?.[controllerRevisionHashLabelKey] === hash;
  const ordered = oldestFirst(running);
  const newest = ordered.find(isNew);
  const old = ordered.find((pod) => !isNew(pod));
  const surplus = ordered.filter((pod) => pod !== newest && pod !== old);
  if (!newest || !old) return surplus;
  const isDone = isPodAvailable(newest, daemonSet.spec.minReadySeconds ?? 0, nowMs);
  return isDone || !isPodReady(old) ? [...surplus, old] : surplus;
}

/** Returns unscheduled pods of deleted nodes, which no other controller deletes. */
function unplaceable({ nodes, byNode }: ManageView): Pod[] {
  const existingNodes = new Set(nodes.map(({ name }) => name));
  return [...byNode]
    .filter(([name]) => !existingNodes.has(name))
    .flatMap(([, pods]) => pods.filter((pod) => !pod.spec.nodeName && !isBeingDeleted(pod)));
}

function allowsSurge(daemonSet: DaemonSet): boolean {
  return maxSurge(daemonSet, 1) > 0;
}

export function maxSurge({ spec }: DaemonSet, desired: number): number {
  return getScaledValueFromIntOrPercent(spec.updateStrategy.rollingUpdate?.maxSurge ?? 0, desired, true);
}

/** Returns the maximum number of unavailable pods. If both limits are 0, which would block the rollout, it is 1. */
export function maxUnavailable(daemonSet: DaemonSet, desired: number): number {
  const scaled = getScaledValueFromIntOrPercent(
    daemonSet.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 0,
    desired,
    true,
  );
  return desired > 0 && scaled === 0 && maxSurge(daemonSet, desired) === 0 ? 1 : scaled;
}
