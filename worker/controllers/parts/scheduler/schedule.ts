// Finds the node for one pod: filters, then scores, then picks (upstream: `schedulePod`).
import { must } from "../../../../shared/base/assert.ts";
import type { Random } from "../../../../shared/base/random.ts";
import { type Diagnosis, noNodesMessage, fitError } from "./fit-error.ts";
import type { NodeInfo } from "./node-info.ts";
import type { Cycle, Filter, Plugin, Rejection } from "./plugin.ts";

export type Outcome = { readonly node: string } | { readonly failure: string };

/** Fewer nodes than this are all looked at (upstream: `minFeasibleNodesToFind`). */
const leastFeasible = 100;
/** Percent of the nodes that are enough, at the least. */
const leastPercentage = 5;

export function schedule(cycle: Cycle, plugins: readonly Plugin[], random: Random): Outcome {
  const { order } = cycle.snapshot;
  if (order.length === 0) return { failure: noNodesMessage };
  const found = findFeasible(cycle, plugins);
  const policy = cycle.pod.spec.preemptionPolicy;
  if ("nodeCount" in found) return { failure: fitError(found, policy) };
  const [only] = found.feasible;
  if (only && found.feasible.length === 1) return { node: only.name };
  return { node: best(found.feasible, totals(cycle, plugins, found.feasible), random).name };
}

/** Upstream's `numFeasibleNodesToFind`: the larger the cluster, the smaller the part that is enough. */
export function enoughFeasible(nodeCount: number): number {
  if (nodeCount < leastFeasible) return nodeCount;
  const percentage = Math.max(50 - Math.trunc(nodeCount / 125), leastPercentage);
  return Math.max(Math.trunc((nodeCount * percentage) / 100), leastFeasible);
}

/** Whether the filters let the pod onto this node of the cycle's picture. */
export function fits(cycle: Cycle, plugins: readonly Plugin[], node: NodeInfo): boolean {
  return plugins.every((plugin) => {
    const filter = plugin.filter?.(cycle);
    return !filter || (!filter.rejection && filter.check(node) === undefined);
  });
}

function findFeasible(cycle: Cycle, plugins: readonly Plugin[]): { feasible: NodeInfo[] } | Diagnosis {
  const { snapshot } = cycle;
  const { order } = snapshot;
  const filters: Filter[] = [];
  const named: { plugin: string; nodeNames: ReadonlySet<string> }[] = [];
  for (const plugin of plugins) {
    const filter = plugin.filter?.(cycle);
    if (!filter) continue;
    if (filter.rejection) return { nodeCount: order.length, rejection: filter.rejection, rejections: [] };
    if (filter.nodeNames) named.push({ plugin: plugin.name, nodeNames: filter.nodeNames });
    filters.push(filter);
  }
  const nodes = named.length === 0 ? order : order.filter(({ name }) => named.every((one) => one.nodeNames.has(name)));
  const { feasible, rejections } = search(nodes, filters, snapshot.start);
  snapshot.start = (snapshot.start + feasible.length + rejections.length) % order.length;
  if (feasible.length > 0) return { feasible };
  const excluded = `node(s) didn't satisfy plugin(s) [${named.map(({ plugin }) => plugin).join(" ")}]`;
  const absent: Rejection = { reasons: [excluded], isResolvable: false };
  return { nodeCount: order.length, rejections, ...(named.length > 0 ? { absent } : {}) };
}

/** Looks at nodes from where the last search ended, until enough can take the pod. */
function search(nodes: readonly NodeInfo[], filters: readonly Filter[], start: number) {
  const feasible: NodeInfo[] = [];
  const rejections: Rejection[] = [];
  const enough = enoughFeasible(nodes.length);
  for (let at = 0; at < nodes.length && feasible.length < enough; at++) {
    const node = nodes[(start + at) % nodes.length];
    if (!node) continue;
    const rejection = firstRejection(node, filters);
    if (rejection) rejections.push(rejection);
    else feasible.push(node);
  }
  return { feasible, rejections };
}

function firstRejection(node: NodeInfo, filters: readonly Filter[]): Rejection | undefined {
  for (const filter of filters) {
    const rejection = filter.check(node);
    if (rejection) return rejection;
  }
  return undefined;
}

function totals(cycle: Cycle, plugins: readonly Plugin[], feasible: readonly NodeInfo[]): readonly number[] {
  const sums = new Array<number>(feasible.length).fill(0);
  for (const plugin of plugins) {
    const step = plugin.score?.(cycle, feasible);
    if (!step) continue;
    const scores = feasible.map((node) => step.score(node));
    step.normalize?.(scores, feasible);
    const weight = plugin.weight ?? 1;
    for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (scores[at] ?? 0) * weight;
  }
  return sums;
}

/** One of those with the highest total, each as likely as the other. */
function best(feasible: readonly NodeInfo[], sums: readonly number[], random: Random): NodeInfo {
  const highest = Math.max(...sums);
  const ties = feasible.filter((_, at) => sums[at] === highest);
  return must(ties[Math.floor(random.next() * ties.length)], "a node with the highest score");
}
