// Runs the PreFilter and Filter plugins, and takes nominated pods into account.
import { type NodeInfo, addPod, copyOfNode, removePod } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Cycle, Plugin, PreFilteredPlugin, Status } from "./framework.ts";

export interface PluginStatus {
  readonly plugin: string;
  readonly status: Status;
}

/** Runs PreFilter of all plugins. Skipped plugins are left out. A plugin that rejects all nodes is the last of the result. */
export function runPreFilterPlugins(cycle: Cycle, plugins: readonly Plugin[]): readonly PreFilteredPlugin[] {
  const preFiltered: PreFilteredPlugin[] = [];
  for (const { name, preFilter } of plugins) {
    const prepared = preFilter?.(cycle);
    if (!prepared) continue;
    preFiltered.push({ plugin: name, preFilter: prepared });
    if (prepared.status) break;
  }
  return preFiltered;
}

/**
 * Returns the first rejection of a node. The filters must pass with the nominated pods of the same or a higher priority and without them:
 * affinity may need these pods, but they may never be bound.
 */
export function runFilterPluginsWithNominatedPods(
  cycle: Cycle,
  plugins: readonly PreFilteredPlugin[],
  node: NodeInfo,
): PluginStatus | undefined {
  if (!cycle.snapshot.nominator.hasNominatedPods) return runFilterPlugins(node, plugins);
  const nominated = cycle.snapshot.nominator
    .nominatedPodsForNode(node.name)
    .filter(({ uid, priority }) => uid !== cycle.info.uid && priority >= cycle.info.priority);
  if (nominated.length > 0) {
    const withNominated = copyOfNode(node);
    for (const pod of nominated) addPodTo(withNominated, pod, plugins);
    const refusal = runFilterPlugins(withNominated, plugins);
    for (const pod of nominated) for (const { preFilter } of plugins) preFilter.removePod?.(withNominated, pod);
    if (refusal) return refusal;
  }
  return runFilterPlugins(node, plugins);
}

/** Adds a pod to a copy of a node. */
export function addPodTo(node: NodeInfo, pod: PodInfo, plugins: readonly PreFilteredPlugin[]): void {
  addPod(node, pod);
  for (const { preFilter } of plugins) preFilter.addPod?.(node, pod);
}

/** Removes a pod from a copy of a node. */
export function removePodFrom(node: NodeInfo, pod: PodInfo, plugins: readonly PreFilteredPlugin[]): void {
  removePod(node, pod);
  for (const { preFilter } of plugins) preFilter.removePod?.(node, pod);
}

function runFilterPlugins(node: NodeInfo, plugins: readonly PreFilteredPlugin[]): PluginStatus | undefined {
  for (const { plugin, preFilter } of plugins) {
    const status = preFilter.filter(node);
    if (status) return { plugin, status };
  }
  return undefined;
}
