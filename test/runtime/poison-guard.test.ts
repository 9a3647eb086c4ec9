// Requests that kill the process: stored before they start, set aside by the next process, and recorded as events.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { defineController, self } from "../../worker/runtime/controller.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";
import { openRuntime } from "./bed.ts";
import { drainCarefully } from "./careful-run.ts";

class Killed extends Error {}

/** Returns a cluster that can be opened again over the same tables after its process is killed. Writes of the killed turn are lost. */
function newVictim(names = ["a", "b", "c"]) {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const done: string[] = [];
  const reports: string[] = [];
  const poison = new Set<string>();
  const controller = defineController({
    name: "meddler",
    component: "meddler",
    watches: [self(configMaps)],
    reconcile: ({ name }) => {
      done.push(name);
      if (poison.has(name)) throw new Killed(name);
      return { afterMs: 1000 };
    },
  });
  const open = () =>
    openRuntime({
      sql,
      clock,
      controllers: [controller],
      report: (error, where) => {
        // A kill ends everything: nothing may be written after it.
        if (error instanceof Killed) throw error;
        reports.push(where);
      },
    });
  let { runtime, system } = open();
  const create = (name: string) =>
    system.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  names.forEach(create);
  runtime.drain(100);
  const turn = (body: () => void): boolean => {
    sql.run("SAVEPOINT turn");
    try {
      body();
      return true;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      sql.run("ROLLBACK TO turn");
      ({ runtime, system } = open());
      return false;
    } finally {
      sql.run("RELEASE turn");
    }
  };
  return {
    sql,
    clock,
    done,
    reports,
    poison,
    create,
    runtime: () => runtime,
    /** Kills the process as `kill -9` does between two turns. */
    reopen: () => void ({ runtime, system } = open()),
    /** Runs a drain. Returns whether the process survived. */
    drain: () => turn(() => runtime.drain(100)),
    /** Runs a careful request after its intent is on disk. Returns whether the process survived. */
    careful: (): boolean => {
      let named = runtime.nextCareful();
      while (named) {
        const isAlive = turn(() => {
          runtime.reconcileCarefully();
          named = runtime.nextCareful();
        });
        if (!isAlive) return false;
      }
      return true;
    },
    touch: (name: string) => {
      const configMap = system.get(configMaps, "default", name);
      if (configMap) system.update(configMaps, { ...configMap, data: { touched: String(clock.nowMs()) } });
    },
    remove: (name: string) => system.delete(configMaps, "default", name),
    told: () =>
      system
        .list(events)
        .map(({ involvedObject, type, reason, message }) => `${involvedObject.name} ${type} ${reason} ${message}`),
  };
}

describe("requests that are pending when a cluster is opened", () => {
  test("Q6: run one at a time; the request that killed the process is set aside at the next opening, and all others continue", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("b");
    // Its key is unknown: nothing is written before an ordinary drain.
    expect(victim.drain()).toBe(false);
    // Now its intent is stored, and it kills the process again.
    expect(victim.careful()).toBe(false);
    victim.done.length = 0;
    expect(victim.careful()).toBe(true);
    expect(victim.reports).toEqual(["meddler:default/b"]);
    expect(victim.done).toContain("c");
    victim.clock.step(1000);
    victim.done.length = 0;
    expect(victim.drain()).toBe(true);
    expect(new Set(victim.done)).toEqual(new Set(["a", "c"]));
  });

  test("Q6: are reported by an event on their object, with the controller and the time", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("b");
    victim.drain();
    victim.careful();
    const untilMs = victim.clock.nowMs() + limits.setAsideFirstMs;
    victim.careful();
    expect(victim.told()).toEqual([
      `b Warning ReconcileSetAside Reconciling by "meddler" did not come to an end and ended the cluster's process; it is set aside until ${rfc3339(untilMs)}, or until something about it changes`,
    ]);
  });

  test("Q6: are detected one after the other", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("a").add("c");
    expect(victim.drain()).toBe(false);
    let kills = 0;
    while (!victim.careful()) kills++;
    expect([kills, victim.reports]).toEqual([2, ["meddler:default/a", "meddler:default/c"]]);
  });

  test("Q6: are not blamed for a kill between two turns without an intent", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    expect(victim.careful()).toBe(true);
    victim.reopen();
    expect(victim.careful()).toBe(true);
    expect([victim.reports, victim.told()]).toEqual([[], []]);
  });

  test("Q6: delay other work until they are done, and later requests are ordinary", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    victim.done.length = 0;
    expect(victim.runtime().isCareful()).toBe(true);
    victim.create("new");
    expect(victim.runtime().drain(100)).toBe(0);
    expect(victim.done).toEqual([]);
    expect(victim.careful()).toBe(true);
    expect(victim.done).toEqual(["a", "b", "c"]);
    expect(victim.drain()).toBe(true);
    expect(victim.done).toEqual(["a", "b", "c", "new"]);
  });

  test("Q6: keep their results at a pause, which removes the intent", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    victim.runtime().nextCareful();
    victim.runtime().reconcileCarefully();
    victim.runtime().rest();
    victim.done.length = 0;
    victim.reopen();
    expect(victim.careful()).toBe(true);
    expect([victim.done, victim.reports]).toEqual([["b", "c"], []]);
  });

  test("Q6: run carefully too if changes that were not read at the opening caused them", () => {
    const victim = newVictim();
    victim.poison.add("d");
    victim.create("d");
    victim.reopen();
    expect(victim.careful()).toBe(false);
    expect(victim.careful()).toBe(true);
    expect(victim.reports).toEqual(["meddler:default/d"]);
    // Although its change is read from the log again at every opening.
    victim.done.length = 0;
    victim.reopen();
    expect(victim.careful()).toBe(true);
    expect(victim.done).not.toContain("d");
  });
});

