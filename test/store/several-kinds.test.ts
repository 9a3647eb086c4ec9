// A store of several resources, driven at random and compared with a model, whatever it has cached, and after it is opened again.
import fc from "fast-check";
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import type { Key } from "../../worker/store/index-by-owner.ts";
import { keyText } from "../../worker/store/index-by-owner.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";
import { objectOf, resources, type Said, says, StoreModel, changeTexts } from "./model.ts";

const seed = 20_261_122;
const none = { owners: [], indexValue: "" };
const key = fc.record({
  resource: fc.constantFrom(...resources),
  namespace: fc.constantFrom("a", "b"),
  name: fc.constantFrom("x", "x-1", "y"),
});
const owners = fc.uniqueArray(fc.constantFrom("u1", "!u1", "u2"), { maxLength: 2 });
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant<"put">("put"), key, owners, indexValue: fc.constantFrom("", "n1", "n2") }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant<"remove">("remove"), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant<"compact">("compact"), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant<"open">("open") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant<"look">("look") }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

class Driven {
  readonly sql = nodeSql();
  readonly model = new StoreModel();
  store: Store;
  compacted = 0;

  constructor() {
    createTables(this.sql);
    this.store = new Store(this.sql);
  }

  do(step: Operation): void {
    if (step.do === "put") this.#put(step);
    else if (step.do === "remove") this.#remove(step.key);
    else if (step.do === "compact") this.#compact(Math.floor(step.part * this.model.revision));
    else if (step.do === "open") this.store = new Store(this.sql);
    else this.look(this.store);
  }

  #put({ key: placedKey, owners: of, indexValue }: { key: Key; owners: readonly string[]; indexValue: string }): void {
    const at = placed(placedKey);
    const object: Said = { key: at, says: String(this.model.revision + 1), owners: of, indexValue };
    this.store.commit({ key: at, next: objectOf(object), index: { owners: of, indexValue }, cause: "[]" });
    this.model.put(object);
  }

  #remove(placedKey: Key): void {
    const at = placed(placedKey);
    if (!this.model.get(at)) return;
    this.store.commit({ key: at, next: null, index: none, cause: "[]" });
    this.model.remove(at);
  }

  #compact(upTo: number): void {
    this.store.compact(upTo);
    this.compacted = Math.max(this.compacted, upTo);
  }

  look(store: Store): void {
    const { model, compacted } = this;
    expect([store.revision, store.compacted]).toEqual([model.revision, compacted]);
    for (const resource of resources) {
      this.#lookAt(store, resource);
      for (let revision = compacted; revision <= model.revision; revision++) {
        expect(paged(store, resource, undefined, revision)).toEqual(model.at(revision, resource).map(short));
        expect(changeTexts(store.changesSince(revision, 1000, resource))).toEqual(
          model.changesAfter(revision, resource),
        );
      }
    }
    for (let revision = compacted; revision <= model.revision; revision++) {
      expect(changeTexts(store.changesSince(revision, 1000))).toEqual(model.changesAfter(revision));
      expect(changeTexts(store.changesSince(revision, 2))).toEqual(model.changesAfter(revision).slice(0, 2));
    }
    for (const uid of ["u1", "u2"]) {
      for (const controller of [true, false])
        expect(store.ownedBy(uid, controller).map(keyText).sort()).toEqual(model.ownedBy(uid, controller));
    }
  }

  #lookAt(store: Store, resource: string): void {
    const { model } = this;
    const now = model.at(model.revision, resource);
    expect([store.size(resource), store.count({ resource })]).toEqual([now.length, now.length]);
    expect([...store.list({ resource })].map(says)).toEqual(now.map((object) => object.says));
    for (const object of now) expect(says(must(store.get(object.key), "object"))).toBe(object.says);
    for (const namespace of ["a", "b"]) {
      const here = model.at(model.revision, resource, namespace);
      expect([...store.list({ resource, namespace })].map(says)).toEqual(here.map((object) => object.says));
      expect(store.count({ resource, namespace })).toBe(here.length);
      expect(paged(store, resource, namespace, undefined)).toEqual(here.map(short));
    }
    for (const indexValue of ["n1", "n2"])
      expect(store.byIndexValue(resource, indexValue).map(keyText).sort()).toEqual(
        model.byIndexValue(resource, indexValue),
      );
    expect(store.indexValues(resource).map((row) => `${row.name} ${row.indexValue}`)).toEqual(
      now.map((object) => `${object.key.name} ${object.indexValue}`),
    );
    expect(store.named(resource, "x").map(keyText)).toEqual(
      now.flatMap((object) => (object.key.name === "x" ? keyText(object.key) : [])),
    );
    expect(store.beginningWith(resource, "a", "x").map(keyText)).toEqual(
      now.flatMap((object) =>
        object.key.namespace === "a" && object.key.name.startsWith("x") ? keyText(object.key) : [],
      ),
    );
  }
}

/** Nodes have no namespace. */
function placed(anyKey: Key): Key {
  return anyKey.resource === "nodes" ? { ...anyKey, namespace: "" } : anyKey;
}

function short({ key: { namespace, name }, says: text }: Said): string {
  return `${namespace}/${name} ${text}`;
}

/** Returns all pages of two objects each. */
function paged(store: Store, resource: string, namespace: string | undefined, revision: number | undefined): string[] {
  const names: string[] = [];
  for (let after: { namespace: string; name: string } | undefined, more = true; more; ) {
    const page = store.page({ resource, namespace, revision, after, limit: 2 });
    expect(page.items.length).toBeLessThanOrEqual(2);
    names.push(...page.items.map((item) => `${item.namespace}/${item.name} ${says(JSON.parse(item.text))}`));
    ({ more } = page);
    after = page.items.at(-1);
  }
  return names;
}

test("S9: a store of several resources answers as its model, from memory and from SQLite, compacted or not", () => {
  fc.assert(
    fc.property(fc.array(operation, { minLength: 5, maxLength: 40 }), (operations) => {
      const driven = new Driven();
      for (const step of operations) driven.do(step);
      driven.look(driven.store);
      driven.look(new Store(driven.sql));
      driven.sql.close();
    }),
    { numRuns: 25, seed },
  );
});

test("S4: a listener receives every change of every resource once, within its commit", () => {
  const driven = new Driven();
  const lived: ReturnType<Store["changesSince"]> = [];
  driven.store.onChange((change) => {
    expect(change.revision).toBe(driven.store.revision);
    lived.push(change);
  });
  for (const step of fc.sample(operation, { numRuns: 60, seed }))
    if (step.do === "put" || step.do === "remove") driven.do(step);
  expect(changeTexts(lived)).toEqual(driven.model.changesAfter(0));
});
