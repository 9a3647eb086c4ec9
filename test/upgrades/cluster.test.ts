// Sandboxes of earlier versions, opened by this one: nothing of them is lost, and everything can be done with them.
import { describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { exportedObjects } from "../../shared/state/export.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import { KeptEdits } from "../../worker/cluster/kept-edits.ts";
import { readOrigin } from "../../worker/cluster/settings/origin.ts";
import { readSettings } from "../../worker/cluster/settings/settings.ts";
import { listTokens } from "../../worker/cluster/tokens.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { certificateSigningRequests } from "../../worker/kinds/certificates/certificate-signing-request.ts";
import { cronJobs } from "../../worker/kinds/batch/cron-job.ts";
import { horizontalPodAutoscalers } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { Sql } from "../../worker/store/sql.ts";
import { createTables, migrations, upgradeTables } from "../../worker/store/tables.ts";
import { readVersion } from "../../worker/store/versions.ts";
import { type TestServer, newServer } from "../api/server.ts";
import { put, savedState } from "../cluster/state/saved.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";
import type { SandboxRecord } from "./archive.ts";
import { clusterPath, type Fixture, fixtures, openFile } from "./fixture.ts";
import { schemaOf } from "./schema.ts";

const merge = { "content-type": "application/merge-patch+json" };
const minuteMs = 60_000;
const dayMs = 86_400_000;
const all = fixtures();
const sandboxes = all.flatMap((fixture) =>
  Object.entries(fixture.record.sandboxes).map(([name, record]) => ({
    commit: fixture.record.commit,
    name,
    fixture,
    record,
  })),
);

test("S2: fixtures of the oldest version and of the last version without numbers exist", () => {
  const commits = all.map(({ record }) => record.commit);
  expect([commits[0], commits.includes("7dd4b011"), commits.length]).toEqual(["1602cc76", true, 13]);
});

describe.each(sandboxes)("the sandbox $name of $commit", ({ fixture, record, name }) => {
  test("S2: gets the tables of a new sandbox without losing rows", () => {
    const { sql } = openFile(fixture, clusterPath(record.objectId));
    const before = rowCounts(sql);
    upgradeTables(sql);
    expect(readVersion(sql)).toBe(migrations.length);
    expect(schemaOf(sql)).toEqual(schemaOf(freshTables()));
    expect({ ...rowCounts(sql), ...before }).toEqual(rowCounts(sql));
    const settings = readSettings(sql);
    expect(settings.expiresAtMs).toBeGreaterThan(fixture.record.madeAtMs);
    if (name === "settings")
      expect(settings).toMatchObject({ admissionPlugins: ["AlwaysPullImages"], anonymousAccess: true });
    expect(readOrigin(sql).settings).toEqual(settings);
    const { rich } = fixture.record.sandboxes;
    if (record === rich) expect(listTokens(sql, fixture.record.madeAtMs).length).toBe(2);
  });

  test("S2: has all objects, and its controllers continue with unfinished work", () => {
    const { cluster } = opened(fixture, record);
    expect(missing(cluster, record)).toEqual([]);
    cluster.step(minuteMs);
    expect(cluster.bugs).toEqual([]);
    expect(missing(cluster, record)).toEqual([]);
    if (name !== "rich") return;
    const readyOf = (deploymentName: string) =>
      cluster.get<Deployment>(deployments, "shop", deploymentName).status?.readyReplicas;
    expect([readyOf("web"), readyOf("late")]).toEqual([5, 2]);
  });

  test("S2: is read, written, watched, saved, exported, forked and restored", async () => {
    const { sql, server } = served(fixture, record);
    const { cluster } = server;
    const { store } = cluster.registry;
    await writeAndWatch(server);
    if ("widgets.example.com/shop/blue" in record.uids) await changeShop(server);
    const before = listed(cluster);
    const file = savedState(cluster, sql);
    expect([...exportedObjects(readStateFile(file))].length).toBeGreaterThan(0);
    const forkSql = nodeSql();
    put(forkSql, cluster.clock, file);
    expect(listed(newCluster({ sql: forkSql, base: "kept", nowMs: cluster.clock.nowMs() }))).toEqual(before);
    put(sql, cluster.clock, file, undefined, store.revision);
    const restored = newServer({ sql, base: "kept", nowMs: cluster.clock.nowMs() });
    expect(listed(restored.cluster)).toEqual(before);
    expect((await restored.ask("DELETE", `${defaultMaps}/new`)).code).toBe(200);
    expect([...server.bugs, ...restored.bugs]).toEqual([]);
  });
});

const defaultMaps = "/api/v1/namespaces/default/configmaps";

/** Reads, writes and watches in the namespace that every sandbox has. */
async function writeAndWatch({ ask, cluster }: TestServer): Promise<void> {
  const from = cluster.registry.store.revision;
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" }, data: { a: "b" } };
  expect((await ask("POST", defaultMaps, { body: map })).code).toBe(201);
  expect((await ask("PATCH", `${defaultMaps}/new`, { body: { data: { a: "c" } }, headers: merge })).code).toBe(200);
  const { body: list } = await ask("GET", defaultMaps);
  expect(list.items.map(({ metadata, data }) => [metadata.name, data["a"]])).toContainEqual(["new", "c"]);
  const query = `watch=true&resourceVersion=${from}`;
  const watch = await ask("GET", `${defaultMaps}?${query}`, { headers: { [internalHeaders.watch]: "pull" } });
  const types = watch.text
    .split("\n")
    .filter(Boolean)
    // A watch answers with an event a line.
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types.slice(0, 2)).toEqual(["ADDED", "MODIFIED"]);
}

