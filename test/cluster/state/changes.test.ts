// The history of the control API: who changed which object, when, and which fields.
import { describe, expect, test } from "vitest";
import { changeList, changesQuery } from "../../../shared/contract/snapshot.ts";
import { changesOf } from "../../../worker/cluster/state/changes.ts";
import { newServer } from "../../api/server.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const labels = { app: "web" };
const deployment = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  },
};

describe("F8: the history of a sandbox", () => {
  test("lists who created, changed and deleted an object, when, and which fields", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    await server.ask("POST", maps, { body: { metadata: { name: "a" }, data: { v: "1" } } });
    server.cluster.step(60_000);
    await server.ask("PUT", `${maps}/a`, { body: { metadata: { name: "a" }, data: { v: "2", w: "x".repeat(5000) } } });
    await server.ask("DELETE", `${maps}/a`);
    const { changes, next } = changesOf(store, changesQuery.parse({ resource: "configmaps", name: "a" }));
    expect(next).toBeUndefined();
    expect(changes.map(({ change, user, origin, kind }) => [change, user, origin, kind])).toEqual([
      ["deleted", "kubernetes-admin", "delete", "ConfigMap"],
      ["changed", "kubernetes-admin", "update", "ConfigMap"],
      ["created", "kubernetes-admin", "create", "ConfigMap"],
    ]);
    expect(changes[1]?.fields).toEqual([{ path: "data.v", from: "1", to: "2" }, { path: "data.w" }]);
    expect([changes[1]?.truncated, changes[2]?.truncated]).toEqual([true, false]);
    const [createdMs, changed] = [Date.parse(changes[2]?.at ?? ""), Date.parse(changes[1]?.at ?? "")];
    expect(changed - createdMs).toBeGreaterThanOrEqual(59_000);
    expect(() => changeList.parse({ changes })).not.toThrow();
  });

  test("has the exact time of a change if it is recorded, and otherwise the two times around it", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    const put = async (name: string) => server.ask("POST", maps, { body: { metadata: { name } } });
    const newest = () => changesOf(store, changesQuery.parse({ resource: "configmaps", name: "a" })).changes[0];
    await put("a");
    const newestChange = newest();
    expect([newestChange?.at === undefined, newestChange?.notBefore]).toEqual([false, undefined]);
    server.cluster.step(60_000);
    await server.ask("DELETE", `${maps}/a`);
    // Nothing that was written since tells.
    expect(newest()?.notBefore).toBe(newestChange?.at);
    server.cluster.step(60_000);
    await put("b");
    const gone = newest();
    expect(gone?.notBefore).toBe(newestChange?.at);
    expect(Date.parse(gone?.at ?? "") - Date.parse(gone?.notBefore ?? "")).toBeGreaterThanOrEqual(60_000);
  });

  test("includes changes of controllers if the query asks for them, and excludes events and leases", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    await server.ask("POST", deployments, { body: deployment });
    server.cluster.step(60_000);
    const { changes } = changesOf(store, changesQuery.parse({ limit: 50 }));
    expect(changes.some(({ resource }) => /^(events|leases)/.test(resource))).toBe(false);
    const set = changes.find(({ resource, change }) => resource === "replicasets.apps" && change === "created");
    expect(set).toMatchObject({
      origin: "deployment-controller:default/web",
      user: expect.stringContaining("deployment-controller"),
    });
    expect(set?.reactsTo).toBeGreaterThan(0);
    expect(set?.auditId).toBeUndefined();
  });

  test("is returned in pages without gaps or repetitions", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    for (let at = 0; at < 25; at++) await server.ask("POST", maps, { body: { metadata: { name: `m${at}` } } });
    const query = { resource: "configmaps", namespace: "default", limit: 10 };
    const names: string[] = [];
    for (let before: number | undefined, page = 0; page === 0 || before !== undefined; page++) {
      const changePage = changesOf(
        store,
        changesQuery.parse({ ...query, ...(before === undefined ? {} : { before }) }),
      );
      names.push(...changePage.changes.map(({ name }) => name));
      before = changePage.next;
    }
    const mapNames = names.filter((name) => /^m\d+$/.test(name));
    expect(mapNames).toEqual(Array.from({ length: 25 }, (_, at) => `m${24 - at}`));
  });
});
