// The scheduling algorithm: filters nodes for one pod, scores the feasible ones, and selects one.
import { must } from "../../shared/base/assert.ts";
import type { Random } from "../../shared/base/random.ts";
import { fitError, noNodesMessage } from "./fit-error.ts";
import type { NodeInfo } from "./node-info.ts";
import {
  type Cycle,
  type Diagnosis,
  type FilterResult,
  type NodeStatus,
  type Plugin,
  type PostFilterResult,
  type PreFilteredPlugin,
  unschedulableAndUnresolvable,
} from "./framework.ts";
import { chargePods, workOfNode } from "./pod-work.ts";
import { runFilterPluginsWithNominatedPods, runPreFilterPlugins } from "./filters.ts";

export interface ScheduleResult {
  readonly node: string;
  readonly filterResult: FilterResult;
  /** Undefined if only one node was feasible. */
  readonly scores?: Scores;
}

export interface Failure {
  /** The message of the event and of the condition. */
  readonly failure: string;
  /** Whether the reason is not the nodes. Then the pod goes to the backoff queue. */
  readonly isError: boolean;
  readonly diagnosis: Diagnosis;
  readonly postFilterResult: PostFilterResult;
}

export type Outcome = ScheduleResult | Failure;

export function schedulePod(
  cycle: Cycle,
  plugins: readonly Plugin[],
  random: Pick<Random, "next">,
  nowMs: number,
): Outcome {
  if (cycle.snapshot.nodeInfoList.length === 0) return failureOf(noNodesMessage, { isError: false }, nothingRefused(0));
  const filterResult = findNodesThatFitPod(cycle, plugins);
  const { feasible, diagnosis, error } = filterResult;
  if (error !== undefined) return failureOf(error, { isError: true }, diagnosis);
  const [only] = feasible;
  if (!only) {
    const postFilterResult = runPostFilterPlugins(cycle, plugins, filterResult, random, nowMs);
    return { failure: fitError(diagnosis, postFilterResult.message), isError: false, diagnosis, postFilterResult };
  }
  if (feasible.length === 1) return { node: only.name, filterResult };
  const scores = prioritizeNodes(cycle, plugins, feasible);
  return { node: selectHost(feasible, scores.totals, random).name, filterResult, scores };
}

/** Runs PostFilter plugins until one has selected victims or failed. */
function runPostFilterPlugins(
  cycle: Cycle,
  plugins: readonly Plugin[],
  filterResult: FilterResult,
  random: Pick<Random, "next">,
  nowMs: number,
): PostFilterResult {
  let all: PostFilterResult = { message: "" };
  for (const { postFilter } of plugins) {
    const pluginResult = postFilter?.(cycle, filterResult, random, nowMs);
    if (!pluginResult) continue;
    all = { ...all, ...pluginResult, message: [all.message, pluginResult.message].filter(Boolean).join(", ") };
    if (pluginResult.victims) return { ...all, message: "" };
    if (pluginResult.isError) return all;
  }
  return all;
}

/** Builds a failure before PostFilter, which also clears the nomination. */
function failureOf(failure: string, { isError }: { readonly isError: boolean }, diagnosis: Diagnosis): Failure {
  return { failure, isError, diagnosis, postFilterResult: { message: "", nominatedNodeName: "" } };
}

/** Selects one of the nodes with the highest total at random. */
function selectHost(feasible: readonly NodeInfo[], sums: readonly number[], random: Pick<Random, "next">): NodeInfo {
  const highest = Math.max(...sums);
  const ties = feasible.filter((_, at) => sums[at] === highest);
  return must(ties[Math.floor(random.next() * ties.length)], "a node with the highest score");
}

/** The number of nodes below which the whole cluster is searched. */
const minFeasibleNodesToFind = 100;
const minFeasibleNodesPercentageToFind = 5;

function findNodesThatFitPod(cycle: Cycle, plugins: readonly Plugin[]): FilterResult {
  const { nodeInfoList } = cycle.snapshot;
  chargePods(cycle);
  const preFiltered = runPreFilterPlugins(cycle, plugins);
  const last = preFiltered.at(-1);
  if (last?.preFilter.status) {
    const preFilterStatus = { plugin: last.plugin, status: last.preFilter.status };
    const diagnosis = {
      ...nothingRefused(nodeInfoList.length),
      preFilterStatus,
      unschedulablePlugins: new Set([last.plugin]),
    };
    const error = `running PreFilter plugin "${last.plugin}": ${preFilterStatus.status.reasons.join(", ")}`;
    return { feasible: [], diagnosis, preFiltered, ...(preFilterStatus.status.code === "Error" ? { error } : {}) };
  }
  const nominated = evaluateNominatedNode(cycle, preFiltered);
  if (nominated) return { feasible: [nominated], diagnosis: nothingRefused(nodeInfoList.length), preFiltered };
  return findNodesThatPassFilters(cycle, preFiltered);
}

