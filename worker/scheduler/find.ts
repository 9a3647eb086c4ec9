// Finds the nodes that can take a pod (upstream: `findNodesThatFitPod`).
import { type NamedFilter, filtersOf, refusalOf } from "./filters.ts";
import type { Diagnosis, Refusal } from "./fit-error.ts";
import type { NodeInfo } from "./node-info.ts";
import { type Cycle, type Plugin, unresolvable } from "./framework.ts";

/** Fewer nodes than this are all looked at (upstream: `minFeasibleNodesToFind`). */
const leastFeasible = 100;
/** Percent of the nodes that are enough, at the least. */
const leastPercentage = 5;

export interface Found {
  /** Empty: there is none. */
  readonly feasible: readonly NodeInfo[];
  readonly diagnosis: Diagnosis;
  readonly filters: readonly NamedFilter[];
  /** What was asked cannot be answered: the attempt failed, whatever the nodes. */
  readonly error?: string;
}

export function findFeasible(cycle: Cycle, plugins: readonly Plugin[]): Found {
  const { order } = cycle.snapshot;
  const filters = filtersOf(cycle, plugins);
  const last = filters.at(-1);
  if (last?.filter.rejection) {
    const all = { plugin: last.plugin, rejection: last.filter.rejection };
    const diagnosis = { nodeCount: order.length, all, refusals: [], rejectors: new Set([last.plugin]) };
    const error = `running PreFilter plugin "${last.plugin}": ${all.rejection.reasons.join(", ")}`;
    return { feasible: [], diagnosis, filters, ...(all.rejection.isError ? { error } : {}) };
  }
  const nominated = nominatedNode(cycle, filters);
  if (nominated) return { feasible: [nominated], diagnosis: nothingRefused(order.length), filters };
  return search(cycle, filters);
}

/** Upstream's `numFeasibleNodesToFind`: the larger the cluster, the smaller the part that is enough. */
export function enoughFeasible(nodeCount: number): number {
  if (nodeCount < leastFeasible) return nodeCount;
  const percentage = Math.max(50 - Math.trunc(nodeCount / 125), leastPercentage);
  return Math.max(Math.trunc((nodeCount * percentage) / 100), leastFeasible);
}

/** The node that is kept for the pod, if it will do: no other is looked at. */
function nominatedNode(cycle: Cycle, filters: readonly NamedFilter[]): NodeInfo | undefined {
  const name = cycle.pod.status.nominatedNodeName;
  const node = name ? cycle.snapshot.node(name) : undefined;
  return node && !refusalOf(cycle, filters, node) ? node : undefined;
}

/** Looks at nodes from where the last search ended, until enough can take the pod. */
function search(cycle: Cycle, filters: readonly NamedFilter[]): Found {
  const { snapshot } = cycle;
  const { order } = snapshot;
  const named = filters.filter(({ filter }) => filter.nodeNames);
  const isNamed = ({ name }: NodeInfo) => named.every(({ filter }) => filter.nodeNames?.has(name));
  const nodes = named.length === 0 ? order : order.filter(isNamed);
  const feasible: NodeInfo[] = [];
  const refusals: Refusal[] = [];
  const rejectors = new Set(named.map(({ plugin }) => plugin));
  const enough = enoughFeasible(nodes.length);
  let error: string | undefined;
  for (let at = 0; at < nodes.length && feasible.length < enough && error === undefined; at++) {
    const node = nodes[(snapshot.start + at) % nodes.length];
    if (!node) continue;
    const refusal = refusalOf(cycle, filters, node);
    if (!refusal) {
      feasible.push(node);
      continue;
    }
    if (refusal.rejection.isError) error = errorOf(refusal.plugin, refusal.rejection.reasons);
    rejectors.add(refusal.plugin);
    refusals.push({ node: node.name, ...refusal });
  }
  snapshot.start = (snapshot.start + feasible.length + refusals.length) % order.length;
  const excluded = `node(s) didn't satisfy plugin(s) [${named.map(({ plugin }) => plugin).join(" ")}]`;
  const diagnosis: Diagnosis = {
    nodeCount: order.length,
    refusals,
    rejectors,
    ...(named.length > 0 ? { absent: unresolvable(excluded) } : {}),
  };
  return {
    feasible: error === undefined ? feasible : [],
    diagnosis,
    filters,
    ...(error === undefined ? {} : { error }),
  };
}

function errorOf(plugin: string, reasons: readonly string[]): string {
  return `running "${plugin}" filter plugin: ${reasons.join(", ")}`;
}

function nothingRefused(nodeCount: number): Diagnosis {
  return { nodeCount, refusals: [], rejectors: new Set() };
}
