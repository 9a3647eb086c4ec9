// What an object holds while its cluster is open: the cluster, its sockets and tunnels, what it asks outside, and the API's service.
import { nothingLeft } from "../../shared/base/assert.ts";
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { endings } from "../../shared/contract/endings.ts";
import { limitsWith } from "../../shared/contract/sandbox-limits.ts";
import type { OutsideAnswer, OutsideRequest, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { pluginsWith } from "../admission/catalogue.ts";
import { Load } from "../api/filters/load.ts";
import type { ApiServer } from "../api/api-server.ts";
import type { ClusterEnv } from "./env.ts";
import { kinds } from "../kinds/catalogue.ts";
import { readsOf } from "../registry/registry.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Sql } from "../store/sql.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import type { frontProxy as newFrontProxy } from "./front-proxy.ts";
import { identitiesOf } from "./identities.ts";
import { KeptEdits } from "./kept-edits.ts";
import { byFetch, byNode } from "./outside/carriers.ts";
import { podAsker } from "./outside/in-cluster.ts";
import { newOutside, type Outside } from "./outside/outside.ts";
import { Tunnels } from "./outside/tunnels.ts";
import { LogNews } from "./runs/log-news.ts";
import { readSettings } from "./settings.ts";
import { LiveWatches } from "./watch-sockets.ts";

export interface Open extends Cluster {
  readonly service: ApiServer;
  readonly watches: LiveWatches;
  readonly tunnels: Tunnels;
  readonly outside: Outside;
  readonly news: LogNews;
  readonly load: Load;
  readonly expiresAtMs: number;
}

/** The object, as far as what it holds needs it. */
export interface Host {
  readonly state: DurableObjectState;
  readonly env: ClusterEnv;
  readonly sql: Sql;
  readonly frontProxy: ReturnType<typeof newFrontProxy>;
  controllers(edits: KeptEdits): readonly Controller[];
  /** Whether that is what it holds now. */
  isOpen(open: Open): boolean;
  turn<T>(open: Open, body: () => T): T;
  /** Asks, and goes on with the watches that wait for the answers. */
  answerAll(calls: readonly OutboundCall[]): void;
  /** Who serves a Service has come or gone. */
  servedAnew(namespace: string, name: string): void;
}

/** Of a cluster whose tables exist. */
export function openParts(host: Host): Open {
  const { state, sql } = host;
  const {
    admissionPlugins,
    anonymousAccess,
    oidcIssuers,
    jwtAuthenticators,
    expiresAtMs,
    limits = {},
    ...unused
  } = readSettings(sql);
  nothingLeft(unused);
  const edits = new KeptEdits(sql);
  const bounds = limitsWith(limits);
  const news = new LogNews(state, bounds.sessions);
  const load = new Load(Date.now, bounds);
  const cluster = openCluster({
    sql,
    clock: systemClock,
    random: systemRandom,
    kinds,
    plugins: pluginsWith([...new Set(admissionPlugins)]),
    controllers: host.controllers(edits),
    edits,
    news,
    onDisk: () => state.storage.sync(),
    pause: () => scheduler.wait(0),
    mustBeThere: () => {
      if (!host.isOpen(open)) throw goneError();
    },
    limits: bounds,
    report,
  });
  const tunnels = new Tunnels(state, bounds.tunnels, (namespace, name) => host.servedAnew(namespace, name));
  const outside = outsideOf(host, cluster, tunnels);
  const watches = new LiveWatches({
    state,
    registry: cluster.registry,
    sql,
    limited: bounds.watches,
    lifelines: bounds.watches + bounds.sessions + bounds.reads,
    others: () => tunnels.streams,
    report,
    ask: (calls) => host.answerAll(calls),
  });
  const server: ApiServer = {
    registry: cluster.registry,
    sockets: watches,
    key: cluster.key,
    ownReads: cluster.ownReads,
    containers: cluster.containers,
    nowMs: () => Date.now(),
    load,
    ...identitiesOf({ anonymousAccess, oidcIssuers, jwtAuthenticators }, sql, systemClock, outside.ask),
    turn: (body) => host.turn(open, body),
    pause: () => scheduler.wait(0),
    ask: outside.ask,
    send: (request) => sent(host, outside, request),
    relay: outside.relay,
    tunnels,
    report,
  };
  const open: Open = { ...cluster, watches, tunnels, outside, news, load, expiresAtMs, service: server };
  return open;
}

async function sent({ servedAnew }: Host, outside: Outside, request: OutsideRequest): Promise<OutsideAnswer> {
  const answer = await outside.send(request);
  const { service } = request.to;
  // Who does not answer may not be available any more.
  if (!answer.ok && service) servedAnew(service.namespace, service.name);
  return answer;
}

function outsideOf({ env, frontProxy, servedAnew }: Host, cluster: Cluster, tunnels: Tunnels): Outside {
  const reads = readsOf(cluster.registry);
  return newOutside({
    reads,
    askPods: podAsker(reads, cluster.containers),
    hasTunnel: (namespace, name) => tunnels.has(namespace, name),
    tunnel: (namespace, name, question) => tunnels.ask(namespace, name, question),
    stream: (namespace, name, question, credential) => tunnels.stream(namespace, name, question, credential),
    failed: (namespace, name) => servedAnew(namespace, name),
    frontProxy,
    isLocal: env.OUTSIDE !== undefined,
    carrier: env.OUTSIDE ? byNode(env.OUTSIDE) : byFetch,
  });
}

export function goneError(): ApiError {
  return new ApiError(410, "Gone", endings.gone);
}

export function report(error: unknown, where: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: "error", where, error: text }));
}
