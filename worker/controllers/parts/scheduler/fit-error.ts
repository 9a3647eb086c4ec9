// What is said when no node can take a pod (upstream: `FitError` and the message of the preemption that follows).
import type { Rejection } from "./plugin.ts";

export const noNodesMessage = "no nodes available to schedule pods";

export interface Diagnosis {
  readonly nodeCount: number;
  /** A plugin excluded all nodes before any was looked at. */
  readonly rejection?: Rejection;
  /** Of the nodes that were looked at, one each. */
  readonly rejections: readonly Rejection[];
  /** Why the others were not looked at. */
  readonly absent?: Rejection;
}

export function fitError(diagnosis: Diagnosis, preemptionPolicy: string | undefined): string {
  const { nodeCount, rejection, rejections, absent } = diagnosis;
  const reasons = rejection ? rejection.reasons.join(", ") : histogram(rejections, nodeCount, absent);
  const why = reasons === "" ? "" : ` ${reasons}.`;
  // The plugin for resource claims speaks first, with nothing to do for a pod without any.
  return `0/${nodeCount} nodes are available:${why} no new claims to deallocate, preemption: ${preemption(diagnosis, preemptionPolicy)}`;
}

/** Nothing is preempted here, so that no victim was found is all there is to say of a node where it could have helped. */
function preemption({ nodeCount, rejection, rejections }: Diagnosis, policy: string | undefined): string {
  if (policy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const isHelpful = (one: Rejection) => one.isResolvable;
  const helpful = rejection ? (rejection.isResolvable ? nodeCount : 0) : rejections.filter(isHelpful).length;
  const counts = [
    { count: helpful, reason: "No preemption victims found for incoming pod" },
    { count: nodeCount - helpful, reason: "Preemption is not helpful for scheduling" },
  ];
  const each = counts.filter(({ count }) => count > 0).map(({ count, reason }) => `${count} ${reason}`);
  return `0/${nodeCount} nodes are available: ${each.sort().join(", ")}.`;
}

/** `1 node(s) were unschedulable, 2 Insufficient cpu`: sorted as text, as upstream does. */
function histogram(rejections: readonly Rejection[], nodeCount: number, absent: Rejection | undefined): string {
  const counts = new Map<string, number>();
  const count = (reason: string, by: number) => counts.set(reason, (counts.get(reason) ?? 0) + by);
  for (const { reasons } of rejections) for (const reason of reasons) count(reason, 1);
  if (rejections.length < nodeCount)
    for (const reason of absent?.reasons ?? []) count(reason, nodeCount - rejections.length);
  return [...counts]
    .map(([reason, times]) => `${times} ${reason}`)
    .sort()
    .join(", ");
}
