// What a kubelet does when its node runs short of memory: a condition, and one pod after the other that goes (upstream: the eviction
// manager's `synchronize`). It measures when something on the node changes that can matter, and again while the node is under pressure.
import { readStored } from "../../../shared/base/stored-json.ts";
import type { Node, NodeCondition, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { isCriticalPod } from "../../kinds/core/pod/critical.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext, Result } from "../../runtime/controller.ts";
import { isTerminalPhase } from "../life.ts";
import { tellPressure, tellStatus } from "../node-events.ts";
import { memoryThreshold, observeMemory } from "./memory.ts";
import { evictionMessage, rankMemoryPressure } from "./ranking.ts";

/** How often a kubelet measures, and how soon it does again when a pod has gone. */
const monitoringMs = 10_000;
const cleanupMs = 1_000;
/** `--eviction-pressure-transition-period`: a condition stays for so long after it was last observed. */
const transitionMs = 300_000;

const condition = "MemoryPressure";
const verdicts = {
  True: ["KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"],
  False: ["KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"],
} as const;

/** What is known from one look to the next, in ms: when to measure, and when the pressure was last observed. */
interface State {
  readonly measureMs: number;
  readonly observedMs?: number;
}

/** `evict`: ends a pod of the node for the reason that is given. */
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
  const isTold = node.status.conditions?.some((one) => one.type === condition && one.status === "True") ?? false;
  if (observed.availableBytes >= memoryThreshold.bytes) {
    if (!isTold) return undefined;
    const observedMs = state?.observedMs ?? nowMs;
    if (nowMs < observedMs + transitionMs) return again({ measureMs: observedMs + transitionMs, observedMs });
    tell(node, "False", context);
    return undefined;
  }
  // What happens between two measurements nobody sees.
  if (!state || nowMs < state.measureMs) {
    const measureMs = Math.min(state?.measureMs ?? Number.POSITIVE_INFINITY, nextMeasureMs(nowMs));
    return again({ ...state, measureMs });
  }
  if (!isTold) tell(node, "True", context);
  tellPressure(name, "memory", event);
  const victim = rankMemoryPressure(observed.pods).find(({ pod }) => !isCriticalPod(pod));
  // What it may not give up stays; the next change is a reason to look again.
  if (!victim) return undefined;
  evict(victim.pod, evictionMessage(victim, observed));
  return again({ measureMs: nowMs + cleanupMs, observedMs: nowMs });
}

function nextMeasureMs(nowMs: number): number {
  return nowMs - (nowMs % monitoringMs) + monitoringMs;
}

function tell(node: Node, status: "True" | "False", { client, nowMs, event }: ReconcileContext): void {
  const [reason, message, told] = verdicts[status];
  const time = rfc3339(nowMs);
  const changed = (one: NodeCondition): NodeCondition =>
    one.type === condition
      ? { ...one, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time }
      : one;
  client.updateStatus(nodes, {
    ...node,
    status: { ...node.status, conditions: (node.status.conditions ?? []).map(changed) },
  });
  tellStatus(node.metadata.name ?? "", told, event);
}
