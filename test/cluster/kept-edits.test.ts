// Stored edits of containers' files: their lifetime and their bounds.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { KeptEdits, replaceEditRows } from "../../worker/cluster/kept-edits.ts";
import { podOnNode, wholeNode } from "../../worker/machine/node-pod.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

const edit = (path: string, text = "x") => ({ atMs: 1, path, text });

function clusterWithPod() {
  const sql = nodeSql();
  const cluster = newCluster({ sql });
  cluster.runUntilQuiet();
  const spec = { containers: [{ name: "main", image: "nginx", resources: {} }] };
  const pod = cluster.apply(pods, { metadata: { name: "web", namespace: "default" }, spec });
  cluster.runUntilQuiet();
  const rows = () => sql.all("SELECT key FROM meta WHERE key LIKE 'edits:%' OR key LIKE 'typed:%'").length;
  return { sql, cluster, pod, rows };
}

test("edits are stored once, and read by the next instance that opens the cluster", () => {
  const { sql, cluster, pod } = clusterWithPod();
  cluster.containers.keep(pod, "main", [edit("/a"), edit("/b")]);
  cluster.containers.keep(pod, "main", [edit("/b"), edit("/c")]);
  expect(new KeptEdits(sql).of(pod, "main").map((edit) => edit.path)).toEqual(["/a", "/b", "/c"]);
  expect(new KeptEdits(sql).of(pod, "other")).toEqual([]);
});

test("text that is appended to a file at one moment is stored once, however often the session is computed", () => {
  const { sql, pod } = clusterWithPod();
  const edits = new KeptEdits(sql);
  const added = (text: string) => ({ ...edit("/log", text), appends: true });
  for (const text of ["a\n", "a\n", "a\nb\n", "a\nb\nc\n"]) edits.keep(pod, "main", [added(text)]);
  expect(edits.of(pod, "main").map(({ text }) => text)).toEqual(["a\n", "b\n", "c\n"]);
});

test("the oldest edits are deleted past the bound", () => {
  const { sql, pod } = clusterWithPod();
  const edits = new KeptEdits(sql);
  edits.keep(pod, "main", [edit("/old", "x".repeat(600_000)), edit("/new", "y".repeat(600_000))]);
  expect(edits.of(pod, "main").map((edit) => edit.path)).toEqual(["/new"]);
});

test("N3: only the newest log lines of visits are stored, and other files remain", () => {
  const { sql, pod } = clusterWithPod();
  const edits = new KeptEdits(sql);
  edits.keep(pod, "main", [edit("/a")]);
  for (let visit = 0; visit < 1000; visit++) {
    edits.add(pod, "main", [
      { atMs: visit, path: "/proc/1/fd/2", text: `GET /echo?msg=${visit}&code=\n`, appends: true },
    ]);
  }
  const stored = edits.of(pod, "main");
  expect(stored[0]?.path).toBe("/a");
  expect(stored.at(-1)?.text).toBe("GET /echo?msg=999&code=\n");
  expect(stored.length).toBeGreaterThan(500);
  expect(stored.length).toBeLessThan(800);
});

test("a sandbox stores edits up to a bound across all containers, and again after some are deleted", () => {
  const { sql, pod } = clusterWithPod();
  let edits = new KeptEdits(sql);
  const otherPod = (name: string): Pod => ({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
  const long = "x".repeat(900_000);
  const isStored = Array.from({ length: 45 }, (_, at) => {
    if (at % 10 === 0) edits = new KeptEdits(sql);
    return edits.keep(otherPod(`p${at}`), "main", [edit("/a", long)]);
  });
  expect(isStored.lastIndexOf(true)).toBe(Math.floor(limits.keptEditsCharacters / 900_050) - 1);
  expect(() => edits.type(otherPod("q"), "main", 0, { typed: [{ atMs: 1, text: long }], hasEnded: false })).toThrow(
    "too much was typed to the containers of this sandbox",
  );
  edits.forget(otherPod("p0"));
  expect(edits.keep(otherPod("p44"), "main", [edit("/a", long)])).toBe(true);
});

test("a deleted pod leaves no edits behind", () => {
  const { cluster, pod, rows } = clusterWithPod();
  cluster.containers.keep(pod, "main", [edit("/a")]);
  expect(rows()).toBe(1);
  cluster.client.tryDelete(pods, "default", "web", {});
  cluster.runUntilQuiet();
  expect(rows()).toBe(0);
});

test("the files in a claim's volume outlive the pod, are read by the next pod, and are deleted with the claim", () => {
  const { sql } = clusterWithPod();
  const podOf = (name: string, mountPath: string): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: name },
    spec: {
      containers: [{ name: "main", image: "nginx", resources: {}, volumeMounts: [{ name: "www", mountPath }] }],
      volumes: [{ name: "www", persistentVolumeClaim: { claimName: "www-web-0" } }],
    },
    status: {},
  });
  const first = podOf("one", "/html");
  const edits = new KeptEdits(sql);
  edits.keep(first, "main", [edit("/html/index.html"), edit("/tmp/own")]);
  expect(edits.of(first, "main").map((edit) => edit.path)).toEqual(["/tmp/own", "/html/index.html"]);
  edits.forget(first);
  expect(edits.of(podOf("two", "/data"), "main")).toEqual([edit("/data/index.html")]);
  edits.forgetClaim({ metadata: { namespace: "default", name: "www-web-0" } });
  expect(edits.of(podOf("two", "/data"), "main")).toEqual([]);
});

test("edits of a pod that is already deleted are not stored", () => {
  const { cluster, pod, rows } = clusterWithPod();
  cluster.client.tryDelete(pods, "default", "web", { gracePeriodSeconds: 0 });
  cluster.containers.keep(pod, "main", [edit("/a")]);
  expect(rows()).toBe(0);
});

test("the log that a service of a node wrote is read by the next instance, and ends when a state is restored", () => {
  const { sql } = clusterWithPod();
  new KeptEdits(sql).appendLog("node-1", [{ atMs: 1, path: "/var/log/audit.log", text: "before\n" }]);
  const logged = () => new KeptEdits(sql).of(podOnNode("node-1"), wholeNode).map(({ text }) => text);
  expect(logged()).toEqual(["before\n"]);
  replaceEditRows(sql, []);
  expect(logged()).toEqual([]);
});
