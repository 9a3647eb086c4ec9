// Reacts to a node that runs short of memory or disk: sets the condition and evicts one pod after the other (upstream: the eviction manager's
// `synchronize`). Measures after each change on the node that can matter, and repeatedly while the node is under pressure.
import { readStored } from "../../../shared/base/stored-json.ts";
import type { Node, NodeCondition, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { isCriticalPod } from "../../kinds/core/pod/critical.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext, Result } from "../../runtime/controller.ts";
import { isTerminalPhase } from "../life.ts";
import type { NodeFaults } from "../node-faults.ts";
import { recordPressure, recordStatus } from "../node-events.ts";
import { diskSignal } from "./disk.ts";
import { memorySignal } from "./memory.ts";
import { evictionMessage, rankPressure } from "./ranking.ts";
import type { Observation, Signal } from "./signal.ts";

/** The interval of a kubelet's measurements, and the shorter one after an eviction. */
const monitoringMs = 10_000;
const cleanupMs = 1_000;
/** `--eviction-pressure-transition-period`: the condition remains for this time after pressure was last observed. */
const transitionMs = 300_000;

/** In the order in which pods are evicted because of them. */
const signals: readonly Signal[] = [memorySignal, diskSignal];

/** The state between two measurements, in ms: when to measure, and when each pressure was last observed. */
interface State extends Partial<Readonly<Record<Signal["stateKey"], number>>> {
  readonly measureMs: number;
}

export interface EvictionOptions {
  /** Ends a pod of the node with a message. */
  evict(pod: Pod, message: string): void;
  readonly faults?: NodeFaults | undefined;
}

/** Measures a node and evicts a pod if needed. */
export function synchronize(node: Node, context: ReconcileContext, options: EvictionOptions): Result | undefined {
  const { client, nowMs, savedState } = context;
  const { name = "" } = node.metadata;
  const state = readStored<State>(savedState, ["measureMs"]);
  const running = client.byIndexValue(pods, name).filter(({ status }) => !isTerminalPhase(status.phase));
  const observations = signals.map((signal) => ({ signal, ...observe(signal, node, running, context, options) }));
  const met = observations.filter(({ availableBytes, threshold }) => availableBytes < threshold.bytes);
  const isMet = (signal: Signal) => met.some((observed) => observed.signal === signal);
  const next = passTransitions(
    node,
    signals.filter((signal) => !isMet(signal)),
    state,
    context,
  );
  const [first] = met;
  if (!first) return again(next.state, nowMs);
  // A kubelet does not notice what happens between two measurements.
  if (!state || nowMs < state.measureMs) {
    const measureMs = Math.min(state?.measureMs ?? Number.POSITIVE_INFINITY, nextMeasureMs(nowMs));
    return again({ ...state, ...next.state, measureMs }, nowMs);
  }
  let current = next.node;
  for (const { signal } of met)
    if (!hasCondition(current, signal)) current = setCondition(current, signal, "True", context);
  recordPressure(name, first.signal.resource, context.event);
  const victim = rankPressure(first.pods).find(({ pod }) => !isCriticalPod(pod));
  // Critical pods are not evicted. The next change on the node triggers another measurement.
  if (!victim) return undefined;
  options.evict(victim.pod, evictionMessage(victim, first.signal.resource, first));
  const observed = Object.fromEntries(met.map(({ signal }) => [signal.stateKey, nowMs]));
  return again({ ...next.state, ...observed, measureMs: nowMs + cleanupMs }, nowMs);
}

/** Measures a resource. An injected fault leaves half of the threshold. */
function observe(
  { condition, observe: measure }: Signal,
  node: Node,
  running: readonly Pod[],
  { client }: ReconcileContext,
  { faults }: EvictionOptions,
): Observation {
  const observation = measure(node, running, client);
  const isFaulty = faults?.hasPressure(node.metadata.name ?? "", condition);
  return isFaulty ? { ...observation, availableBytes: observation.threshold.bytes / 2n } : observation;
}

/** Ends the conditions whose pressure was not observed for the transition period. Returns the state of the others. */
function passTransitions(
  node: Node,
  unmet: readonly Signal[],
  state: State | undefined,
  context: ReconcileContext,
): { readonly node: Node; readonly state: State | undefined } {
  let current = node;
  let next: State | undefined;
  for (const signal of unmet) {
    if (!hasCondition(current, signal)) continue;
    const observedMs = state?.[signal.stateKey] ?? context.nowMs;
    const endMs = observedMs + transitionMs;
    if (context.nowMs < endMs) {
      const measureMs = Math.min(next?.measureMs ?? Number.POSITIVE_INFINITY, endMs);
      next = { ...next, measureMs, [signal.stateKey]: observedMs };
    } else {
      current = setCondition(current, signal, "False", context);
    }
  }
  return { node: current, state: next };
}

function again(state: State | undefined, nowMs: number): Result | undefined {
  return state && { afterMs: state.measureMs - nowMs, savedState: JSON.stringify(state) };
}

function nextMeasureMs(nowMs: number): number {
  return nowMs - (nowMs % monitoringMs) + monitoringMs;
}

function hasCondition({ status }: Node, { condition }: Signal): boolean {
  return status.conditions?.some(({ type, status: value }) => type === condition && value === "True") ?? false;
}

function setCondition(
  node: Node,
  { condition, verdicts }: Signal,
  status: "True" | "False",
  { client, nowMs, event }: ReconcileContext,
): Node {
  const [reason, message, eventReason] = verdicts[status];
  const time = rfc3339(nowMs);
  const withStatus = (nodeCondition: NodeCondition): NodeCondition =>
    nodeCondition.type === condition
      ? { ...nodeCondition, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time }
      : nodeCondition;
  const next = client.updateStatus(nodes, {
    ...node,
    status: { ...node.status, conditions: (node.status.conditions ?? []).map(withStatus) },
  });
  recordStatus(node.metadata.name ?? "", eventReason, event);
  return next;
}