/** Changes workloads and custom resources, and removes the finalizer of a terminating object. */
async function changeShop({ ask, cluster }: TestServer): Promise<void> {
  const widgets = "/apis/example.com/v1/namespaces/shop/widgets";
  const patch = (path: string, body: object) => ask("PATCH", path, { body, headers: merge });
  expect((await patch(`${widgets}/blue`, { spec: { size: 7 } })).body.spec).toEqual({ size: 7, color: "blue" });
  expect((await patch(`${widgets}/blue`, { spec: { size: 700 } })).code).toBe(422);
  expect((await patch(`${widgets}/held`, { metadata: { finalizers: null } })).code).toBe(200);
  expect((await ask("GET", `${widgets}/held`)).code).toBe(404);
  const scale = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
  expect((await patch(scale, { spec: { replicas: 1 } })).code).toBe(200);
  cluster.step(minuteMs);
  const web = cluster.get<Deployment>(deployments, "shop", "web");
  expect([web.status?.readyReplicas, web.status?.replicas]).toEqual([1, 1]);
}

describe("files of containers", () => {
  test.each(sandboxes.filter(({ name }) => name === "rich"))(
    "S2: include a volume's file of $commit",
    (richSandbox) => {
      const { cluster, sql } = opened(richSandbox.fixture, richSandbox.record);
      const pod = cluster.get(pods, "shop", "db-0");
      const edits = new KeptEdits(sql).of(pod, "db");
      expect(edits.filter(({ path }) => path === "/data/kept").map(({ text }) => text)).toEqual(["kept\n"]);
    },
  );
});

function opened(fixture: Fixture, record: SandboxRecord): { readonly sql: Sql; readonly cluster: TestCluster } {
  const { sql } = openFile(fixture, clusterPath(record.objectId));
  upgradeTables(sql);
  return { sql, cluster: newCluster({ sql, base: "kept", nowMs: fixture.record.madeAtMs + minuteMs }) };
}

/** Serves the sandbox through the API, without objects that never let controllers become idle. */
function served(fixture: Fixture, record: SandboxRecord): { readonly sql: Sql; readonly server: TestServer } {
  const { sql, cluster } = opened(fixture, record);
  cluster.step(minuteMs);
  for (const kind of [cronJobs, horizontalPodAutoscalers, certificateSigningRequests] as readonly Kind[]) {
    for (const { metadata } of cluster.client.list(kind)) {
      cluster.client.delete(kind, metadata.namespace ?? "", metadata.name ?? "");
    }
  }
  // A request to look at a certificate request stays in the queue for a day.
  cluster.runUntilQuiet(2 * dayMs);
  return { sql, server: newServer({ sql, base: "kept", nowMs: cluster.clock.nowMs() }) };
}

function listed({ registry, client }: TestCluster): string[] {
  const kinds = registry.catalogue.kinds.filter(({ resource }) => resource !== "");
  return kinds
    .flatMap((kind) => client.list(kind).map(({ metadata }) => `${kind.plural} ${nameOf(metadata)} ${metadata.uid}`))
    .sort();
}

/** Returns the recorded objects that are absent or have other uids. */
function missing({ registry, client }: TestCluster, { uids }: SandboxRecord): string[] {
  const kindOf = (resource: string) => {
    const [plural = "", ...group] = resource.split(".");
    return registry.catalogue.kinds.find((kind) => kind.plural === plural && kind.group === group.join("."));
  };
  const uidsOf = new Map<string, Map<string, string | undefined>>();
  return Object.entries(uids)
    .filter(([key, uid]) => {
      const [resource = "", namespace = "", name = ""] = key.split("/");
      const kind = must(kindOf(resource), `the kind ${resource}`);
      const knownUids =
        uidsOf.get(resource) ??
        new Map(client.list(kind).map((kubeObject) => [nameOf(kubeObject.metadata), kubeObject.metadata.uid]));
      uidsOf.set(resource, knownUids);
      return knownUids.get(`${namespace}/${name}`) !== uid;
    })
    .map(([key]) => key);
}

function nameOf({ namespace = "", name = "" }: KubeObject["metadata"]): string {
  return `${namespace}/${name}`;
}

function rowCounts(sql: Sql): Record<string, number> {
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  );
  const countOf = (name: string) => sql.all<{ n: number }>(`SELECT COUNT(*) AS n FROM "${name}"`)[0]?.n ?? 0;
  return Object.fromEntries(tables.map(({ name }) => [name, countOf(name)]));
}

function freshTables(): Sql {
  const sql = nodeSql();
  createTables(sql);
  return sql;
}
