// The recording of a cluster: the requests of its users, as requests that another cluster can repeat.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { recordingQuery } from "../../shared/contract/cluster/recording.ts";
import { mergePatchOf } from "../../shared/schema/merge-patch-of.ts";
import { mergePatch } from "../../shared/schema/merge-patch.ts";
import { recordingStep } from "../../worker/cluster/time/past/recording.ts";
import { apps, configMap, core, deployment, newServer } from "../api/server.ts";
import { nodeSql } from "../sqlite.ts";

function recorded() {
  const sql = nodeSql();
  const server = newServer({ sql, base: "layered" });
  const { registry } = server.cluster;
  const step = (query: object = {}, after?: number) =>
    recordingStep(sql, registry, { query: recordingQuery.parse(query), after });
  const lines = (query: object = {}) => step(query).requests.map(({ verb, path }) => `${verb} ${path}`);
  return { server, registry, step, lines };
}

const merge = { "content-type": "application/merge-patch+json" };

describe("a recording of requests", () => {
  test("contains users' writes with times and users, and no writes of controllers", async () => {
    const { server, step } = recorded();
    await server.ask("POST", `${apps}/deployments`, { body: deployment("web", 1) });
    const beganMs = server.cluster.clock.nowMs();
    server.cluster.step(60_000);
    await server.ask("PATCH", `${apps}/deployments/web/scale`, { body: '{"spec":{"replicas":2}}', headers: merge });
    server.cluster.step(60_000);
    await server.ask("DELETE", `${apps}/deployments/web`, { body: { propagationPolicy: "Foreground" } });
    server.cluster.step(60_000);
    const { requests, from, next } = step();
    expect(requests).toMatchObject([
      { verb: "create", path: `${apps}/deployments`, user: "kubernetes-admin", at: new Date(beganMs).toISOString() },
      { verb: "patch", path: `${apps}/deployments/web`, body: { spec: { replicas: 2 } } },
      { verb: "delete", path: `${apps}/deployments/web`, body: { propagationPolicy: "Foreground" } },
    ]);
    expect(next).toBeUndefined();
    expect(Date.parse(from)).toBeLessThanOrEqual(beganMs);
    const body = requests[0]?.body as { metadata: object; status?: object };
    expect(Object.keys(body.metadata).sort()).toEqual(["name", "namespace"]);
    expect(body.status).toBeUndefined();
  });

  test("repeats status updates, bindings, evictions and finalizer removals as the same requests", async () => {
    const { server, lines } = recorded();
    const pod = (name: string, more: object = {}) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, ...more },
      spec: { schedulerName: "mine", containers: [{ name: "main", image: "busybox" }] },
    });
    await server.ask("POST", `${core}/pods`, { body: pod("a") });
    const target = { apiVersion: "v1", kind: "Node", name: "node-1" };
    await server.ask("POST", `${core}/pods/a/binding`, { body: { metadata: { name: "a" }, target } });
    await server.ask("PATCH", `${core}/pods/a/status`, { body: '{"status":{"message":"x"}}', headers: merge });
    server.cluster.step(5_000);
    await server.ask("POST", `${core}/pods/a/eviction`, {
      body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
    });
    await server.ask("POST", `${core}/configmaps`, {
      body: configMap("held", {}, { finalizers: ["example.org/held"] }),
    });
    await server.ask("DELETE", `${core}/configmaps/held`);
    await server.ask("PATCH", `${core}/configmaps/held`, { body: '{"metadata":{"finalizers":null}}', headers: merge });
    expect(lines()).toEqual([
      `create ${core}/pods`,
      `create ${core}/pods/a/binding`,
      `patch ${core}/pods/a/status`,
      `create ${core}/pods/a/eviction`,
      `create ${core}/configmaps`,
      `delete ${core}/configmaps/held`,
      `patch ${core}/configmaps/held`,
    ]);
    expect((await server.ask("GET", `${core}/configmaps/held`)).code).toBe(404);
  });

  test("is filtered by user and time range", async () => {
    const { server, registry, lines } = recorded();
    await server.ask("POST", `${core}/configmaps`, { body: configMap("a") });
    const { revision } = registry.store;
    await server.ask("PUT", `${core}/configmaps/a`, { body: configMap("a", { b: "1" }) });
    await server.ask("DELETE", `${core}/configmaps/a`);
    expect(lines({ since: String(revision + 1) })).toEqual([
      `patch ${core}/configmaps/a`,
      `delete ${core}/configmaps/a`,
    ]);
    expect(lines({ until: String(revision) })).toEqual([`create ${core}/configmaps`]);
    expect(lines({ user: "jane" })).toEqual([]);
  });

  test("is read in bounded pages without gaps", async () => {
    const { registry, server, step } = recorded();
    const maps = registry.catalogue.byKind("v1", "ConfigMap");
    for (let at = 0; at < 3 * limits.recordingStepChanges; at++) {
      const metadata = { namespace: "default", name: `map-${at}` };
      if (at % limits.recordingStepChanges === 7)
        await server.ask("POST", `${core}/configmaps`, { body: configMap(metadata.name) });
      else server.cluster.client.create(maps as never, { metadata });
    }
    const names: unknown[] = [];
    let steps = 0;
    for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false, steps++) {
      const { requests, next } = step({}, after);
      names.push(...requests.map(({ body }) => (body as { metadata: { name: string } }).metadata.name));
      after = next;
    }
    expect(names).toEqual([0, 1, 2].map((step) => `map-${step * limits.recordingStepChanges + 7}`));
    expect(steps).toBeGreaterThan(3);
  });
});

describe("a merge patch between two values", () => {
  test.each<[object, object]>([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1, b: { c: 1, d: [1] } }, { b: { c: 2, d: [1, 2] } }],
    [{ a: { b: 1 } }, { a: [1] }],
    [{}, { a: { b: { c: "" } } }],
    [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 2}}')],
  ])("turns %j into %j", (before, after) => {
    expect(mergePatch(before, mergePatchOf({ ...before }, { ...after }))).toEqual(after);
  });

  test("is empty between equal values", () => {
    expect(mergePatchOf({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBeUndefined();
  });
});
