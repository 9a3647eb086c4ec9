// The simulated kubelet: runs the pods that are bound to simulated nodes, by moving each pod through the stages of its life.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { limits } from "../../shared/base/limits.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { releaseOfTag } from "../../shared/k8s/settings/release.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { endpoints } from "../kinds/core/endpoints.ts";
import { secrets } from "../kinds/core/secret.ts";
import { services } from "../kinds/core/service/service.ts";
import { networkPolicies } from "../kinds/networking/network-policy.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  type Request,
  type Result,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";
import { type Delays, defaultDelays } from "../machine/delays.ts";
import type { KubeletOptions } from "./options.ts";
import type { ContainerRun, NodeMemories, NodeServices } from "../containers/cri.ts";
import { lookupOn } from "./config/lookup.ts";
import type { DataKind } from "./config/references.ts";
import { release, remember, type Waiting } from "./config/waiting.ts";
import { isTerminalPhase, type LifeEvent, type NodeView, timeMs } from "./life.ts";
import { Admissions } from "./admissions.ts";
import { LastSyncs } from "./last-syncs.ts";
import { restoreNodes, savedNodes } from "./saved-nodes.ts";
import { SyncPart, SyncUnfinished } from "./stages/sync-part.ts";
import { holding, newSync, UnfinishedSyncs, waitsSoFar } from "./unfinished-syncs.ts";
import { StopPlans } from "./stop-plans.ts";
import { synchronize } from "./pressure/eviction-manager.ts";
import { pressureWatches } from "./pressure/watches.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { killIn, type Kill } from "./node-faults.ts";
import { type PodStep, stepPod } from "./step.ts";

type Client = ReconcileContext["client"];

interface Memory {
  /** Opens the container runtime of a node. */
  readonly runtimeOf: (client: Client, node: Node, report?: (error: unknown) => void) => NodeServices;
  /** The states of the nodes' container runtimes. */
  readonly runtimes: NodeMemories;
  readonly waiting: Waiting;
  readonly unfinished: UnfinishedSyncs;
  readonly syncs: LastSyncs;
  readonly stopPlans: StopPlans;
  readonly admissions: Admissions;
}

export const kubeletController = "kubelet";

/** The controller that runs the pods of all simulated nodes. */
export function kubelet(options: KubeletOptions): Controller<Memory> {
  const delays: Delays = { ...defaultDelays, ...options };
  const syncSettings: SyncSettings = { options, delays };
  return defineController({
    name: kubeletController,
    user: "system:node:sandbar",
    component: "kubelet",
    memory: (): Memory => {
      const runtimes: NodeMemories = new Map();
      return {
        runtimes,
        runtimeOf: options.runtimes.open(runtimes),
        waiting: new Map(),
        unfinished: new UnfinishedSyncs(),
        syncs: new LastSyncs(),
        stopPlans: new StopPlans(),
        admissions: new Admissions(options.admission),
      };
    },
    memoryFormat: {
      save: ({ runtimes }) => savedNodes(runtimes),
      restore: ({ runtimes }, saved) => restoreNodes(runtimes, saved),
    },
    watches: [
      self(pods, (next) => next?.spec.nodeName !== undefined),
      // When a pod leaves its node, pods whose resize was deferred for lack of room are synchronized again.
      watch(pods, (next, previous, _client, memory: Memory) => {
        if (!next && previous) memory.syncs.drop(previous);
        const changed = next ?? previous;
        if (changed) memory.admissions.follow(changed, !next);
        const left =
          previous && !isTerminalPhase(previous.status.phase) && (!next || isTerminalPhase(next.status.phase));
        return left ? releaseWaiting(memory, `room/${previous.spec.nodeName ?? ""}`) : [];
      }),
      // Pods may be bound to a node before it can run them.
      watch(nodes, function* (next, previous, client, memory: Memory) {
        if (!next) memory.admissions.forgetNode(previous?.metadata.name ?? "");
        if (!next || !isAble(next) || (previous && isAble(previous))) return;
        for (const pod of client.byIndexValue(pods, next.metadata.name ?? "")) yield requestOf(pod);
      }),
      // An attached volume releases the pods that wait for it.
      watch(nodes, (next, previous, _client, memory: Memory) => {
        const isSame = semanticEqual(next?.status.volumesAttached, previous?.status.volumesAttached);
        return next && !isSame ? releaseWaiting(memory, `attachment//${next.metadata.name ?? ""}`) : [];
      }),
      watch(configMaps, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("configmap", next)) : [],
      ),
      watch(services, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("service", next)) : [],
      ),
      watch(endpoints, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("service", next)) : [],
      ),
      watch(networkPolicies, (_next, _, _client, memory: Memory) => releaseWaiting(memory, "networkpolicies")),
      watch(persistentVolumeClaims, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("claim", next)) : [],
      ),
      watch(resourceClaims, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("resourceclaim", next)) : [],
      ),
      watch(secrets, (next, _, _client, memory: Memory) =>
        next ? releaseWaiting(memory, dataKey("secret", next)) : [],
      ),
      ...pressureWatches,
    ],
    reconcile: (request, context) => reconcile(request, context, syncSettings),
  });
}

