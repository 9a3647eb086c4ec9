// Imports that arrive in batches.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { ManifestPieces } from "../../shared/schema/yaml/pieces/manifest-pieces.ts";
import type { ManifestPiece } from "../../shared/schema/yaml/pieces/piece.ts";
import { toYaml } from "../../shared/schema/yaml/write.ts";
import { givenObjects } from "../../worker/cluster/manifests/imported-object.ts";
import { importObjects } from "../../worker/cluster/manifests/import.ts";
import { ReceivedImport } from "../../worker/cluster/manifests/received-import.ts";
import { ManifestError } from "../../worker/cluster/manifests/refusal.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

const uid = (at: number) => `aaaaaaaa-0000-4000-8000-${String(at).padStart(12, "0")}`;
const metadata = (name: string, at: number, more: object = {}) => ({
  ...{ name, namespace: "shop", uid: uid(at), creationTimestamp: "2025-06-01T10:00:00Z" },
  ...{ managedFields: [{ manager: "x", fieldsV1: { "f:data": {} } }], ...more },
});
const owner = { apiVersion: "v1", kind: "Shop", name: "gone", uid: uid(999) };

/** Objects in an order in which they cannot be written: pods before their namespace and their node. */
const objects = [
  ...Array.from({ length: 60 }, (_, at) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(`web-${at}`, at),
    spec: { nodeName: "worker", containers: [{ name: "web", image: "example.com/web:1" }] },
    status: { phase: "Running", podIP: `10.1.0.${at}` },
  })),
  { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("a", 100, { ownerReferences: [owner] }), data: { a: "b" } },
  { apiVersion: "example.com/v1", kind: "Unknown", metadata: metadata("b", 101) },
  { apiVersion: "v1", kind: "Node", metadata: metadata("worker", 102, { namespace: undefined }) },
  { apiVersion: "v1", kind: "Namespace", metadata: metadata("shop", 103, { namespace: undefined }) },
];
const text = toYaml({ apiVersion: "v1", kind: "List", items: objects });

function piecesOf(manifests: string): ManifestPiece[] {
  const pieces = new ManifestPieces(limits.importedObjectCharacters);
  return [...pieces.take(manifests), ...pieces.end()];
}

function newImport() {
  const sql = nodeSql();
  let turns = 0;
  const received = new ReceivedImport({
    sql,
    measure: (body) => body(),
    pause: async () => void turns++,
  });
  return { sql, received, turns: () => turns };
}

async function imported(manifests: string, batch: number) {
  const { sql, received, turns } = newImport();
  const pieces = piecesOf(manifests);
  for (let at = 0; at < pieces.length; at += batch) await received.receive(pieces.slice(at, at + batch));
  const cluster = newCluster({ nodes: 0, controllers: [] });
  received.begin(cluster.registry);
  const result = await received.continue();
  return { cluster, result, sql, turns: turns() };
}

/** The stored objects without what differs between two clusters. */
function storedIn({ registry }: ReturnType<typeof newCluster>): unknown[] {
  return ["pods", "nodes", "namespaces", "configmaps"].flatMap((resource) =>
    [...registry.store.list({ resource })].map((object) => ({ ...object, metadata: { ...object.metadata, uid: "" } })),
  );
}

describe("F7: an import in batches", () => {
  test.each([1, 7, 1_000])("with %d pieces in each writes the same objects as an import of the text", async (batch) => {
    const ofText = newCluster({ nodes: 0, controllers: [] });
    const steps = importObjects(ofText.registry, givenObjects(text));
    let expected = steps.next();
    while (!expected.done) expected = steps.next();
    const { cluster, result } = await imported(text, batch);
    expect(result).toEqual(expected.value);
    expect(result?.notImported.map(({ kind }) => kind)).toEqual(["ConfigMap", "Unknown"]);
    expect(storedIn(cluster)).toEqual(storedIn(ofText));
    const pod = cluster.registry.store.get({ resource: "pods", namespace: "shop", name: "web-7" });
    expect(pod).toMatchObject({
      metadata: { uid: uid(7) },
      spec: { nodeName: "worker" },
      status: { podIP: "10.1.0.7" },
    });
  });

  test("pauses between its turns, and leaves no stored copy", async () => {
    const { turns, sql } = await imported(text, 1_000);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(objects.length / limits.importedPerTurn));
    expect(sql.all("SELECT name FROM sqlite_master WHERE name = 'received'")).toEqual([]);
  });

  test("is continued by the next call if one has written its share", async () => {
    const list = Array.from({ length: limits.importedPerCall + 10 }, (_, at) => ({
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { name: `c${at}`, namespace: "default" },
    }));
    const { received } = newImport();
    await received.receive(piecesOf(JSON.stringify({ kind: "List", items: list })));
    const { registry } = newCluster({ nodes: 0, controllers: [] });
    received.begin(registry);
    expect(await received.continue()).toBeUndefined();
    expect(await received.continue()).toEqual({ notImported: [] });
    expect([...registry.store.list({ resource: "configmaps" })].length).toBeGreaterThanOrEqual(list.length);
    await expect(received.continue()).rejects.toThrow("no import has begun");
  });

  test("names a bounded number of objects that were not imported, and counts all", async () => {
    const unknown = Array.from({ length: limits.notImported + 5 }, (_, at) => ({
      ...{ apiVersion: "example.com/v1", kind: "x".repeat(5_000) },
      metadata: { name: `u${at}` },
    }));
    const { received } = newImport();
    const pieces = unknown.map((object, item) => ({ text: JSON.stringify(object), line: 1, document: 1, item }));
    await received.receive(pieces);
    received.begin(newCluster({ nodes: 0, controllers: [] }).registry);
    let result = await received.continue();
    while (!result) result = await received.continue();
    expect([result.notImported.length, result.notImportedCount]).toEqual([limits.notImported, unknown.length]);
    expect(result.notImported[0]?.reason.length).toBeLessThanOrEqual(limits.manifestProblemCharacters);
  });

  const bomb = `a: &a ${"x".repeat(100_000)}\nb: [${Array.from({ length: 1_000 }, () => "*a").join(", ")}]\n`;
  test.each([
    ["is not YAML", "a: 1\n---\nitems:\n- kind: A\n- kind: B\n  c: [\n", { document: 2, line: 7 }],
    ["is followed by something else", "a: 1\n---\nitems:\n- kind: A\nb: [\n", { document: 2, line: 3 }],
    ["has a key twice", "items:\n- kind: A\n- kind: B\n  kind: C\n", { document: 1, line: 4, field: "kind" }],
    ["is larger than a stored object", `items:\n- kind: A\n- b: ${"x".repeat(limits.objectBytes)}\n`, { line: 3 }],
    ["has aliases that expand", bomb, { document: 1, line: 1 }],
  ])("is refused with document and line if an object %s", async (_, manifests, problem) => {
    const error: unknown = await newImport()
      .received.receive(piecesOf(manifests))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ManifestError);
    expect((error as ManifestError).problems[0]).toMatchObject(problem);
  });
});
