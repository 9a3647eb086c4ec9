// The upgrade of a sandbox: API server, control plane and nodes go to the next minor version, and what is stored stays.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { openWatch } from "./watch-reader.ts";

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
    readonly status: { readonly nodeInfo: { readonly kubeletVersion: string } };
  }[];
}

async function gitVersionOf(sandbox: Sandbox): Promise<string> {
  const { gitVersion } = await (await sandbox.send("/version")).json<{ gitVersion: string }>();
  return gitVersion;
}

async function list(sandbox: Sandbox, path: string): Promise<Listed["items"]> {
  return (await (await sandbox.send(path)).json<Listed>()).items;
}

const kubeletsOf = async (sandbox: Sandbox) =>
  (await list(sandbox, "/api/v1/nodes")).map(({ status }) => status.nodeInfo.kubeletVersion);

const imagesOf = async (sandbox: Sandbox) =>
  (await list(sandbox, "/api/v1/namespaces/kube-system/pods")).map(({ spec }) => spec.containers[0]?.image ?? "");

test("an upgrade changes the API server at once, then the control plane's pods, the add-ons and the nodes", async () => {
  const sandbox = await newSandbox({ settings: { version: "1.33", systemPods: true, kubeletSpeed: "zero" } });
  const object = await sandbox.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "kept" } });
  expect([await gitVersionOf(sandbox), await kubeletsOf(sandbox)]).toEqual([
    "v1.33.0+sandbar",
    ["v1.33.0", "v1.33.0", "v1.33.0"],
  ]);
  expect((await sandbox.send("/apis/resource.k8s.io/v1/resourceclaims")).status).toBe(404);
  const since = `watch=1&resourceVersion=${object.metadata.resourceVersion}`;
  const watch = await openWatch(sandbox, `/api/v1/namespaces/default/configmaps?${since}`);
  // A watch that still reads its first events would be cut off, as by the restart of an API server.
  const joinedCount = () => runInDurableObject(sandbox.stub(), (_object, state) => state.getWebSockets().length);
  await vi.waitFor(async () => expect(await joinedCount()).toBe(1), { timeout: 10_000 });
  expect(await sandbox.stub().setVersion("1.34")).toEqual({ ok: true });
  expect(await gitVersionOf(sandbox)).toBe("v1.34.0+sandbar");
  expect((await sandbox.send("/apis/resource.k8s.io/v1/resourceclaims")).status).toBe(200);
  const unchanged = await sandbox.call("GET", "/api/v1/namespaces/default/configmaps/kept");
  expect(unchanged.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  await vi.waitFor(
    async () => {
      expect(await kubeletsOf(sandbox)).toEqual(["v1.34.0", "v1.34.0", "v1.34.0"]);
      const images = await imagesOf(sandbox);
      expect(images.filter((image) => image.includes("v1.33.0") || image.includes("coredns:v1.12.0"))).toEqual([]);
      expect(images).toContain("registry.k8s.io/kube-apiserver:v1.34.0");
      expect(images).toContain("registry.k8s.io/coredns/coredns:v1.12.1");
    },
    { timeout: 30_000, interval: 200 },
  );
  const role = await sandbox.send("/apis/rbac.authorization.k8s.io/v1/clusterroles/system:aggregate-to-view");
  expect(await role.text()).toContain("resourceclaims");
  expect((await sandbox.send("/apis/apiregistration.k8s.io/v1/apiservices/v1.resource.k8s.io")).status).toBe(200);
  await sandbox.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "later" } });
  // The edge resumes the watch at its revision.
  await watch.until(({ object: watched }) => watched.metadata.name === "later");
  await watch.cancel();
}, 60_000);

test("an upgrade past a version and a downgrade are refused and change nothing", async () => {
  const sandbox = await newSandbox({ settings: { version: "1.34" } });
  const refusal = (version: "1.33" | "1.36") => sandbox.stub().setVersion(version);
  expect(await refusal("1.36")).toMatchObject({
    code: "invalid_field",
    field: "version",
    message: "version: cannot skip minor versions from 1.34 to 1.36: upgrade to 1.35 first",
  });
  expect(await refusal("1.33")).toMatchObject({ field: "version" });
  expect(await gitVersionOf(sandbox)).toBe("v1.34.0+sandbar");
});

test("a reset and a restored state bring back the version that they had", async () => {
  const sandbox = await newSandbox({ settings: { version: "1.34" } });
  const saved = await sandbox.stub().saveState({});
  if (!saved.ok) expect.fail(saved.message);
  expect(await sandbox.stub().setVersion("1.35")).toEqual({ ok: true });
  await evictDurableObject(sandbox.stub());
  expect(await gitVersionOf(sandbox)).toBe("v1.35.0+sandbar");
  expect((await sandbox.stub().origin())?.settings.version).toBe("1.34");
  expect(await sandbox.stub().restoreState({ file: saved.file })).toMatchObject({ ok: true, version: "1.34" });
  expect(await gitVersionOf(sandbox)).toBe("v1.34.0+sandbar");
});