/** Synchronizes a node, ends the containers of a pod, or synchronizes a pod. */
function reconcile(request: Request, context: ReconcileContext<Memory>, settings: SyncSettings): Result | undefined {
  const { client } = context;
  const { faults } = settings.options;
  if (request.namespace === "") {
    const node = client.get(nodes, "", request.name);
    if (!node || !isWorking(node, context, settings)) return undefined;
    const evict = (pod: Pod, evicted: string) => void syncPod(pod, node, context, settings, { evicted });
    return synchronize(node, context, { evict, faults });
  }
  const killing = killIn(request);
  const { namespace, name } = killing?.pod ?? request;
  const pod = client.get(pods, namespace, name);
  const node = pod?.spec.nodeName ? client.get(nodes, "", pod.spec.nodeName) : undefined;
  if (killing) {
    if (pod?.metadata.uid !== killing.uid || !node || !isWorking(node, context, settings)) return undefined;
    return void syncPod(pod, node, context, settings, { killed: killing.kill });
  }
  if (pod && node && isWorking(node, context, settings)) {
    const { syncs, stopPlans } = context.memory;
    syncs.restore(pod, context.savedState, stopPlans);
    const result = syncPod(pod, node, context, settings);
    const savedState =
      result && context.isSeeded ? syncs.save(pod, stopPlans.latest(pod.metadata.uid ?? "")) : undefined;
    return savedState === undefined ? result : { ...result, savedState };
  }
  context.memory.unfinished.drop(request);
  // A service that cannot start is started again and again.
  const restartMs = node && settings.options.machines?.of(client, node, context.nowMs).untilMs;
  return pod && restartMs !== undefined ? until(Math.max(restartMs, context.nowMs + 1), context) : undefined;
}

/** The kubelet's options, and the times of its next syncs. */
interface SyncSettings {
  readonly options: KubeletOptions;
  readonly delays: Delays;
}

/** The end of a pod or of its containers that the pod's own programs did not cause: a sync that is never split into several turns. */
interface Forced {
  /** The reason why the node evicts the pod now. */
  readonly evicted?: string;
  /** The containers that the kernel ends now. */
  readonly killed?: Kill;
}

/** Synchronizes a pod. */
function syncPod(
  pod: Pod,
  node: Node,
  context: ReconcileContext<Memory>,
  { options, delays }: SyncSettings,
  forced?: Forced,
): Result | undefined {
  const { client, memory } = context;
  const version = (options.edits?.version(pod) ?? 0) + (options.timeline?.version(pod) ?? 0);
  const dueMs = forced === undefined ? memory.syncs.dueMs(pod, version) : undefined;
  if (dueMs !== undefined && context.nowMs < dueMs) return until(dueMs, context);
  const request = requestOf(pod);
  const sync =
    forced === undefined
      ? memory.unfinished.begin(request, pod, version, context.nowMs)
      : newSync(pod, version, context.nowMs);
  if (!sync) return { afterMs: limits.syncWaitMs };
  const podNode = nodeView(memory.runtimeOf(client, node, reporter(pod, options)), client, node);
  const syncPart = new SyncPart(() => client.meter.spent);
  const heldNode = holding(podNode, sync.work);
  const view = {
    ...heldNode.node,
    ...memory.admissions.checksOf(pod, node, client),
    ...(forced ?? { syncPart }),
    ...(options.faults ? { faults: options.faults } : {}),
  };
  const uid = pod.metadata.uid ?? "";
  sync.work.stopPlan = memory.stopPlans.of(uid, version) ?? sync.work.stopPlan;
  let step: PodStep;
  try {
    step = stepPod(pod, view, delays, sync.nowMs, memory.syncs.syncedMs(pod), sync.work);
    if (forced === undefined) syncPart.requireRoomToWrite();
  } catch (error) {
    if (!(error instanceof SyncUnfinished)) throw error;
    remember(memory.waiting, waitsSoFar(sync.work), request);
    return { afterMs: memory.unfinished.keep(request, sync) ? 0 : limits.syncWaitMs };
  }
  heldNode.release();
  if (step.finished) {
    memory.syncs.drop(pod);
    memory.stopPlans.drop(uid);
  } else {
    memory.syncs.set(pod, { syncedMs: step.syncedMs });
    memory.stopPlans.keep(uid, version, sync.work.stopPlan);
  }
  remember(memory.waiting, step.waitsFor, request);
  const written = write(pod, view, step, context, options);
  memory.admissions.follow(written ?? pod, !written);
  const changeMs =
    (written && step.awaitsOthers && options.timeline?.nextChangeMs(written)) || Number.POSITIVE_INFINITY;
  const nextMs = Math.min(step.nextMs ?? Number.POSITIVE_INFINITY, Math.max(changeMs, context.nowMs) + 1);
  memory.unfinished.end(request, sync, written && step.isCut ? { pod: written, version } : undefined);
  if (!written) return undefined;
  if (sync.isStale) return { afterMs: 0 };
  const { resourceVersion = "" } = written.metadata;
  if (step.waitsFor.length === 0)
    memory.syncs.set(pod, { syncedMs: step.syncedMs, next: { dueMs: nextMs, resourceVersion, version } });
  return until(nextMs, context);
}

