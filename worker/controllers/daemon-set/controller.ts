// The DaemonSet controller: runs one pod of the current template on every eligible node, at the speed of the update strategy.
import type { ControllerRevision, DaemonSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { controllerRevisions } from "../../kinds/apps/controller-revision.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { nodes as nodeKind } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import {
  type ReconcileContext,
  type Request,
  type Result,
  type Watch,
  controllerOwner,
  defineController,
  mapFormat,
  requestOf,
  self,
  watch,
} from "../../runtime/controller.ts";
import { type Owner, claim } from "../common/controller-ref.ts";
import { type Backoff, startOrAwaitBackoff } from "./backoff.ts";
import { cleanupHistory, constructHistory } from "./history.ts";
import { type Changes, missingAndSurplus } from "./manage.ts";
import { type PodOutline, PodCache } from "./pod-cache.ts";
import { nodeFactsOf, type NodeFacts, NodeCache } from "./node-facts.ts";
import { nodeShouldRunDaemonPod, getNodesToDaemonPods } from "./nodes.ts";
import { nextOfRollout } from "./rolling.ts";
import { daemonSetStatus } from "./status.ts";
import { createPodTemplate, replaceDaemonSetPodNodeNameNodeAffinity } from "./template.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { type Failed, createPod, deletePod, getPodFromTemplate } from "../common/pod-control.ts";
import { findMinNextPodAvailabilityCheckMs } from "../common/pod-ready.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";
import { slowStartBatch } from "../common/slow-start.ts";

/** The maximum number of pods that one reconcile creates, and that it deletes. */
const burstReplicas = 250;

interface Memory {
  /** The backoff by DaemonSet, generation and node. It restarts after an eviction. */
  readonly failedPodsBackoff: Map<string, Backoff>;
  readonly nodes: NodeCache;
  readonly pods: PodCache;
}

const ownRevisionWatch = controllerOwner<ControllerRevision>(controllerRevisions, daemonSets);

/** As upstream, a new revision with an owner triggers no reconcile. */
const updatedRevisions: typeof ownRevisionWatch = {
  ...ownRevisionWatch,
  requests: (next, previous, client, memory) =>
    previous ? ownRevisionWatch.requests(next, previous, client, memory) : [],
};

const podOwners = controllerOwner<Pod>(pods, daemonSets);

const daemonPods: Watch<Memory> = {
  ...podOwners,
  requests(next, previous, client, memory) {
    // Changes of this kind are changes of pods.
    memory.pods.applyChange(next as Pod | undefined, previous as Pod | undefined);
    return podOwners.requests(next, previous, client, memory);
  },
};

export const daemonSetController = defineController({
  name: "daemon-set-controller",
  component: "daemonset-controller",
  memory: (): Memory => ({ failedPodsBackoff: new Map(), nodes: new NodeCache(), pods: new PodCache() }),
  memoryFormat: mapFormat(({ failedPodsBackoff }: Memory) => failedPodsBackoff),
  watches: [self(daemonSets), daemonPods, updatedRevisions, watch<Node, Memory>(nodeKind, syncNodeUpdate)],
  reconcile({ namespace, name }, context) {
    const daemonSet = context.client.get(daemonSets, namespace, name);
    return daemonSet ? reconcile(daemonSet, context) : undefined;
  },
});

/** Adopts pods without a controller that a DaemonSet selects. */
export const daemonSetPodAdoption = defineSpecAdoption({
  name: "daemon-set-pod-adoption",
  identity: "daemon-set-controller",
  kind: pods,
  owner: daemonSets,
});

/** Adopts revisions without a controller. */
export const daemonSetRevisionAdoption = defineSpecAdoption({
  name: "daemon-set-revision-adoption",
  identity: "daemon-set-controller",
  kind: controllerRevisions,
  owner: daemonSets,
});

/** Requests the DaemonSets that a change of a node affects. */
function* syncNodeUpdate(
  next: Node | undefined,
  previous: Node | undefined,
  client: Client,
  memory: Memory,
): Iterable<Request> {
  memory.nodes.applyChange(next, previous);
  if (next && previous && !differs(next, previous)) return;
  const node = next ?? previous;
  if (!node) return;
  const owners = new Set(client.byIndexValue(pods, node.metadata.name ?? "").map((pod) => getControllerOf(pod)?.uid));
  for (const daemonSet of client.list(daemonSets)) {
    const hasPod = owners.has(daemonSet.metadata.uid);
    if (isAffected(daemonSet, { hasPod, node, isDeleted: !next, previous: next && previous }))
      yield requestOf(daemonSet);
  }
}

