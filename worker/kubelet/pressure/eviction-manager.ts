// Reacts to a node that runs short of memory: sets the condition and evicts one pod after the other (upstream: the eviction manager's
// `synchronize`). Measures after each change on the node that can matter, and repeatedly while the node is under pressure.
import { readStored } from "../../../shared/base/stored-json.ts";
import type { Node, NodeCondition, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { isCriticalPod } from "../../kinds/core/pod/critical.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext, Result } from "../../runtime/controller.ts";
import { isTerminalPhase } from "../life.ts";
import { recordPressure, recordStatus } from "../node-events.ts";
import { memoryThreshold, observeMemory } from "./memory.ts";
import { evictionMessage, rankMemoryPressure } from "./ranking.ts";

/** The interval of a kubelet's measurements, and the shorter one after an eviction. */
const monitoringMs = 10_000;
const cleanupMs = 1_000;
/** `--eviction-pressure-transition-period`: the condition remains for this time after pressure was last observed. */
const transitionMs = 300_000;

const condition = "MemoryPressure";
const verdicts = {
  True: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"],
  False: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"],
} as const;

/** The state between two measurements, in ms: when to measure, and when pressure was last observed. */
interface State {
  readonly measureMs: number;
  readonly observedMs?: number;
}

/** Measures a node and evicts a pod if needed. `evict`: ends a pod of the node with a message. */
export function synchronize(
  node: Node,
  context: ReconcileContext,
  evict: (pod: Pod, message: string) => void,
): Result | undefined {
  const { client, nowMs, savedState, event } = context;
  const { name = "" } = node.metadata;
  const state = readStored<State>(savedState, ["measureMs"]);
  const again = (next: State): Result => ({ afterMs: next.measureMs - nowMs, savedState: JSON.stringify(next) });
  const running = client.byIndexValue(pods, name).filter(({ status }) => !isTerminalPhase(status.phase));
  const observed = observeMemory(node, running, client);
  const hasCondition =
    node.status.conditions?.some(
      (nodeCondition) => nodeCondition.type === condition && nodeCondition.status === "True",
    ) ?? false;
  if (observed.availableBytes >= memoryThreshold.bytes) {
    if (!hasCondition) return undefined;
    const observedMs = state?.observedMs ?? nowMs;
    if (nowMs < observedMs + transitionMs) return again({ measureMs: observedMs + transitionMs, observedMs });
    setCondition(node, "False", context);
    return undefined;
  }
  // A kubelet does not notice what happens between two measurements.
  if (!state || nowMs < state.measureMs) {
    const measureMs = Math.min(state?.measureMs ?? Number.POSITIVE_INFINITY, nextMeasureMs(nowMs));
    return again({ ...state, measureMs });
  }
  if (!hasCondition) setCondition(node, "True", context);
  recordPressure(name, "memory", event);
  const victim = rankMemoryPressure(observed.pods).find(({ pod }) => !isCriticalPod(pod));
  // Critical pods are not evicted. The next change on the node triggers another measurement.
  if (!victim) return undefined;
  evict(victim.pod, evictionMessage(victim, observed));
  return again({ measureMs: nowMs + cleanupMs, observedMs: nowMs });
}

function nextMeasureMs(nowMs: number): number {
  return nowMs - (nowMs % monitoringMs) + monitoringMs;
}

function setCondition(node: Node, status: "True" | "False", { client, nowMs, event }: ReconcileContext): void {
  const [reason, message, eventReason] = verdicts[status];
  const time = rfc3339(nowMs);
  const withStatus = (nodeCondition: NodeCondition): NodeCondition =>
    nodeCondition.type === condition
      ? { ...nodeCondition, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time }
      : nodeCondition;
  client.updateStatus(nodes, {
    ...node,
    status: { ...node.status, conditions: (node.status.conditions ?? []).map(withStatus) },
  });
  recordStatus(node.metadata.name ?? "", eventReason, event);
}
