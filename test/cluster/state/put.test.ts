// Restoring a state: which data of the cluster stay, which come from the state, and which states are refused.
import { describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { createSandbox } from "../../../shared/contract/sandbox.ts";
import { sandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { readStateFile } from "../../../shared/state/read-state.ts";
import { KeptEdits } from "../../../worker/cluster/kept-edits.ts";
import { putState } from "../../../worker/cluster/state/put.ts";
import { readSettings, writeSettings } from "../../../worker/cluster/settings/settings.ts";
import { tokenKey } from "../../../worker/cluster/token-key.ts";
import { addToken, identify } from "../../../worker/cluster/tokens.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import type { Sql } from "../../../worker/store/sql.ts";
import { newCluster, quietCluster, type TestCluster } from "../../cluster.ts";
import { nodeSql } from "../../sqlite.ts";
import { certificates, put, savedState } from "./saved.ts";

const namespace = "default";
const otherCertificates = { rootCA: "other root\n", clientCA: "other clients\n", frontProxyCA: "other proxy\n" };

describe("F3: a state of a revision", () => {
  test("contains the objects of that revision, whatever is written during the export", () => {
    const { sql, cluster } = withMaps(30, "x".repeat(limits.statePieceCharacters / 10));
    const { store } = cluster.registry;
    const before = textsOf(cluster);
    const { revision } = store;
    let partCount = 0;
    const file = savedState(cluster, sql, undefined, () => {
      const name = `c-${partCount++}`;
      if (partCount % 2) cluster.client.delete(configMaps, namespace, name);
      else cluster.edit(configMaps, namespace, name, (draft) => void (draft.data = { v: "changed" }));
      store.compact(store.revision);
    });
    expect(partCount).toBeGreaterThan(2);
    const read = readStateFile(file);
    expect(read.header.revision).toBe(revision);
    expect(textsIn(file)).toEqual(before);
    cluster.step(limits.changeLogMs);
    store.compact(store.revision);
    expect(() => savedState(cluster, sql, revision)).toThrow("too old resource version");
  });

  test("has the index values that a commit computes, also of objects that changed since", () => {
    const { sql, cluster } = withMaps(2);
    cluster.client.create(pods, {
      metadata: { namespace, name: "p" },
      spec: { containers: [{ name: "c", image: "nginx" }] },
    });
    cluster.runUntilQuiet();
    const { revision } = cluster.registry.store;
    const now = indexIn(savedState(cluster, sql));
    cluster.client.delete(pods, namespace, "p");
    cluster.edit(configMaps, namespace, "c-0", (draft) => void (draft.data = {}));
    cluster.runUntilQuiet();
    expect(indexIn(savedState(cluster, sql, revision))).toEqual(now);
    expect(now.filter(([, , value]) => String(value).startsWith("node-")).length).toBeGreaterThan(2);
  });

  test("has the work queue if it is current, with unread changes; otherwise controllers reconcile everything", () => {
    const { sql, cluster } = withMaps(2);
    const waiting = cluster.runtime.pending();
    const { queue } = readStateFile(savedState(cluster, sql)).meta;
    expect(queue?.map(({ controller, name, dueMs }) => [controller, name, dueMs])).toEqual(
      waiting.map(({ controller, name, dueMs }) => [controller, name, dueMs]),
    );
    const { revision } = cluster.registry.store;
    const spec = { containers: [{ name: "c", image: "nginx" }] };
    cluster.client.create(pods, { metadata: { namespace, name: "p" }, spec });
    expect(readStateFile(savedState(cluster, sql, revision)).meta.queue).toBeUndefined();
    const later = readStateFile(savedState(cluster, sql)).meta.queue;
    expect(later?.length).toBeGreaterThan(queue?.length ?? 0);
  });
});

describe("F3: restoring a state", () => {
  test("keeps the cluster's tokens, keys and settings, and its revisions keep rising", () => {
    const { sql, cluster } = withMaps(3);
    const file = savedState(cluster, sql);
    const token = { hash: "00".repeat(32), user: "ada", groups: [], readOnly: false, frameOrigins: [] };
    addToken(sql, { ...token, expiresAtMs: Number.MAX_SAFE_INTEGER }, 0);
    const { sign } = tokenKey(sql);
    const signed = sign({ iss: "x" });
    cluster.client.delete(configMaps, namespace, "c-0");
    cluster.runUntilQuiet();
    const last = cluster.registry.store.revision;
    const again = reopened(sql, cluster, file);
    expect(textsOf(again)).toEqual(textsIn(file));
    expect(again.registry.store.revision).toBe(last + 1);
    expect(() => again.registry.store.changesSince(last, 1)).toThrow("too old resource version");
    expect(again.key.verify(signed)).toEqual({ iss: "x" });
    expect(sql.all("SELECT user FROM tokens")).toEqual([{ user: "ada" }]);
    expect(identify(sql, "none", 0)).toBeUndefined();
    again.client.create(configMaps, { metadata: { namespace, name: "new" } });
    expect(again.get(configMaps, namespace, "new").metadata.resourceVersion).toBe(String(last + 2));
  });

  test("restores the edits of its own containers, and none of others", () => {
    const { sql, cluster } = withMaps(1);
    const make = (name: string) =>
      cluster.client.create(pods, {
        metadata: { namespace, name },
        spec: { containers: [{ name: "c", image: "nginx" }] },
      });
    const [firstPod, two] = [make("one"), make("two")];
    cluster.runUntilQuiet();
    const edit = (text: string) => ({ path: "/a", text, atMs: cluster.clock.nowMs(), mode: 0o644 });
    new KeptEdits(sql).add(firstPod, "c", [edit("one")]);
    new KeptEdits(sql).add(two, "c", [edit("two")]);
    const both = savedState(cluster, sql);
    const otherSql = nodeSql();
    put(otherSql, cluster.clock, both);
    expect([firstPod, two].map((pod) => new KeptEdits(otherSql).of(pod, "c")[0]?.text)).toEqual(["one", "two"]);
    // One that was changed after the state is as it was in it.
    new KeptEdits(sql).add(firstPod, "c", [edit("later")]);
    reopened(sql, cluster, both);
    expect(new KeptEdits(sql).of(firstPod, "c").map(({ text }) => text)).toEqual(["one"]);
  });

  test("signs the Secrets' tokens of another cluster again, and removes its certificates", () => {
    const sql = nodeSql();
    const cluster = quietCluster({ sql, base: "layered" });
    cluster.client.create(secrets, {
      metadata: { namespace, name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
      type: "kubernetes.io/service-account-token",
    });
    cluster.runUntilQuiet();
    const before = cluster.get<Secret>(secrets, namespace, "token");
    const otherSql = nodeSql();
    put(otherSql, cluster.clock, savedState(cluster, sql), otherCertificates);
    const fork = newCluster({ sql: otherSql, base: "kept", nowMs: cluster.clock.nowMs(), controllers: [] });
    const { data } = fork.get<Secret>(secrets, namespace, "token");
    expect(atob(data?.["ca.crt"] ?? "")).toBe(otherCertificates.rootCA);
    const tokens = [before.data, data].map((secretData) => atob(secretData?.["token"] ?? ""));
    expect(tokens.map((token) => cluster.key.verify(token) !== undefined)).toEqual([true, false]);
    expect(tokens.map((token) => fork.key.verify(token) !== undefined)).toEqual([false, true]);
    expect(fork.key.verify(tokens[1] ?? "")).toEqual(cluster.key.verify(tokens[0] ?? ""));
    const all = textsOf(fork).join("\n");
    for (const certificate of Object.values(certificates))
      expect(all).not.toContain(JSON.stringify(certificate).slice(1, -1));
    for (const certificateText of Object.values(otherCertificates))
      expect(all).toContain(JSON.stringify(certificateText).slice(1, -1));
  });

  test("A13: restores the address ranges with the objects that use them, and no other setting", () => {
    const sql = nodeSql();
    const network = { serviceCidr: "10.43.0.0/16", podCidr: "10.42.0.0/16" };
    const cluster = quietCluster({ sql, network });
    writeSettings(sql, sandboxSettings.parse({ expiresAtMs: 1, anonymousAccess: true, ...network }));
    const file = savedState(cluster, sql);
    const otherCluster = withMaps(1);
    writeSettings(otherCluster.sql, sandboxSettings.parse({ expiresAtMs: 2 }));
    const usual = savedState(otherCluster.cluster, otherCluster.sql);
    put(otherCluster.sql, otherCluster.cluster.clock, file, certificates, 999);
    expect(readSettings(otherCluster.sql)).toEqual(sandboxSettings.parse({ expiresAtMs: 2, ...network }));
    put(otherCluster.sql, otherCluster.cluster.clock, usual, certificates, 999_999);
    expect(readSettings(otherCluster.sql)).toEqual(sandboxSettings.parse({ expiresAtMs: 2 }));
  });

  test("restores the sandbox's image definitions with its objects, and not its choice of other images", () => {
    const { sql, cluster } = withMaps(1);
    const { images } = createSandbox.parse({ images: ["docker.io/acme", { name: "shop:v1", from: "busybox" }] });
    const settings = sandboxSettings.parse({ expiresAtMs: 1, images });
    writeSettings(sql, settings);
    const otherCluster = withMaps(1);
    writeSettings(otherCluster.sql, sandboxSettings.parse({ expiresAtMs: 2, images: "strict" }));
    const usual = savedState(otherCluster.cluster, otherCluster.sql);
    put(otherCluster.sql, otherCluster.cluster.clock, savedState(cluster, sql), certificates, 999);
    expect(readSettings(otherCluster.sql)).toEqual({ ...settings, expiresAtMs: 2 });
    writeSettings(sql, { ...settings, images: ["docker.io/acme"] });
    put(sql, cluster.clock, usual, certificates, 999);
    expect(readSettings(sql).images).toEqual(["docker.io/acme"]);
  });

  test("is refused if the objects exceed the sandbox's bound or the file is invalid, and changes nothing", () => {
    const { sql, cluster } = withMaps(20);
    const file = savedState(cluster, sql);
    const otherSql = nodeSql();
    const small = quietCluster({ sql: otherSql, base: "layered" });
    const before = dump(otherSql);
    writeSettings(otherSql, sandboxSettings.parse({ expiresAtMs: 1, limits: { objects: 100 } }));
    expect(() => put(otherSql, small.clock, file, certificates, 999)).toThrow(ApiError);
    expect(() => put(otherSql, small.clock, file.slice(0, -1), certificates, 999)).toThrow("The file was cut");
    otherSql.run("DELETE FROM meta WHERE key = 'settings'");
    expect(dump(otherSql)).toEqual(before);
  });

  test("leaves either the old or the new state if it is interrupted at any write", () => {
    const { sql, cluster } = withMaps(3);
    const file = savedState(cluster, sql);
    cluster.edit(configMaps, namespace, "c-0", (draft) => void (draft.data = { v: "later" }));
    cluster.runUntilQuiet();
    const before = dump(sql);
    const { revision } = cluster.registry.store;
    const { sign } = tokenKey(sql);
    let writes = 0;
    for (let most = 1; ; most++) {
      writes = 0;
      const dying: Sql = {
        ...sql,
        run: (query, ...params) => {
          if (++writes > most) throw new Error("killed");
          sql.run(query, ...params);
        },
      };
      try {
        putState({ sql: dying, clock: cluster.clock, file, certificates: otherCertificates, sign, revision });
        break;
      } catch (error) {
        expect(String(error)).toBe("Error: killed");
        expect(dump(sql)).toEqual(before);
      }
    }
    expect(writes).toBeGreaterThan(10);
    expect(newCluster({ sql, base: "kept", controllers: [] }).registry.store.began).toBe(revision + 1);
  });
});

function withMaps(count: number, text = "1"): { readonly sql: Sql; readonly cluster: TestCluster } {
  const sql = nodeSql();
  const cluster = quietCluster({ sql, base: "layered" });
  for (let at = 0; at < count; at++)
    cluster.client.create(configMaps, { metadata: { namespace, name: `c-${at}` }, data: { v: text } });
  cluster.runUntilQuiet();
  return { sql, cluster };
}

/** Opens the cluster again after a restore, as an object does. */
function reopened(sql: Sql, { clock, registry }: TestCluster, file: Uint8Array): TestCluster {
  put(sql, clock, file, certificates, registry.store.revision);
  return newCluster({ sql, base: "kept", nowMs: clock.nowMs() });
}

function textsOf({ registry: { store } }: TestCluster): string[] {
  return store.at(store.revision).map(({ revision }) => store.textAt(revision));
}

function textsIn(file: Uint8Array): string[] {
  const read = readStateFile(file);
  return [...read.entries()].map((entry) => read.text(entry));
}

function indexIn(file: Uint8Array) {
  return [...readStateFile(file).entries()]
    .filter(({ resource }) => resource !== "events" && resource !== "leases.coordination.k8s.io")
    .map(({ resource, name, indexValue, owners }) => [resource, name, indexValue, owners]);
}

function dump(sql: Sql) {
  const tables = sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return tables.map(({ name }) => [name, sql.all(`SELECT * FROM ${name}`)]);
}