describe("a request that is set aside", () => {
  function withB() {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("b");
    victim.drain();
    while (!victim.careful());
    victim.done.length = 0;
    return victim;
  }

  test("Q6: is retried carefully after a minute, and from the second time on after an hour", () => {
    const victim = withB();
    victim.clock.step(limits.setAsideFirstMs - 1);
    expect(victim.drain()).toBe(true);
    expect(victim.done).not.toContain("b");
    victim.clock.step(1);
    expect(victim.runtime().isCareful()).toBe(true);
    expect(victim.drain()).toBe(true);
    expect(victim.careful()).toBe(false);
    expect(victim.careful()).toBe(true);
    expect(victim.reports).toHaveLength(2);
    victim.clock.step(limits.setAsideMs - 1);
    victim.drain();
    expect(victim.done.filter((name) => name === "b")).toHaveLength(1);
    victim.clock.step(1);
    victim.poison.clear();
    expect(victim.careful()).toBe(true);
    // It completed, so it is ordinary again.
    expect(victim.sql.all("SELECT * FROM meta WHERE key LIKE 'set-aside%' OR key LIKE 'intent%'")).toEqual([]);
    victim.clock.step(1000);
    expect(victim.runtime().isCareful()).toBe(false);
  });

  test("Q6: is due again, carefully, after a change of its object", () => {
    const victim = withB();
    victim.touch("b");
    expect(victim.drain()).toBe(true);
    expect(victim.done).not.toContain("b");
    expect(victim.runtime().isCareful()).toBe(true);
    victim.poison.clear();
    expect(victim.careful()).toBe(true);
    expect(victim.done).toContain("b");
    expect(victim.reports).toHaveLength(1);
  });

  test("Q6: is due again after its object is deleted", () => {
    const victim = withB();
    victim.poison.clear();
    victim.remove("b");
    victim.drain();
    expect(victim.careful()).toBe(true);
    expect(victim.done).toContain("b");
    expect(victim.runtime().isCareful()).toBe(false);
  });
});

describe("the cost of the poison guard", () => {
  const rows = (victim: ReturnType<typeof newVictim>, body: () => void) => {
    const before = victim.sql.rowsWritten();
    body();
    return victim.sql.rowsWritten() - before;
  };

  test("Q7: is no row for an ordinary drain", () => {
    const victim = newVictim();
    const queued = () => victim.sql.all("SELECT due_ms FROM queue").length;
    victim.clock.step(1000);
    // Only the three rows of their next due times are written.
    expect([rows(victim, () => victim.runtime().drain(100)), queued()]).toEqual([3, 3]);
  });

  test("Q7: is nothing for an opening without pending requests", () => {
    const victim = newVictim();
    expect(rows(victim, () => victim.reopen())).toBe(0);
    expect(rows(victim, () => drainCarefully({ runtime: victim.runtime() }))).toBe(0);
  });

  test("Q7: is n rows and one deletion for an opening with n pending requests, beside the rows of the drain", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    expect(rows(victim, () => drainCarefully({ runtime: victim.runtime() }))).toBe(3 + 1 + 3);
  });
});

test("Q6: a mapper that throws is reported and stops no other", () => {
  const sql = nodeSql();
  createTables(sql);
  const reports: string[] = [];
  const done: string[] = [];
  const controller = (name: string, requests: Parameters<typeof self>[1]) =>
    defineController({
      name,
      component: name,
      watches: [self(configMaps, requests)],
      reconcile: (request) => {
        done.push(`${name} ${request.name}`);
        return undefined;
      },
    });
  const { runtime, system } = openRuntime({
    sql,
    clock: new SteppedClock(),
    controllers: [
      controller("odd", () => {
        throw new TypeError("a bug");
      }),
      controller("sound", () => true),
    ],
    report: (_error, where) => reports.push(where),
  });
  system.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } });
  runtime.drain(10);
  expect(done).toEqual(["sound a"]);
  expect(reports).toEqual(["odd: requests of a change in configmaps"]);
  expect(runtime.nextDueMs()).toBeUndefined();
});
