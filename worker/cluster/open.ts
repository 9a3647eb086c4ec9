// What an object holds while its cluster is open: the cluster, its sockets and tunnels, what it asks outside, and the API's service.
import { featuresOf, type GivenGates } from "../../shared/k8s/settings/feature-gates.ts";
import { type KubernetesVersion, releaseOf } from "../../shared/k8s/settings/release.ts";
import { releaseFacts } from "../../shared/schema/facts/releases/release-facts.ts";
import { type ClusterNetwork, networkOf } from "../../shared/k8s/settings/cluster-network.ts";
import { nothingLeft } from "../../shared/base/assert.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { revisionRandom, systemRandom } from "../../shared/base/random.ts";
import type { OptionalPlugin } from "../../shared/contract/sandbox.ts";
import { hardened } from "../../shared/contract/hardened.ts";
import { limitsWith, type SandboxLimits } from "../../shared/contract/sandbox-limits.ts";
import type { SandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import type { OutsideAnswer, OutsideRequest, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { pluginsWith } from "../admission/catalogue.ts";
import { nodeLimit } from "../admission/node-limit.ts";
import { serviceAccount } from "../admission/service-account/plugin.ts";
import { Load } from "../api/filters/load.ts";
import type { ApiServer, TurnOrder } from "../api/api-server.ts";
import type { FaultEngine } from "./time/faults/engine.ts";
import type { FaultyWebhooks } from "./time/faults/faulty-webhooks.ts";
import { openFaults } from "./time/faults/open-faults.ts";
import { Burst } from "./turns/burst.ts";
import { pausedIn } from "./turns/own-queue.ts";
import type { ClusterEnv } from "./env.ts";
import { clusterAuthority } from "./certificates/authority.ts";
import { nodePki } from "./certificates/node-pki.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { kinds } from "../kinds/catalogue.ts";
import { kindsOfRelease } from "../kinds/release-kinds.ts";
import type { NodeFaults } from "../kubelet/node-faults.ts";
import { readsOf, type Registry } from "../registry/registry.ts";
import type { Controller } from "../runtime/controller.ts";
import { count } from "../metrics/record.ts";
import { leaseOf } from "../store/lease.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";
import { ClusterClock } from "./time/clock/cluster-clock.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { delaysOf, paceOf } from "./controllers.ts";
import type { frontProxy as newFrontProxy } from "./certificates/front-proxy.ts";
import { identitiesOf } from "./identities.ts";
import { replacedError } from "./state/ended.ts";
import { fetchTransport, hostTransport } from "./outside/transports.ts";
import { podAsker } from "./outside/in-cluster.ts";
import { NodeMeasurements } from "./outside/node-measurements.ts";
import { newOutside, type Outside } from "./outside/outside.ts";
import { Tunnels } from "./outside/tunnels.ts";
import { LogNews } from "./runs/log-news.ts";
import { type ContainerRecord, newRecord } from "./runs/timeline.ts";
import { readSettings, suspensionIn } from "./settings/settings.ts";
import { ChangeNews } from "./watches/change-news.ts";
import { LiveWatches } from "./watches/watch-sockets.ts";

export interface Open extends Cluster {
  readonly clock: ClusterClock;
  readonly service: ApiServer;
  readonly watches: LiveWatches;
  readonly tunnels: Tunnels;
  readonly outside: Outside;
  readonly news: LogNews;
  readonly changeNews: ChangeNews;
  readonly load: Load;
  /** The end of the sandbox. It can change. */
  expiresAtMs: number;
  /** Why nobody is answered; empty: they are. */
  suspended: string;
  /** The limits of the sandbox. They can change, so every use reads them again. */
  readonly bounds: SandboxLimits;
  /** The receiver of the sandbox's usage. */
  readonly reportsTo: SandboxSettings["reportsTo"];
  readonly burst: Burst;
  readonly faults: FaultEngine;
  readonly controllers: readonly Controller[];
  /** Nothing of it is read or written any more: another takes its place. */
  retire(): void;
}

/** The settings of the controllers. */
export interface ControllerSettings extends Pick<SandboxSettings, "controllers" | "images" | "unknown"> {
  readonly kubeletSpeed: number | string | undefined;
  readonly faults: NodeFaults;
}

/** The object, as far as what it holds needs it. */
export interface Host {
  readonly state: DurableObjectState;
  readonly env: ClusterEnv;
  readonly sql: Sql;
  readonly frontProxy: ReturnType<typeof newFrontProxy>;
  controllers(record: ContainerRecord, settings: ControllerSettings): readonly Controller[];
  readonly turns: TurnOrder;
  /** Throws unless that is what it holds now. */
  mustBeOpen(open: Open): void;
  turn<T>(open: Open, body: () => T): T;
  /** Asks, and goes on with the watches that wait for the answers. */
  answerAll(calls: readonly OutboundCall[]): void;
  /** Called after each injected fault. */
  injected(): void;
  /** Has the cluster set to its state at a moment of its clock, after the present turn. */
  restore(atMs: number): void;
  /** Handles the start or end of a server behind a Service. */
  servedAnew(namespace: string, name: string): void;
}

/** Opens a cluster whose tables exist. `isMadeHere` is true if this process has just created it. */
export function openParts(host: Host, { isMadeHere = false }: { readonly isMadeHere?: boolean } = {}): Open {
  const { state } = host;
  const lease = leaseOf(host.sql);
  const { sql } = lease;
  const {
    admissionPlugins,
    serviceCidr,
    podCidr,
    featureGates = {},
    version,
    anonymousAccess,
    oidcIssuers,
    jwtAuthenticators,
    controllerDelayMs,
    expiresAtMs,
    limits = {},
    kubeletSpeed = host.env.SANDBAR_KUBELET_DELAYS,
    controllers,
    suspended,
    paused,
    reportsTo,
    images,
    unknown,
    seed,
    // It was asked for when the cluster was made.
    systemPods: _systemPods,
    ...unused
  } = readSettings(sql);
  nothingLeft(unused);
  const record = newRecord(sql);
  const bounds = limitsWith(limits);
  const news = new LogNews(state, bounds);
  const changeNews = new ChangeNews(state, bounds);
  const load = new Load(Date.now, bounds);
  const clock = new ClusterClock(sql, systemClock);
  const opening = { sql, clock: () => clock, cluster: () => cluster };
  const { faults, ...opened } = openFaults({ ...opening, injected: host.injected });
  const chosen = host.controllers(record, { kubeletSpeed, controllers, images, unknown, faults: opened.nodes });
  const running = [...chosen, opened.controller];
  const network = networkOf({ serviceCidr, podCidr });
  const cluster: Cluster = openCluster({
    ...{ sql, clock, realClock: systemClock, random: systemRandom, seed, network },
    ...releasePartsOf(version, featureGates),
    plugins: [...pluginsBeside(chosen, [...new Set(admissionPlugins)]), nodeLimit(bounds)],
    controllers: running,
    ...{ record, unknown, images, news, isMadeHere, report, limits: bounds },
    pki: pkiOf(sql, network, () => cluster.system),
    proxyMs: delaysOf(paceOf(kubeletSpeed)).proxyMs,
    ...turnsOf(host),
    mustBeThere: () => host.mustBeOpen(open),
    measured: (node) => measurements.of(node),
  });
  const tunnels = new Tunnels(state, bounds, (namespace, name) => host.servedAnew(namespace, name));
  const measurements = measurementsOf(tunnels, cluster, clock);
  const outside = outsideOf(host, cluster, tunnels, opened.webhooks);
  opened.resume();
  const watches = watchesOf(host, cluster.registry, { sql, bounds, tunnels, changeNews, faults });
  const accepted = { anonymousAccess, oidcIssuers, jwtAuthenticators };
  const identities = identitiesOf(accepted, host.sql, systemClock, outside.ask, cluster.registry.store.meter, clock);
  const actions = { turn: <T>(body: () => T) => host.turn(open, body), measure: () => measurements.renew() };
  const served = { clock, watches, tunnels, outside, load, faults };
  const burst = new Burst(controllerDelayMs);
  const units = { ...cluster, ...served, burst, news, changeNews, bounds, controllers: running };
  const seeded = seed === undefined ? {} : { newAuditId: seededAuditIds(seed, sql, cluster) };
  const service: ApiServer = { ...serviceOf(host, cluster, served), ...seeded, ...identities, ...actions };
  const refused = { suspended: suspensionIn({ suspended, paused }) };
  const open: Open = { ...units, expiresAtMs, ...refused, reportsTo, service, retire: () => lease.end(replacedError) };
  return open;
}

function pkiOf(sql: Sql, network: ClusterNetwork, client: () => Cluster["system"]) {
  const authority = clusterAuthority(sql, systemClock);
  return nodePki({ sql, network, authority, addressOf: (node) => addressOfNode(client(), node) });
}

function addressOfNode(client: Cluster["system"], name: string): string {
  const addresses = client.get(nodes, "", name)?.status.addresses;
  return addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
}

function measurementsOf(tunnels: Tunnels, { registry }: Cluster, clock: ClusterClock): NodeMeasurements {
  const reads = () => readsOf(registry);
  return new NodeMeasurements({ tunnels, reads, nowMs: () => clock.nowMs(), realMs: Date.now });
}

/** Returns what the release and the feature gates determine. */
function releasePartsOf(version: KubernetesVersion, gates: GivenGates) {
  const release = releaseOf(version);
  const features = featuresOf(gates, releaseFacts(version)?.gates);
  return { ...kindsOfRelease(kinds, release, gates), release, features };
}

/** The number of different requests at one revision after which their repetitions are counted anew. */
const maxCountedRequests = 1000;

/** The key of the number of requests that an audit policy has seen. */
const auditedRequestsKey = "auditedRequests";

/**
 * Returns the audit ids of a seeded cluster. The id follows from the revision and the request, whatever else was read before. With an audit
 * policy, requests are counted on disk, so that the log never has an id twice after an eviction.
 */
function seededAuditIds(seed: number, sql: Sql, { registry: { store }, controlPlane }: Cluster) {
  const random = revisionRandom(seed + 1, () => store.revision);
  const repetitions = new Map<string, number>();
  let countedAt = -1;
  return (request: string): string => {
    if (controlPlane.audit()) {
      const count = Number(readMeta(sql, auditedRequestsKey) ?? 0) + 1;
      writeMeta(sql, auditedRequestsKey, String(count));
      random.begin(`audited ${count} ${request}`);
      return random.uuid();
    }
    if (store.revision !== countedAt || repetitions.size >= maxCountedRequests) repetitions.clear();
    countedAt = store.revision;
    const repetition = repetitions.get(request) ?? 0;
    repetitions.set(request, repetition + 1);
    random.begin(`${repetition} ${request}`);
    return random.uuid();
  };
}

function turnsOf({ state, turns, restore }: Host) {
  return { onDisk: () => state.storage.sync(), pause: () => pausedIn(turns), turns, restore };
}

const fixedHeaders = Object.entries(hardened);

/** Returns the parts of the API server, except the turns and the identities. */
function serviceOf(
  host: Host,
  cluster: Cluster,
  { clock, watches, outside, ...units }: Pick<Open, "clock" | "watches" | "outside" | "tunnels" | "load" | "faults">,
): Omit<ApiServer, "turn" | "measure" | keyof ReturnType<typeof identitiesOf>> {
  return {
    ...units,
    fixedHeaders,
    registry: cluster.registry,
    sockets: watches,
    key: cluster.key,
    at: cluster.at,
    ownReads: cluster.ownReads,
    containers: cluster.containers,
    downAt: () => cluster.controlPlane.downAt(),
    audit: () => cluster.controlPlane.audit(),
    nowMs: () => Date.now(),
    realMsOf: (clusterMs) => clock.realMsOf(clusterMs),
    pause: () => pausedIn(host.turns),
    turns: host.turns,
    wait: (ms) => scheduler.wait(ms),
    ask: outside.ask,
    send: (request) => sendOutside(host, outside, request),
    relay: outside.relay,
    report,
  };
}

function watchesOf(
  host: Host,
  registry: Registry,
  {
    sql,
    bounds,
    tunnels,
    changeNews,
    faults,
  }: { sql: Sql } & Pick<Open, "bounds" | "tunnels" | "changeNews" | "faults">,
): LiveWatches {
  return new LiveWatches({
    changeNews,
    state: host.state,
    registry,
    sql,
    limited: () => bounds.watches,
    lifelines: () => bounds.watches + bounds.sessions + bounds.reads,
    otherSockets: () => tunnels.streams,
    report,
    ask: (calls) => host.answerAll(calls),
    realMs: Date.now,
    wait: (ms) => scheduler.wait(ms),
    faults,
  });
}

async function sendOutside({ servedAnew }: Host, outside: Outside, request: OutsideRequest): Promise<OutsideAnswer> {
  const answer = await outside.send(request);
  const { service } = request.to;
  // Who does not answer may not be available any more.
  if (!answer.ok && service) servedAnew(service.namespace, service.name);
  return answer;
}

function outsideOf(
  { env, frontProxy, servedAnew }: Host,
  cluster: Cluster,
  tunnels: Tunnels,
  webhooks: FaultyWebhooks,
): Outside {
  const reads = readsOf(cluster.registry);
  return newOutside({
    reads,
    askPods: podAsker(reads, cluster.containers),
    hasTunnel: (namespace, name) => tunnels.has(namespace, name),
    tunnel: (namespace, name, question) => tunnels.ask(namespace, name, question),
    stream: (namespace, name, question, credential) => tunnels.stream(namespace, name, question, credential),
    failed: (namespace, name) => servedAnew(namespace, name),
    webhookFault: (webhook) => webhooks.take(webhook),
    wait: (ms) => scheduler.wait(ms),
    frontProxy,
    isLocal: env.OUTSIDE !== undefined,
    transport: env.OUTSIDE ? hostTransport(env.OUTSIDE) : fetchTransport,
  });
}

/** Returns the admission plugins. Without the controller of service accounts, pods need none, as in API servers for tests. */
function pluginsBeside(controllers: readonly Controller[], optional: readonly OptionalPlugin[]) {
  const hasAccounts = controllers.some(({ name }) => name === "serviceaccount-controller");
  return pluginsWith(optional).filter((plugin) => hasAccounts || plugin !== serviceAccount);
}

/** Applies the limits, the suspension and the pause of the settings to an open cluster. */
export function takeStanding(open: Open, settings: Pick<SandboxSettings, "suspended" | "paused" | "limits">): void {
  open.suspended = suspensionIn(settings);
  Object.assign(open.bounds, limitsWith(settings.limits ?? {}));
}

export function report(error: unknown, where: string): void {
  count("sandbar_errors_total", "cluster");
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: "error", where, error: text }));
}

/**
 * Returns the real time of the one alarm: the earliest request, the end of a tunnel's token, or else the sandbox's end. On a paused clock
 * nothing is due later.
 */
export function dueMsOf({ clock, runtime, tunnels, expiresAtMs, suspended }: Open): number {
  if (suspended !== "") return expiresAtMs;
  const requestMs = clock.realMsOf(runtime.nextDueMs() ?? Number.POSITIVE_INFINITY);
  return Math.min(requestMs, tunnels.nextEndMs(), expiresAtMs);
}
