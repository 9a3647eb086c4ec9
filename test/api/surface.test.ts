// Beyond resources: authentication, paths, subresources, health, version, and both forms of events.
import { describe, expect, test } from "vitest";
import {
  apps,
  configMap,
  core,
  deployment,
  newServer,
  pod,
  refusal,
  refused,
  strangerToken,
  viewToken,
} from "./server.ts";

describe("authentication and authorization", () => {
  test("A1: a missing or wrong token is 401 for any path", async () => {
    const { ask } = newServer();
    for (const token of [null, "wrong", ""]) {
      for (const path of ["/", "/api", "/healthz", "/version", "/openapi/v2", `${core}/pods`, "/no/such/path"]) {
        expect(refusal(await ask("GET", path, { token }))).toEqual(refused(401, "Unauthorized", "Unauthorized"));
      }
    }
  });

  test("A4: a view token reads everything but Secrets, and writes nothing", async () => {
    const { ask, cluster } = newServer();
    const { revision } = cluster.registry.store;
    const view = { token: viewToken };
    for (const path of [
      `${core}/pods`,
      "/api/v1/nodes/node-1",
      "/apis/apps/v1/deployments",
      "/version",
      "/api",
      "/openapi/v3",
    ]) {
      expect([path, (await ask("GET", path, view)).code]).toEqual([path, 200]);
    }
    expect(refusal(await ask("GET", `${core}/secrets`, view))).toEqual(
      refused(
        403,
        "Forbidden",
        'secrets is forbidden: User "viewer" cannot list resource "secrets" in API group "" in the namespace "default"',
      ),
    );
    expect((await ask("POST", `${core}/configmaps`, { ...view, body: configMap("a") })).code).toBe(403);
    expect((await ask("DELETE", "/api/v1/nodes/node-1", view)).code).toBe(403);
    expect((await ask("PUT", `${apps}/deployments/x/scale`, { ...view, body: {} })).code).toBe(403);
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("a user without a role is forbidden everything", async () => {
    const { ask } = newServer();
    expect(
      refusal(await ask("GET", "/apis/apps/v1/namespaces/default/deployments/web", { token: strangerToken })),
    ).toEqual(
      refused(
        403,
        "Forbidden",
        'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "default"',
      ),
    );
    expect(refusal(await ask("GET", "/api/v1/nodes", { token: strangerToken })).message).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });
});

describe("paths", () => {
  test("an unknown path is 404", async () => {
    const { ask } = newServer();
    const expected = refused(404, "NotFound", "the server could not find the requested resource");
    for (const path of ["/api/v1/unheard", `${core}/pods/p/unheard`, `${core}/nodes`, "/apis/apps/v9"]) {
      expect([path, refusal(await ask("GET", path))]).toEqual([path, expected]);
    }
    for (const path of ["/no/such/path", "/logs", "/apis/unheard.io", "/apis/unheard.io/v1/things"]) {
      const { code, text } = await ask("GET", path);
      expect([path, code, text]).toEqual([path, 404, "404 page not found\n"]);
    }
    expect(refusal(await ask("GET", `${core}/pods/p`))).toEqual(refused(404, "NotFound", 'pods "p" not found'));
  });

  test("an unsupported method is 405", async () => {
    const { ask } = newServer();
    const expected = refused(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
    );
    expect(refusal(await ask("POST", `${core}/pods/p`, { body: pod("p") }))).toEqual(expected);
    expect(refusal(await ask("PUT", `${core}/pods`, { body: pod("p") }))).toEqual(expected);
    expect(refusal(await ask("DELETE", `${core}/pods/p/status`))).toEqual(expected);
    expect(refusal(await ask("DELETE", "/api/v1/namespaces"))).toEqual(expected);
  });

  test("the root lists paths, and discovery and version answer", async () => {
    const { ask } = newServer();
    const root = await ask<{ paths: string[] }>("GET", "/");
    for (const path of ["/api/v1", "/apis/apps/v1", "/healthz", "/openapi/v3", "/version"])
      expect(root.body.paths).toContain(path);
    expect((await ask<{ gitVersion: string }>("GET", "/version")).body.gitVersion).toMatch(/^v1\.36\./);
    const groups = await ask<{ groups: { name: string }[] }>("GET", "/apis");
    expect(groups.body.groups.map(({ name }) => name)).toContain("apps");
  });

  test("health answers plain and verbose, for all checks and for one", async () => {
    const { ask } = newServer();
    for (const path of ["/healthz", "/livez", "/readyz"]) {
      expect((await ask("GET", path)).text).toBe("ok");
      const verbose = (await ask("GET", `${path}?verbose`)).text;
      expect(verbose).toMatch(/^\[\+\]ping ok\n/);
      expect(verbose).toMatch(new RegExp(`\n${path.slice(1)} check passed\n$`));
      expect((await ask("GET", `${path}/ping`)).text).toBe("ok");
      expect((await ask("GET", `${path}?verbose&exclude=etcd`)).text).toContain("[+]etcd excluded: ok\n");
      expect((await ask("GET", `${path}/unheard`)).code).toBe(404);
    }
  });
});

describe("subresources", () => {
  test("scale is read, put and refused", async () => {
    const { ask } = newServer();
    await ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
    const { body } = await ask("GET", `${apps}/deployments/web/scale`);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "web" },
      spec: { replicas: 2 },
      status: { selector: "app=web" },
    });
    const put = await ask("PUT", `${apps}/deployments/web/scale`, { body: { ...body, spec: { replicas: 5 } } });
    expect([put.code, put.body.spec]).toEqual([200, { replicas: 5 }]);
    expect((await ask("GET", `${apps}/deployments/web`)).body.spec["replicas"]).toBe(5);
    expect(
      refusal(await ask("PUT", `${apps}/deployments/web/scale`, { body: { ...body, spec: { replicas: 1 } } })).code,
    ).toBe(409);
    const negative = { metadata: { name: "web" }, spec: { replicas: -1 } };
    expect(refusal(await ask("PUT", `${apps}/deployments/web/scale`, { body: negative })).message).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect((await ask("GET", `${apps}/deployments/none/scale`)).code).toBe(404);
    expect((await ask("GET", `${core}/configmaps/a/scale`)).code).toBe(404);
  });

  test("binding assigns a pod to a node, once", async () => {
    const { ask } = newServer({ controllers: [] });
    await ask("POST", `${core}/serviceaccounts`, { body: { metadata: { name: "default" } } });
    await ask("POST", `${core}/pods`, { body: pod("p") });
    const bind = (node: string) =>
      ask("POST", `${core}/pods/p/binding`, {
        body: { metadata: { name: "p" }, target: { kind: "Node", name: node } },
      });
    expect((await bind("node-1")).body).toMatchObject({ kind: "Status", status: "Success", code: 201 });
    const { body } = await ask("GET", `${core}/pods/p`);
    expect([body.spec["nodeName"], body.metadata.generation]).toEqual(["node-1", 1]);
    expect(refusal(await bind("node-2"))).toEqual(
      refused(
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node-1"',
      ),
    );
  });

  test("eviction deletes a pod with a condition", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", `${core}/pods`, { body: pod("p") });
    cluster.runUntilQuiet();
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", namespace: "default" } };
    const dry = await ask("POST", `${core}/pods/p/eviction?dryRun=All`, { body });
    expect(dry.code).toBe(201);
    expect((await ask("GET", `${core}/pods/p`)).body.metadata).not.toHaveProperty("deletionTimestamp");
    const evicted = await ask("POST", `${core}/pods/p/eviction`, { body });
    expect(evicted.body).toMatchObject({ kind: "Status", status: "Success", code: 201 });
    cluster.runUntilQuiet();
    expect((await ask("GET", `${core}/pods/p`)).code).toBe(404);
    expect((await ask("POST", `${core}/pods/p/eviction`, { body })).code).toBe(404);
  });

  test("a namespace is finalized only by its subresource", async () => {
    const { ask } = newServer({ controllers: [] });
    const created = await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "a" } } });
    expect(created.body.spec).toEqual({ finalizers: ["kubernetes"] });
    await ask("PUT", "/api/v1/namespaces/a", { body: { metadata: { name: "a" }, spec: { finalizers: [] } } });
    expect((await ask("GET", "/api/v1/namespaces/a")).body.spec).toEqual({ finalizers: ["kubernetes"] });
    await ask("DELETE", "/api/v1/namespaces/a");
    await ask("PUT", "/api/v1/namespaces/a/finalize", { body: { metadata: { name: "a" }, spec: { finalizers: [] } } });
    expect((await ask("GET", "/api/v1/namespaces/a")).code).toBe(404);
  });
});

