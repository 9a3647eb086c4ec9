// What is said when no node can take a pod (upstream: `FitError`).
import type { Rejection } from "./framework.ts";

export const noNodesMessage = "no nodes available to schedule pods";

/** Why one node cannot take the pod, and which plugin says so. */
export interface Refusal {
  readonly node: string;
  readonly plugin: string;
  readonly rejection: Rejection;
}

export interface Diagnosis {
  readonly nodeCount: number;
  /** A plugin excluded all nodes before any was looked at. */
  readonly all?: Omit<Refusal, "node">;
  /** Of the nodes that were looked at, one each. */
  readonly refusals: readonly Refusal[];
  /** Why the others were not looked at. */
  readonly absent?: Rejection;
  /** Those that refused the pod: what changes for them may let it through. */
  readonly rejectors: ReadonlySet<string>;
}

/** `afterwards` is what was done about it, or could not be. */
export function fitError({ nodeCount, all, refusals, absent }: Diagnosis, afterwards: string): string {
  const reasons = all
    ? all.rejection.reasons.join(", ")
    : histogram(
        refusals.map(({ rejection }) => rejection),
        nodeCount,
        absent,
      );
  const why = reasons === "" ? "" : ` ${reasons}.`;
  return `0/${nodeCount} nodes are available:${why}${afterwards === "" ? "" : ` ${afterwards}`}`;
}

/** `1 node(s) were unschedulable, 2 Insufficient cpu`: sorted as text, as upstream does. */
export function histogram(
  rejections: readonly Pick<Rejection, "reasons">[],
  nodeCount: number,
  absent: Pick<Rejection, "reasons"> | undefined,
): string {
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
