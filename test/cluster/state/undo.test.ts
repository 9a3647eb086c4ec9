// The undo of a user's newest request with all later changes.
import { describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { States } from "../../../worker/cluster/state/states.ts";
import { undoing } from "../../../worker/cluster/state/undo.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import type { Sql } from "../../../worker/store/sql.ts";
import { newServer, type TestServer } from "../../api/server.ts";
import { nodeSql } from "../../sqlite.ts";
import { certificates, put } from "./saved.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployment = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  },
};

describe("F4: an undo", () => {
  test("returns to the revision before the newest writing request, including its effects through controllers", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    expect(undoing(store)).toBeUndefined();
    await server.ask("POST", maps, { body: { metadata: { name: "a" } } });
    const before = store.revision;
    await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body: deployment });
    server.cluster.step(60_000);
    await server.ask("GET", maps);
    await server.ask("POST", maps, { body: { metadata: { name: "a" } } });
    const undone = undoing(store);
    expect(undone).toMatchObject({ user: "kubernetes-admin", verb: "create", restoredTo: before });
    expect(undone?.changes).toBe(store.revision - before);
    const counts = new Map<string, number>();
    for (const { change, resource } of undone?.objects ?? []) {
      if (change === "created") counts.set(resource, (counts.get(resource) ?? 0) + 1);
    }
    expect([counts.get("deployments.apps"), counts.get("replicasets.apps"), counts.get("pods")]).toEqual([1, 1, 2]);
    expect(undone?.objects.find(({ resource }) => resource === "configmaps")).toBeUndefined();
  });

  test("reports created, changed and deleted objects, and none that were created and deleted within it", async () => {
    const server = newServer({ base: "layered" });
    for (const name of ["a", "b", "c"]) await server.ask("POST", maps, { body: { metadata: { name } } });
    const { store } = server.cluster.registry;
    const before = store.revision;
    const headers = { "audit-id": "one" };
    const once = { headers };
    await server.ask("DELETE", `${maps}/a`, once);
    await server.ask("PUT", `${maps}/b`, { ...once, body: { metadata: { name: "b" }, data: { v: "1" } } });
    await server.ask("POST", maps, { ...once, body: { metadata: { name: "d" } } });
    // The same id, but other requests: each is one.
    const restored = undoing(store);
    expect([restored?.restoredTo, restored?.objects]).toEqual([before + 2, [objectOf("created", "d")]]);
    await server.ask("DELETE", `${maps}/d`);
    const { cluster } = server;
    cluster.client.delete(configMaps, "default", "c");
    expect(undoing(store)?.objects).toEqual([objectOf("deleted", "d"), objectOf("deleted", "c")]);
    await server.ask("DELETE", maps, { headers: { "audit-id": "all" } });
    const all = undoing(store);
    expect(all?.verb).toBe("deletecollection");
    expect(all?.objects.map(({ change, name }) => `${change} ${name}`)).toContain("deleted b");
  });

  test("names a bounded number of objects, and counts all changes", async () => {
    const server = newServer({ base: "layered" });
    await server.ask("POST", maps, { body: { metadata: { name: "first" } } });
    for (let at = 0; at < limits.undoneObjects + 10; at++)
      server.cluster.client.create(configMaps, { metadata: { namespace: "default", name: `n-${at}` } });
    const undone = undoing(server.cluster.registry.store);
    expect([undone?.changes, undone?.objects.length]).toEqual([limits.undoneObjects + 11, limits.undoneObjects]);
  });

  test("is applied if no other write happened meanwhile; a dry run changes nothing", async () => {
    const sql = nodeSql();
    const server = newServer({ sql, base: "layered" });
    await server.ask("POST", maps, { body: { metadata: { name: "a" } } });
    await server.ask("POST", maps, {
      body: { metadata: { name: "b" }, data: { v: "x".repeat(limits.statePieceCharacters) } },
    });
    const { store } = server.cluster.registry;
    const { revision } = store;
    let writeCount = 1;
    const write = async () => {
      if (writeCount-- > 0) await server.ask("POST", maps, { body: { metadata: { name: "c" } } });
    };
    const states = statesOf(server, sql, write);
    expect(await states.undo({ dryRun: true })).toMatchObject({ ok: true, restoredTo: revision - 1 });
    expect(store.revision).toBe(revision);
    // It is another request that is the last one then.
    expect(await states.undo({ dryRun: false })).toMatchObject({ ok: true, restoredTo: revision, changes: 1 });
    const again = newServer({ sql, base: "kept" });
    expect((await again.ask("GET", maps)).body.items.map(({ metadata }) => metadata.name)).toEqual([
      "a",
      "b",
      "kube-root-ca.crt",
    ]);
    expect(await statesOf(again, sql).undo({ dryRun: false })).toMatchObject({ ok: false, code: "nothing_to_undo" });
  });

  test("is refused while users keep writing, and explains that the sandbox is deleted", async () => {
    const sql = nodeSql();
    const server = newServer({ sql, base: "layered" });
    await server.ask("POST", maps, { body: { metadata: { name: "a" } } });
    const write = () => server.ask("POST", maps, { body: { metadata: { generateName: "c-" } } });
    expect(await statesOf(server, sql, write).undo({ dryRun: false })).toMatchObject({ ok: false, code: "busy" });
    const host = { sql, certificates: () => certificates, pause: () => Promise.resolve(), replace: () => 0 };
    const gone = new States({ ...host, current: () => undefined });
    for (const answer of [
      await gone.saveState({}),
      await gone.undo({ dryRun: true }),
      await gone.restoreState({ revision: 1 }),
    ])
      expect(answer).toEqual({ ok: false, code: "expired", message: "the sandbox has expired or was deleted" });
  });
});

function statesOf({ cluster }: TestServer, sql: Sql, pause: () => Promise<unknown> = () => Promise.resolve()) {
  return new States({
    sql,
    current: () => cluster,
    certificates: () => certificates,
    pause: async () => void (await pause()),
    replace: (_, file) => {
      put(sql, cluster.clock, file, certificates, cluster.registry.store.revision);
      return 0;
    },
  });
}

function objectOf(change: string, name: string) {
  return { change, resource: "configmaps", namespace: "default", name };
}
