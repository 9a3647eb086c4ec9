// A cluster whose process does not live long: it is evicted between turns and killed within them, and its writes may fail.
import { SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { type Random, seededRandom } from "../../shared/base/random.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { plugins } from "../../worker/admission/catalogue.ts";
import { keepBase, keptBase } from "../../worker/cluster/base/kept-base.ts";
import { type Cluster, openCluster } from "../../worker/cluster/cluster.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { newRecord } from "../../worker/cluster/runs/timeline.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import type { Client } from "../../worker/registry/client.ts";
import { localClient } from "../../worker/registry/local-client.ts";
import type { Change } from "../../worker/store/change.ts";
import { createTables, writeMeta } from "../../worker/store/tables.ts";
import { testBase } from "../base.ts";
import { drainCarefully } from "../runtime/careful-run.ts";
import { put, savedState } from "../cluster/state/saved.ts";
import { nodeSql } from "../sqlite.ts";
import { watchedTurn } from "../turns.ts";

/** How likely each fault is, from 0 to 1. */
export interface Faults {
  /** Memory is lost between two turns. */
  readonly evict: number;
  /** The process dies within a turn: nothing of the turn is kept. */
  readonly kill: number;
  /** The probability that the process is killed between two writes: earlier writes are stored, and pending work is lost. */
  readonly stop: number;
  /** A write of a controller is refused. */
  readonly refuse: number;
  /** The log is compacted before a controller has read a user's change, and memory is lost, so every controller lists again. */
  readonly compact: number;
}

export const noFaults: Faults = { evict: 0, kill: 0, stop: 0, refuse: 0, compact: 0 };

export interface WorldOptions {
  readonly seed: number;
  readonly faults?: Partial<Faults>;
  readonly zeroDelays?: boolean;
  /** Whether the cluster draws from its seed by revision, as a sandbox with `seed` does. */
  readonly isSeeded?: boolean;
  /** Called within each commit, also of turns that are killed later. */
  onChange?(change: Change, client: Client): void;
}

/** The largest work of a turn before others may run. */
const largestTurn = limits.drainPerRequest;
/** More turns than this at one moment, or more time than this until nothing is due, is a cluster that never settles. */
const turnsAtOnce = 20_000;
const quietWithinMs = 48 * 3_600_000;
/** A turn that is stopped is stopped after at most this many writes. */
const writesBeforeStop = 8;

class Killed extends Error {}

/** The state of a world, from which another one can begin. */
export interface State {
  readonly file: Uint8Array;
  readonly nowMs: number;
  /** The changes that led to the state. */
  readonly changes: readonly Change[];
}

export class World {
  readonly clock = new SteppedClock();
  /** Every change that was kept, in order. */
  readonly changes: Change[] = [];
  readonly happened = { evicted: 0, killed: 0, stopped: 0, refused: 0, compacted: 0 };
  faults: Faults;
  /** Writes as a cluster administrator, through whatever process is up. */
  client: Client;
  cluster: Cluster;
  readonly #options: WorldOptions;
  readonly #sql = nodeSql();
  readonly #random: Random;
  /** The faults' own chance, so that the cluster's does not depend on them. */
  readonly #chance: Random;
  /** Writes until the process dies. */
  #writesLeft = Number.POSITIVE_INFINITY;

  /** A cluster that is at rest; `from` is one to begin with a copy of, or with the state of. */
  constructor(options: WorldOptions, from: World | State | "nothing" = freshWorld(options.zeroDelays ?? true)) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#chance = seededRandom(options.seed ^ 0x5eed);
    this.faults = noFaults;
    createTables(this.#sql);
    if (from === "nothing") this.#begin();
    else if (from instanceof World) this.#copy(from);
    else this.#beginWith(from);
    this.faults = { ...noFaults, ...(from instanceof World || from === "nothing" ? {} : options.faults) };
    [this.cluster, this.client] = this.#open();
    this.runUntilQuiet();
    this.faults = { ...noFaults, ...options.faults };
  }

  /** Performs a user's action and the short drain that follows. If a fault discards the action, the user repeats it. */
  turn(body: () => void): void {
    if (this.#happens("kill")) this.#killed(body);
    if (this.#happens("stop")) {
      body();
      this.stopAfter(1 + Math.floor(this.#chance.next() * writesBeforeStop), () => this.#drain(this.#size()));
      return;
    }
    body();
    if (this.#happens("compact")) this.#compact();
    this.#drain(this.#size());
    this.#mayEvict();
  }

  /** Reconciles all that is due at this moment, in turns of any size. */
  settle(): void {
    for (let turns = 0; turns < turnsAtOnce; turns++) {
      const dueMs = this.cluster.runtime.nextDueMs();
      if (dueMs === undefined || dueMs > this.clock.nowMs()) return;
      this.turn(() => undefined);
    }
    throw new Error(`never settles: ${JSON.stringify(this.cluster.runtime.pending().slice(0, 5))}`);
  }

  /** Advances the time and runs due work on the way. */
  pass(ms: number): void {
    const endMs = this.clock.nowMs() + ms;
    for (;;) {
      this.settle();
      const dueMs = this.cluster.runtime.nextDueMs();
      if (dueMs === undefined || dueMs > endMs) break;
      this.clock.stepTo(dueMs);
    }
    this.clock.stepTo(endMs);
    this.settle();
  }

  runUntilQuiet(): void {
    const endMs = this.clock.nowMs() + quietWithinMs;
    for (;;) {
      this.settle();
      const dueMs = this.cluster.runtime.nextDueMs();
      if (dueMs === undefined) return;
      if (dueMs > endMs) throw new Error(`never quiet: ${JSON.stringify(this.cluster.runtime.pending().slice(0, 5))}`);
      this.clock.stepTo(dueMs);
    }
  }

  /** Opens the same database again, as after an eviction. */
  reopen(): void {
    [this.cluster, this.client] = this.#open();
  }

  /** Opens the cluster with the informer at the start of the log, so that every change is read again. */
  replay(): void {
    writeMeta(this.#sql, "cursor", "0");
    this.reopen();
  }

  /** Does something until its nth write, after which the process dies; returns whether it came so far. */
  stopAfter(writes: number, body: () => void): boolean {
    this.#writesLeft = writes;
    try {
      body();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    const isStopped = this.#writesLeft <= 0;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    if (isStopped) this.happened.stopped++;
    this.reopen();
    return isStopped;
  }

  /** The state of now, as it would be saved; `isReconciling`: as it would be found if the process died now. */
  state(isReconciling = false): State {
    const { registry } = this.cluster;
    const cluster = isReconciling ? { registry, runtime: { waiting: () => undefined } } : this.cluster;
    return { file: savedState(cluster, this.#sql), nowMs: this.clock.nowMs(), changes: [...this.changes] };
  }

  /** Restores a revision, as an object does. */
  restore(revision: number): void {
    const { store } = this.cluster.registry;
    const file = savedState(this.cluster, this.#sql, revision);
    put(this.#sql, this.clock, file, undefined, store.revision);
    this.changes.length = revision;
    this.reopen();
    // What is taken back leaves its revisions.
    const nothing = { resource: "", namespace: "", name: "", type: "DELETED", previous: undefined, text: "" } as const;
    const object = { apiVersion: "", kind: "", metadata: {} };
    const { began } = this.cluster.registry.store;
    while (this.changes.length < began) this.changes.push({ ...nothing, revision: this.changes.length + 1, object });
  }

  #beginWith({ file, nowMs, changes }: State): void {
    this.changes.push(...changes);
    this.clock.stepTo(nowMs);
    put(this.#sql, this.clock, file);
  }

  /** Starts as a sandbox does. The base counts as written. */
  #begin(): void {
    const parameters = testBase(this.clock.nowMs());
    // No certificates are signed here.
    keepBase(this.#sql, { ...parameters, certificates: { ...parameters.certificates, rootCA: "test" } });
    const base = keptBase(this.#sql);
    for (const { revision, resource, namespace, name } of base.entries()) {
      const change = { revision, type: "ADDED", resource, namespace, name, previous: undefined } as const;
      this.changes.push({ ...change, object: base.object(revision), text: base.text(revision) });
    }
  }

  #copy(from: World): void {
    const tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table'";
    for (const { name, sql } of from.#sql.all<{ name: string; sql: string }>(tables)) {
      if (name === "base_file") this.#sql.run(sql);
      for (const row of from.#sql.all(`SELECT * FROM ${name}`)) {
        const values = Object.values(row);
        this.#sql.run(`INSERT INTO ${name} VALUES (${values.map(() => "?").join()})`, ...values);
      }
    }
    this.changes.push(...from.changes);
    this.clock.stepTo(from.clock.nowMs());
  }

  #drain(budget: number): void {
    drainCarefully(this.cluster);
    const { registry, runtime } = this.cluster;
    watchedTurn(registry.store, () => runtime.drain(budget));
  }

  /** The storage keeps all of a turn or nothing of it. */
  #killed(body: () => void): void {
    const changeCount = this.changes.length;
    try {
      this.#sql.transaction(() => {
        body();
        this.#drain(this.#size());
        throw new Killed();
      });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    this.changes.length = changeCount;
    this.happened.killed++;
    this.reopen();
  }

  #mayEvict(): void {
    if (!this.#happens("evict")) return;
    this.happened.evicted++;
    this.reopen();
  }

  #compact(): void {
    const { store } = this.cluster.registry;
    store.compact(store.revision);
    this.happened.compacted++;
    this.reopen();
  }

  #happens(fault: keyof Faults): boolean {
    const likelihood = this.faults[fault];
    return likelihood > 0 && this.#chance.next() < likelihood;
  }

  #size(): number {
    return Object.values(this.faults).every((faultCount) => faultCount === 0)
      ? largestTurn
      : 1 + Math.floor(this.#chance.next() ** 3 * largestTurn);
  }

  #open(): [Cluster, Client] {
    const record = newRecord(this.#sql);
    const cluster = openCluster({
      sql: this.#sql,
      clock: this.clock,
      random: this.#random,
      seed: this.#options.isSeeded ? this.#options.seed : undefined,
      kinds,
      plugins: [...plugins, this.#refusals()],
      controllers: allControllers({ zeroDelays: this.#options.zeroDelays ?? true, caPem: "test", ...record }),
      record,
      report: (error, where) => {
        if (error instanceof Killed) throw error;
        // What was under way when the process died waits a minute.
        if (error instanceof Error && error.message.includes("set aside")) return;
        throw new Error(`a bug in ${where}`, { cause: error });
      },
    });
    const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
    const client = localClient(cluster.registry, { actor: () => ({ user, origin: "user", manager: "test" }) });
    cluster.registry.store.onChange((change) => {
      this.changes.push(change);
      this.#options.onChange?.(change, client);
      this.#writesLeft--;
      if (this.#writesLeft <= 0) throw new Killed();
    });
    return [cluster, client];
  }

  /** Refuses writes of controllers, as a store under load or a webhook does. */
  #refusals(): AdmissionPlugin {
    return {
      name: "Faults",
      validate: ({ userInfo: user, kind, name }) => {
        if (user.groups.includes("system:masters") || !this.#happens("refuse")) return;
        this.happened.refused++;
        throw this.#chance.next() < 0.5
          ? ApiError.internal("etcdserver: request timed out")
          : ApiError.staleVersion(kind.groupResource, name);
      },
    };
  }
}

const fresh = new Map<boolean, World>();

/** Creates the initial world once, because thousands of simulations start with it. */
function freshWorld(zeroDelays: boolean): World {
  const world = fresh.get(zeroDelays) ?? new World({ seed: 0xbe91, zeroDelays }, "nothing");
  fresh.set(zeroDelays, world);
  return world;
}