/** A change of a node: created, updated if it has a previous state, or deleted. `hasPod`: whether the DaemonSet has a pod on it. */
interface NodeChange {
  readonly node: Node;
  readonly previous: Node | undefined;
  readonly isDeleted: boolean;
  readonly hasPod: boolean;
}

/** Reports whether a change of a node can change the pods or the status of a DaemonSet. */
function isAffected(daemonSet: DaemonSet, { node, previous, isDeleted, hasPod }: NodeChange): boolean {
  const placement = nodeShouldRunDaemonPod(daemonSet);
  const { shouldRun, mayStay } = placement(nodeFactsOf(node));
  // The number of nodes that should run a pod changes. Upstream updates a status that alone changes by its resync; here it is updated at once.
  if (previous && placement(nodeFactsOf(previous)).shouldRun !== shouldRun) return true;
  // The node needs a pod, or, if it is deleted, no longer counts.
  if (!hasPod) return shouldRun;
  // The pod must be deleted.
  if (isDeleted || !mayStay) return true;
  // The pod may be one of those that are counted as misscheduled.
  return daemonSet.status.numberMisscheduled > 0;
}

function differs(next: Node, previous: Node): boolean {
  const isSame =
    semanticEqual(next.metadata.labels, previous.metadata.labels) &&
    semanticEqual(next.spec.taints, previous.spec.taints);
  return !isSame;
}

/** The state of one reconcile of a DaemonSet. */
interface Sync {
  readonly daemonSet: DaemonSet;
  readonly owner: Owner;
  readonly context: ReconcileContext<Memory>;
  readonly nodes: readonly NodeFacts[];
  /** The owned pods before any change. */
  readonly pods: readonly Pod[];
  readonly hash: string;
  placement: ReturnType<typeof nodeShouldRunDaemonPod>;
  /** The time until a failed pod may be replaced. */
  afterMs: number | undefined;
  /** Whether the turn ended before everything was done. */
  isCutShort: boolean;
}

function reconcile(daemonSet: DaemonSet, context: ReconcileContext<Memory>): Result | undefined {
  const { client, event, nowMs } = context;
  const owner: Owner = {
    object: daemonSet,
    kind: daemonSets,
    selector: labelSelectorAsSelector(daemonSet.spec.selector),
  };
  if (owner.selector.empty) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    event(daemonSet, "Warning", "SelectingAll", message);
    return undefined;
  }
  if (daemonSet.metadata.deletionTimestamp) return undefined;
  const isFirstTime = daemonSet.status.observedGeneration === undefined;
  const claimed = claimedPods(owner, context, isFirstTime);
  const history = constructHistory(client, daemonSet, owner, () => fullPods(owner, context));
  const sync: Sync = {
    daemonSet,
    owner,
    context,
    nodes: context.memory.nodes.list(client),
    pods: history.relabelled ? fullPods(owner, context) : claimed,
    hash: history.current.metadata.labels?.[controllerRevisionHashLabelKey] ?? "",
    placement: nodeShouldRunDaemonPod(daemonSet),
    afterMs: undefined,
    isCutShort: false,
  };
  const changes = changesOf(sync);
  const isDone = changes.create.length === 0 && changes.remove.length === 0;
  const failed = isDone ? undefined : syncNodes(sync, changes);
  // Reading many pods takes long, so they are read again only after changes.
  const owned = isDone ? sync.pods : remainingPods(owner, context);
  if (!failed) cleanupHistory(client, daemonSet, history.old, owned);
  const shouldRun = (node: NodeFacts) => sync.placement(node).shouldRun;
  const status = daemonSetStatus(daemonSet, sync.nodes, getNodesToDaemonPods(owned), shouldRun, sync.hash, nowMs);
  client.updateStatus(daemonSets, { ...daemonSet, status });
  if (failed) throw failed.cause;
  return soonest(
    sync.afterMs,
    sync.isCutShort ? 0 : undefined,
    findMinNextPodAvailabilityCheckMs(owned, daemonSet.spec.minReadySeconds ?? 0, nowMs),
  );
}

