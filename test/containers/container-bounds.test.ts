// Bounds of containers' programs: links, paths, lists of the API, logs of the node, keys and passwords.
import { expect, test } from "vitest";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { apiAnswer } from "../../worker/containers/network/api-server.ts";
import { clusterView } from "../../worker/containers/network/cluster-view.ts";
import { kubeletAnswer, kubeletPage } from "../../worker/containers/network/kubelet-server.ts";
import { withNodeLogs } from "../../worker/containers/run/node-logs.ts";
import type { ClusterView } from "../../worker/containers/run/world.ts";
import { Files, newFiles } from "../../worker/containers/shell/files.ts";
import { shaCrypt } from "../../worker/containers/shell/programs/copying/crypt.ts";
import { newCluster } from "../cluster.ts";
import { inImage } from "./shell/in-image.ts";

const runScript = (script: string, more: object = {}) => inImage("my/app", ["bash", "-c", script], more);

test("N1: a path through more than 40 links does not resolve", () => {
  const entry = { text: undefined, mode: 0o777, changedMs: 0 };
  const files = new Files([["/0", { text: "end", mode: 0o644, changedMs: 0 }]]);
  for (let at = 1; at <= 41; at++) files.set(`/${at}`, { ...entry, link: `/${at - 1}` });
  files.set("/a", { ...entry, link: "/b" });
  files.set("/b", { ...entry, link: "/a" });
  expect(["/40", "/41", "/a", "/b/c"].map((path) => files.get(path)?.text)).toEqual([
    "end",
    undefined,
    undefined,
    undefined,
  ]);
});

test("N1: a path of more than 4,096 characters is refused, and no file is created", () => {
  const [fits, long] = [4096, 4097].map((length) => `/tmp/${"x".repeat(length - 5)}`);
  expect(runScript(`echo a > ${fits} && cat /tmp/*`).all).toBe("a\n");
  expect(runScript(`echo a > ${long}`)).toMatchObject({
    all: expect.stringContaining("File name too long") as string,
    exit: 1,
  });
  expect(runScript(`touch ${long}; ls /tmp | wc -l`).all).toMatch(/File name too long\n0\n$/);
});

test("N17: openssl pays for each key that it creates, and more for a longer key", () => {
  const keysMade = (bits: number, work: number) => {
    const { all, run } = runScript(`for i in 1 2 3 4 5 6 7 8; do openssl genrsa -out /k$i ${bits}; echo made; done`, {
      work,
    });
    return [all.split("made").length - 1, run.isSpent];
  };
  expect(keysMade(2048, 20_000)).toEqual([3, true]);
  expect(keysMade(4096, 30_000)).toEqual([1, true]);
  for (const bits of [256, 4608]) expect(runScript(`openssl genrsa ${bits}`).exit).toBe(127);
});

test("N11: a password's hash takes 20,000 rounds at most, and a hash with more rounds matches nothing", () => {
  const hash = (rounds: number) => shaCrypt("x", "salt", "6", rounds).split("$").at(-1);
  expect(hash(20_001)).toBe(hash(20_000));
  expect(hash(19_999)).not.toBe(hash(20_000));
});

test("N1: a list of the API, and a node's pods, answer 413 past their bound in bytes", () => {
  const cluster = newCluster();
  cluster.runUntilQuiet();
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace: "default" }];
  cluster.apply(clusterRoleBindings, { metadata: { name: "all" }, roleRef, subjects });
  const containers = [{ name: "c", image: "busybox", command: ["sleep", "9999"] }];
  cluster.apply(pods, { metadata: { name: "p", namespace: "default" }, spec: { nodeName: "node-1", containers } });
  cluster.step(5_000);
  const [view, pod] = [clusterView(cluster.client), cluster.get(pods, "default", "p")];
  const headers = [["authorization", `Bearer ${view.token(pod, { expirationSeconds: 3607 })}`]] as const;
  const ask = (path: string) => ({ method: "GET", path, headers, body: "" });
  const list = () => apiAnswer(cluster.client, view, pod, ask("/api/v1/namespaces/default/configmaps"));
  const kubelet = () =>
    kubeletAnswer(cluster.client, view, pod, "node-1", ask("/pods"), { atMs: 0, pays: () => undefined });
  expect([list().status, kubelet().status]).toEqual([200, 200]);
  for (const name of ["a", "b"]) {
    cluster.client.create(configMaps, {
      metadata: { name, namespace: "default" },
      data: { text: "x".repeat(600_000) },
    });
    const annotations = { large: "x".repeat(250_000) };
    for (const suffix of ["1", "2", "3"]) {
      const metadata = { name: name + suffix, namespace: "default", annotations };
      cluster.client.create(pods, { metadata, spec: { nodeName: "node-1", containers } });
    }
  }
  expect(list()).toMatchObject({ status: 413, body: expect.stringContaining("longer than a megabyte") as string });
  const large = "the node's pods are more than 1048576 bytes\n";
  expect(kubelet()).toMatchObject({ status: 413, body: large });
  expect(kubeletPage(cluster.client, "node-1", "/pods", { most: 4_194_304, atMs: 0 }).status).toBe(200);
  expect(kubeletPage(cluster.client, "node-1", "/runningpods", { most: 10, atMs: 0 }).status).toBe(413);
  expect(kubeletPage(cluster.client, "node-1", "/metrics", { most: 10, atMs: 0 }).status).toBe(413);
});

test("N16: a command reads the ends of 20 of a node's logs", () => {
  const container = { name: "c", image: "busybox", volumeMounts: [{ name: "logs", mountPath: "/logs" }] };
  const volumes = [{ name: "logs", hostPath: { path: "/var/log" } }];
  const otherPod = (at: number) => ({
    metadata: { name: `p${at}`, namespace: "default", uid: `u${at}` },
    spec: { containers: [] },
    status: { containerStatuses: [{ name: "c", restartCount: 0, containerID: `containerd://${at}` }] },
  });
  const line = { atMs: 0, stream: "stdout", text: `${"x".repeat(999)}\n` };
  const view = {
    podsOn: () => Array.from({ length: 21 }, (_, at) => otherPod(at)),
    log: () => Array.from({ length: 1000 }, () => line),
  } as unknown as ClusterView;
  const pod = {
    metadata: { name: "p", namespace: "default" },
    spec: { nodeName: "node-1", volumes, containers: [container] },
  };
  const files = withNodeLogs(pod as never, container as never, view, newFiles(), 0);
  const lengths = files.below("/logs/pods").map(([, { text }]) => text?.length ?? 0);
  expect(lengths.filter((length) => length === 0)).toHaveLength(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024);
  expect(Math.min(...lengths.filter((length) => length > 0))).toBeGreaterThan(250 * 1024);
});
