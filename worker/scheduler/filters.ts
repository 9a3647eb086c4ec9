// Runs the PreFilter and Filter plugins, counting the pods that a node is nominated for.
import { type NodeInfo, addPod, copyOfNode, removePod } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Cycle, Plugin, PreFilteredPlugin, Status } from "./framework.ts";

export interface PluginStatus {
  readonly plugin: string;
  readonly status: Status;
}

/** Plugins that skip are left out; one that refuses all nodes is the last. */
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
 * The first refusal. The node has to do with its nominated pods of the same or a higher priority, and without them: affinity may
 * need them, and they may not come.
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

/** Puts a pod on a copy of a node. */
export function addPodTo(node: NodeInfo, pod: PodInfo, plugins: readonly PreFilteredPlugin[]): void {
  addPod(node, pod);
  for (const { preFilter } of plugins) preFilter.addPod?.(node, pod);
}

/** Takes a pod from a copy of a node. */
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
