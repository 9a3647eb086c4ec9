// A cluster on node:sqlite with a stepped clock and a seed, for tests of several rooms together.
import { type KubernetesVersion, newestVersion, releaseOf } from "../shared/k8s/settings/release.ts";
import { releaseFacts } from "../shared/schema/facts/releases/release-facts.ts";
import { kindsOfRelease } from "../worker/kinds/release-kinds.ts";
import { featuresOf, type GivenGates } from "../shared/k8s/settings/feature-gates.ts";
import { type ClusterNetwork, defaultNetwork } from "../shared/k8s/settings/cluster-network.ts";
import { type Clock, SteppedClock } from "../shared/base/clock.ts";
import { limits } from "../shared/base/limits.ts";
import { seededRandom } from "../shared/base/random.ts";
import type { Images } from "../shared/contract/sandbox.ts";
import { type GivenLimits, limitsWith } from "../shared/contract/sandbox-limits.ts";
import type { Event } from "../shared/k8s/api/core-v1.ts";
import type { Draft, KubeObject } from "../shared/k8s/meta.ts";
import { freshBase } from "../worker/cluster/base/fresh-base.ts";
import { keepBase } from "../worker/cluster/base/kept-base.ts";
import { bootstrap, type BootstrapOptions } from "../worker/cluster/bootstrap/bootstrap.ts";
import { type Cluster, openCluster } from "../worker/cluster/cluster.ts";
import { allControllers } from "../worker/cluster/controllers.ts";
import { newRecord } from "../worker/cluster/runs/timeline.ts";
import { plugins } from "../worker/admission/catalogue.ts";
import { kinds } from "../worker/kinds/catalogue.ts";
import { events } from "../worker/kinds/core/event/event.ts";
import type { Kind } from "../worker/kinds/kind.ts";
import type { OutboundAnswer, OutboundCall } from "../shared/k8s/outbound-call.ts";
import type { AdmissionPlugin } from "../worker/registry/admission.ts";
import type { Client } from "../worker/registry/client.ts";
import { localClient } from "../worker/registry/local-client.ts";
import { update } from "../worker/registry/update.ts";
import type { Controller } from "../worker/runtime/controller.ts";
import type { Change } from "../worker/store/change.ts";
import type { Sql } from "../worker/store/sql.ts";
import { tokenKey } from "../worker/cluster/token-key.ts";
import { createTables } from "../worker/store/tables.ts";
import { drainCarefully } from "./runtime/careful-run.ts";
import { testAuthority } from "./authority.ts";
import { nodePki } from "../worker/cluster/certificates/node-pki.ts";
import { testBase, writeOut } from "./base.ts";
import { watchedTurn } from "./turns.ts";
import { nodeSql } from "./sqlite.ts";

export interface TestClusterOptions extends Partial<BootstrapOptions> {
  readonly seed?: number;
  /** Default: `defaultNetwork`. */
  readonly network?: ClusterNetwork;
  /** Default: none. */
  readonly featureGates?: GivenGates;
  /** Default: the newest. */
  readonly version?: KubernetesVersion;
  /**
   * The initial objects. Undefined: the cluster writes them and its controllers have not run. Otherwise the cluster starts idle, with a
   * sandbox's base or with its objects written out. `kept`: the database has objects already.
   */
  readonly base?: "layered" | "written" | "kept";
  /** See `Delays` of the kubelet. Default: 0. */
  readonly proxyMs?: number;
  /** Whether the kubelet does everything at once. Default: true. */
  readonly zeroDelays?: boolean;
  /** The image policy. The default `any` lets tests use any image name. */
  readonly images?: Images;
  /** The clock of the cluster, over the stepped one. Default: the stepped one itself. */
  readonly clockOf?: (sql: Sql, stepped: SteppedClock) => Clock;
  /** The time at which the cluster is opened. */
  readonly nowMs?: number;
  /** Receives the moments to which an etcd on a node was restored. */
  readonly restore?: (atMs: number) => void;
  /** Default: all of the sandbox's, with the kubelet at zero delays. */
  readonly controllers?: readonly Controller[];
  readonly sql?: Sql;
  /** The authority of the server's certificate. Default: no certificate, but a word. */
  readonly caPem?: string;
  /** Default: the sandbox's. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** In place of the service's own. */
  readonly limits?: GivenLimits;
  /** Answers a request that the cluster sends to a server outside it. */
  readonly answer?: (call: OutboundCall) => OutboundAnswer;
}

export interface TestCluster extends Cluster {
  readonly clock: SteppedClock;
  /** Writes as a cluster administrator. */
  readonly client: Client;
  /** Every change since the cluster was made, in order: a golden timeline. */
  readonly changes: readonly Change[];
  /** Errors that broke an assertion in a controller; tests expect none (checked by runUntilQuiet). */
  readonly bugs: readonly unknown[];
  /** Drains, and steps the clock to whatever is due, until nothing is (at most `maxMs` of cluster time). */
  runUntilQuiet(maxMs?: number): void;
  /** Advances the cluster's time and runs due work on the way. */
  step(ms: number): void;
  /** Changes an object with a function of a mutable copy. */
  edit<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, change: (draft: T) => void): T;
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T;
  /** `Reason: message` of the events about an object, oldest first. */
  eventsOf(object: KubeObject): string[];
  apply<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
}

