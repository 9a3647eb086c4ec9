// A test server with the API and the clock calls of the edge.
import type { Clock } from "../../shared/base/clock.ts";
import { must } from "../../shared/base/assert.ts";
import { ClusterClock } from "../../worker/cluster/time/clock/cluster-clock.ts";
import { Clocks, type ClockedCluster } from "../../worker/cluster/time/clock/clocks.ts";
import type { SteppedClock } from "../../shared/base/clock.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { tokenKey } from "../../worker/cluster/token-key.ts";
import type { Client } from "../../worker/registry/client.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { createTables } from "../../worker/store/tables.ts";
import { type Ask, newServer, type TestServer } from "../api/server.ts";
import { testAuthority } from "../authority.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { nodeSql } from "../sqlite.ts";

export interface ClockedServer {
  readonly cluster: TestServer["cluster"];
  readonly service: TestServer["service"];
  readonly client: Client;
  readonly sql: Sql;
  readonly clock: ClusterClock;
  /** The machine's clock. */
  readonly real: SteppedClock;
  readonly clocks: Clocks<ClockedCluster>;
  /** Milliseconds of real time that each turn of a run takes. */
  turnMs: number;
  /** The work, in microseconds, of each turn of a run. */
  readonly turnWork: number[];
  /** The cluster is not there any more. */
  isGone: boolean;
  /** Returns the parsed body of the answer. */
  ask<T>(method: string, path: string, ask?: Ask): Promise<T>;
}

/** `delays`: kubelets take as long as real ones do. */
export function newClockedServer({ delays = false, sql = nodeSql() } = {}): ClockedServer {
  createTables(sql);
  let clock: ClusterClock | undefined;
  const clockOf = (of: Sql, real: Clock) => (clock = new ClusterClock(of, real));
  const signToken = tokenKey(sql).sign;
  const slow = { caPem: "test", authority: testAuthority, signToken, images: "any" } as const;
  const server = newServer({
    sql,
    base: "layered",
    clockOf,
    ...(delays ? { controllers: allControllers({ ...slow, zeroDelays: false }) } : {}),
    service: ({ registry, clock: real }) => ({
      nowMs: () => real.nowMs(),
      realMsOf: (ms) => must(clock, "the clock").realMsOf(ms),
      // A run does what is due, and nobody else.
      turn: (body) => registry.store.meter.within(body),
    }),
  });
  const { cluster, service } = server;
  const clusterClock = must(clock, "the clock");
  const { meter } = cluster.registry.store;
  const turnWork: number[] = [];
  let spentRealMs = 0;
  const open: ClockedCluster = {
    clock: clusterClock,
    registry: cluster.registry,
    runtime: cluster.runtime,
    news: { tellAll: () => undefined },
    load: service.load,
  };
  const clocks = new Clocks({
    current: () => (clocked.isGone ? undefined : open),
    turns: {
      next: () => undefined,
      measure: (body) => {
        const before = meter.spent;
        spentRealMs += clocked.turnMs;
        try {
          return body();
        } finally {
          turnWork.push(meter.spent - before);
        }
      },
    },
    pause: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    realMs: () => spentRealMs,
    isLater: () => () => false,
    drainCarefully: async () => drainCarefully(cluster),
    flush: () => undefined,
    settle: () => undefined,
    keepAlive: () => undefined,
  });
  const clocked: ClockedServer = {
    cluster,
    service,
    sql,
    clocks,
    turnWork,
    client: cluster.client,
    clock: clusterClock,
    real: cluster.clock,
    turnMs: 0,
    isGone: false,
    // The tests say what they read of it.
    ask: async <T>(method: string, path: string, ask?: Ask) => (await server.ask<T>(method, path, ask)).body,
  };
  return clocked;
}
