// Compares a store over a base with a store that has written the same objects.
import { expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { seededRandom } from "../../shared/base/random.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Base } from "../../worker/store/base.ts";
import type { Change } from "../../worker/store/change.ts";
import { NameTaken } from "../../worker/store/name-taken.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { writeOut } from "../base.ts";
import { nodeSql } from "../sqlite.ts";
import { baseOf } from "./base-of.ts";
import { fileBaseOf, ownCertificates, sourceCertificates } from "./file-base-of.ts";

const resources = ["configmaps", "secrets"];
const namespaces = ["a", "b", "c"];
const names = ["n1", "n1-x", "n2", "n3", "n4"];
const bounds = { ...limits.sandbox, objects: 24 };

const keys = resources.flatMap((resource) =>
  namespaces.flatMap((namespace) => names.map((name) => ({ resource, namespace, name }))),
);
/** Every other key has an initial object, in reverse order. */
const rows = keys
  .filter((_, at) => at % 2 === 0)
  .reverse()
  .map((key, at) => ({ ...key, owners: at % 3 ? [] : ["!u1"], indexValue: at % 4 ? "" : "node-1" }));
const base = baseOf(rows);
const inFile = fileBaseOf(rows);

test.each([
  [1, "code", base],
  [2, "code", base],
  [3, "code", base],
  [4, "a file", inFile],
  [5, "a file", inFile],
  [6, "a file", inFile],
])("S10: a store with a base answers as a store that has written all objects (%d, in %s)", (seed, _, base) => {
  const [layered, written] = [newSide(base), newSide(undefined, base)];
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random.next() * all.length)];
  for (let step = 0; step < 250; step++) {
    const dice = random.next();
    const key = pick(keys) ?? keys[0];
    if (!key) throw new Error("there are no keys");
    const data = { v: String(step) };
    const owners = pick([[], ["u1"], ["!u1", "u2"]]) ?? [];
    const index = { owners, indexValue: pick(["", "node-1", "node-2"]) ?? "" };
    const minutes = dice > 0.9 ? 2 : 0;
    const compactTo = dice > 0.97 ? layered.store.revision - 3 : 0;
    const answers = [layered, written].map((side) => {
      if (dice > 0.85 && dice < 0.9) side.open();
      side.clock.step(minutes * 60_000);
      if (compactTo > base.revision) side.store.compact(compactTo);
      const next: KubeObject & { data: unknown } = { apiVersion: "v1", kind: "ConfigMap", metadata: key, data };
      const isThere = side.store.get(key) !== undefined;
      if (dice < 0.25 && !isThere) return "absent";
      const copy = dice < 0.25 ? null : structuredClone(next);
      return outcomeOf(() => side.store.commit({ key, next: copy, index, cause: "[]" }));
    });
    expect(answers[0]).toEqual(answers[1]);
    const [from, at] = [earlier(layered.store, random.next()), earlier(layered.store, random.next())];
    const [ours, theirs] = [layered, written].map(({ store }) => answersOf(store, from, at));
    // Texts are compared first, because that is fast.
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect(ours).toEqual(theirs);
  }
});

test("S10: the first change of a base object costs an additional row, later ones do not", () => {
  const { sql, store } = newSide(base);
  const { resource, namespace, name } = base.entries()[0] ?? { resource: "", namespace: "", name: "" };
  const key = { resource, namespace, name };
  const rows = (next: KubeObject | null) => {
    const before = sql.rowsWritten();
    store.commit({ key, next, index: { owners: [], indexValue: "" }, cause: "[]" });
    return sql.rowsWritten() - before;
  };
  const next = () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } });
  rows({ ...next(), metadata: { ...next().metadata, labels: { first: "mark" } } });
  expect([rows(next()), rows(null), rows(next())]).toEqual([2, 2, 2]);
  const secondEntry = base.entries()[1];
  const before = sql.rowsWritten();
  if (secondEntry) store.commit({ key: secondEntry, next: null, index: { owners: [], indexValue: "" }, cause: "[]" });
  expect(sql.rowsWritten() - before).toBe(2);
});

