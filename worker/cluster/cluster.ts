// A cluster put together from its parts over any SQLite: the composition that the Durable Object and the tests share.
import { defaultFeatures, type Features } from "../../shared/k8s/settings/feature-gates.ts";
import { newestRelease, type Release } from "../../shared/k8s/settings/release.ts";
import { type ClusterNetwork, defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { type Random, revisionRandom } from "../../shared/base/random.ts";
import { ownImagesOf } from "../containers/images/own-images.ts";
import type { Images, Unknown } from "../../shared/contract/sandbox.ts";
import type { SandboxLimits } from "../../shared/contract/sandbox-limits.ts";
import { type AuthorizationModes, newAuthorizer } from "../access/authorizer.ts";
import type { Containers } from "../api/connect/containers.ts";
import type { OwnRead, TokenKey, TurnOrder } from "../api/api-server.ts";
import { virtualKinds } from "../api/virtual/catalogue.ts";
import type { Kind } from "../kinds/kind.ts";
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { Catalogue } from "../registry/catalogue.ts";
import type { Client } from "../registry/client.ts";
import { localClient } from "../registry/local-client.ts";
import type { ApiServerState, Registry } from "../registry/registry.ts";
import type { Controller } from "../runtime/controller.ts";
import { eventRecorder } from "../runtime/event-recorder.ts";
import { Runtime } from "../runtime/runtime.ts";
import { events } from "../kinds/core/event/event.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { NodePki } from "../containers/node/node-pki.ts";
import { kubeletController } from "../kubelet/kubelet.ts";
import { nodeLifecycleController } from "../kubelet/node-lifecycle.ts";
import { staticPodControllerName } from "../kubelet/static-pods.ts";
import { ControlPlane } from "./control-plane/control-plane.ts";
import { controlPlaneController, controlPlaneTimer } from "./control-plane/controller.ts";
import { type KeptEdits, nodeOfKey } from "./kept-edits.ts";
import { keptBase } from "./base/kept-base.ts";
import { type Network, simulatedContainers, simulatedNetwork } from "./containers.ts";
import { RunCache } from "./runs/cache.ts";
import { KeptRuns } from "./runs/kept-runs.ts";
import { type ContainerRecord, newRecord, type Timeline } from "./runs/timeline.ts";
import type { LogFollowers } from "./runs/followers.ts";
import { tellOutputSetAside } from "./runs/set-aside.ts";
import { newConversions } from "../kinds/apiextensions/custom-resource/conversions.ts";
import { serveCustomKinds } from "./custom-kinds.ts";
import { AuditLog } from "../store/audit-log.ts";
import type { Sql } from "../store/sql.ts";
import { Store } from "../store/store.ts";
import { registryAt } from "./time/past/registry-at.ts";
import { schedulingRead } from "./figures/scheduling-read.ts";
import { podTokens } from "./pod-tokens.ts";
import { tokenKey } from "./token-key.ts";

export interface ClusterOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  /** The machine's clock, by which the change log ages. Default: `clock`. */
  readonly realClock?: Clock;
  readonly random: Random;
  /** The seed from which names, uids, addresses and chance follow, instead of `random`. */
  readonly seed?: number | undefined;
  readonly kinds: readonly Kind[];
  readonly plugins: readonly AdmissionPlugin[];
  readonly controllers: readonly Controller[];
  /** Default: `defaultNetwork`. */
  readonly network?: ClusterNetwork | undefined;
  /** Default: `defaultFeatures`. */
  readonly features?: Features | undefined;
  /** Default: `newestRelease`. */
  readonly release?: Release | undefined;
  /** The kinds of the release by those of the newest one. Undefined for the newest release. */
  readonly variants?: ReadonlyMap<Kind, Kind> | undefined;
  /** See `Delays` of the kubelet. Default: 0. */
  readonly proxyMs?: number;
  /** The outcome of software that the simulator lacks. Default: `succeed`. */
  readonly unknown?: Unknown | undefined;
  /** The certificates of nodes; absent, nodes have placeholders. */
  readonly pki?: NodePki | undefined;
  /** The setting, of whose images some may be defined. */
  readonly images?: Images | undefined;
  /** The events and edits of containers. The kubelet writes them. */
  readonly record?: ContainerRecord;
  /** Has the cluster set to its state at a moment of its clock, after the present turn. Absent where states cannot be set. */
  restore?(atMs: number): void;
  /** The followers of logs, which are notified of changes. Undefined without sockets. */
  readonly news?: LogFollowers;
  /** Returns the last measurement of a machine that is a node. Undefined: there are no machines. */
  readonly measured?: Registry["measured"];
  /** Resolves once what is written is on disk. Default: it is at once. */
  onDisk?(): Promise<void>;
  /** Lets others have a turn. */
  pause?(): Promise<void>;
  /** Throws if the cluster is gone. */
  mustBeThere?(): void;
  /** Absent where there are no other clusters. */
  readonly turns?: TurnOrder;
  /** Default: the service's own. */
  readonly limits?: SandboxLimits;
  /** See `RuntimeOptions`. */
  readonly isMadeHere?: boolean;
  report(error: unknown, where: string): void;
}

