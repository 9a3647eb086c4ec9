// The DaemonSet controller: one pod on every node that wants one, of the present template, as fast as the strategy allows.
import type { DaemonSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { selectorFrom } from "../../shared/k8s/labels.ts";
import { controllerOf } from "../../shared/k8s/meta.ts";
import { controllerRevisions } from "../kinds/apps/controller-revision.ts";
import { daemonSets } from "../kinds/apps/daemon-set.ts";
import { nodes as nodeKind } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Client } from "../registry/client.ts";
import {
  type ReconcileContext,
  type Request,
  type Result,
  controllerOwner,
  defineController,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";
import { type Owner, claim } from "./parts/controller-ref.ts";
import { waitForReplacementMs } from "./parts/daemon-set/failed-pods.ts";
import { cleanUpHistory, historyOf } from "./parts/daemon-set/history.ts";
import { type Changes, missingAndSurplus } from "./parts/daemon-set/manage.ts";
import { placementOf } from "./parts/daemon-set/placement.ts";
import { podsByNode } from "./parts/daemon-set/pods-by-node.ts";
import { nextOfRollout } from "./parts/daemon-set/rolling.ts";
import { daemonSetStatus } from "./parts/daemon-set/status.ts";
import { daemonTemplate, forNode } from "./parts/daemon-set/template.ts";
import { defineSpecAdoption } from "./parts/orphan-adoption.ts";
import { type Failed, createPod, deletePod, podFromTemplate } from "./parts/pod-control.ts";
import { nextAvailabilityMs } from "./parts/pod-ready.ts";
import { revisionHashLabel } from "./parts/revisions.ts";
import { slowStart } from "./parts/slow-start.ts";

/** Pods that one reconcile makes, and removes, at most (upstream's `BurstReplicas`). */
const burstReplicas = 250;

export const daemonSetController = defineController({
  name: "daemon-set-controller",
  component: "daemonset-controller",
  watches: [
    self(daemonSets),
    controllerOwner(pods, daemonSets),
    controllerOwner(controllerRevisions, daemonSets),
    watch<Node>(nodeKind, concerned),
  ],
  reconcile({ namespace, name }, context) {
    const daemonSet = context.client.get(daemonSets, namespace, name);
    return daemonSet ? reconcile(daemonSet, context) : undefined;
  },
});

/** Gives a pod without a controller to the DaemonSet that selects it. */
export const daemonSetPodAdoption = defineSpecAdoption({
  name: "daemon-set-pod-adoption",
  identity: "daemon-set-controller",
  kind: pods,
  owner: daemonSets,
});

/** The same for a revision. */
export const daemonSetRevisionAdoption = defineSpecAdoption({
  name: "daemon-set-revision-adoption",
  identity: "daemon-set-controller",
  kind: controllerRevisions,
  owner: daemonSets,
});

/** Upstream's `syncNodeUpdate`: the DaemonSets for which a change of this node matters. */
function* concerned(next: Node | undefined, previous: Node | undefined, client: Client): Iterable<Request> {
  if (next && previous && !differs(next, previous)) return;
  const node = next ?? previous;
  if (!node) return;
  const owners = new Set(client.byIndexValue(pods, node.metadata.name ?? "").map((pod) => controllerOf(pod)?.uid));
  for (const daemonSet of client.list(daemonSets)) {
    const placement = placementOf(daemonSet);
    const { shouldRun, mayStay } = placement(node);
    // Upstream's status is late by a resync where only that changes.
    const isTurned = next && previous && placement(previous).shouldRun !== shouldRun;
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

/** One reconcile of one DaemonSet. */
interface Sync {
  readonly daemonSet: DaemonSet;
  readonly owner: Owner;
  readonly context: ReconcileContext;
  readonly nodes: readonly Node[];
  readonly hash: string;
  placement: ReturnType<typeof placementOf>;
  /** When a failed pod may be replaced. */
  afterMs: number | undefined;
}

function reconcile(daemonSet: DaemonSet, context: ReconcileContext): Result | undefined {
  const { client, event, nowMs } = context;
  const owner: Owner = { object: daemonSet, kind: daemonSets, selector: selectorFrom(daemonSet.spec.selector) };
  if (owner.selector.empty) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    event(daemonSet, "Warning", "SelectingAll", message);
    return undefined;
  }
  if (daemonSet.metadata.deletionTimestamp) return undefined;
  const isFirstTime = daemonSet.status.observedGeneration === undefined;
  const claimed = claim(client, pods, owner, { isFirstTime });
  const history = historyOf(client, daemonSet, owner, claimed);
  const sync: Sync = {
    daemonSet,
    owner,
    context,
    nodes: client.list(nodeKind),
    hash: history.current.metadata.labels?.[revisionHashLabel] ?? "",
    placement: placementOf(daemonSet),
    afterMs: undefined,
  };
  const failed = update(sync);
  const owned = ownPods(sync);
  if (!failed) cleanUpHistory(client, daemonSet, history.old, owned);
  const shouldRun = (node: Node) => sync.placement(node).shouldRun;
  const status = daemonSetStatus(daemonSet, sync.nodes, podsByNode(owned), shouldRun, sync.hash, nowMs);
  client.updateStatus(daemonSets, { ...daemonSet, status });
  if (failed) throw failed.cause;
  return soonest(sync.afterMs, nextAvailabilityMs(owned, daemonSet.spec.minReadySeconds ?? 0, nowMs));
}

function ownPods({ daemonSet, owner, context }: Sync): Pod[] {
  return context.client
    .controlledBy(pods, daemonSet.metadata.uid ?? "")
    .filter(({ metadata }) => owner.selector.matches(metadata.labels));
}

/** Upstream's `updateDaemonSet`: what is missing or too many first; the rollout goes on when that is done. */
function update(sync: Sync): Failed | undefined {
  const { daemonSet, context, nodes, hash, placement } = sync;
  const { nowMs } = context;
  const view = { daemonSet, nodes, byNode: podsByNode(ownPods(sync)), hash, nowMs };
  const replaces = (pod: Pod, nodeName: string, message: string) => mayReplace(sync, pod, nodeName, message);
  const missing = missingAndSurplus({ ...view, placement, replaces });
  if (missing.create.length > 0 || missing.remove.length > 0) return apply(sync, missing);
  if (daemonSet.spec.updateStrategy.type !== "RollingUpdate") return undefined;
  return apply(sync, nextOfRollout({ ...view, shouldRun: (node) => placement(node).shouldRun }));
}

function mayReplace(sync: Sync, pod: Pod, nodeName: string, message: string): boolean {
  const { daemonSet, context } = sync;
  if (pod.status.phase === "Succeeded") {
    context.event(daemonSet, "Normal", "SucceededDaemonPod", message);
    return true;
  }
  const key = `${daemonSet.metadata.uid ?? ""}/${daemonSet.status.observedGeneration ?? 0}/${nodeName}`;
  const waitMs = waitForReplacementMs(context.client, key, context.nowMs);
  if (waitMs > 0) {
    sync.afterMs = Math.min(sync.afterMs ?? waitMs, waitMs);
    return false;
  }
  context.event(daemonSet, "Warning", "FailedDaemonPod", message);
  return true;
}

/** Upstream's `syncNodes`. */
function apply({ daemonSet, owner, context, hash }: Sync, { create, remove }: Changes): Failed | undefined {
  const template = daemonTemplate(daemonSet, hash);
  const names = create.slice(0, burstReplicas).values();
  const failedCreate = slowStart(Math.min(create.length, burstReplicas), () =>
    createPod(owner, podFromTemplate(owner, forNode(template, names.next().value ?? "")), context),
  );
  const failedDeletes = remove.slice(0, burstReplicas).map((pod) => deletePod(owner, pod, context));
  return failedCreate ?? failedDeletes.find((failed) => failed !== undefined);
}

function soonest(...waits: readonly (number | undefined)[]): Result | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? { afterMs: Math.min(...known) } : undefined;
}