/**
 * Returns the DaemonSet's pods. Takes them from the cache unless some must be released. The first reconcile claims them, because pods
 * that are older than the DaemonSet may have to be adopted.
 */
function claimedPods(owner: Owner, context: ReconcileContext<Memory>, isFirstTime: boolean): readonly Pod[] {
  const { client, memory } = context;
  const { uid = "" } = owner.object.metadata;
  const controlled = isFirstTime ? [] : memory.pods.controlledBy(client, uid);
  const isSettled = !isFirstTime && controlled.every(({ metadata }) => owner.selector.matches(metadata.labels));
  return isSettled ? controlled : claim(client, pods, owner, { isFirstTime });
}

/** Returns the outlines of the pods that the DaemonSet controls and selects, as they are after this reconcile's writes. */
function remainingPods(
  { object, selector }: Owner,
  { client, memory }: ReconcileContext<Memory>,
): readonly PodOutline[] {
  const all = memory.pods.controlledBy(client, object.metadata.uid ?? "");
  return all.filter(({ metadata }) => selector.matches(metadata.labels));
}

/** Reads the pods that the DaemonSet controls and selects, with all their fields, which a writer needs. */
function fullPods({ object, selector }: Owner, { client, memory }: ReconcileContext<Memory>): readonly Pod[] {
  const all = client.controlledBy(pods, object.metadata.uid ?? "");
  // The history may relabel the pods, so their outlines are stale.
  for (const pod of all) memory.pods.forget(pod);
  return all.filter(({ metadata }) => selector.matches(metadata.labels));
}

/** Computes missing and surplus pods first. The rollout continues when there are none. */
function changesOf(sync: Sync): Changes {
  const { daemonSet, context, nodes, hash, placement } = sync;
  const { nowMs } = context;
  const view = { daemonSet, nodes, byNode: getNodesToDaemonPods(sync.pods), hash, nowMs };
  const replaces = (pod: Pod, nodeName: string, message: string) => mayReplace(sync, pod, nodeName, message);
  const missing = missingAndSurplus({ ...view, placement, replaces });
  if (missing.create.length > 0 || missing.remove.length > 0) return missing;
  if (daemonSet.spec.updateStrategy.type !== "RollingUpdate") return { create: [], remove: [] };
  return nextOfRollout({ ...view, shouldRun: (node) => placement(node).shouldRun });
}

function mayReplace(sync: Sync, pod: Pod, nodeName: string, message: string): boolean {
  const { daemonSet, context } = sync;
  if (pod.status.phase === "Succeeded") {
    context.event(daemonSet, "Normal", "SucceededDaemonPod", message);
    return true;
  }
  const key = `${daemonSet.metadata.uid ?? ""}/${daemonSet.status.observedGeneration ?? 0}/${nodeName}`;
  const waitMs = startOrAwaitBackoff(context.memory.failedPodsBackoff, key, context.nowMs);
  if (waitMs > 0) {
    sync.afterMs = Math.min(sync.afterMs ?? waitMs, waitMs);
    return false;
  }
  context.event(daemonSet, "Warning", "FailedDaemonPod", message);
  return true;
}

function syncNodes(sync: Sync, { create, remove }: Changes): Failed | undefined {
  const { daemonSet, owner, context, hash } = sync;
  const isBudgetSpent = () => (sync.isCutShort ||= context.isBudgetSpent());
  const template = createPodTemplate(daemonSet, hash);
  const names = create.slice(0, burstReplicas).values();
  const failedCreate = slowStartBatch(
    Math.min(create.length, burstReplicas),
    () =>
      createPod(
        owner,
        getPodFromTemplate(owner, replaceDaemonSetPodNodeNameNodeAffinity(template, names.next().value ?? "")),
        context,
      ),
    isBudgetSpent,
  );
  let failedDelete: Failed | undefined;
  for (const pod of remove.slice(0, burstReplicas)) {
    if (isBudgetSpent()) break;
    context.memory.pods.forget(pod);
    const failed = deletePod(owner, pod, context);
    failedDelete ??= failed;
  }
  return failedCreate ?? failedDelete;
}

function soonest(...waits: readonly (number | undefined)[]): Result | undefined {
  const delays = waits.filter((wait) => wait !== undefined);
  return delays.length > 0 ? { afterMs: Math.min(...delays) } : undefined;
}
