// Completes a Node that a user registers as simulated: writes what its kubelet would report, its pod CIDR, and its lease.
import { must } from "../../shared/base/assert.ts";
import { rfc3339, rfc3339Micro } from "../../shared/k8s/time.ts";
import type { Node, NodeCondition, NodeStatus } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { leases } from "../kinds/coordination/lease.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { nextPodRange } from "../kinds/core/node/pod-ranges.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  requestOf,
  type Result,
  watch,
} from "../runtime/controller.ts";
import { type PoolMemory, followNode, poolOf } from "./pool.ts";
import type { NodeMachine, NodeMachines } from "../containers/cri.ts";
import type { NodeFaults } from "./node-faults.ts";
import { releaseOfTag } from "../../shared/k8s/settings/release.ts";
import { recordStart, recordStatus } from "./node-events.ts";
import { machineAddress, machineAnnotations, machineLabels, machineStatus } from "../machine/machine.ts";
import { isSimulated, isSimulatedLease, simulatedAnnotation } from "../kinds/core/node/simulated.ts";

const notReadyTaint = "node.kubernetes.io/not-ready";
const leaseNamespace = "kube-node-lease";

/** The delay before a node without a pod CIDR is reconciled again. */
const rangeRetryMs = 60_000;

/** Pseudo-namespaces of requests that only record that a node was cordoned or uncordoned. Their values are the events' reasons. */
const cordoned = "NodeNotSchedulable";
const uncordoned = "NodeSchedulable";
/** Pseudo-namespace of requests about a node that is no longer simulated. */
const silenced = "silenced";

export const nodeLifecycleController = "simulated-node-lifecycle";

export const nodeLifecycle = (faults?: NodeFaults, machines?: NodeMachines): Controller<PoolMemory> =>
  defineController({
    name: nodeLifecycleController,
    user: "system:node:sandbar",
    component: "kubelet",
    memory: (): PoolMemory => ({ pool: undefined }),
    watches: [
      watch(nodes, function* (next, previous, _client, memory: PoolMemory) {
        followNode(memory, next, previous);
        if (next && previous && isSimulated(previous) && !isSimulated(next)) {
          yield { namespace: silenced, name: next.metadata.name ?? "" };
        }
        if (!next || !isSimulated(next)) return;
        if (!(isComplete(next) && offersAll(next))) yield requestOf(next);
        const turned = previous && isCordoned(previous) !== isCordoned(next);
        if (turned) yield { namespace: isCordoned(next) ? cordoned : uncordoned, name: next.metadata.name ?? "" };
      }),
    ],
    reconcile({ namespace, name }, context) {
      const node = context.client.get(nodes, "", name);
      if (!node || node.metadata.deletionTimestamp !== undefined) return undefined;
      if (namespace === silenced && !isSimulated(node)) keepLastBeat(name, context);
      if (!isSimulated(node)) return undefined;
      if (namespace === cordoned || namespace === uncordoned) {
        if (isCordoned(node) === (namespace === cordoned)) recordStatus(name, namespace, context.event);
        return undefined;
      }
      const machine = machines?.of(context.client, node, context.nowMs);
      if (machine && !machine.isKubeletWorking) {
        keepLastBeat(name, context);
        return waitUntil(machine, context);
      }
      if (faults?.isRuntimeDown(name) || machine?.isRuntimeRunning === false) {
        ensureLease(node, context);
        return becomeNotReady(node, context);
      }
      if (machine?.kubeletVersion !== undefined && machine.kubeletVersion !== node.status.nodeInfo?.kubeletVersion)
        return restartAs(node, machine.kubeletVersion, context);
      if (isComplete(node)) {
        // The process may have ended after the status was written and before the lease was.
        ensureLease(node, context);
        if (!offersAll(node)) context.client.updateStatus(nodes, { ...node, status: offering(node.status) });
        return undefined;
      }
      const range =
        node.spec.podCIDR ?? nextPodRange(poolOf(context.memory, context.client).ranges, context.client.network);
      // Upstream's node controller records this event. The node stays NotReady until a pod CIDR becomes free.
      if (range === undefined) {
        context.event(node, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
        return { afterMs: rangeRetryMs };
      }
      const registered = register(node, range, context);
      if (!isReady(registered)) report(registered, context);
      ensureLease(registered, context);
      return undefined;
    },
  });

/** Returns when a silent kubelet is started again. */
function waitUntil({ untilMs }: NodeMachine, { nowMs }: ReconcileContext<PoolMemory>): Result | undefined {
  return untilMs === Number.POSITIVE_INFINITY ? undefined : { afterMs: Math.max(1, untilMs - nowMs) };
}

/** Reports the release of a kubelet that was replaced. */
function restartAs(node: Node, kubeletVersion: string, context: ReconcileContext<PoolMemory>): Result {
  const nodeInfo = { ...must(node.status.nodeInfo, "the node's facts"), kubeletVersion };
  context.client.updateStatus(nodes, { ...node, status: { ...node.status, nodeInfo } });
  context.event(node, "Normal", "Starting", "Starting kubelet.", { host: node.metadata.name ?? "" });
  return { afterMs: 0 };
}

/** Reports that the container runtime does not respond (upstream: the kubelet's `runtimeState.runtimeErrors`). */
function becomeNotReady(node: Node, { client, nowMs, event }: ReconcileContext<PoolMemory>): undefined {
  if (!isReady(node)) return;
  const time = rfc3339(nowMs);
  const conditions = (node.status.conditions ?? []).map((condition) =>
    condition.type === "Ready"
      ? { ...condition, ...runtimeDown, lastHeartbeatTime: time, lastTransitionTime: time }
      : condition,
  );
  client.updateStatus(nodes, { ...node, status: { ...node.status, conditions } });
  recordStatus(node.metadata.name ?? "", "NodeNotReady", event);
}

const runtimeDown = { status: "False", reason: "KubeletNotReady", message: "container runtime is down" } as const;

function isComplete(node: Node): boolean {
  const { podCIDR, taints } = node.spec;
  return podCIDR !== undefined && isReady(node) && !taints?.some((taint) => taint.key === notReadyTaint);
}

function isCordoned({ spec }: Node): boolean {
  return spec.unschedulable ?? false;
}

/** Reports whether every extended resource in the capacity (`example.com/dongle`) is also allocatable. */
function offersAll({ status }: Node): boolean {
  return semanticEqual(extendedResources(status.capacity), extendedResources(status.allocatable));
}

/** Returns the status with all extended resources allocatable. */
function offering(status: NodeStatus): NodeStatus {
  const machineResources = Object.entries(status.allocatable ?? {}).filter(([name]) => !name.includes("/"));
  return { ...status, allocatable: { ...Object.fromEntries(machineResources), ...extendedResources(status.capacity) } };
}

function extendedResources(list: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(list).filter(([name]) => name.includes("/")));
}

