// States of a sandbox in its object: saved, forked, restored and undone, with the effects for clients.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { ConfigMap, Secret } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { readStateFile } from "../../../shared/state/read-state.ts";
import { deployment, newSandbox, rolledOut, type Sandbox } from "./sandbox.ts";
import { patiently } from "../../patiently.ts";

const root = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

test("F2: a fork has the source's state at that time, with its own keys", async () => {
  const source = await newSandbox();
  await source.put("settings", { v: "1" });
  await source.call("POST", "/api/v1/namespaces/default/secrets", {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
  });
  await source.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 2));
  await rolledOut(source, "web", 2);
  await source.quiet();
  const file = await saved(source);
  const fork = await newSandbox({ state: file });
  for (const path of ["/api/v1/namespaces/default/pods", "/api/v1/nodes", "/apis/apps/v1/replicasets"]) {
    expect(itemsOf(await fork.call("GET", path))).toEqual(itemsOf(await source.call("GET", path)));
  }
  const configMap = "/api/v1/namespaces/default/configmaps/settings";
  expect(await fork.call("GET", configMap)).toEqual(await source.call("GET", configMap));
  const read = async (sandbox: Sandbox, path: string) => ((await sandbox.call("GET", path)) as ConfigMap).data ?? {};
  const [sourceTrust, forkTrust] = [await read(source, trust), await read(fork, trust)];
  expect(Object.keys(forkTrust)).toEqual(Object.keys(sourceTrust));
  for (const key of ["client-ca-file", "requestheader-client-ca-file"])
    expect(forkTrust[key]).not.toBe(sourceTrust[key]);
  expect((await read(fork, root))["ca.crt"]).toContain(forkTrust["client-ca-file"]);
  const [ours, theirs] = [await tokenOf(source), await tokenOf(fork)];
  expect(await statusWith(source, ours)).toBe(200);
  expect(await statusWith(fork, theirs)).toBe(200);
  expect(await statusWith(fork, ours)).toBe(401);
  expect(await statusWith(source, theirs)).toBe(401);
  // What is written in the one is not seen in the other, and controllers go on.
  await fork.call("PUT", "/apis/apps/v1/namespaces/default/deployments/web", deployment("web", 3));
  await rolledOut(fork, "web", 3);
  expect(itemsOf(await source.call("GET", "/api/v1/namespaces/default/pods"))).toHaveLength(2);
});

test("F2: a fork of an idle sandbox stores few rows, and is the same after an eviction", async () => {
  const source = await newSandbox();
  await source.put("settings", { v: "1" });
  await source.quiet();
  const fork = await newSandbox({ state: await saved(source) });
  const read = async () => {
    const paths = ["configmaps", "secrets", "services", "nodes", "events"].map((kindName) => `/api/v1/${kindName}`);
    return Promise.all(paths.map(async (path) => fork.call("GET", path)));
  };
  const before = await read();
  await fork.quiet();
  await evictDurableObject(fork.stub());
  expect(await read()).toEqual(before);
  const storedTables = await runInDurableObject(fork.stub(), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM objects UNION ALL SELECT controller FROM queue").toArray(),
  );
  expect(storedTables).toEqual([]);
});

