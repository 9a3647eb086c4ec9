// The amount of work in one drain.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { defineController, self, watch } from "../../worker/runtime/controller.ts";
import { namespace, newBed } from "./bed.ts";

/** The writes of a typical reconcile. */
const writes = limits.typicalReconcileWork / 300;

function clusterOf(writes: (name: string) => number) {
  const reconciled: string[] = [];
  const controller = defineController({
    name: "writer",
    component: "writer",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("ask-") ?? false)],
    reconcile({ name }, { client }) {
      reconciled.push(name);
      for (let index = 0; index < writes(name); index++)
        client.create(configMaps, { metadata: { namespace, generateName: "made-" } });
      return undefined;
    },
  });
  const bed = newBed([controller]);
  for (const name of ["ask-1", "ask-2", "ask-3"]) bed.create(configMaps, name);
  return { bed, seen: reconciled };
}

test("B2: a drain performs as many typical reconciles as its budget allows", () => {
  const { bed, seen: reconciled } = clusterOf(() => writes);
  expect(bed.now().runtime.drain(2)).toBe(2);
  expect(reconciled).toEqual(["ask-1", "ask-2"]);
});

test("S9: changes may be dropped from memory after a drain has read them", () => {
  const { bed } = clusterOf(() => writes);
  const { runtime, registry } = bed.now();
  let rests = 0;
  registry.store.rest = () => void rests++;
  const { revision } = registry.store;
  runtime.drain(2, revision - 1);
  expect(rests).toBe(0);
  while (rests === 0) expect(runtime.drain(2)).toBeGreaterThan(0);
  expect(runtime.pending()).toEqual([]);
});

test("B2: an endless reconcile is stopped between two writes, and continues after others", () => {
  const reconciled: string[] = [];
  const controller = defineController({
    name: "filler",
    component: "filler",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("fill-") ?? false)],
    reconcile({ name }, { client, event }) {
      reconciled.push(name);
      const total = name === "fill-1" ? 500 : 1;
      for (let index = 0; index < total; index++) {
        const createdName = `made-${name}-${index}`;
        if (client.get(configMaps, namespace, createdName)) continue;
        event(
          client.create(configMaps, { metadata: { namespace, name: createdName } }),
          "Normal",
          "Made",
          "it was made",
        );
      }
      return undefined;
    },
  });
  const bed = newBed([controller]);
  const { store } = bed.now().registry;
  for (const name of ["fill-1", "fill-2"]) bed.create(configMaps, name);
  const before = store.revision;
  bed.now().runtime.drain(1);
  expect(store.revision - before).toBeLessThanOrEqual(limits.maxReconcileWork / 300 + 2);
  bed.now().runtime.drain(1);
  expect(reconciled).toEqual(["fill-1", "fill-2"]);
  bed.settle();
  expect(bed.now().system.count(configMaps)).toBeGreaterThan(500);
  // Events are also recorded by the run that was stopped.
  expect(bed.now().system.count(events)).toBe(501);
  expect(bed.reports).toEqual([]);
});

test("B2: a late drain stops between two reconciles, and between two writes of one, and continues later", () => {
  const most = 10;
  const controller = defineController({
    name: "filler",
    component: "filler",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("fill-") ?? false)],
    reconcile({ name }, { client }) {
      for (let index = 0; index < most; index++) {
        const createdName = `made-${name}-${index}`;
        if (client.get(configMaps, namespace, createdName)) continue;
        client.create(configMaps, { metadata: { namespace, name: createdName } });
      }
      return undefined;
    },
  });
  const bed = newBed([controller]);
  for (const name of ["fill-1", "fill-2"]) bed.create(configMaps, name);
  const { runtime, system } = bed.now();
  const createdCount = () => system.count(configMaps) - 2;
  // It is late from the third write on.
  runtime.drain(100, Number.POSITIVE_INFINITY, () => createdCount() >= 3);
  expect(createdCount()).toBe(3);
  // A drain that is always late still makes progress.
  runtime.drain(100, Number.POSITIVE_INFINITY, () => true);
  expect(createdCount()).toBe(4);
  runtime.drain(100);
  expect(createdCount()).toBe(2 * most);
  expect(bed.reports).toEqual([]);
});

test("B2: a write of a large object counts as several", () => {
  const large = { text: "x".repeat(1_000_000) };
  const controller = defineController({
    name: "copier",
    component: "copier",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("copy-") ?? false)],
    reconcile({ name }, { client }) {
      client.create(configMaps, { metadata: { namespace, name: `of-${name}` }, data: large });
      return undefined;
    },
  });
  const bed = newBed([controller]);
  for (const name of ["copy-1", "copy-2"]) bed.create(configMaps, name);
  expect(bed.now().runtime.drain(10)).toBeGreaterThan(10);
  expect(bed.now().system.get(configMaps, namespace, "of-copy-2")).toBeUndefined();
});