function isReady({ status }: Node): boolean {
  return status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false;
}

/** Writes labels and the pod CIDR; removes the taint with which a node that is not ready is registered. */
function register(node: Node, range: string, { client }: ReconcileContext<PoolMemory>): Node {
  const { metadata, spec } = node;
  const { taints = [], ...rest } = spec;
  const otherTaints = taints.filter((taint) => taint.key !== notReadyTaint);
  return client.update(nodes, {
    ...node,
    metadata: {
      ...metadata,
      labels: { ...machineLabels(metadata.name ?? ""), ...metadata.labels },
      annotations: { ...machineAnnotations, ...metadata.annotations },
    },
    spec: {
      ...rest,
      podCIDR: range,
      podCIDRs: spec.podCIDRs ?? [range],
      ...(otherTaints.length > 0 ? { taints: otherTaints } : {}),
    },
  });
}

/** Writes the node's status. Fields that the user set, such as a larger capacity, are preserved. */
function report(node: Node, { client, memory, nowMs, event }: ReconcileContext<PoolMemory>): void {
  const { status } = node;
  const name = node.metadata.name ?? "";
  const address =
    status.addresses?.find((nodeAddress) => nodeAddress.type === "InternalIP")?.address ??
    must(poolOf(memory, client).addresses.next(machineAddress), "a free address");
  const machine = machineStatus({
    name,
    address,
    nowMs,
    release: releaseOfTag(status.nodeInfo?.kubeletVersion) ?? client.release,
  });
  const capacity = { ...machine.capacity, ...status.capacity };
  const conditions = (machine.conditions ?? []).map((condition) => unchanged(condition, status) ?? condition);
  client.updateStatus(nodes, {
    ...node,
    status: {
      ...status,
      ...machine,
      ...(status.images ? { images: status.images } : {}),
      ...(status.addresses?.length ? { addresses: status.addresses } : {}),
      conditions,
      capacity,
      allocatable: { ...machine.allocatable, ...status.capacity, ...status.allocatable },
    },
  });
  if (!status.conditions?.some(({ type }) => type === "Ready")) return recordStart(name, event);
  for (const { type, reason = "" } of conditions.filter((condition) => !unchanged(condition, status)))
    recordStatus(name, type === "Ready" ? "NodeReady" : reason.replace("Kubelet", "Node"), event);
}

/** Returns the stored condition if it has the same status. */
function unchanged({ type, status }: NodeCondition, stored: NodeStatus): NodeCondition | undefined {
  return stored.conditions?.find((condition) => condition.type === type && condition.status === status);
}

/** Writes the current time into the lease: until now its renewals were only simulated. */
function keepLastBeat(name: string, { client, nowMs }: ReconcileContext): void {
  const lease = client.get(leases, leaseNamespace, name);
  if (!lease || !isSimulatedLease(lease)) return;
  const { [simulatedAnnotation]: _simulated, ...annotations } = lease.metadata.annotations ?? {};
  client.update(leases, {
    ...lease,
    metadata: { ...lease.metadata, annotations },
    spec: { ...lease.spec, renewTime: rfc3339Micro(nowMs) },
  });
}

/** Creates the node's lease. A simulated node's lease is not renewed by writes. */
function ensureLease(node: Node, { client, nowMs }: ReconcileContext): void {
  const { name = "", uid = "" } = node.metadata;
  const lease = client.get(leases, leaseNamespace, name);
  if (lease && !isSimulatedLease(lease)) {
    const annotations = { ...lease.metadata.annotations, [simulatedAnnotation]: "true" };
    client.update(leases, { ...lease, metadata: { ...lease.metadata, annotations } });
  }
  if (lease) return;
  client.create(leases, {
    metadata: {
      name,
      namespace: leaseNamespace,
      annotations: { [simulatedAnnotation]: "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: rfc3339Micro(nowMs) },
  });
}
