// The JavaScript client against the real service: its object API and its informers.
import { KubeConfig, CoreV1Api, KubernetesObjectApi, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { newSandbox } from "./sandbox.ts";

describe("@kubernetes/client-node", () => {
  test("creates, patches, applies, lists and deletes with its object API", async () => {
    const client = KubernetesObjectApi.makeApiClient(await configOf());
    const header = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
    const created: V1ConfigMap = await client.create({ ...header, data: { k: "1" } });
    expect([created.data?.k, created.metadata?.uid]).toEqual(["1", expect.stringMatching(/./)]);
    const patched: V1ConfigMap = await client.patch({ ...header, data: { k: "2" } });
    expect(patched.data?.k).toBe("2");
    const read: V1ConfigMap = await client.read(header);
    expect(read.metadata?.resourceVersion).toBe(patched.metadata?.resourceVersion);
    const replaced: V1ConfigMap = await client.replace({ ...read, data: { k: "3" } });
    expect(replaced.data).toEqual({ k: "3" });
    const list = await client.list("v1", "ConfigMap", "default");
    expect(list.items.map((item) => item.metadata?.name)).toContain("a");
    await client.delete(header);
    await expect(client.read(header)).rejects.toMatchObject({ code: 404 });
  });

  test("receives added, changed and deleted objects with its informer", async () => {
    const config = await configOf();
    const core = config.makeApiClient(CoreV1Api);
    const namespace = "default";
    const informed: string[] = [];
    const informer = makeInformer<V1ConfigMap>(config, "/api/v1/namespaces/default/configmaps", () =>
      core.listNamespacedConfigMap({ namespace }),
    );
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, ({ metadata, data }) => {
        if (metadata?.name === "b") informed.push(`${verb} ${data?.k}`);
      });
    }
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "b" }, data: { k: "1" } } });
    await core.replaceNamespacedConfigMap({
      namespace,
      name: "b",
      body: { metadata: { name: "b" }, data: { k: "2" } },
    });
    await core.deleteNamespacedConfigMap({ namespace, name: "b" });
    await expect.poll(() => informed, { timeout: 30_000 }).toEqual(["add 1", "update 2", "delete 2"]);
    await informer.stop();
  });
});

async function configOf(): Promise<KubeConfig> {
  const sandbox = await newSandbox();
  const config = new KubeConfig();
  config.loadFromFile(sandbox.kubeconfig);
  return config;
}