export interface Cluster {
  readonly registry: Registry;
  readonly runtime: Runtime;
  /** Returns the registry as it was at a moment: see `registryAt`. */
  at(moment: string): Registry;
  /** The key that signs service accounts' tokens. */
  readonly key: TokenKey;
  /** A client of the cluster's own: bootstrap writes with it. */
  readonly system: Client;
  /** The resources that only this API serves, beside those of the kinds. */
  readonly ownReads: Readonly<Record<string, OwnRead>>;
  readonly containers: Containers;
  readonly timeline: Timeline;
  /** For who asks containers from beside them: the checks of lessons. */
  readonly network: Network;
  readonly controlPlane: ControlPlane;
  /** The audit annotations that policies and webhooks added to requests. */
  readonly auditLog: AuditLog;
}

/** Opens a cluster whose tables exist. */
export function openCluster(options: ClusterOptions): Cluster {
  const { sql, clock, seed, kinds, plugins, report, record = newRecord(sql), news } = options;
  const { edits, timeline } = record;
  const store = new Store(sql, clock, options.limits, keptBase(sql), new WorkMeter(), options.realClock);
  const catalogue = new Catalogue([...kinds, ...virtualKinds], options.variants);
  const conversions = newConversions();
  const auditLog = new AuditLog(sql);
  const { features = defaultFeatures, release = newestRelease } = options;
  const installedPlugins = plugins.filter((plugin) => isInRelease(plugin, release, features));
  // Nobody calls it before the cluster is composed.
  const controlPlane = () => cluster.controlPlane;
  const registry: Registry = {
    store,
    catalogue,
    authorizer: newAuthorizer(store, () => catalogue.kinds, modesOf(controlPlane)),
    plugins: () => controlPlane().plugins(),
    apiServer: apiServerState(controlPlane),
    clock,
    random: seed === undefined ? options.random : revisionRandom(seed, () => store.revision),
    network: options.network ?? defaultNetwork,
    features,
    release,
    ask: (calls) => {
      throw new PendingCalls(calls);
    },
    answered: conversions.recordAnswer,
    audit: (event) => auditLog.append(event),
    measured: options.measured,
  };
  serveCustomKinds(registry, conversions);
  const { isMadeHere } = options;
  const running = withControlPlane(options, edits, () => cluster);
  const runtime = new Runtime({ sql, registry, controllers: running, events, isMadeHere, report });
  forgetDeleted(store, record, clock);
  const system = systemClient(registry);
  const key = tokenKey(sql);
  const { onDisk = done, pause = done, mustBeThere = () => undefined } = options;
  const cache = new RunCache({ sql, client: system, clock, onDisk, pause, mustBeThere, turns: options.turns });
  const suspended = new KeptRuns(clock);
  const recorder = eventRecorder(system, events, "kubelet", () => clock.nowMs());
  if (cache.hasCrashed) runtime.addStartTask(() => tellOutputSetAside(cache, system, recorder));
  followChanges(store, { cache, suspended, news });
  edits.onChange((changed, isLog) => {
    if (!isLog) requestNodeOf(changed, edits, running, { runtime, client: system });
    cache.edited(changed);
    news?.edited(changed);
  });
  const { proxyMs, unknown, pki } = options;
  const ownImages = ownImagesOf(options.images);
  const token = podTokens(system, key, clock);
  timeline.begin({ client: system, clock, token, proxyMs, unknown, ownImages, runtime, report });
  const services = { client: system, clock, runtime, key, cache, suspended, news, pause, report };
  const containing = { ...services, edits, timeline, proxyMs, unknown, ownImages, pki };
  const cluster: Cluster = {
    registry,
    runtime,
    at: (moment) => registryAt(sql, registry, moment),
    key,
    auditLog,
    system,
    timeline,
    controlPlane: new ControlPlane({ client: system, edits, sql, plugins: installedPlugins }),
    containers: simulatedContainers(containing),
    network: simulatedNetwork(containing),
    ownReads: { "v1/pods/scheduling": schedulingRead(runtime, system, clock) },
  };
  // Which controllers are stopped is not stored; it follows from the pods of the control plane.
  if (edits.hasAnyNodeEdits()) cluster.controlPlane.stopControllers(runtime);
  return cluster;
}

