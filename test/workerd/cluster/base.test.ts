// A sandbox with a base in its object: its stored rows, and its answers before and after an eviction.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { ConfigMap, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { patiently } from "../../patiently.ts";

const coreDns = "/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3Dkube-dns";
const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const root = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";

test.each([true, false])("C4: a sandbox of three nodes stores no object, and has all of them", async (systemPods) => {
  const sandbox = await newSandbox({ nodes: 3, settings: { systemPods } });
  expect(await namesOf(sandbox, "/api/v1/nodes")).toEqual(["node-1", "node-2", "node-3"]);
  const pods = (await sandbox.call("GET", coreDns)) as unknown as { items: Pod[] };
  expect(pods.items.map(({ status }) => status.phase)).toEqual(systemPods ? ["Running", "Running"] : []);
  expect(await storedIn(sandbox)).toEqual([]);
  const all = await namesOf(sandbox, "/api/v1/namespaces/kube-system/pods");
  expect(all.filter((name) => name === "etcd-node-1" || name?.startsWith("kube-proxy-"))).toHaveLength(
    systemPods ? 4 : 0,
  );
});

test("N5: a sandbox has the pods of kube-system by default; a large one only CoreDNS; one without nodes or controllers none", async () => {
  const workloads = async (options: Parameters<typeof newSandbox>[0]) => {
    const sandbox = await newSandbox({ ...options, settings: { systemPods: undefined, ...options?.settings } });
    return await namesOf(sandbox, "/apis/apps/v1/namespaces/kube-system/deployments");
  };
  const all = ["coredns", "metrics-server"];
  expect([
    await workloads({ nodes: 3 }),
    await workloads({ nodes: 1 }),
    await workloads({ nodes: 21 }),
    await workloads({ nodes: 0 }),
    await workloads({ nodes: 3, settings: { controllers: "off" } }),
    await workloads({ nodes: 0, settings: { systemPods: true } }),
  ]).toEqual([all, all, ["coredns"], [], [], all]);
});

test("N5: a sandbox without controllers has only an API server's own objects", async () => {
  const sandbox = await newSandbox({ nodes: 0, settings: { controllers: "off", systemPods: undefined } });
  const paths = [
    "/api/v1/namespaces",
    "/api/v1/services",
    "/api/v1/configmaps",
    "/apis/storage.k8s.io/v1/storageclasses",
  ];
  const namesByPath = await Promise.all(paths.map((path) => namesOf(sandbox, path)));
  expect(namesByPath).toEqual([
    ["default", "kube-node-lease", "kube-public", "kube-system"],
    ["kubernetes"],
    ["extension-apiserver-authentication", "kube-apiserver-legacy-service-account-token-tracking"],
    [],
  ]);
  const roles = await namesOf(sandbox, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings");
  expect(roles.filter((name) => !name?.startsWith("system:") && name !== "cluster-admin")).toEqual([]);
});

test("C4: a sandbox has its own certificates in the base", async () => {
  const [firstSandbox, secondSandbox] = [await newSandbox({ nodes: 3 }), await newSandbox({ nodes: 3 })];
  const read = async (sandbox: Sandbox, path: string) => ((await sandbox.call("GET", path)) as ConfigMap).data ?? {};
  const { "client-ca-file": client = "", "requestheader-client-ca-file": front = "" } = await read(firstSandbox, trust);
  for (const pem of [client, front])
    expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----\n[^$]+\n-----END CERTIFICATE-----\n$/);
  expect((await read(firstSandbox, root))["ca.crt"]).toContain(client);
  expect((await read(secondSandbox, trust))["client-ca-file"]).not.toBe(client);
});

test("C4: changed and deleted base objects stay so after an eviction, and the rest is unchanged", async () => {
  const sandbox = await newSandbox({ nodes: 3 });
  await sandbox.call("DELETE", "/apis/storage.k8s.io/v1/storageclasses/standard");
  await sandbox.call("PUT", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", {
    metadata: { name: "system-node-critical", labels: { changed: "yes" } },
    value: 2_000_001_000,
  });
  const paths = [
    "/apis/storage.k8s.io/v1/storageclasses",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/api/v1/nodes",
  ];
  const read = () => Promise.all(paths.map((path) => sandbox.call("GET", path)));
  const before = await read();
  await evictDurableObject(sandbox.stub());
  expect(await read()).toEqual(before);
  expect(await namesOf(sandbox, "/apis/storage.k8s.io/v1/storageclasses")).toEqual([]);
});

test("C4: a node more than the base has is written, and a node less makes another cluster", async () => {
  const [more, less] = [await newSandbox({ nodes: 4 }), await newSandbox({ nodes: 2 })];
  expect(await namesOf(more, "/api/v1/nodes")).toEqual(["node-1", "node-2", "node-3", "node-4"]);
  await patiently(async () => expect((await storedIn(more)).sort()).toEqual(["node-4", "node-4"]));
  expect(await namesOf(less, "/api/v1/nodes")).toEqual(["node-1", "node-2"]);
  expect((await storedIn(less)).length).toBeGreaterThan(200);
});

async function namesOf(sandbox: Sandbox, path: string): Promise<(string | undefined)[]> {
  const { items } = (await sandbox.call("GET", path)) as unknown as { items: KubeObject[] };
  return items.map(({ metadata }) => metadata.name);
}

function storedIn(sandbox: Sandbox): Promise<unknown[]> {
  return runInDurableObject(sandbox.stub(), (_object, state) =>
    state.storage.sql
      .exec("SELECT name FROM objects")
      .toArray()
      .map(({ name }) => name),
  );
}