test("S10: a base from a file contains only the cluster's own certificates", () => {
  const texts = inFile.entries().map(({ revision }) => inFile.text(revision));
  expect(texts.filter((text) => text.includes(`"ca":"<${ownCertificates.rootCA}>"`)).length).toBeGreaterThan(3);
  expect(texts.join("")).not.toContain(sourceCertificates.rootCA);
  for (const { revision, characters } of inFile.entries()) expect(inFile.text(revision).length).toBe(characters);
});

// No other file has been read.
test.each([base, fileBaseOf(rows.slice(1))])(
  "S10: the name of a base object is taken, though the object was not read",
  (base) => {
    const { sql, store } = newSide(base);
    const before = sql.rowsWritten();
    for (const { resource, namespace, name } of base.entries()) {
      const next = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } };
      const index = { owners: [], indexValue: "" };
      const write = { key: { resource, namespace, name }, next, index, cause: "[]", isNew: true };
      expect(() => store.commit(write)).toThrow(NameTaken);
    }
    expect(sql.rowsWritten()).toBe(before);
  },
);

test.each([base, inFile])("S10: revisions before the last one of the base are compacted", (base) => {
  const { store } = newSide(base);
  const newest = base.revision;
  expect([store.revision, store.compacted, store.began]).toEqual([newest, newest, newest]);
  expect(store.changesSince(newest, 9)).toEqual([]);
  expect(() => store.changesSince(newest - 1, 9)).toThrow(`too old resource version: ${newest - 1} (${newest})`);
  expect(() => store.page({ resource: "secrets", limit: 9, revision: 1 })).toThrow("too old resource version: 1");
});

/** Opens a store. `written` are the objects that a store without a base writes first. */
function newSide(below: Base | undefined, written = base) {
  const sql = nodeSql();
  createTables(sql);
  const clock = new SteppedClock();
  if (!below) writeOut(sql, written, clock);
  const open = () => new Store(sql, clock, bounds, below);
  const side = {
    sql,
    clock,
    store: open(),
    open: () => {
      side.store = open();
    },
  };
  return side;
}

/** Returns a revision that can be read, or one before it. */
function earlier(store: Store, chance: number): number {
  const least = Math.max(0, store.compacted - 1);
  return least + Math.floor(chance * (store.revision - least + 1));
}

function answersOf(store: Store, from: number, at: number) {
  const lists = resources.flatMap((resource) =>
    [undefined, ...namespaces].flatMap((namespace) =>
      [undefined, { namespace: namespace ?? "b", name: "n2" }].map((after) => ({ resource, namespace, after })),
    ),
  );
  return {
    revision: store.revision,
    compacted: store.compacted,
    lists: lists.map((list) => [
      store.count(list),
      [...store.list(list)],
      store.page({ ...list, limit: 3 }),
      outcomeOf(() => store.page({ ...list, limit: 3, revision: at })),
    ]),
    changes: outcomeOf(() => store.changesSince(from, 7).map(plain)),
    of: outcomeOf(() => store.changesSince(from, 7, "secrets").map(plain)),
    sizes: resources.map((resource) => store.size(resource)),
    index: resources.map((resource) => [
      store.indexValues(resource).map(({ name, indexValue, revision }) => [name, indexValue, revision]),
      sorted(store.byIndexValue(resource, "node-1")),
      store.named(resource, "n1"),
      store.beginningWith(resource, "b", "n1"),
      namespaces.map((namespace) => store.uncontrolled(resource, namespace)),
    ]),
    owned: [sorted(store.ownedBy("u1", true)), sorted(store.ownedBy("u1", false))],
    objects: keys.map((key) => store.get(key)),
  };
}

/** Sorts results: the order of objects with the same owner or value depends on when the store was opened. */
function sorted(objects: readonly object[]): string[] {
  return objects.map((object) => JSON.stringify(object)).sort();
}

function plain({ text: _text, ...change }: Change) {
  return change;
}

/** Returns the result or the error. */
function outcomeOf(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return String(error);
  }
}