/** Removes the requests that wait for a key and returns them. Unfinished syncs of their pods begin again. */
function releaseWaiting({ waiting, unfinished }: Memory, key: string): Request[] {
  const requests = release(waiting, key);
  for (const request of requests) unfinished.outdate(request);
  return requests;
}

function nodeView(services: NodeServices, client: Client, node: Node): NodeView {
  return {
    ...services,
    name: node.metadata.name ?? "",
    ip: node.status.addresses?.find((address) => address.type === "InternalIP")?.address ?? "",
    kubeletMinor: releaseOfTag(node.status.nodeInfo?.kubeletVersion)?.minor,
    lookup: lookupOn(client, node),
    account: (work) => client.meter.account(work),
  };
}

/** Returns a function that reports a bug in the simulation of one of a pod's containers. */
function reporter({ metadata }: Pod, { report }: KubeletOptions): ((error: unknown) => void) | undefined {
  return report && ((error) => report(error, `a container of pod ${metadata.namespace ?? ""}/${metadata.name ?? ""}`));
}

/** Reports whether a node can run pods, its kubelet works and its container runtime responds. */
function isWorking(node: Node, { client, nowMs }: ReconcileContext<Memory>, { options }: SyncSettings): boolean {
  if (!isAble(node) || options.faults?.isRuntimeDown(node.metadata.name ?? "")) return false;
  const machine = options.machines?.of(client, node, nowMs);
  return machine === undefined || (machine.isKubeletWorking && machine.isRuntimeRunning);
}

/** Reports whether a node is simulated and has addresses for pods. */
function isAble(node: Node): boolean {
  return isSimulated(node) && node.spec.podCIDR !== undefined && (node.status.addresses?.length ?? 0) > 0;
}

function dataKey(kind: DataKind | "service", { metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function until(dueMs: number, { nowMs }: ReconcileContext): Result | undefined {
  return dueMs === Number.POSITIVE_INFINITY ? undefined : { afterMs: dueMs - nowMs };
}

/** The burst of upstream's spam filter for events of one object. The recorder would drop the rest one by one. */
const eventsAtOnce = 25;

/** Writes the results of a sync. Returns the stored pod, or undefined if it was deleted. */
function write(
  pod: Pod,
  node: NodeView,
  step: PodStep,
  context: ReconcileContext,
  { edits: keptEdits, timeline }: KubeletOptions,
): Pod | undefined {
  const { client } = context;
  for (const { pod: editedPod, container, edits } of step.effects) keptEdits?.keep(editedPod, container, edits);
  if (timeline) {
    const next = step.status ? { ...pod, status: step.status } : pod;
    for (const run of step.visitors) timeline.add(next, run);
    timeline.advancePod(next, endsIn(next));
  }
  const written = step.status ? client.updateStatus(pods, { ...pod, status: step.status }) : pod;
  for (const event of step.events.slice(0, eventsAtOnce)) recordEvent(written, node, event, context);
  for (const fault of step.pullFaults) fault.inject();
  if (!step.finished) return written;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  client.tryDelete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
  return undefined;
}

/** Returns the runs that ended according to a status, each with the end of the second that the status names. */
function endsIn({ status }: Pod): (ContainerRun & { readonly endMs: number })[] {
  const all = [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses];
  return all
    .flatMap((list) => list ?? [])
    .flatMap(({ name, state, lastState }) =>
      [state.terminated, lastState.terminated].flatMap((ended) =>
        ended?.startedAt && ended.finishedAt
          ? [{ container: name, startMs: timeMs(ended.startedAt), endMs: timeMs(ended.finishedAt) + 999 }]
          : [],
      ),
    );
}

const lists = {
  main: "containers",
  init: "initContainers",
  sidecar: "initContainers",
  ephemeral: "ephemeralContainers",
} as const;

/** Returns the pod under the uid that its kubelet uses: for a mirror pod the hash of the static pod's manifest. */
function asKubeletKnows(pod: Pod): Pod {
  const uid = pod.metadata.annotations?.["kubernetes.io/config.mirror"];
  return uid === undefined ? pod : { ...pod, metadata: { ...pod.metadata, uid } };
}

function recordEvent(
  pod: Pod,
  node: NodeView,
  { type, reason, message, container }: LifeEvent,
  context: ReconcileContext,
): void {
  const list = container ? lists[container.role] : "";
  const fieldPath = container && `spec.${list}{${container.spec.name}}`;
  context.event(asKubeletKnows(pod), type, reason, message, { host: node.name, ...(fieldPath ? { fieldPath } : {}) });
}
