// Deletion: grace, finalizers, preconditions, propagation, collections.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { handle } from "../../worker/api/handler.ts";
import {
  adminToken,
  apps,
  configMap,
  core,
  deployment,
  newServer,
  pod,
  refusal,
  refused,
  type TestServer,
} from "./server.ts";

async function withPod(): Promise<TestServer> {
  const server = newServer();
  await server.ask("POST", `${core}/pods`, { body: pod("p") });
  server.cluster.runUntilQuiet();
  return server;
}

describe("the deletion of one object", () => {
  test("removes it, and the response identifies it", async () => {
    const { ask } = newServer();
    const { body } = await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    const deleted = await ask("DELETE", `${core}/configmaps/a`);
    expect([deleted.code, deleted.body]).toEqual([
      200,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: body.metadata.uid },
      },
    ]);
    expect(refusal(await ask("DELETE", `${core}/configmaps/a`))).toEqual(
      refused(404, "NotFound", 'configmaps "a" not found'),
    );
  });

  test("R4: marks a pod with a grace period until its kubelet removes it, and the period only gets shorter", async () => {
    const { ask, cluster } = await withPod();
    const marked = await ask("DELETE", `${core}/pods/p?gracePeriodSeconds=40&dryRun=All`);
    expect(marked.body.metadata.deletionGracePeriodSeconds).toBe(40);
    expect((await ask("GET", `${core}/pods/p`)).body.metadata).not.toHaveProperty("deletionTimestamp");
    const server = newServer({ controllers: [] });
    await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } });
    await server.ask("POST", `${core}/pods`, { body: { ...pod("p"), spec: { ...pod("p").spec, nodeName: "node-1" } } });
    const remove = async (query: string) => (await server.ask("DELETE", `${core}/pods/p${query}`)).body.metadata;
    const first = await remove("");
    expect(first).toMatchObject({
      deletionGracePeriodSeconds: 30,
      deletionTimestamp: "2026-01-01T00:00:30Z",
      generation: 2,
    });
    expect(await remove("?gracePeriodSeconds=50&propagationPolicy=Foreground")).toEqual(first);
    expect(await remove("?gracePeriodSeconds=10")).toMatchObject({
      deletionGracePeriodSeconds: 10,
      deletionTimestamp: "2026-01-01T00:00:10Z",
      generation: 2,
    });
    server.cluster.clock.step(8000);
    expect(await remove("?gracePeriodSeconds=5")).toMatchObject({
      deletionGracePeriodSeconds: 1,
      deletionTimestamp: "2026-01-01T00:00:08Z",
    });
    const removed = await server.ask("DELETE", `${core}/pods/p?gracePeriodSeconds=0`);
    // The response is marked, although that was not stored.
    expect([removed.code, removed.body.metadata.deletionGracePeriodSeconds]).toEqual([200, 0]);
    expect((await server.ask("GET", `${core}/pods/p`)).code).toBe(404);
    await ask("DELETE", `${core}/pods/p`);
    cluster.runUntilQuiet();
    expect((await ask("GET", `${core}/pods/p`)).code).toBe(404);
  });

  test("R4: waits for finalizers, and removing the last one removes the object", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, {
      body: configMap("a", {}, { finalizers: ["test.dev/one", "test.dev/two"] }),
    });
    const held = await ask("DELETE", `${core}/configmaps/a`);
    expect([held.code, held.body.kind, held.body.metadata.deletionGracePeriodSeconds]).toEqual([200, "ConfigMap", 0]);
    const put = (finalizers: string[]) =>
      ask("PUT", `${core}/configmaps/a`, { body: configMap("a", {}, { finalizers }) });
    expect((await put(["test.dev/one", "test.dev/two", "test.dev/three"])).body.message).toMatch(
      /metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"test.dev\/three"\}$/,
    );
    expect((await put(["test.dev/two"])).body.metadata.finalizers).toEqual(["test.dev/two"]);
    expect((await put([])).code).toBe(200);
    expect((await ask("GET", `${core}/configmaps/a`)).code).toBe(404);
  });

  test("R3: with failed preconditions is a conflict", async () => {
    const { ask } = newServer();
    const { body } = await ask("POST", `${apps}/deployments`, { body: deployment("web") });
    const { uid, resourceVersion } = (await ask("GET", `${apps}/deployments/web`)).body.metadata;
    const remove = (preconditions: object) =>
      ask("DELETE", `${apps}/deployments/web`, { body: { kind: "DeleteOptions", apiVersion: "v1", preconditions } });
    expect(refusal(await remove({ uid: "other" }))).toEqual(
      refused(
        409,
        "Conflict",
        `Operation cannot be fulfilled on Deployment.apps "web": the UID in the precondition (other) does not match the UID in record (${body.metadata.uid}). The object might have been deleted and then recreated`,
      ),
    );
    expect(refusal(await remove({ resourceVersion: "1" })).message).toBe(
      `Operation cannot be fulfilled on Deployment.apps "web": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
    expect((await remove({ uid, resourceVersion })).code).toBe(200);
  });

  test("takes the propagation from the body or the query, also in the deprecated form", async () => {
    for (const { query, body, left } of [
      { query: "?propagationPolicy=Orphan", left: 1 },
      { query: "?orphanDependents=true", left: 1 },
      { query: "?propagationPolicy=Orphan", body: { propagationPolicy: "Background" }, left: 0 },
      { query: "", left: 0 },
      { query: "?propagationPolicy=Foreground", left: 0 },
    ]) {
      const { ask, cluster } = newServer();
      await ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
      cluster.runUntilQuiet();
      await ask("DELETE", `${apps}/deployments/web${query}`, body === undefined ? {} : { body });
      cluster.runUntilQuiet();
      const sets = (await ask("GET", `${apps}/replicasets`)).body.items;
      expect([query, sets.length]).toEqual([query, left]);
      expect((await ask("GET", `${core}/pods`)).body.items).toHaveLength(2 * left);
      expect((await ask("GET", `${apps}/deployments/web`)).code).toBe(404);
    }
  });

  test("is 202 in the deprecated form while finalizers remain", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("a", {}, { finalizers: ["test.dev/one"] }) });
    expect((await ask("DELETE", `${core}/configmaps/a?orphanDependents=false`)).code).toBe(202);
  });

  test("with contradicting options is invalid", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    const remove = async (query: string) => refusal(await ask("DELETE", `${core}/configmaps/a?${query}`));
    expect((await remove("propagationPolicy=Sideways")).message).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    expect((await remove("propagationPolicy=Orphan&orphanDependents=true")).message).toContain(
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    );
    expect(await remove("gracePeriodSeconds=soon")).toEqual(
      refused(400, "BadRequest", 'strconv.ParseInt: parsing "soon": invalid syntax'),
    );
    expect((await ask("GET", `${core}/configmaps/a`)).code).toBe(200);
  });

  test("is forbidden for three namespaces", async () => {
    const { ask } = newServer();
    expect(refusal(await ask("DELETE", "/api/v1/namespaces/kube-system"))).toEqual(
      refused(403, "Forbidden", 'namespaces "kube-system" is forbidden: this namespace may not be deleted'),
    );
  });

  test("removes the contents of a namespace", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "a" } } });
    await ask("POST", "/apis/apps/v1/namespaces/a/deployments", { body: deployment("web", 2) });
    cluster.runUntilQuiet();
    const going = await ask("DELETE", "/api/v1/namespaces/a");
    expect([going.code, going.body.status["phase"]]).toEqual([200, "Terminating"]);
    cluster.runUntilQuiet();
    expect((await ask("GET", "/api/v1/namespaces/a")).code).toBe(404);
    expect((await ask("GET", "/api/v1/namespaces/a/pods")).body.items).toEqual([]);
  });
});

describe("the deletion of a collection", () => {
  test("deletes the selected objects, and returns their list", async () => {
    const { ask } = newServer();
    for (const [name, app] of [
      ["a", "x"],
      ["b", "x"],
      ["c", "y"],
    ] as const) {
      await ask("POST", `${core}/configmaps`, { body: configMap(name, {}, { labels: { app } }) });
    }
    const { code, body } = await ask("DELETE", `${core}/configmaps?labelSelector=app%3Dx`);
    expect([code, body.kind, body.items.map(({ metadata }) => metadata.name)]).toEqual([
      200,
      "ConfigMapList",
      ["a", "b"],
    ]);
    const left = (await ask("GET", `${core}/configmaps?labelSelector=app`)).body.items;
    expect(left.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    await ask("DELETE", `${core}/configmaps?fieldSelector=metadata.name%3Dc`);
    expect((await ask("GET", `${core}/configmaps/c`)).code).toBe(404);
  });

  test("R2: deletes nothing with dryRun, and honours a limit", async () => {
    const { ask, cluster } = newServer();
    for (const name of ["a", "b", "c"]) await ask("POST", `${core}/secrets`, { body: { metadata: { name } } });
    const { revision } = cluster.registry.store;
    expect((await ask("DELETE", `${core}/secrets?dryRun=All`)).body.items).toHaveLength(3);
    expect(cluster.registry.store.revision).toBe(revision);
    expect((await ask("DELETE", `${core}/secrets?limit=2`)).body.items).toHaveLength(2);
    expect((await ask("GET", `${core}/secrets`)).body.items).toHaveLength(1);
  });

  test("runs in portions, with other work in between", async () => {
    const turns: number[] = [];
    let inBetween: (() => Promise<unknown>) | undefined;
    const { ask, cluster } = newServer({
      controllers: [],
      nodes: 0,
      service: ({ registry }) => ({
        turn: (body) => {
          const { revision } = registry.store;
          const result = body();
          turns.push(registry.store.revision - revision);
          return result;
        },
        pause: async () => {
          const once = inBetween;
          inBetween = undefined;
          await once?.();
        },
      }),
    });
    const secrets = `${core}/secrets`;
    for (let at = 0; at < 130; at++) {
      await ask("POST", secrets, { body: { metadata: { name: `s-${String(at).padStart(3, "0")}` } } });
    }
    turns.length = 0;
    inBetween = async () => {
      const left = (await ask("GET", secrets)).body.items;
      expect(left).toHaveLength(130 - limits.writesPerTurn);
      expect((await ask("DELETE", `${secrets}/s-129`)).code).toBe(200);
      expect((await ask("POST", secrets, { body: { metadata: { name: "s-new" } } })).code).toBe(201);
    };
    const { code, body } = await ask("DELETE", secrets);
    expect([code, body.items.length, body.items.at(-1)?.metadata.name]).toEqual([200, 130, "s-129"]);
    expect(Math.max(...turns)).toBe(limits.writesPerTurn);
    expect((await ask("GET", secrets)).body.items.map(({ metadata }) => metadata.name)).toEqual(["s-new"]);
    expect(cluster.bugs).toEqual([]);
  });

  test("has a streamed response of any length", async () => {
    const { ask, service: server } = newServer({ controllers: [], nodes: 0 });
    const text = "x".repeat(400_000);
    for (let at = 0; at < 12; at++) await ask("POST", `${core}/configmaps`, { body: configMap(`a-${at}`, { text }) });
    const headers = { authorization: `Bearer ${adminToken}` };
    const request = new Request(`https://test${core}/configmaps`, { method: "DELETE", headers });
    const lengths: number[] = [];
    for await (const chunk of (await handle(server, request)).body ?? []) lengths.push((chunk as Uint8Array).length);
    expect(lengths.length).toBeGreaterThan(5);
    expect(Math.max(...lengths)).toBeLessThan(2 * limits.listPageBytes);
  });

  test("is not atomic: objects before a rejected one are deleted", async () => {
    const { ask } = newServer();
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    for (const name of ["a", "z"]) await ask("POST", classes, { body: { metadata: { name }, value: 1 } });
    expect((await ask("DELETE", classes)).code).toBe(403);
    expect((await ask("GET", classes)).body.items.map(({ metadata }) => metadata.name)).toEqual([
      "system-cluster-critical",
      "system-node-critical",
      "z",
    ]);
  });

  test("is not allowed across all namespaces", async () => {
    const { ask } = newServer();
    const expected = refused(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
    );
    expect(refusal(await ask("DELETE", "/api/v1/configmaps"))).toEqual(expected);
    expect(
      refusal(await ask("POST", "/api/v1/configmaps", { body: configMap("a", {}, { namespace: "default" }) })),
    ).toEqual(expected);
  });
});
