// The filters of one attempt, asked of nodes as they are and as they would be (upstream: `RunFilterPluginsWithNominatedPods`).
import type { NodeInfo } from "./node-info.ts";
import { addPod, copyOfNode } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Cycle, Filter, Plugin, Rejection } from "./framework.ts";

export interface NamedFilter {
  readonly plugin: string;
  readonly filter: Filter;
}

export interface NamedRejection {
  readonly plugin: string;
  readonly rejection: Rejection;
}

/** Those with something to say; the last one, where it excludes all nodes at once. */
export function filtersOf(cycle: Cycle, plugins: readonly Plugin[]): readonly NamedFilter[] {
  const filters: NamedFilter[] = [];
  for (const { name, filter } of plugins) {
    const prepared = filter?.(cycle);
    if (!prepared) continue;
    filters.push({ plugin: name, filter: prepared });
    if (prepared.rejection) break;
  }
  return filters;
}

/** The first refusal, also counting pods of no less importance that the node is kept for. */
export function refusalOf(cycle: Cycle, filters: readonly NamedFilter[], node: NodeInfo): NamedRejection | undefined {
  if (!cycle.snapshot.hasNominations) return firstRefusal(node, filters);
  const nominated = cycle.snapshot
    .nominatedOn(node.name)
    .filter(({ uid, priority }) => uid !== cycle.info.uid && priority >= cycle.info.priority);
  if (nominated.length > 0) {
    const expected = copyOfNode(node);
    for (const pod of nominated) addTo(expected, pod, filters);
    const refusal = firstRefusal(expected, filters);
    for (const pod of nominated) shift(filters, expected, pod, -1);
    if (refusal) return refusal;
  }
  return firstRefusal(node, filters);
}

/** Puts a pod on a copy of a node, and tells the filters. */
export function addTo(node: NodeInfo, pod: PodInfo, filters: readonly NamedFilter[]): void {
  addPod(node, pod);
  shift(filters, node, pod, 1);
}

export function shift(filters: readonly NamedFilter[], node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
  for (const { filter } of filters) filter.shift?.(node, pod, sign);
}

function firstRefusal(node: NodeInfo, filters: readonly NamedFilter[]): NamedRejection | undefined {
  for (const { plugin, filter } of filters) {
    const rejection = filter.check(node);
    if (rejection) return { plugin, rejection };
  }
  return undefined;
}
