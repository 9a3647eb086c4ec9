// An API server with injected faults, for tests.
import { must } from "../../shared/base/assert.ts";
import { SteppedClock } from "../../shared/base/clock.ts";
import { type GivenFaults, putFaults } from "../../shared/contract/cluster/faults.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import type { Transport } from "../../worker/cluster/outside/transports.ts";
import { newOutside } from "../../worker/cluster/outside/outside.ts";
import { ClusterClock } from "../../worker/cluster/time/clock/cluster-clock.ts";
import { ClusterFaults } from "../../worker/cluster/time/faults/cluster-faults.ts";
import type { FaultyWebhooks } from "../../worker/cluster/time/faults/faulty-webhooks.ts";
import { openFaults } from "../../worker/cluster/time/faults/open-faults.ts";
import { readsOf } from "../../worker/registry/registry.ts";
import { createTables } from "../../worker/store/tables.ts";
import { type Ask, newServer } from "../api/server.ts";
import type { TestCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";
import { put } from "./state/saved.ts";

export const configMaps = "/api/v1/namespaces/default/configmaps";

export interface FaultyServerOptions {
  /** Default: true. */
  readonly zeroDelays?: boolean;
  /** Answers calls to servers outside the cluster. Default: none answers. */
  readonly transport?: Transport;
  /** The state that the cluster begins with. Default: a new one. */
  readonly file?: Uint8Array;
}

/** Returns an API server whose faults are applied at once, on a stepped clock. */
export function newFaultyServer({ zeroDelays = true, transport, file }: FaultyServerOptions = {}) {
  const sql = nodeSql();
  createTables(sql);
  if (file) put(sql, new SteppedClock(), file);
  const waits: number[] = [];
  let clock: ClusterClock | undefined;
  let faulty: TestCluster | undefined;
  const { faults, nodes, webhooks, ...opened } = openFaults({
    sql,
    clock: () => must(clock, "the clock"),
    cluster: () => must(faulty, "the cluster"),
    injected: () => undefined,
  });
  const wait = async (ms: number) => void waits.push(ms);
  const server = newServer({
    sql,
    base: file ? "kept" : "layered",
    clockOf: (of, stepped) => (clock = new ClusterClock(of, stepped)),
    controllers: [...allControllers({ zeroDelays, caPem: "test", images: "any", faults: nodes }), opened.controller],
    service: (cluster) => {
      faulty = cluster;
      opened.resume();
      return { faults, wait, ask: askerOf(cluster, webhooks, wait, transport) };
    },
  });
  const { cluster } = server;
  const calls = new ClusterFaults({
    current: () => ({ faults, controllers: [{ name: "deployment-controller" }] }),
    turn: (_, body) => {
      const done = body();
      cluster.runtime.drain(1000);
      return done;
    },
    wait: async () => undefined,
  });
  const set = (...list: GivenFaults["faults"]) => calls.setFaults(putFaults.parse({ seed: 1, faults: list }));
  const create = (name: string, ask: Ask = {}) =>
    server.ask("POST", configMaps, { ...ask, body: { metadata: { name } } });
  const settle = () => cluster.runUntilQuiet();
  return { ...server, sql, faults, calls, set, create, waits, settle, clock: must(clock, "the clock") };
}

function askerOf(
  { registry }: TestCluster,
  webhooks: FaultyWebhooks,
  wait: (ms: number) => Promise<void>,
  transport: Transport | undefined,
) {
  const unreachable = () => Promise.resolve({ error: "there is none" });
  return newOutside({
    reads: readsOf(registry),
    isLocal: false,
    hasTunnel: () => false,
    transport: transport ?? unreachable,
    tunnel: unreachable,
    stream: () => undefined,
    askPods: () => Promise.resolve(undefined),
    failed: () => undefined,
    webhookFault: (webhook) => webhooks.take(webhook),
    wait,
  }).ask;
}
