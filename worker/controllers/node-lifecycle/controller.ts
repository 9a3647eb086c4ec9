// The node lifecycle controller: sets taints by a node's conditions, and handles nodes whose kubelet is silent. Kubelets of simulated nodes
// are never silent.
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { leases } from "../../kinds/coordination/lease.ts";
import { isImported, isNeverSilent, isSimulatedLease } from "../../kinds/core/node/simulated.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import {
  type ReconcileContext,
  type Request,
  type Result,
  defineController,
  requestOf,
  watch,
} from "../../runtime/controller.ts";
import { unknownConditions, executeTaint, heardMs, isGivenUp, readyOf, wantedTaints } from "./health.ts";
import { type ZoneMemory, followZones, isAllSilent, turnMs } from "./zones.ts";
import { updatePodCondition } from "../common/pod-condition.ts";

const leaseNamespace = "kube-node-lease";
/** The grace period, and `NodeStartupGracePeriod` for a node that never reported. */
const nodeMonitorGracePeriodMs = 50_000;
const startupGraceMs = 60_000;
/** The saved state of requests that only report a new or deleted node. */
const registration = "registration";
const removal = "removal";
/** The saved state of requests for a node whose kubelet was simulated and no longer is. Until the change it counts as heard of. */
const silence = "silence";
/** The saved state of requests to evict pods from a node that is not ready, which wait for the state of other nodes. */
const eviction = "eviction";
const evictionPauseMs = 100;
/** Labels with their older names. */
const olderLabels = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

export const nodeLifecycleController = defineController({
  name: "node-controller",
  component: "node-controller",
  memory: (): ZoneMemory => ({ zones: undefined }),
  watches: [
    watch<Node, ZoneMemory>(nodes, function* (next, previous, _client, memory): Generator<Request> {
      for (const name of followZones(memory, next, previous)) {
        yield* [
          { namespace: "", name },
          { namespace: eviction, name },
        ];
      }
      if (!next && previous && !isImported(previous)) {
        yield { namespace: removal, name: `${previous.metadata.name ?? ""}/${previous.metadata.uid ?? ""}` };
      }
      if (next && previous && isNeverSilent(previous) !== isNeverSilent(next)) {
        yield { namespace: silence, name: next.metadata.name ?? "" };
        return;
      }
      if (!next || (previous && !isRelevant(next, previous))) return;
      yield requestOf(next);
      if (executeTaint(next)) yield { namespace: eviction, name: next.metadata.name ?? "" };
      // Initial nodes of the cluster have been reported before.
      if (!previous && !isImported(next) && !(isNeverSilent(next) && readyOf(next)))
        yield { namespace: registration, name: next.metadata.name ?? "" };
    }),
    watch(leases, function* (next): Generator<Request> {
      if (next?.metadata.namespace === leaseNamespace) yield { namespace: "", name: next.metadata.name ?? "" };
    }),
  ],
  reconcile({ namespace, name }, context) {
    if (namespace === removal) return tellRemoval(name, context);
    const { savedState } = context;
    const node = context.client.get(nodes, "", name);
    if (!node || node.metadata.deletionTimestamp) return undefined;
    if (namespace === registration) {
      context.event(node, "Normal", "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      return undefined;
    }
    if (namespace === eviction) return evict(node, context);
    if (namespace === silence && savedState === undefined && !isNeverSilent(node)) {
      return { afterMs: nodeMonitorGracePeriodMs + 1, savedState: silence };
    }
    const leftMs = isHeard(node, context) ? undefined : graceLeftMs(node, context);
    settle(leftMs !== undefined && leftMs <= 0 ? giveUp(node, context) : node, context);
    return leftMs !== undefined && leftMs > 0 ? { afterMs: leftMs } : undefined;
  },
});

function isRelevant(next: Node, previous: Node): boolean {
  const relevantFields = ({ metadata, spec, status }: Node) =>
    JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status.conditions]);
  return relevantFields(next) !== relevantFields(previous);
}

/** Reports whether a kubelet is heard of without writes of its lease. The lease of a kubelet that was stopped is not simulated. */
function isHeard(node: Node, { client }: ReconcileContext): boolean {
  if (!isNeverSilent(node)) return false;
  const lease = client.get(leases, leaseNamespace, node.metadata.name ?? "");
  return isImported(node) || !lease || isSimulatedLease(lease);
}

/** Returns the remaining grace period of a silent kubelet. */
function graceLeftMs(node: Node, { client, nowMs }: ReconcileContext): number {
  const { renewTime } = client.get(leases, leaseNamespace, node.metadata.name ?? "")?.spec ?? {};
  // Upstream is late by up to its period. One millisecond is added so that the time has passed.
  return heardMs(node, renewTime) + (readyOf(node) ? nodeMonitorGracePeriodMs : startupGraceMs) + 1 - nowMs;
}

function giveUp(node: Node, { client, nowMs, event }: ReconcileContext): Node {
  const name = node.metadata.name ?? "";
  const wasReady = readyOf(node)?.status === "True";
  const status = { ...node.status, conditions: unknownConditions(node, nowMs) };
  const next = client.updateStatus(nodes, { ...node, status });
  if (!wasReady) return next;
  event(next, "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  return next;
}

function tellRemoval(request: string, { event }: ReconcileContext): undefined {
  const [name = "", uid = ""] = request.split("/");
  const node = { apiVersion: "v1", kind: "Node", metadata: { name, uid } };
  event(node, "Normal", "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
}

/** Taints a node so that its pods are evicted, when its zone allows it. */
function evict(node: Node, { client, memory, nowMs, savedState }: ReconcileContext<ZoneMemory>): Result | undefined {
  const taint = executeTaint(node);
  if (!taint || node.spec.taints?.some(isGivenUp) || isAllSilent(memory, client)) return undefined;
  if (savedState === undefined) return { afterMs: evictionPauseMs, savedState: eviction };
  const waitMs = turnMs(memory, client, node, nowMs);
  if (waitMs === undefined) return undefined;
  if (waitMs > 0) return { afterMs: waitMs, savedState };
  client.update(nodes, { ...node, spec: { ...node.spec, taints: [...wantedTaints(node, taint, nowMs)] } });
  return undefined;
}

/** Sets taints and labels. Marks pods of a silent node as not ready when the silence is first seen. */
function settle(node: Node, context: ReconcileContext<ZoneMemory>): void {
  const { client, memory, nowMs, event } = context;
  const keeps = node.spec.taints?.some(isGivenUp) && !isAllSilent(memory, client);
  const taints = wantedTaints(node, keeps ? executeTaint(node) : undefined, nowMs);
  const labels = olderLabels.flatMap(([name, older]): [string, string][] => {
    const value = node.metadata.labels?.[name];
    return value === undefined ? [] : [[older, value]];
  });
  const { taints: _old, ...spec } = node.spec;
  client.update(nodes, {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...Object.fromEntries(labels) } },
    spec: taints.length > 0 ? { ...spec, taints: [...taints] } : spec,
  });
  if (isHeard(node, context) || readyOf(node)?.status !== "Unknown") return;
  for (const pod of client.byIndexValue<Pod>(pods, node.metadata.name ?? "")) {
    const ready = pod.status.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") continue;
    const conditions = [...updatePodCondition(pod.status.conditions, { ...ready, status: "False" }, nowMs)];
    const next = client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
    event(next, "Warning", "NodeNotReady", "Node is not ready");
  }
}