test("B2: a reconcile with many writes counts as several, and the rest is left to the next drain", () => {
  const { bed, seen: reconciled } = clusterOf((name) => (name === "ask-1" ? 10 * writes : 1));
  expect(bed.now().runtime.drain(5)).toBe(10);
  expect(reconciled).toEqual(["ask-1"]);
  expect(bed.now().runtime.drain(5)).toBe(2);
  expect(reconciled).toEqual(["ask-1", "ask-2", "ask-3"]);
});

test("B2: the cost of mapping counts too, and the next drain reads the remaining changes", () => {
  const mapped: string[] = [];
  const controller = defineController({
    name: "looker",
    component: "looker",
    watches: [
      watch(configMaps, function* (next, _previous, client) {
        if (!next?.metadata.name?.startsWith("look-")) return;
        mapped.push(next.metadata.name);
        for (let index = 0; 3 * index < limits.typicalReconcileWork; index++)
          client.get(configMaps, namespace, "look-1");
        yield { namespace, name: next.metadata.name };
      }),
    ],
    reconcile: () => undefined,
  });
  const bed = newBed([controller]);
  for (let at = 1; at <= 20; at++) bed.create(configMaps, `look-${at}`);
  bed.now().runtime.drain(3);
  expect(mapped.length).toBeLessThan(10);
  expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
  bed.settle();
  expect(mapped).toHaveLength(20);
});

test("B2: a reconcile that reads too much fails, is retried later, and can record an event", () => {
  const reports: string[] = [];
  const controller = defineController({
    name: "reader",
    component: "reader",
    watches: [self(configMaps, (next) => next?.metadata.name === "read")],
    reconcile(_request, { client }) {
      try {
        for (;;) client.get(configMaps, namespace, "read");
      } catch (error) {
        reports.push(String(error));
        expect(client.get(configMaps, namespace, "read")).toBeDefined();
        throw error;
      }
    },
  });
  const bed = newBed([controller]);
  bed.create(configMaps, "read");
  bed.now().runtime.drain(1);
  expect(reports).toEqual(["ApiError: it takes more work than may be done at once"]);
  expect(bed.now().runtime.pending()).toMatchObject([{ controller: "reader", attempts: 1 }]);
});

test("Q14: a drain reads no change after its limit, and the next one does", () => {
  const { bed, seen: reconciled } = clusterOf(() => 0);
  const { runtime, registry } = bed.now();
  const before = registry.store.revision;
  for (const name of ["ask-4", "ask-5"]) bed.create(configMaps, name);
  runtime.drain(100, before);
  expect(reconciled).toEqual(["ask-1", "ask-2", "ask-3"]);
  expect(runtime.nextDueMs()).toBe(bed.clock.nowMs());
  runtime.drain(100);
  expect(reconciled).toEqual(["ask-1", "ask-2", "ask-3", "ask-4", "ask-5"]);
});

test("Q14: reading ahead reconciles nothing, reports whether anything is due, and loses nothing", () => {
  const { bed, seen: reconciled } = clusterOf(() => 0);
  bed.now().runtime.drain(100);
  reconciled.splice(0);
  bed.create(configMaps, "other");
  expect(bed.now().runtime.readAhead()).toBe(false);
  bed.create(configMaps, "ask-4");
  expect(bed.now().runtime.readAhead()).toBe(true);
  expect(reconciled).toEqual([]);
  bed.reopen();
  expect(bed.now().runtime.isCareful()).toBe(true);
  bed.settle();
  expect(reconciled).toContain("ask-4");
});

test("Q4: reading ahead saves its cursor once in 200 revisions, and nothing else", () => {
  const { bed } = clusterOf(() => 0);
  bed.now().runtime.drain(100);
  let rows = 0;
  for (let at = 0; at < 250; at++) {
    bed.create(configMaps, `other-${at}`);
    const before = bed.sql.rowsWritten();
    bed.now().runtime.readAhead();
    rows += bed.sql.rowsWritten() - before;
  }
  expect(rows).toBe(1);
});

