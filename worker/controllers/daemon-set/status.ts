// The status of a DaemonSet, counted from its nodes and pods (upstream: `updateDaemonSetStatus`).
import type { DaemonSet, DaemonSetStatus } from "../../../shared/k8s/api/apps-v1.ts";
import { isPodAvailable, isPodReady } from "../common/pod-ready.ts";
import type { NodeFacts } from "./node-facts.ts";
import { oldestFirst, type PodsByNode } from "./nodes.ts";
import { isPodUpdated, templateGeneration } from "./template.ts";

export function daemonSetStatus(
  daemonSet: DaemonSet,
  nodes: readonly NodeFacts[],
  byNode: PodsByNode,
  shouldRun: (node: NodeFacts) => boolean,
  hash: string,
  nowMs: number,
): DaemonSetStatus {
  const { metadata, spec, status } = daemonSet;
  const generation = templateGeneration(daemonSet);
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [oldest] = oldestFirst(byNode.get(node.name) ?? []);
    if (!shouldRun(node)) {
      if (oldest) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!oldest) continue;
    counts.current++;
    if (isPodReady(oldest)) counts.ready++;
    if (isPodAvailable(oldest, spec.minReadySeconds ?? 0, nowMs)) counts.available++;
    if (isPodUpdated(oldest, hash, generation)) counts.updated++;
  }
  return {
    ...status,
    observedGeneration: metadata.generation ?? 0,
    desiredNumberScheduled: counts.desired,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  };
}