describe("F3: a restored sandbox", () => {
  test("has the state's objects, its revisions keep rising, and earlier watches and lists are answered 410", async () => {
    const sandbox = await newSandbox();
    await sandbox.put("a", { v: "1" });
    const before = await sandbox.put("b", { v: "1" });
    const file = await saved(sandbox);
    await sandbox.put("a", { v: "2" });
    await sandbox.remove("b");
    const last = await sandbox.put("c", { v: "1" });
    const watch = await sandbox.send("/api/v1/namespaces/default/configmaps?watch=1");
    const text = textOf(watch);
    await patiently(() => expect(text.soFar()).toContain('"name":"c"'));
    const restored = await sandbox.stub().restoreState({ file });
    expect(restored.ok && restored.revision).toBeGreaterThan(revisionOf(last));
    await patiently(() => expect(text.soFar()).toContain('"reason":"Expired"'));
    const now = await sandbox.call("GET", "/api/v1/namespaces/default/configmaps");
    expect(itemsOf(now).map(({ metadata }) => metadata.name)).toEqual(["a", "b", "kube-root-ca.crt"]);
    expect((await sandbox.call("GET", "/api/v1/namespaces/default/configmaps/b")).metadata).toEqual(before.metadata);
    expect(revisionOf(now)).toBeGreaterThan(revisionOf(last));
    const stale = await sandbox.send(
      `/api/v1/configmaps?resourceVersion=${revisionOf(last)}&resourceVersionMatch=Exact`,
    );
    expect(stale.status).toBe(410);
    expect(await stale.json()).toMatchObject({ reason: "Expired" });
    const written = await sandbox.put("c", { v: "2" });
    expect(revisionOf(written)).toBeGreaterThan(revisionOf(now) - 1);
    await evictDurableObject(sandbox.stub());
    expect(((await sandbox.call("GET", "/api/v1/namespaces/default/configmaps/c")) as ConfigMap).data).toEqual({
      v: "2",
    });
  });

  test("may be restored to a stored revision, and its controllers continue", async () => {
    const sandbox = await newSandbox();
    await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 2));
    await rolledOut(sandbox, "web", 2);
    const path = "/api/v1/namespaces/default/pods";
    const names = async () => itemsOf(await sandbox.call("GET", path)).map(({ metadata }) => metadata.uid);
    const [before, revision] = [await names(), revisionOf(await sandbox.call("GET", path))];
    await sandbox.call("DELETE", "/apis/apps/v1/namespaces/default/deployments/web");
    await patiently(async () => expect(await names()).toEqual([]));
    const restored = await sandbox.stub().restoreState({ revision });
    expect(restored).toMatchObject({ ok: true });
    expect(await names()).toEqual(before);
    await sandbox.call("PUT", "/apis/apps/v1/namespaces/default/deployments/web", deployment("web", 1));
    await rolledOut(sandbox, "web", 1);
    await sandbox.quiet();
    expect(await sandbox.stub().restoreState({ revision })).toMatchObject({ ok: false, code: "revision_gone" });
    expect(await sandbox.stub().saveState({ revision: 1e9 })).toMatchObject({ ok: false, code: "revision_unknown" });
  });

  test("continues though its controllers were working", async () => {
    const sandbox = await newSandbox();
    const file = await saved(sandbox);
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const before = ["a", "b", "c", "d"].map((name) => sandbox.call("POST", path, deployment(name, 5)));
    await Promise.all(before);
    const [restored] = await Promise.all([
      sandbox.stub().restoreState({ file }),
      // Of the state before or of the one after.
      sandbox.send("/api/v1/pods?limit=3").then((answer) => answer.body?.cancel()),
    ]);
    expect(restored.ok).toBe(true);
    expect(itemsOf(await sandbox.call("GET", path))).toEqual([]);
    await sandbox.call("POST", path, deployment("after", 2));
    await rolledOut(sandbox, "after", 2);
    await sandbox.quiet();
    const pods = itemsOf(await sandbox.call("GET", "/api/v1/namespaces/default/pods"));
    expect(pods.map(({ metadata }) => metadata.labels?.["app"])).toEqual(["after", "after"]);
  });

  test("is unchanged if the file is refused", async () => {
    const sandbox = await newSandbox();
    await sandbox.put("a", { v: "1" });
    const file = await saved(sandbox);
    await sandbox.put("a", { v: "2" });
    const broken = file.slice();
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    for (const [stateBytes, code] of [
      [broken, "altered"],
      [file.slice(0, -1), "cut"],
      [new Uint8Array(9), "not_a_state"],
    ] as const) {
      expect(await sandbox.stub().restoreState({ file: stateBytes })).toMatchObject({ ok: false, code });
    }
    expect(((await sandbox.call("GET", "/api/v1/namespaces/default/configmaps/a")) as ConfigMap).data).toEqual({
      v: "2",
    });
  });
});

test("F4: an undo reverts a user's last request with its effects", async () => {
  const sandbox = await newSandbox();
  await sandbox.put("a", { v: "1" });
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  await rolledOut(sandbox, "web", 1);
  await sandbox.quiet();
  const preview = await sandbox.stub().undo({ dryRun: true });
  expect(preview).toMatchObject({ ok: true, user: "kubernetes-admin", verb: "create" });
  const { objects = [] } = preview.ok ? preview : {};
  const of = (resource: string) => objects.filter((object) => object.resource === resource).map(({ change }) => change);
  expect([of("deployments.apps"), of("pods"), of("configmaps")]).toEqual([["created"], ["created"], []]);
  const undone = await sandbox.stub().undo({ dryRun: false });
  expect(undone).toMatchObject({ ok: true });
  for (const path of ["/apis/apps/v1/deployments", "/apis/apps/v1/replicasets", "/api/v1/pods"]) {
    const items = itemsOf(await sandbox.call("GET", `${path}?labelSelector=app%3Dweb`));
    expect(items).toEqual([]);
  }
  expect(((await sandbox.call("GET", "/api/v1/namespaces/default/configmaps/a")) as ConfigMap).data).toEqual({
    v: "1",
  });
  expect(await sandbox.stub().undo({ dryRun: true })).toMatchObject({ ok: false, code: "nothing_to_undo" });
});

async function saved(sandbox: Sandbox): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await sandbox.stub().saveState({});
  if (!answer.ok) throw new Error(answer.message);
  // A call between Workers hands over bytes.
  const file = new Uint8Array(answer.file);
  expect(readStateFile(file).header.objects).toBeGreaterThan(100);
  return file;
}

async function tokenOf(sandbox: Sandbox): Promise<string> {
  const { data } = (await sandbox.call("GET", "/api/v1/namespaces/default/secrets/token")) as Secret;
  return atob(data?.["token"] ?? "");
}

async function statusWith(sandbox: Sandbox, token: string): Promise<number> {
  const answer = await sandbox.send("/apis", {}, token);
  await answer.body?.cancel();
  return answer.status;
}

function itemsOf(list: KubeObject): KubeObject[] {
  return (list as unknown as { items: KubeObject[] }).items;
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}

/** Reads an answer that does not end. */
function textOf(answer: Response) {
  let text = "";
  void (async () => {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  })();
  return { soFar: () => text };
}