test("B2: a reconcile that knows that the turn is over may still write its results, and the next one is stopped as usual", () => {
  const counts = new Map<string, number>();
  const controller = defineController({
    name: "counting",
    component: "counting",
    watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("ask-") ?? false)],
    reconcile({ name }, { client, isBudgetSpent }) {
      let createdCount = counts.get(name) ?? 0;
      const heeds = name === "ask-1";
      while (createdCount < 100 && !(heeds && isBudgetSpent())) {
        client.create(configMaps, { metadata: { namespace, name: `made-${name}-${createdCount}` } });
        createdCount++;
        if (!heeds) counts.set(name, createdCount);
      }
      counts.set(name, createdCount);
      const ask = client.get(configMaps, namespace, name);
      if (ask && heeds) client.update(configMaps, { ...ask, data: { made: String(createdCount) } });
      return createdCount < 100 ? { afterMs: 0 } : undefined;
    },
  });
  const bed = newBed([controller]);
  bed.create(configMaps, "ask-1");
  bed.create(configMaps, "ask-2");
  let looks = 0;
  const isLate = () => ++looks % 10 === 0;
  const { runtime, system } = bed.now();
  for (let turn = 0; turn < 100 && !counts.has("ask-1"); turn++) runtime.drain(1, undefined, isLate);
  const first = counts.get("ask-1") ?? 0;
  expect(first).toBeLessThan(100);
  expect(system.get(configMaps, namespace, "ask-1")?.data).toEqual({ made: String(first) });
  for (let turn = 0; turn < 100 && !counts.has("ask-2"); turn++) runtime.drain(1, undefined, isLate);
  expect(counts.get("ask-2")).toBeLessThan(20);
});

test("Q7: many waiting requests are not saved one by one, and none is lost with the process", () => {
  const count = 400;
  const done = new Map<string, number>();
  const controller = defineController({
    name: "crowded",
    component: "crowded",
    watches: [self(configMaps)],
    reconcile({ name }, { nowMs, client }) {
      const madeMs = Date.parse(client.get(configMaps, namespace, name)?.metadata.creationTimestamp ?? "");
      if (nowMs < madeMs + 900) return { afterMs: madeMs + 900 - nowMs };
      done.set(name, (done.get(name) ?? 0) + 1);
      return undefined;
    },
  });
  const bed = newBed([controller]);
  const queued = () => bed.sql.all("SELECT name FROM queue").length;
  for (let at = 0; at < count; at++) bed.create(configMaps, `m-${at}`);
  while (bed.now().runtime.drain(30) >= 30);
  expect([queued(), bed.now().runtime.pending().length]).toEqual([0, count]);
  bed.clock.step(950);
  // The last of them saves the cursor.
  for (let turn = 0; turn < 7; turn++) bed.now().runtime.drain(30);
  expect([done.size, queued()]).toEqual([210, 0]);
  bed.reopen();
  bed.settle();
  expect(done.size).toBe(count);
  expect([queued(), bed.now().runtime.pending()]).toEqual([0, []]);
});

test("Q7: a long queue is not saved row by row although each turn changes little of it", () => {
  const controller = defineController({
    name: "steady",
    component: "steady",
    watches: [self(configMaps)],
    reconcile({ name }, { nowMs, client }) {
      const madeMs = Date.parse(client.get(configMaps, namespace, name)?.metadata.creationTimestamp ?? "");
      return nowMs < madeMs + 900 ? { afterMs: madeMs + 900 - nowMs } : undefined;
    },
  });
  const bed = newBed([controller]);
  const queued = () => bed.sql.all("SELECT name FROM queue").length;
  const lengths = [];
  for (let at = 0; at < 400; at++) {
    bed.create(configMaps, `m-${at}`);
    if (at % 10 === 9) bed.now().runtime.drain(30);
    lengths.push(queued());
  }
  // The first requests are saved, because they are few.
  expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
  expect(bed.now().runtime.pending()).toHaveLength(400);
  bed.reopen();
  bed.settle();
  expect(bed.now().runtime.pending()).toHaveLength(400);
  bed.clock.step(950);
  bed.settle();
  expect([queued(), bed.now().runtime.pending()]).toEqual([0, []]);
});

test("Q7: many requests that are not due soon are saved, so that no change is read again", () => {
  const controller = defineController({
    name: "patient",
    component: "patient",
    watches: [self(configMaps)],
    reconcile: ({ name }) => (name.startsWith("m-") ? { afterMs: 3_600_000 } : undefined),
  });
  const bed = newBed([controller]);
  for (let at = 0; at < 400; at++) bed.create(configMaps, `m-${at}`);
  while (bed.now().runtime.drain(30) >= 30);
  expect(bed.sql.all("SELECT name FROM queue")).toHaveLength(400);
  bed.reopen();
  expect([bed.now().runtime.isCareful(), bed.now().runtime.pending().length]).toEqual([false, 400]);
});
