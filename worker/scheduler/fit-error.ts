// The message of an attempt that found no node, as upstream's FitError writes it.
import type { Diagnosis, Status } from "./framework.ts";

export const noNodesMessage = "no nodes available to schedule pods";

/** Builds the message. `postFilterMessage` is the result of PostFilter. */
export function fitError(
  { nodeCount, preFilterStatus, nodeStatuses, absentNodesStatus }: Diagnosis,
  postFilterMessage: string,
): string {
  const reasons = preFilterStatus
    ? preFilterStatus.status.reasons.join(", ")
    : histogram(
        nodeStatuses.map(({ status }) => status),
        nodeCount,
        absentNodesStatus,
      );
  const why = reasons === "" ? "" : ` ${reasons}.`;
  return `0/${nodeCount} nodes are available:${why}${postFilterMessage === "" ? "" : ` ${postFilterMessage}`}`;
}

/** Returns the reasons with their counts, sorted as text: `1 node(s) were unschedulable, 2 Insufficient cpu`. */
export function histogram(
  statuses: readonly Pick<Status, "reasons">[],
  nodeCount: number,
  absent: Pick<Status, "reasons"> | undefined,
): string {
  const counts = new Map<string, number>();
  const count = (reason: string, by: number) => counts.set(reason, (counts.get(reason) ?? 0) + by);
  for (const { reasons } of statuses) for (const reason of reasons) count(reason, 1);
  if (statuses.length < nodeCount)
    for (const reason of absent?.reasons ?? []) count(reason, nodeCount - statuses.length);
  return [...counts]
    .map(([reason, times]) => `${times} ${reason}`)
    .sort()
    .join(", ");
}
