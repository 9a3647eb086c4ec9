// The object of the event about a request that killed the process, and the number of requests that are set aside.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { type Controller, defineController, self, watch } from "../../worker/runtime/controller.ts";
import { PoisonGuard } from "../../worker/runtime/poison-guard.ts";
import { recordSetAside } from "../../worker/runtime/set-aside.ts";
import { createTables, readMeta, writeMeta } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";
import { namespace, newBed } from "./bed.ts";

const anyOf = (kind: typeof configMaps | typeof secrets) =>
  watch<KubeObject>(kind, function* () {
    // Its requests do not matter here.
  });

function eventsOf(watches: Controller["watches"], name: string, where = namespace): string[] {
  const controller = defineController({ name: "meddler", component: "test", watches, reconcile: () => undefined });
  const bed = newBed([]);
  bed.create(configMaps, "map");
  bed.create(configMaps, "both");
  bed.create(secrets, "both");
  const client = bed.now().system;
  client.create(namespaces, { metadata: { name: "space" } });
  const recorded: string[] = [];
  const event = (object: KubeObject, type: string, reason: string) =>
    void recorded.push(`${type} ${reason} of ${object.kind} ${object.metadata.name ?? ""}`);
  recordSetAside({ controller, client, event }, { namespace: where, name }, 0);
  return recorded;
}

describe("the event of a request that is set aside", () => {
  test("Q6: is on the object with the name, of the kind that requests name first", () => {
    expect(eventsOf([self(configMaps)], "map")).toEqual(["Warning ReconcileSetAside of ConfigMap map"]);
    expect(eventsOf([self(configMaps), self(secrets)], "both")).toEqual([
      "Warning ReconcileSetAside of ConfigMap both",
    ]);
    const about = { ...anyOf(configMaps), about: secrets };
    expect(eventsOf([anyOf(configMaps), about], "both")).toEqual(["Warning ReconcileSetAside of Secret both"]);
  });

  test("Q6: for a request without a namespace is on a cluster-scoped object, otherwise on a namespaced one", () => {
    expect(eventsOf([self(configMaps), self(namespaces)], "space", "")).toEqual([
      "Warning ReconcileSetAside of Namespace space",
    ]);
    expect(eventsOf([self(namespaces)], "space")).toEqual([]);
  });

  test("Q6: is not recorded if no object has the name", () => {
    expect(eventsOf([self(configMaps)], "none")).toEqual([]);
    expect(eventsOf([], "map")).toEqual([]);
  });

  test("Q6: is dropped if it needs an outbound call, but not for a bug", () => {
    const failing = (error: Error) => () => {
      const controller = defineController({
        name: "m",
        component: "t",
        watches: [self(configMaps)],
        reconcile: () => undefined,
      });
      const bed = newBed([]);
      bed.create(configMaps, "map");
      const event = () => {
        throw error;
      };
      recordSetAside({ controller, client: bed.now().system, event }, { namespace, name: "map" }, 0);
    };
    expect(failing(new PendingCalls([]))).not.toThrow();
    expect(failing(new TypeError("a bug"))).toThrow("a bug");
  });
});

describe("the poison guard", () => {
  function guarded() {
    const sql = nodeSql();
    createTables(sql);
    /** Starts work and dies in it. Returns the guard of the next process. */
    const killedIn = (what: string, nowMs: number) => {
      new PoisonGuard(sql, "test").begin(what);
      return new PoisonGuard(sql, "test").setAsideCrashed(nowMs);
    };
    return { sql, killedIn, opened: () => new PoisonGuard(sql, "test") };
  }

  test("Q6: sets work aside until its time, also for the next process", () => {
    const { killedIn, opened } = guarded();
    const untilMs = killedIn("a", 1000);
    expect(untilMs).toBe(1000 + limits.setAsideFirstMs);
    const guard = opened();
    expect([guard.untilMs("a", 1000), guard.untilMs("a", untilMs - 1)]).toEqual([untilMs, untilMs]);
    expect([guard.untilMs("a", untilMs), guard.untilMs("b", 1000)]).toEqual([undefined, undefined]);
    expect([guard.crashedIntent, guard.all()]).toEqual([undefined, ["a"]]);
    expect(killedIn("a", 5000)).toBe(5000 + limits.setAsideMs);
  });

  test("Q6: sets nothing aside if no work was running", () => {
    const { opened } = guarded();
    const guard = opened();
    expect([guard.setAsideCrashed(7), guard.all()]).toEqual([7, []]);
    guard.begin("a");
    guard.end();
    expect(opened().crashedIntent).toBeUndefined();
  });

  test("Q6: forgets completed work only, and is separate from other guards", () => {
    const { sql, killedIn, opened } = guarded();
    for (const what of ["a", "b"]) killedIn(what, 0);
    expect(new PoisonGuard(sql, "other").all()).toEqual([]);
    opened().clear("a");
    expect(opened().all()).toEqual(["b"]);
    const before = sql.rowsWritten();
    opened().clear("a");
    expect(sql.rowsWritten()).toBe(before);
    opened().clear("b");
    expect(readMeta(sql, "set-aside:test")).toBeUndefined();
  });

  test("Q6: forgets the oldest work beyond its limit", () => {
    const { sql, killedIn, opened } = guarded();
    const most = limits.setAsideMost;
    const all = Array.from({ length: most }, (_, at) => [`n${at}`, { times: 1, untilMs: 0 }]);
    writeMeta(sql, "set-aside:test", JSON.stringify(all));
    killedIn("n0", 0);
    expect(opened().all()).toHaveLength(most);
    killedIn("new", 0);
    const remaining = opened().all();
    expect([remaining.length, remaining.includes("n1"), remaining.includes("n0"), remaining.at(-1)]).toEqual([
      most,
      false,
      true,
      "new",
    ]);
  });
});