/** A cluster as a user finds it: bootstrapped, with three nodes, not yet drained. */
export function newCluster(options: TestClusterOptions = {}): TestCluster {
  const sql = options.sql ?? nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  if (options.nowMs !== undefined) clock.stepTo(options.nowMs);
  const bugs: unknown[] = [];
  const release = releaseOf(options.version ?? newestVersion);
  if (options.base === "layered") keepBase(sql, testBase(clock.nowMs(), options));
  if (options.base === "written") writeOut(sql, freshBase(testBase(clock.nowMs(), options)), clock);
  const record = newRecord(sql);
  const cluster = openCluster({
    sql,
    clock: options.clockOf?.(sql, clock) ?? clock,
    realClock: clock,
    random: seededRandom(options.seed ?? 1),
    ...kindsOfRelease(kinds, release, options.featureGates ?? {}),
    release,
    network: options.network,
    features: featuresOf(options.featureGates ?? {}, releaseFacts(release.version)?.gates),
    plugins: options.plugins ?? plugins,
    controllers:
      options.controllers ??
      allControllers({
        zeroDelays: options.zeroDelays ?? true,
        images: options.images ?? "any",
        caPem: options.caPem ?? "test",
        authority: testAuthority,
        signToken: tokenKey(sql).sign,
        ...record,
      }),
    record,
    ...(options.restore ? { restore: options.restore } : {}),
    pki: nodePki({
      ...{ sql, authority: testAuthority, addressOf: () => "" },
      network: options.network ?? defaultNetwork,
    }),
    images: options.images ?? "any",
    proxyMs: options.proxyMs ?? 0,
    limits: limitsWith(options.limits ?? {}),
    report: (error) => bugs.push(error),
  });
  const changes: Change[] = [];
  cluster.registry.store.onChange((change) => changes.push(change));
  if (!options.base) bootstrap(cluster.system, { nodes: options.nodes ?? 3, nowMs: clock.nowMs(), ...options });
  const admin = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  const actor = { user: admin, origin: "test", manager: "test" };
  const client = localClient(cluster.registry, { actor: () => actor });
  const mustGet: TestCluster["get"] = (kind, namespace, name) => {
    const object = client.get(kind, namespace, name);
    if (!object) throw new Error(`${kind.plural} ${namespace}/${name} is not there`);
    return object;
  };
  const drainNow = () => drainAll(cluster, bugs, options.answer);
  return {
    ...cluster,
    clock,
    client,
    changes,
    bugs,
    runUntilQuiet: (maxMs = 3_600_000) => runUntilQuiet(drainNow, cluster, clock, clock.nowMs() + maxMs),
    step: (ms) => runUntil(drainNow, cluster, clock, clock.nowMs() + ms),
    get: mustGet,
    edit: (kind, namespace, name, change) => {
      const draft = structuredClone(mustGet(kind, namespace, name));
      change(draft);
      return update(cluster.registry, kind, { namespace, name, subresource: "" }, draft, actor);
    },
    eventsOf: (object) => eventsOf(client, object),
    apply: (kind, draft) => client.create(kind, draft),
  };
}

/** The same, with everything done that is due. */
export function quietCluster(options: TestClusterOptions = {}): TestCluster {
  const cluster = newCluster(options);
  cluster.runUntilQuiet();
  return cluster;
}

function runUntilQuiet(drainNow: () => void, cluster: Cluster, clock: SteppedClock, endMs: number): void {
  for (;;) {
    drainNow();
    const dueMs = cluster.runtime.nextDueMs();
    if (dueMs === undefined) return;
    if (dueMs > endMs) throw new Error(`not quiet: ${JSON.stringify(cluster.runtime.pending().slice(0, 5))}`);
    clock.stepTo(dueMs);
  }
}

function runUntil(drainNow: () => void, cluster: Cluster, clock: SteppedClock, endMs: number): void {
  for (;;) {
    drainNow();
    const dueMs = cluster.runtime.nextDueMs();
    if (dueMs === undefined || dueMs > endMs) break;
    clock.stepTo(dueMs);
  }
  clock.stepTo(endMs);
  drainNow();
}

/** A drain that never ends is a controller that never settles: the bound makes it a failure instead of a hang. */
function drainAll(cluster: Cluster, bugs: unknown[], answer: TestClusterOptions["answer"]): void {
  const bound = 100_000;
  const { registry, runtime } = cluster;
  const turn = () => watchedTurn(registry.store, () => runtime.drain(limits.drainPerRequest));
  for (;;) {
    drainCarefully(cluster);
    let turns = 0;
    while (turn() >= limits.drainPerRequest) {
      if (bugs.length > 0) throw bugs[0];
      if (++turns > bound) throw new Error("the controllers never settle");
    }
    if (bugs.length > 0) throw bugs[0];
    const calls = cluster.runtime.takeCalls();
    if (calls.length === 0) return;
    for (const call of calls) {
      if (!answer) throw new Error("the cluster asks, and nobody answers");
      cluster.runtime.answer(call, answer(call));
    }
  }
}

function eventsOf(client: Client, object: KubeObject): string[] {
  return client
    .list<Event>(events)
    .filter((event) => event.involvedObject.uid === object.metadata.uid)
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map((event) => `${event.reason ?? ""}: ${event.message ?? ""}`);
}