describe("events", () => {
  const path = "/apis/events.k8s.io/v1/namespaces/default/events";

  test("an event of either group is visible in the other group", async () => {
    const { ask } = newServer({ controllers: [] });
    const regarding = { kind: "Pod", namespace: "default", name: "p", uid: "u" };
    const created = await ask("POST", path, {
      body: {
        metadata: { name: "e1" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "test.dev/c",
        reportingInstance: "i",
        action: "Act",
        reason: "Why",
        type: "Normal",
        regarding,
        note: "so",
      },
    });
    expect(created.code).toBe(201);
    expect((await ask("GET", `${core}/events/e1`)).body).toMatchObject({
      kind: "Event",
      apiVersion: "v1",
      involvedObject: regarding,
      message: "so",
      reason: "Why",
      reportingComponent: "test.dev/c",
    });
    await ask("POST", `${core}/events`, {
      body: {
        metadata: { name: "e2" },
        involvedObject: regarding,
        reason: "Old",
        message: "old",
        type: "Warning",
        source: { component: "c" },
      },
    });
    const secondEvent = await ask("GET", `${path}/e2`);
    expect(secondEvent.body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding,
      note: "old",
      deprecatedSource: { component: "c" },
    });
    const list = await ask("GET", `${path}?fieldSelector=reason%3DOld`);
    expect(list.body.items.map(({ metadata }) => metadata.name)).toEqual(["e2"]);
    expect((await ask("DELETE", `${path}?fieldSelector=regarding.name%3Dp`)).body.items).toHaveLength(2);
    expect((await ask("GET", `${core}/events`)).body.items).toEqual([]);
  });
});
