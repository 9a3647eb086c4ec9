// Requests that kill the process: named on disk before they are begun, set aside by the process that comes next, and told of.
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
import { drainCarefully } from "./careful.ts";

class Killed extends Error {}

/** A cluster that is opened again, over the same tables, whenever its process is killed. What was written in that turn is lost. */
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
        // A kill leaves by every door; nothing may be written after it.
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
    /** As by `kill -9` between two turns. */
    reopen: () => void ({ runtime, system } = open()),
    /** A drain in the turn of a request or of an alarm; whether the process outlived it. */
    drain: () => turn(() => runtime.drain(100)),
    /** What the alarm does first: the name is on disk, and then it is begun. Whether the process outlived it. */
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
      const found = system.get(configMaps, "default", name);
      if (found) system.update(configMaps, { ...found, data: { touched: String(clock.nowMs()) } });
    },
    remove: (name: string) => system.delete(configMaps, "default", name),
    told: () =>
      system
        .list(events)
        .map(({ involvedObject, type, reason, message }) => `${involvedObject.name} ${type} ${reason} ${message}`),
  };
}

describe("what is pending when a cluster is opened", () => {
  test("Q6: runs one request at a time; who killed the process is set aside at the next opening, and all others go on", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("b");
    // Nobody knows who it was: nothing is written before an ordinary drain.
    expect(victim.drain()).toBe(false);
    // Now it is named, and dies again.
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

  test("Q6: it is told by an event on its object, with the controller and until when", () => {
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

  test("Q6: two of them are found one after the other", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("a").add("c");
    expect(victim.drain()).toBe(false);
    let kills = 0;
    while (!victim.careful()) kills++;
    expect([kills, victim.reports]).toEqual([2, ["meddler:default/a", "meddler:default/c"]]);
  });

  test("Q6: what a process was killed in without an intent, between two turns, is nobody's fault", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    expect(victim.careful()).toBe(true);
    victim.reopen();
    expect(victim.careful()).toBe(true);
    expect([victim.reports, victim.told()]).toEqual([[], []]);
  });

  test("Q6: it waits until that is done; what arises meanwhile is ordinary", () => {
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

  test("Q6: a rest on the way keeps what is done, and names nobody", () => {
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

  test("Q6: changes that were not read yet when it was opened are done carefully too", () => {
    const victim = newVictim();
    victim.poison.add("d");
    victim.create("d");
    victim.reopen();
    expect(victim.careful()).toBe(false);
    expect(victim.careful()).toBe(true);
    expect(victim.reports).toEqual(["meddler:default/d"]);
    // Though its change is read again from the log at every opening.
    victim.done.length = 0;
    victim.reopen();
    expect(victim.careful()).toBe(true);
    expect(victim.done).not.toContain("d");
  });
});

describe("what is set aside", () => {
  function withB() {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.poison.add("b");
    victim.drain();
    while (!victim.careful());
    victim.done.length = 0;
    return victim;
  }

  test("Q6: is tried again after a minute, carefully; from the second time on it waits an hour", () => {
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
    // It came to an end: it is as any other.
    expect(victim.sql.all("SELECT * FROM meta WHERE key LIKE 'set-aside%' OR key LIKE 'intent%'")).toEqual([]);
    victim.clock.step(1000);
    expect(victim.runtime().isCareful()).toBe(false);
  });

  test("Q6: is brought back by a change of its object, carefully", () => {
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

  test("Q6: may be deleted, which has it looked at again", () => {
    const victim = withB();
    victim.poison.clear();
    victim.remove("b");
    victim.drain();
    expect(victim.careful()).toBe(true);
    expect(victim.done).toContain("b");
    expect(victim.runtime().isCareful()).toBe(false);
  });
});

describe("what the guard costs", () => {
  const rows = (victim: ReturnType<typeof newVictim>, body: () => void) => {
    const before = victim.sql.rowsWritten();
    body();
    return victim.sql.rowsWritten() - before;
  };

  test("Q7: an ordinary drain writes no row for it", () => {
    const victim = newVictim();
    const queued = () => victim.sql.all("SELECT due_ms FROM queue").length;
    victim.clock.step(1000);
    // The three times at which they are due again, and nothing else.
    expect([rows(victim, () => victim.runtime().drain(100)), queued()]).toEqual([3, 3]);
  });

  test("Q7: an opening with nothing pending writes none", () => {
    const victim = newVictim();
    expect(rows(victim, () => victim.reopen())).toBe(0);
    expect(rows(victim, () => drainCarefully({ runtime: victim.runtime() }))).toBe(0);
  });

  test("Q7: one with n requests pending writes n rows and deletes one, beside what the drain would have written", () => {
    const victim = newVictim();
    victim.clock.step(1000);
    victim.reopen();
    expect(rows(victim, () => drainCarefully({ runtime: victim.runtime() }))).toBe(3 + 1 + 3);
  });
});

test("Q6: a mapping that throws is reported and stops no other", () => {
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
