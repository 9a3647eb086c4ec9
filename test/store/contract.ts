// The contract of the store, run over each SQLite.
import { describe, expect, test } from "vitest";
import { type Clock, SteppedClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type Base, noBase } from "../../worker/store/base.ts";
import type { Change } from "../../worker/store/change.ts";
import type { Sql } from "../../worker/store/sql.ts";
import type { Item } from "../../worker/store/queries.ts";
import { NameTaken } from "../../worker/store/name-taken.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";

const resource = "configmaps";

export function storeContract(
  where: string,
  withSql: (body: (sql: Sql) => void) => void | Promise<void>,
  base: Base = noBase,
): void {
  const opened = (sql: Sql, clock?: Clock) => new Store(sql, clock, undefined, base);
  /** A resource without objects in any base. */
  const unusedResource = "leases";
  /** Returns the revision of the nth write. */
  const nth = (write: number) => base.revision + write;
  const rule = (title: string, body: (store: Store, sql: Sql) => void) =>
    test(title, () =>
      withSql((sql) => {
        createTables(sql);
        body(opened(sql), sql);
      }),
    );

  describe(`the store on ${where}`, () => {
    rule("S1: a commit raises the revision by exactly one and writes object and change together", (store, sql) => {
      const first = put(store, "a", { v: "1" });
      const second = put(store, "b", { v: "1" });
      expect([first.revision, second.revision, store.revision]).toEqual([nth(1), nth(2), nth(2)]);
      const both = [{ revision: nth(1) }, { revision: nth(2) }];
      expect(sql.all("SELECT revision FROM objects ORDER BY revision")).toEqual(both);
      expect(sql.all("SELECT revision FROM changes ORDER BY revision")).toEqual(both);
    });

    rule("S1: a commit writes two rows, as the platform bills them", (store, sql) => {
      const before = sql.rowsWritten();
      put(store, "a", { v: "1" });
      expect(sql.rowsWritten() - before).toBe(2);
    });

    rule("S1: a creation of an existing key is refused and writes nothing, cached or not", (store, sql) => {
      const fresh = (target: Store, name: string) =>
        target.commit({
          key: key(name),
          next: {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { namespace: "ns", name },
            data: { v: "1" },
          } as KubeObject,
          index: { owners: [], indexValue: "" },
          cause: "[]",
          isNew: true,
        });
      put(store, "a", { v: "1" });
      for (const target of [store, opened(sql)]) {
        const rows = sql.all("SELECT revision FROM changes ORDER BY revision");
        expect(() => fresh(target, "a")).toThrow(NameTaken);
        expect(sql.all("SELECT revision FROM changes ORDER BY revision")).toEqual(rows);
        expect(target.revision).toBe(nth(1));
        expect(dataOf(target.get(key("a")))).toEqual({ v: "1" });
      }
      const before = sql.rowsWritten();
      expect(fresh(store, "b")).toMatchObject({ type: "ADDED", revision: nth(2), previous: undefined });
      expect(sql.rowsWritten() - before).toBe(2);
      remove(store, "b");
      expect(fresh(store, "b").type).toBe("ADDED");
      expect(names(store, undefined)).toEqual(["a=1", "b=1"]);
    });

    rule("S1: a write that fails at any of its rows writes none of them", (store, sql) => {
      put(store, "a", { v: "1" });
      const objects = () => sql.all("SELECT name, revision FROM objects ORDER BY name");
      const before = objects();
      // The row of the log, which is written last, exists already.
      const inTheWay = "INSERT INTO changes (revision, resource, namespace, name, cause) VALUES (?, '', '', '', '[]')";
      sql.run(inTheWay, nth(2));
      for (const write of [
        () => put(store, "b", { v: "1" }),
        () => put(store, "a", { v: "2" }),
        () => remove(store, "a"),
      ]) {
        expect(write).toThrow("UNIQUE constraint failed: changes.revision");
        expect(objects()).toEqual(before);
      }
      sql.run("DELETE FROM changes WHERE revision = ?", nth(2));
      expect(put(store, "b", { v: "1" }).revision).toBe(nth(2));
    });

    rule("S1: the object carries its own revision as resourceVersion and is frozen", (store) => {
      put(store, "a", { v: "1" });
      const object = store.get(key("a"));
      expect(object?.metadata.resourceVersion).toBe(String(nth(1)));
      expect(Object.isFrozen(object) && Object.isFrozen(object?.metadata)).toBe(true);
    });

    rule("S2: writes are present after the store is opened again, at the same revision", (store, sql) => {
      put(store, "a", { v: "1" });
      put(store, "a", { v: "2" });
      const again = opened(sql);
      expect(again.revision).toBe(nth(2));
      expect(dataOf(again.get(key("a")))).toEqual({ v: "2" });
      put(again, "b", { v: "1" });
      expect(again.revision).toBe(nth(3));
    });

    rule("S3: a page at an old revision shows its state, whatever was changed, deleted or created since", (store) => {
      put(store, "a", { v: "1" });
      put(store, "b", { v: "1" });
      put(store, "d", { v: "1" });
      const revision = store.revision;
      put(store, "a", { v: "2" });
      remove(store, "b");
      put(store, "c", { v: "1" });
      put(store, "a", { v: "3" });
      expect(names(store, revision)).toEqual(["a=1", "b=1", "d=1"]);
      expect(names(store, undefined)).toEqual(["a=3", "c=1", "d=1"]);
    });

    rule("S3: pages at one revision continue by key without gap or repeat", (store) => {
      for (const name of ["a", "b", "c", "d", "e"]) put(store, name, { v: "1" });
      const revision = store.revision;
      const first = store.page({ resource, limit: 2, revision });
      remove(store, "b");
      remove(store, "c");
      put(store, "aa", { v: "1" });
      const second = store.page({ resource, limit: 2, revision, after: first.items.at(-1) });
      const third = store.page({ resource, limit: 2, revision, after: second.items.at(-1) });
      expect([first, second, third].flatMap(({ items }) => items).map((item) => item.name)).toEqual([
        "a",
        "b",
        "c",
        "d",
        "e",
      ]);
      expect([first.more, second.more, third.more]).toEqual([true, true, false]);
    });

    rule("S3: a page is bounded in bytes, at current and past revisions, and has at least one object", (store) => {
      const v = "x".repeat(limits.listPageBytes);
      for (const name of ["a", "b", "c"]) put(store, name, { v });
      const { revision } = store;
      for (const at of [undefined, revision]) {
        const pages: string[][] = [];
        for (let after: Item | undefined, more = true; more; ) {
          const page = store.page({ resource, limit: 9, revision: at, after });
          pages.push(page.items.map(({ name }) => name));
          ({ more } = page);
          after = page.items.at(-1);
        }
        expect(pages).toEqual([["a"], ["b"], ["c"]]);
        put(store, "d", { v: "1" });
        remove(store, "d");
      }
    });

    rule("S3: a page has one namespace if requested, otherwise all in order", (store) => {
      put(store, "b", { v: "1" }, "one");
      put(store, "a", { v: "1" }, "two");
      put(store, "c", { v: "1" }, "one");
      expect(store.page({ resource, namespace: "one", limit: 9 }).items.map((item) => item.name)).toEqual(["b", "c"]);
      expect(store.page({ resource, limit: 9 }).items.map((item) => item.name)).toEqual(["b", "c", "a"]);
      expect(store.count({ resource, namespace: "one" })).toBe(2);
    });

    rule("S4: each change is returned once, in order, with the replaced object", (store) => {
      put(store, "a", { v: "1" });
      put(store, "a", { v: "2" });
      remove(store, "a");
      const types = store
        .changesSince(nth(0), 10)
        .map((change) => [change.type, dataOf(change.object), dataOf(change.previous)]);
      expect(types).toEqual([
        ["ADDED", { v: "1" }, undefined],
        ["MODIFIED", { v: "2" }, { v: "1" }],
        ["DELETED", { v: "2" }, { v: "2" }],
      ]);
    });

    rule("S4: the log read from SQLite equals the changes in memory", (store, sql) => {
      const lived: Change[] = [];
      store.onChange((change) => lived.push(change));
      put(store, "a", { v: "1" });
      put(store, "b", { v: "1" });
      put(store, "a", { v: "2" });
      remove(store, "b");
      const read = opened(sql).changesSince(nth(0), 10);
      expect(read).toEqual(lived);
    });

    rule(
      "S4: a read of the log is bounded in bytes, and the next read continues without gap or repeat",
      (store, sql) => {
        const long = "x".repeat(700_000);
        for (let at = 0; at < 24; at++) put(store, `n${at % 5}`, { v: `${at} ${long}` });
        for (const target of [store, opened(sql)]) {
          const revisions: number[] = [];
          for (let at = nth(0); ; ) {
            const batch = target.changesSince(at, 500, resource);
            if (batch.length === 0) break;
            expect(batch.reduce((sum, change) => sum + change.text.length, 0)).toBeLessThan(10 * 1024 * 1024);
            revisions.push(...batch.map((change) => change.revision));
            at = batch.at(-1)?.revision ?? at;
          }
          expect(revisions).toEqual(Array.from({ length: 24 }, (_, at) => nth(at + 1)));
        }
      },
    );

    rule(
      "S4: the changes of one resource are separate from others with the same names, in memory and in the log",
      (store, sql) => {
        for (const name of ["a", "b"])
          for (const kind of [resource, unusedResource]) put(store, name, { v: kind }, "ns", {}, kind);
        remove(store, "a");
        const since = (target: Store, kind: string | undefined) =>
          target
            .changesSince(nth(1), 10, kind)
            .map((change) => `${change.revision - nth(0)} ${change.resource} ${change.name}`);
        for (const target of [store, opened(sql)]) {
          expect(since(target, resource)).toEqual(["3 configmaps b", "5 configmaps a"]);
          expect(since(target, unusedResource)).toEqual([`2 ${unusedResource} a`, `4 ${unusedResource} b`]);
          expect(since(target, "nodes")).toEqual([]);
          expect(since(target, undefined)).toHaveLength(4);
          expect(target.changesSince(nth(1), 1, unusedResource).map((change) => change.revision)).toEqual([nth(2)]);
        }
      },
    );

    rule(
      "S3: a list of one resource is separate from others with the same names, at current and past revisions",
      (store, sql) => {
        for (const name of ["a", "b"]) put(store, name, { v: "1" });
        put(store, "a", { v: "secret" }, "ns", {}, unusedResource);
        const { revision } = store;
        remove(store, "b");
        put(store, "c", { v: "secret" }, "ns", {}, unusedResource);
        for (const target of [store, opened(sql)]) {
          expect(names(target, undefined)).toEqual(["a=1"]);
          expect(names(target, revision)).toEqual(["a=1", "b=1"]);
          expect(names(target, undefined, unusedResource)).toEqual(["a=secret", "c=secret"]);
          expect(names(target, revision, unusedResource)).toEqual(["a=secret"]);
          expect([...target.list({ resource })].map(({ metadata }) => metadata.name)).toEqual(["a"]);
          expect([target.size(resource), target.size(unusedResource), target.size("nodes")]).toEqual([1, 2, 0]);
        }
      },
    );

    rule("S4: a deletion's object carries the deletion's revision", (store) => {
      put(store, "a", { v: "1" });
      remove(store, "a");
      expect(store.changesSince(nth(1), 1)[0]?.object.metadata.resourceVersion).toBe(String(nth(2)));
    });

    rule("S5: below the compacted revision changes and pages are refused with 410 Expired", (store) => {
      for (const value of ["1", "2", "3"]) put(store, "a", { v: value });
      store.compact(nth(2));
      expect(() => store.changesSince(nth(1), 10)).toThrow(ApiError);
      expect(() => store.page({ resource, limit: 9, revision: nth(1) })).toThrow(tooOld(nth(1)));
      expect(store.changesSince(nth(2), 10).map((change) => change.revision)).toEqual([nth(3)]);
    });

    rule("S5: compaction keeps every current value, and the value that a remaining change replaced", (store, sql) => {
      put(store, "a", { v: "1" });
      put(store, "b", { v: "1" });
      put(store, "a", { v: "2" });
      put(store, "c", { v: "1" });
      put(store, "b", { v: "2" });
      store.compact(nth(3));
      const again = opened(sql);
      expect(names(again, undefined)).toEqual(["a=2", "b=2", "c=1"]);
      expect(names(again, nth(3))).toEqual(["a=2", "b=1"]);
      expect(dataOf(again.changesSince(nth(4), 1)[0]?.previous)).toEqual({ v: "1" });
      expect(sql.all("SELECT revision FROM changes ORDER BY revision").map((row) => row.revision)).toEqual(
        [2, 3, 4, 5].map(nth),
      );
    });

    rule(
      "S5: compaction up to the newest revision keeps the revision over a restart, even after a deletion",
      (store, sql) => {
        put(store, "a", { v: "1" });
        remove(store, "a");
        store.compact(nth(2));
        const again = opened(sql);
        expect(again.revision).toBe(nth(2));
        put(again, "b", { v: "1" });
        again.compact(nth(3));
        expect(sql.all("SELECT revision FROM changes").map((row) => row.revision)).toEqual([nth(3)]);
      },
    );

    rule("S5: a held revision is not compacted until it is released", (store) => {
      put(store, "a", { v: "1" });
      const release = store.hold(nth(1));
      put(store, "a", { v: "2" });
      store.compact(nth(2));
      expect(names(store, nth(1))).toEqual(["a=1"]);
      release();
      store.compact(nth(2));
      expect(() => names(store, nth(1))).toThrow(/too old/);
    });

    rule("S5: a reader too far behind loses its hold and gets 410 Expired", (first, sql) => {
      put(first, "a", { v: "1" });
      sql.run("UPDATE changes SET revision = ?", nth(limits.heldRevisions - 10));
      sql.run("UPDATE objects SET revision = ?", nth(limits.heldRevisions - 10));
      const store = opened(sql);
      store.hold(nth(1));
      store.compact(nth(5));
      expect(store.compacted).toBe(nth(1));
      for (let at = 0; at < 12; at++) put(store, "a", { v: String(at) });
      store.compact(nth(5));
      expect(() => store.changesSince(nth(1), 1)).toThrow(/too old/);
    });

    const long = "x".repeat(1_200_000);
    const bytesIn = (sql: Sql) =>
      sql.all<{ bytes: number }>("SELECT IFNULL(SUM(LENGTH(value)), 0) AS bytes FROM changes")[0]?.bytes ?? 0;

    rule("S5: replaced values are bounded in bytes, also if the store is opened repeatedly", (first, sql) => {
      let store = first;
      for (let at = 0; at < 80; at++) {
        put(store, "a", { v: `${at} ${long}` });
        if (at % 4 === 3) store = opened(sql);
      }
      expect(bytesIn(sql)).toBeLessThan(limits.historyBytes + 2 * limits.historyMarkBytes + 3 * long.length);
      expect(dataOf(store.get(key("a")))).toEqual({ v: `79 ${long}` });
      expect(store.changesSince(store.compacted, 1)[0]?.revision).toBe(store.compacted + 1);
      expect(() => store.changesSince(nth(1), 1)).toThrow(tooOld(nth(1)));
    });

    rule("S5: deleted values are bounded in bytes", (store, sql) => {
      for (let at = 0; at < 80; at++) {
        put(store, `a${at}`, { v: long });
        remove(store, `a${at}`);
      }
      expect(bytesIn(sql)).toBeLessThan(limits.historyBytes + 2 * limits.historyMarkBytes + 3 * long.length);
    });

    rule(
      "S5: values replaced five minutes ago are deleted with the next writes, and values current since then stay",
      (_, sql) => {
        const clock = new SteppedClock();
        let store = opened(sql, clock);
        for (let minute = 0; minute < 20; minute++) {
          put(store, "a", { v: String(minute) });
          clock.step(60_000);
          if (minute % 3 === 0) store = opened(sql, clock);
        }
        expect(store.compacted).toBeGreaterThan(nth(11));
        expect(names(store, nth(15))).toEqual(["a=14"]);
        expect(() => names(store, nth(10))).toThrow(/too old/);
        expect(store.forgotten).toBe(nth(0));
        clock.step(limits.historyMs);
        put(store, "a", { v: "day" });
        expect(sql.all("SELECT revision FROM changes").length).toBeLessThan(9);
      },
    );

    rule("S5: a revision that was newest until now is readable at any age of its write", (_, sql) => {
      const clock = new SteppedClock();
      const store = opened(sql, clock);
      for (const name of ["a", "b"]) put(store, name, { v: "1" });
      clock.step(3_600_000);
      put(store, "a", { v: "2" });
      expect(names(store, nth(2))).toEqual(["a=1", "b=1"]);
    });

    rule("S5: a single write cuts at most a portion", (_, sql) => {
      const clock = new SteppedClock();
      const store = opened(sql, clock);
      for (let at = 0; at < 3500; at++) put(store, "a", { v: String(at) });
      clock.step(limits.historyMs);
      for (const portions of [1, 2]) {
        put(store, "a", { v: "later" });
        expect(store.forgotten).toBe(nth(portions * limits.compactionRevisions));
      }
    });

    rule("S11: history has compacted changes with their causes and replaced values", (_, sql) => {
      const clock = new SteppedClock();
      let store = opened(sql, clock);
      const causes = [
        '["jane","patch","id-1","boss"]',
        '["replicaset","replicaset:ns/a",7]',
        '["kubernetes-admin","manifests"]',
      ];
      for (const [at, cause] of causes.entries()) put(store, "a", { v: String(at) }, "ns", { cause });
      remove(store, "a");
      for (const v of ["1", "2"]) {
        clock.step(limits.changeLogMs);
        put(store, "b", { v });
      }
      store = opened(sql, clock);
      expect(store.compacted).toBe(nth(4));
      expect(() => store.changesSince(nth(0), 9)).toThrow(/too old/);
      const pastChanges = store.history(nth(0), 9);
      expect(pastChanges.map(({ revision, type, cause }) => [revision, type, cause])).toEqual([
        [nth(1), "ADDED", { user: "jane", origin: "patch", auditId: "id-1", impersonator: "boss" }],
        [nth(2), "MODIFIED", { user: "replicaset", origin: "replicaset:ns/a", reactsTo: 7 }],
        [nth(3), "MODIFIED", { user: "kubernetes-admin", origin: "manifests" }],
        [nth(4), "DELETED", { user: "", origin: "" }],
        [nth(5), "ADDED", { user: "", origin: "" }],
        [nth(6), "MODIFIED", { user: "", origin: "" }],
      ]);
      expect(pastChanges.map(({ previous, object }) => [dataOf(previous), dataOf(object)])[2]).toEqual([
        { v: "1" },
        { v: "2" },
      ]);
      expect(store.history(nth(2), 1, resource).map(({ revision }) => revision)).toEqual([nth(3)]);
      store.compact(nth(3));
      expect(() => store.history(nth(2), 1)).toThrow(tooOld(nth(2)));
    });

    rule("S5: cutting costs no row with most writes", (store, sql) => {
      const before = sql.rowsWritten();
      for (let at = 0; at < 1500; at++) put(store, "a", { v: String(at) });
      expect(sql.rowsWritten() - before).toBeLessThan(2 * 1500 + 5);
    });

    rule("S5: a hold is limited in bytes", (first, sql) => {
      for (const v of ["1", "2", "3"]) put(first, "a", { v });
      const withBytes = (bytes: number) => {
        const marks = [1, 2, 3].map((write) => ({ revision: nth(write), ms: 0, bytes: write === 3 ? bytes : write }));
        sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('logMarks', ?)", JSON.stringify(marks));
        const store = opened(sql);
        store.hold(nth(1));
        for (const v of ["a", "b", "c"]) put(store, "a", { v: v + long });
        return store;
      };
      expect(names(withBytes(limits.heldBytes - 10 * long.length), nth(1))).toEqual(["a=1"]);
      expect(() => names(withBytes(limits.heldBytes), nth(1))).toThrow(/too old/);
    });

    rule("S1: an empty write raises the revision, at most once per interval", (_, sql) => {
      const clock = new SteppedClock();
      const store = opened(sql, clock);
      for (let at = 0; at < 3; at++) store.advance();
      expect(store.revision).toBe(nth(1));
      clock.step(limits.changeLogMs);
      store.advance();
      expect(opened(sql, clock).revision).toBe(nth(2));
    });

    rule("S6: names with a prefix are found in order, in their namespace", (store) => {
      for (const name of ["web.2", "web.1", "web", "web-1.1", "weba.1"]) put(store, name, { v: "1" });
      put(store, "web.3", { v: "1" }, "other");
      expect(store.beginningWith(resource, "ns", "web.").map(({ name }) => name)).toEqual(["web.1", "web.2"]);
    });

    rule("S6: objects are found by owner and index value, also after the store is opened again", (store, sql) => {
      put(store, "a", { v: "1" }, "ns", { owners: ["!u1", "u2"], indexValue: "node-1" });
      put(store, "b", { v: "1" }, "ns", { owners: ["u1"], indexValue: "node-2" });
      for (const target of [store, opened(sql)]) {
        expect(target.ownedBy("u1", true).map((ownedKey) => ownedKey.name)).toEqual(["a"]);
        expect(target.ownedBy("u1", false).map((ownedKey) => ownedKey.name)).toEqual(["a", "b"]);
        expect(target.byIndexValue(resource, "node-2").map((indexedKey) => indexedKey.name)).toEqual(["b"]);
      }
      put(store, "b", { v: "2" }, "ns", { owners: [], indexValue: "" });
      expect(store.ownedBy("u1", false).map((ownedKey) => ownedKey.name)).toEqual(["a"]);
      remove(store, "a");
      expect(store.ownedBy("u2", false)).toEqual([]);
    });

    rule("S6: an object whose index value or owners change is found only by the new ones", (store) => {
      const names = (keys: readonly { name: string }[]) => keys.map((objectKey) => objectKey.name);
      const at = (owners: string[], indexValue: string) => put(store, "a", { v: "1" }, "ns", { owners, indexValue });
      put(store, "b", { v: "1" }, "ns", { owners: ["u1"], indexValue: "node-1" });
      const lookup = () => [
        names(store.byIndexValue(resource, "node-1")).sort(),
        names(store.byIndexValue(resource, "node-2")),
        names(store.ownedBy("u1", false)).sort(),
        names(store.ownedBy("u2", true)),
      ];
      at(["u1"], "node-1");
      expect(lookup()).toEqual([["a", "b"], [], ["a", "b"], []]);
      at(["u1"], "node-2");
      expect(lookup()).toEqual([["b"], ["a"], ["a", "b"], []]);
      at(["!u2"], "node-2");
      expect(lookup()).toEqual([["b"], ["a"], ["b"], ["a"]]);
      at(["u2"], "node-2");
      expect(lookup()).toEqual([["b"], ["a"], ["b"], []]);
      at([], "");
      expect(lookup()).toEqual([["b"], [], ["b"], []]);
    });

    rule("S7: a list for controllers is in key order and complete beyond one page", (store, sql) => {
      for (let at = 0; at < 1203; at++) put(store, `n${String(at).padStart(5, "0")}`, { v: "1" });
      for (const target of [store, new Store(sql)]) {
        const all = [...target.list({ resource })].map((object) => object.metadata.name);
        expect(all.length).toBe(1203);
        expect([...all].sort()).toEqual(all);
        const after = { namespace: "ns", name: "n01200" };
        expect([...target.list({ resource, after })].map(({ metadata }) => metadata.name)).toEqual([
          "n01201",
          "n01202",
        ]);
      }
    });
  });
}

function key(name: string, namespace = "ns", kind = resource) {
  return { resource: kind, namespace, name };
}

function put(
  store: Store,
  name: string,
  data: Record<string, string>,
  namespace = "ns",
  index: { owners?: string[]; indexValue?: string; cause?: string } = {},
  kind = resource,
) {
  const next: KubeObject & { data: unknown } = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name },
    data,
  };
  const { owners = [], indexValue = "", cause = "[]" } = index;
  return store.commit({ key: key(name, namespace, kind), next, index: { owners, indexValue }, cause });
}

function remove(store: Store, name: string) {
  return store.commit({ key: key(name), next: null, index: { owners: [], indexValue: "" }, cause: "[]" });
}

function dataOf(object: KubeObject | undefined): unknown {
  return (object as { data?: unknown } | undefined)?.data;
}

function names(store: Store, revision: number | undefined, kind = resource): string[] {
  return store.page({ resource: kind, limit: 100, revision }).items.map(({ name, text }) => {
    const { data } = JSON.parse(text) as { data: { v: string } };
    return `${name}=${data.v}`;
  });
}

function tooOld(revision: number): string {
  return `too old resource version: ${revision}`;
}