/** Returns the number of feasible nodes that end the search: a share that decreases with the size of the cluster. */
export function numFeasibleNodesToFind(nodeCount: number): number {
  if (nodeCount < minFeasibleNodesToFind) return nodeCount;
  const percentage = Math.max(50 - Math.trunc(nodeCount / 125), minFeasibleNodesPercentageToFind);
  return Math.max(Math.trunc((nodeCount * percentage) / 100), minFeasibleNodesToFind);
}

/** Returns the nominated node if it is feasible. Then no other node is filtered. */
function evaluateNominatedNode(cycle: Cycle, preFiltered: readonly PreFilteredPlugin[]): NodeInfo | undefined {
  const name = cycle.pod.status.nominatedNodeName;
  const node = name ? cycle.snapshot.node(name) : undefined;
  return node && !runFilterPluginsWithNominatedPods(cycle, preFiltered, node) ? node : undefined;
}

/** Filters nodes from where the last search ended, until enough are feasible. */
function findNodesThatPassFilters(cycle: Cycle, preFiltered: readonly PreFilteredPlugin[]): FilterResult {
  const { snapshot } = cycle;
  const { nodeInfoList } = snapshot;
  const named = preFiltered.filter(({ preFilter }) => preFilter.nodeNames);
  const isNamed = ({ name }: NodeInfo) => named.every(({ preFilter }) => preFilter.nodeNames?.has(name));
  const nodes = named.length === 0 ? nodeInfoList : nodeInfoList.filter(isNamed);
  const feasible: NodeInfo[] = [];
  const nodeStatuses: NodeStatus[] = [];
  const unschedulablePlugins = new Set(named.map(({ plugin }) => plugin));
  const enough = numFeasibleNodesToFind(nodes.length);
  const work = workOfNode(cycle);
  let error: string | undefined;
  for (let at = 0; at < nodes.length && feasible.length < enough && error === undefined; at++) {
    const node = nodes[(snapshot.nextStartNodeIndex + at) % nodes.length];
    if (!node) continue;
    cycle.meter.charge(work);
    const refusal = runFilterPluginsWithNominatedPods(cycle, preFiltered, node);
    if (!refusal) {
      feasible.push(node);
      continue;
    }
    if (refusal.status.code === "Error") error = errorOf(refusal.plugin, refusal.status.reasons);
    unschedulablePlugins.add(refusal.plugin);
    nodeStatuses.push({ node: node.name, ...refusal });
  }
  snapshot.nextStartNodeIndex =
    (snapshot.nextStartNodeIndex + feasible.length + nodeStatuses.length) % nodeInfoList.length;
  const excluded = `node(s) didn't satisfy plugin(s) [${named.map(({ plugin }) => plugin).join(" ")}]`;
  const diagnosis: Diagnosis = {
    nodeCount: nodeInfoList.length,
    nodeStatuses,
    unschedulablePlugins,
    ...(named.length > 0 ? { absentNodesStatus: unschedulableAndUnresolvable(excluded) } : {}),
  };
  return {
    feasible: error === undefined ? feasible : [],
    diagnosis,
    preFiltered,
    ...(error === undefined ? {} : { error }),
  };
}

function errorOf(plugin: string, reasons: readonly string[]): string {
  return `running "${plugin}" filter plugin: ${reasons.join(", ")}`;
}

function nothingRefused(nodeCount: number): Diagnosis {
  return { nodeCount, nodeStatuses: [], unschedulablePlugins: new Set() };
}

/** The scores of one plugin in the order of the feasible nodes. */
interface PluginScores {
  readonly plugin: string;
  readonly weight: number;
  readonly raw: readonly number[];
  /** 0 to 100. */
  readonly normalized: readonly number[];
}

export interface Scores {
  readonly byPlugin: readonly PluginScores[];
  /** The weighted sums. */
  readonly totals: readonly number[];
}

function prioritizeNodes(cycle: Cycle, plugins: readonly Plugin[], feasible: readonly NodeInfo[]): Scores {
  const totals = new Array<number>(feasible.length).fill(0);
  const byPlugin: PluginScores[] = [];
  for (const { name, weight = 1, preScore } of plugins) {
    const step = preScore?.(cycle, feasible);
    if (!step) continue;
    const raw = feasible.map((node) => step.score(node));
    const normalized = step.normalizeScore ? [...raw] : raw;
    step.normalizeScore?.(normalized, feasible);
    byPlugin.push({ plugin: name, weight, raw, normalized });
    for (let at = 0; at < totals.length; at++) totals[at] = (totals[at] ?? 0) + (normalized[at] ?? 0) * weight;
  }
  return { byPlugin, totals };
}
