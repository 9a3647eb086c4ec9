// An API server with injected faults, for tests.
import { must } from "../../shared/base/assert.ts";
import { type GivenFaults, putFaults } from "../../shared/contract/cluster/faults.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { ClusterClock } from "../../worker/cluster/time/clock/cluster-clock.ts";
import { ClusterFaults } from "../../worker/cluster/time/faults/cluster-faults.ts";
import { FaultEngine } from "../../worker/cluster/time/faults/engine.ts";
import { readsOf } from "../../worker/registry/registry.ts";
import type { Carrier } from "../../worker/cluster/outside/carriers.ts";
import { newOutside } from "../../worker/cluster/outside/outside.ts";
import { FaultyWebhooks } from "../../worker/cluster/time/faults/faulty-webhooks.ts";
import { FaultyNodes } from "../../worker/cluster/time/faults/faulty-nodes.ts";
import { faultController, faultTimer } from "../../worker/cluster/time/faults/timer.ts";
import { createTables } from "../../worker/store/tables.ts";
import { type Ask, newServer } from "../api/server.ts";
import { nodeSql } from "../sqlite.ts";

export const configMaps = "/api/v1/namespaces/default/configmaps";
export interface FaultyServerOptions {
  readonly zeroDelays?: boolean;
  /** Answers calls to servers outside the cluster. Default: none answers. */
  readonly carrier?: Carrier;
}

/** Returns an API server whose faults are applied at once, on a stepped clock. */
export function newFaultyServer({ zeroDelays = true, carrier }: FaultyServerOptions = {}) {
  const sql = nodeSql();
  createTables(sql);
  const waits: number[] = [];
  let clock: ClusterClock | undefined;
  const engine: { current?: FaultEngine } = {};
  const later = new Proxy({} as FaultEngine, { get: (_, name) => bound(must(engine.current, "the engine"), name) });
  const timer = faultTimer(later, () => ({
    store: server.cluster.registry.store,
    runtime: server.cluster.runtime,
    clock: must(clock, "the clock"),
  }));
  const server = newServer({
    sql,
    base: "layered",
    clockOf: (of, stepped) => (clock = new ClusterClock(of, stepped)),
    controllers: [
      ...allControllers({ zeroDelays, caPem: "test", images: "any", faults: new FaultyNodes(later) }),
      timer,
    ],
    service: ({ registry, runtime }) => {
      const faults = new FaultEngine({
        sql,
        registry: () => registry,
        wake: () => runtime.request(faultController, { namespace: "", name: "faults" }),
        injected: () => undefined,
      });
      engine.current = faults;
      const wait = async (ms: number) => void waits.push(ms);
      const webhooks = new FaultyWebhooks(faults);
      const { ask } = newOutside({
        reads: readsOf(registry),
        isLocal: false,
        hasTunnel: () => false,
        carrier: carrier ?? (() => Promise.resolve({ error: "there is none" })),
        tunnel: () => Promise.resolve({ error: "there is none" }),
        stream: () => undefined,
        askPods: () => Promise.resolve(undefined),
        failed: () => undefined,
        webhookFault: (webhook) => webhooks.take(webhook),
        wait,
      });
      return { faults, wait, ask };
    },
  });
  const faults = must(engine.current, "the engine");
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

function bound(engine: FaultEngine, name: string | symbol): unknown {
  const value: unknown = Reflect.get(engine, name, engine);
  return typeof value === "function" ? value.bind(engine) : value;
}