/** Returns the client of the API server itself. */
function systemClient(registry: Registry): ReturnType<typeof localClient> {
  const user = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };
  return localClient(registry, { actor: () => ({ user, origin: "bootstrap", manager: "kube-apiserver" }) });
}

function followChanges(
  store: Store,
  { cache, suspended, news }: { cache: RunCache; suspended: KeptRuns; news: LogFollowers | undefined },
): void {
  store.onChange((change) => {
    cache.changed(change);
    suspended.changed();
    news?.changed(change);
  });
}

function modesOf(controlPlane: () => ControlPlane): AuthorizationModes {
  return () => controlPlane().settings()?.authorizationModes;
}

function apiServerState(controlPlane: () => ControlPlane): ApiServerState {
  return {
    auditOfWrites: () => controlPlane().auditOfWrites(),
    allowsAnonymous: () => controlPlane().settings()?.allowsAnonymous ?? true,
    encryptionOf: (kind, object) => controlPlane().encryption.of(kind, object),
    isStale: (kind, object) => controlPlane().encryption.isStale(kind, object),
  };
}

/** Adds the controller of the control plane, where there are static pods. */
function withControlPlane(
  { sql, controllers, restore }: ClusterOptions,
  edits: KeptEdits,
  cluster: () => Cluster,
): readonly Controller[] {
  if (!controllers.some(({ name }) => name === staticPodControllerName)) return controllers;
  const [controlPlane, runtime] = [() => cluster().controlPlane, () => cluster().runtime];
  const revision = () => cluster().registry.store.revision;
  return [...controllers, controlPlaneTimer({ sql, edits, controlPlane, runtime, revision, restore })];
}

/** Has the controllers of a node look at it, because its files changed. */
function requestNodeOf(
  editKey: string,
  edits: KeptEdits,
  running: readonly Controller[],
  { runtime, client }: { readonly runtime: Runtime; readonly client: Client },
): void {
  const name = nodeOfKey(editKey);
  if (name === undefined) return;
  const names = new Set(running.map((controller) => controller.name));
  for (const controller of nodeControllers)
    if (names.has(controller)) runtime.request(controller, { namespace: "", name });
  if (!names.has(kubeletController) || !edits.hasServiceEdits(name)) return;
  for (const { metadata } of client.byIndexValue(pods, name))
    runtime.request(kubeletController, { namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
}

const nodeControllers = [nodeLifecycleController, staticPodControllerName, controlPlaneController];

function isInRelease({ gate, firstMinor = 0 }: AdmissionPlugin, { minor }: Release, features: Features): boolean {
  return minor >= firstMinor && (gate === undefined || features[gate]);
}

/** Has the record follow deletions: a pod that is gone has no files, and what it did last is still recorded. */
function forgetDeleted(store: Store, { edits, timeline }: ContainerRecord, clock: Clock): void {
  store.onChange(({ type, resource, previous }) => {
    if (type !== "DELETED" || !previous) return;
    if (resource === persistentVolumeClaims.resource) edits.forgetClaim(previous);
    if (resource === nodes.resource) edits.forgetNode(previous.metadata.name ?? "");
    if (resource !== pods.resource) return;
    edits.forget(previous);
    timeline.podDeleted(previous, clock.nowMs());
  });
}

function done(): Promise<void> {
  return Promise.resolve();
}
