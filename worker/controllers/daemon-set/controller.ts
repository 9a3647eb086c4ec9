// The DaemonSet controller: runs one pod of the current template on every eligible node, at the speed of the update strategy.
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "../../../shared/k8s/api/apps-v1.ts";
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
  requestOf,
  self,
  watch,
} from "../../runtime/controller.ts";
import { type Owner, claim } from "../common/controller-ref.ts";
import { cleanupHistory, constructHistory } from "./history.ts";
import { type Changes, missingAndSurplus } from "./manage.ts";
import { type PodOutline, RememberedPods } from "./remembered-pods.ts";
import { nodeFactsOf, type NodeFacts, RememberedNodes } from "./node-facts.ts";
import { nodeShouldRunDaemonPod, getNodesToDaemonPods, type PodsByNode, oldestFirst } from "./nodes.ts";
import { nextOfRollout } from "./rolling.ts";
import {
  createPodTemplate,
  replaceDaemonSetPodNodeNameNodeAffinity,
  isPodUpdated,
  templateGeneration,
} from "./template.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { type Failed, createPod, deletePod, getPodFromTemplate } from "../common/pod-control.ts";
import { findMinNextPodAvailabilityCheckMs, isPodAvailable, isPodReady } from "../common/pod-ready.ts";
import { controllerRevisionHashLabelKey } from "../common/revisions.ts";
import { slowStartBatch } from "../common/slow-start.ts";

/** The maximum number of pods that one reconcile creates, and that it deletes. */
const burstReplicas = 250;

const initialBackoffMs = 1_000;
const maxBackoffMs = 900_000;

interface Memory {
  /** The backoff by DaemonSet, generation and node. It restarts after an eviction. */
  readonly failedPodsBackoff: Map<string, { readonly ms: number; readonly sinceMs: number }>;
  readonly nodes: RememberedNodes;
  readonly pods: RememberedPods;
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
  memory: (): Memory => ({ failedPodsBackoff: new Map(), nodes: new RememberedNodes(), pods: new RememberedPods() }),
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
    const placement = nodeShouldRunDaemonPod(daemonSet);
    const { shouldRun, mayStay } = placement(nodeFactsOf(node));
    // Upstream updates a status later, by a resync, if only the status changes.
    const isTurned = next && previous && placement(nodeFactsOf(previous)).shouldRun !== shouldRun;
    const isThere = owners.has(daemonSet.metadata.uid);
    const isMisplaced = daemonSet.status.numberMisscheduled > 0;
    const matters = isThere ? !mayStay || isMisplaced || !next : shouldRun;
    if (matters || isTurned) yield requestOf(daemonSet);
  }
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
  const history = constructHistory(client, daemonSet, owner, () => ownPods(owner, context));
  const sync: Sync = {
    daemonSet,
    owner,
    context,
    nodes: context.memory.nodes.list(client),
    pods: history.relabelled ? ownPods(owner, context) : claimed,
    hash: history.current.metadata.labels?.[controllerRevisionHashLabelKey] ?? "",
    placement: nodeShouldRunDaemonPod(daemonSet),
    afterMs: undefined,
    isCutShort: false,
  };
  const changes = changesOf(sync);
  const isDone = changes.create.length === 0 && changes.remove.length === 0;
  const failed = isDone ? undefined : syncNodes(sync, changes);
  // There may be many pods, so they are read again only after changes.
  const owned = isDone ? sync.pods : outlines(owner, context);
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

/** Returns the DaemonSet's pods. Reads all of them only if some must be adopted or released. */
function claimedPods(owner: Owner, context: ReconcileContext<Memory>, isFirstTime: boolean): readonly Pod[] {
  const { client, memory } = context;
  const { uid = "" } = owner.object.metadata;
  const controlled = isFirstTime ? [] : memory.pods.controlledBy(client, uid);
  const isSettled = !isFirstTime && controlled.every(({ metadata }) => owner.selector.matches(metadata.labels));
  return isSettled ? controlled : claim(client, pods, owner, { isFirstTime });
}

function outlines({ object, selector }: Owner, { client, memory }: ReconcileContext<Memory>): readonly PodOutline[] {
  const all = memory.pods.controlledBy(client, object.metadata.uid ?? "");
  return all.filter(({ metadata }) => selector.matches(metadata.labels));
}

function ownPods({ object, selector }: Owner, { client, memory }: ReconcileContext<Memory>): readonly Pod[] {
  const all = client.controlledBy(pods, object.metadata.uid ?? "");
  // Their owner references were written, or will be.
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
  const waitMs = waitForReplacementMs(context.memory, key, context.nowMs);
  if (waitMs > 0) {
    sync.afterMs = Math.min(sync.afterMs ?? waitMs, waitMs);
    return false;
  }
  context.event(daemonSet, "Warning", "FailedDaemonPod", message);
  return true;
}

function syncNodes(sync: Sync, { create, remove }: Changes): Failed | undefined {
  const { daemonSet, owner, context, hash } = sync;
  const isTurnOver = () => (sync.isCutShort ||= context.isTurnOver());
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
    isTurnOver,
  );
  let failedDelete: Failed | undefined;
  for (const pod of remove.slice(0, burstReplicas)) {
    if (isTurnOver()) break;
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

/** Returns the time to wait; 0 if a failed pod may be deleted now, which increases the next wait. */
function waitForReplacementMs({ failedPodsBackoff: backoffs }: Memory, key: string, nowMs: number): number {
  const last = backoffs.get(key);
  const isCurrent = last !== undefined && nowMs - last.sinceMs <= 2 * maxBackoffMs;
  if (isCurrent && nowMs - last.sinceMs < last.ms) return last.sinceMs + last.ms - nowMs;
  backoffs.set(key, { ms: isCurrent ? Math.min(2 * last.ms, maxBackoffMs) : initialBackoffMs, sinceMs: nowMs });
  for (const [old, { sinceMs }] of backoffs) if (nowMs - sinceMs > 2 * maxBackoffMs) backoffs.delete(old);
  return 0;
}

function daemonSetStatus(
  daemonSet: DaemonSet,
  nodes: readonly NodeFacts[],
  byNode: PodsByNode,
  shouldRun: (node: NodeFacts) => boolean,
  hash: string,
  nowMs: number,
): DaemonSetStatus {
  const { metadata, spec, status } = daemonSet;
  const generation = templateGeneration(daemonSet);
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [oldest] = oldestFirst(byNode.get(node.name) ?? []);
    if (!shouldRun(node)) {
      if (oldest) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!oldest) continue;
    counts.current++;
    if (isPodReady(oldest)) counts.ready++;
    if (isPodAvailable(oldest, spec.minReadySeconds ?? 0, nowMs)) counts.available++;
    if (isPodUpdated(oldest, hash, generation)) counts.updated++;
  }
  return {
    ...status,
    observedGeneration: metadata.generation ?? 0,
    desiredNumberScheduled: counts.desired,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  };
}
