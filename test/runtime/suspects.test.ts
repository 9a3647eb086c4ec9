// Runs that are killed: who did it is found out by trying one at a time, and is set aside.
import { expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { defineController, self } from "../../worker/runtime/controller.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

class Killed extends Error {}

/** A cluster that is opened again, over the same tables, whenever a run is killed. */
function newVictim(poison: readonly string[]) {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  const done: string[] = [];
  const reports: string[] = [];
  let harmless = true;
  const controller = defineController({
    name: "meddler",
    component: "meddler",
    watches: [self(configMaps)],
    reconcile: ({ name }) => {
      done.push(name);
      if (!harmless && poison.includes(name)) throw new Killed(name);
      return { afterMs: 1000 };
    },
  });
  const open = () =>
    openCluster({
      sql,
      clock,
      random: seededRandom(1),
      kinds,
      plugins: [],
      controllers: [controller],
      report: (error, where) => {
        // A kill leaves by every door; nothing may be written after it.
        if (error instanceof Killed) throw error;
        reports.push(where);
      },
    });
  let { runtime, system } = open();
  for (const name of ["a", "b", "c"]) {
    system.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  }
  runtime.drain(100);
  harmless = false;
  clock.step(1000);
  done.length = 0;
  const killed = (body: () => void) => {
    sql.run("SAVEPOINT turn");
    try {
      body();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      sql.run("ROLLBACK TO turn");
      ({ runtime, system } = open());
      return true;
    } finally {
      sql.run("RELEASE turn");
    }
    return false;
  };
  return {
    clock,
    done,
    reports,
    runtime: () => runtime,
    touch: (name: string) => {
      system.delete(configMaps, "default", name);
    },
    drain: () => killed(() => runtime.drain(100)),
    /** As the alarm does it after a killed run; whether it was killed too. */
    careful: (): boolean => {
      for (;;) {
        const suspect = runtime.nextSuspect();
        if (!suspect) return false;
        if (killed(() => runtime.reconcileSuspect(suspect))) return true;
      }
    },
  };
}

test("Q6: after a killed run requests are tried one at a time, and who kills two of those is set aside and reported", () => {
  const victim = newVictim(["b"]);
  expect(victim.drain()).toBe(true);
  expect(victim.careful()).toBe(true);
  expect(victim.careful()).toBe(true);
  expect(victim.reports).toEqual([]);
  victim.done.length = 0;
  expect(victim.careful()).toBe(false);
  expect(victim.reports).toEqual(["meddler:default/b"]);
  // What came after it is done, and what came before it was not done again.
  expect(victim.done).toEqual(["c"]);
});

test("Q6: two of them are found one after the other", () => {
  const victim = newVictim(["a", "c"]);
  expect(victim.drain()).toBe(true);
  let kills = 0;
  while (victim.careful()) kills++;
  expect([kills, victim.reports]).toEqual([4, ["meddler:default/a", "meddler:default/c"]]);
});

test("Q6: what is set aside waits its time while all else goes on, and one more kill sets it aside again", () => {
  const victim = newVictim(["b"]);
  victim.drain();
  while (victim.careful());
  victim.done.length = 0;
  victim.clock.step(limits.setAsideMs - 2000);
  expect(victim.drain()).toBe(false);
  expect(new Set(victim.done)).toEqual(new Set(["a", "c"]));
  expect(victim.runtime().suspectIsDue()).toBe(false);
  victim.clock.step(2000);
  expect(victim.runtime().suspectIsDue()).toBe(true);
  expect(victim.drain()).toBe(false);
  expect(victim.careful()).toBe(true);
  expect(victim.careful()).toBe(false);
  expect(victim.reports).toHaveLength(2);
});

test("Q6: a change of its object has it tried again at once, carefully; cured, it is suspected no more", () => {
  const victim = newVictim([]);
  // Its try was counted, and then the object was evicted for another reason.
  const [suspect] = [victim.runtime().nextSuspect()];
  victim.touch(suspect?.name ?? "");
  expect(victim.drain()).toBe(false);
  expect(victim.done).not.toContain(suspect?.name);
  expect(victim.runtime().suspectIsDue()).toBe(true);
  expect(victim.careful()).toBe(false);
  expect(victim.done).toContain(suspect?.name);
  expect(victim.runtime().suspectIsDue()).toBe(false);
  expect(victim.reports).toEqual([]);
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
  const { runtime, system } = openCluster({
    sql,
    clock: new SteppedClock(),
    random: seededRandom(1),
    kinds,
    plugins: [],
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
