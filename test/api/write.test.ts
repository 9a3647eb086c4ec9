// Creation and updates: stored and kept fields, and every error in upstream's words.
import { describe, expect, test } from "vitest";
import { apps, configMap, core, deployment, newServer, pod, refusal, refused } from "./server.ts";

describe("a create", () => {
  test("answers 201 with the stored object, in the format of a GET", async () => {
    const { ask } = newServer();
    const created = await ask("POST", `${core}/configmaps`, { body: configMap("a", { k: "v" }) });
    expect(created.code).toBe(201);
    expect(created.body).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "default" },
      data: { k: "v" },
    });
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask("GET", `${core}/configmaps/a`)).body).toEqual(created.body);
  });

  test("may omit apiVersion and kind, and ignores fields that the server sets", async () => {
    const { ask } = newServer();
    const metadata = {
      name: "a",
      uid: "mine",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      selfLink: "/x",
      generation: 7,
    };
    const { code, body } = await ask("POST", `${core}/configmaps`, { body: { metadata } });
    expect(code).toBe(201);
    expect(body.metadata.uid).not.toBe("mine");
    expect(body.metadata.creationTimestamp).toMatch(/^2026-/);
    expect(body.metadata).not.toHaveProperty("deletionTimestamp");
    expect(body.metadata).not.toHaveProperty("selfLink");
  });

  test("with generateName gets a unique name each time", async () => {
    const { ask } = newServer();
    const names = new Set<string | undefined>();
    for (let index = 0; index < 5; index++) {
      const created = await ask("POST", `${core}/configmaps`, { body: { metadata: { generateName: "job-" } } });
      expect(created.body.metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      names.add(created.body.metadata.name);
    }
    expect(names.size).toBe(5);
  });

  test("with generateName gets one in another version than the stored one as well", async () => {
    const { ask } = newServer();
    const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 2 };
    const hpas = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    const created = await ask("POST", hpas, { body: { metadata: { generateName: "web-" }, spec } });
    expect([created.code, created.body.metadata.name]).toEqual([201, expect.stringMatching(/^web-[a-z0-9]{5}$/)]);
    const events = "/apis/events.k8s.io/v1/namespaces/default/events";
    const refused = await ask("POST", events, { body: { metadata: { generateName: "web." } } });
    expect(refused.body.message).toMatch(/^Event "web\.[a-z0-9]{5}" is invalid: \[?metadata.generateName: /);
    expect(refused.body.message).not.toContain("metadata.name:");
  });

  test("with a taken name is 409 AlreadyExists, and with generateName the message says that no unique name was found", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("job-x") });
    const again = await ask("POST", `${core}/configmaps`, { body: configMap("job-x") });
    expect(refusal(again)).toEqual(refused(409, "AlreadyExists", 'configmaps "job-x" already exists'));
    const both = await ask("POST", `${core}/configmaps`, {
      body: { metadata: { name: "job-x", generateName: "job-" } },
    });
    expect(refusal(both)).toEqual(
      refused(
        409,
        "AlreadyExists",
        'configmaps "job-x" already exists, the server was not able to generate a unique name for the object',
      ),
    );
  });

  test("without a name is invalid", async () => {
    const { ask } = newServer();
    const answer = await ask("POST", `${core}/configmaps`, { body: { metadata: {} } });
    expect(refusal(answer)).toEqual(
      refused(
        422,
        "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ),
    );
  });

  test("R2: lists all causes if it is refused, and writes nothing", async () => {
    const { ask, cluster } = newServer();
    const { revision } = cluster.registry.store;
    const bad = { ...deployment("UPPER", -1), metadata: { name: "UPPER", labels: { "-": "x" } } };
    const answer = await ask("POST", `${apps}/deployments`, { body: bad });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toMatch(/^Deployment.apps "UPPER" is invalid: \[/);
    expect(answer.body).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "Invalid",
      details: { name: "UPPER", group: "apps", kind: "Deployment" },
    });
    expect(JSON.parse(answer.text).details.causes.map((cause: { field: string }) => cause.field)).toEqual(
      expect.arrayContaining(["metadata.name", "metadata.labels", "spec.replicas"]),
    );
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("in an absent namespace is 404, and in another namespace than the path's 400", async () => {
    const { ask } = newServer();
    const nowhere = await ask("POST", "/api/v1/namespaces/nowhere/configmaps", { body: configMap("a") });
    expect(refusal(nowhere)).toEqual(refused(404, "NotFound", 'namespaces "nowhere" not found'));
    const elsewhere = await ask("POST", `${core}/configmaps`, {
      body: configMap("a", {}, { namespace: "kube-system" }),
    });
    expect(refusal(elsewhere)).toEqual(
      refused(
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
      ),
    );
  });

  test("drops the namespace of a cluster-scoped object", async () => {
    const { ask } = newServer();
    const created = await ask("POST", "/api/v1/namespaces", {
      body: { metadata: { name: "a", namespace: "default" } },
    });
    expect(created.code).toBe(201);
    expect(created.body.metadata).not.toHaveProperty("namespace");
  });

  test("in a terminating namespace is refused", async () => {
    const { ask } = newServer();
    await ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "going" } } });
    await ask("POST", "/api/v1/namespaces/going/configmaps", {
      body: configMap("held", {}, { finalizers: ["test.dev/hold"] }),
    });
    await ask("DELETE", "/api/v1/namespaces/going");
    const answer = await ask("POST", "/api/v1/namespaces/going/configmaps", { body: configMap("a") });
    expect(refusal(answer)).toEqual(
      refused(
        403,
        "Forbidden",
        'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
      ),
    );
    expect(answer.body).toMatchObject({
      details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
    });
  });

  test("as a dry run answers without writing", async () => {
    const { ask, cluster } = newServer();
    const { revision } = cluster.registry.store;
    const created = await ask("POST", `${apps}/deployments?dryRun=All`, { body: deployment("web", 3) });
    expect(created.code).toBe(201);
    expect(created.body.spec).toMatchObject({ replicas: 3, progressDeadlineSeconds: 600 });
    expect(cluster.registry.store.revision).toBe(revision);
    expect((await ask("GET", `${apps}/deployments/web`)).code).toBe(404);
    expect(refusal(await ask("POST", `${core}/configmaps?dryRun=yes`, { body: configMap("a") }))).toMatchObject({
      code: 422,
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["yes"]: supported values: "All"',
    });
  });

  test("accepts names with dots", async () => {
    const { ask } = newServer();
    expect((await ask("POST", `${core}/configmaps`, { body: configMap("kube-root.crt.x") })).code).toBe(201);
    expect((await ask("GET", `${core}/configmaps/kube-root.crt.x`)).code).toBe(200);
    expect((await ask("GET", `${core}/configmaps/a%2Fb`)).code).toBe(404);
  });
});

describe("an update", () => {
  test("R3: with a stale resourceVersion is 409 Conflict, and without one replaces the newest", async () => {
    const { ask } = newServer();
    const { body: first } = await ask("POST", `${core}/configmaps`, { body: configMap("a", { k: "1" }) });
    const second = await ask("PUT", `${core}/configmaps/a`, { body: configMap("a", { k: "2" }) });
    expect([second.code, second.body.data]).toEqual([200, { k: "2" }]);
    const stale = await ask("PUT", `${core}/configmaps/a`, { body: { ...first, data: { k: "3" } } });
    expect(refusal(stale)).toEqual(
      refused(
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      ),
    );
    expect((await ask("GET", `${core}/configmaps/a`)).body.data).toEqual({ k: "2" });
  });

  test("R3: without changes writes nothing", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
    cluster.runUntilQuiet();
    const { body } = await ask("GET", `${apps}/deployments/web`);
    const { revision } = cluster.registry.store;
    const again = await ask("PUT", `${apps}/deployments/web`, { body });
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("is 404 for an absent object, or creates it with 201 if its kind allows that", async () => {
    const { ask } = newServer();
    expect(refusal(await ask("PUT", `${core}/configmaps/a`, { body: configMap("a") }))).toEqual(
      refused(404, "NotFound", 'configmaps "a" not found'),
    );
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { holderIdentity: "me", leaseDurationSeconds: 15 },
    };
    expect((await ask("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", { body: lease })).code).toBe(
      201,
    );
    const address = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "e" } };
    expect((await ask("PUT", `${core}/endpoints/e`, { body: address })).code).toBe(201);
    expect((await ask("PUT", `${core}/endpoints/e`, { body: address })).code).toBe(200);
  });

  test("without a resourceVersion is refused for a Lease under its resource's name", async () => {
    const { ask } = newServer();
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const lease = { metadata: { name: "l" }, spec: {} };
    await ask("POST", path, { body: lease });
    const answer = await ask("PUT", `${path}/l`, { body: { ...lease, spec: { holderIdentity: "me" } } });
    expect(refusal(answer)).toEqual(
      refused(
        422,
        "Invalid",
        'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ),
    );
  });

  test("requires the name of the path", async () => {
    const { ask } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    expect(refusal(await ask("PUT", `${core}/configmaps/a`, { body: configMap("b") }))).toEqual(
      refused(400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)"),
    );
    expect(refusal(await ask("PUT", `${core}/configmaps/a`, { body: { data: {} } }))).toEqual(
      refused(400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided"),
    );
  });

  test("with another uid is a conflict", async () => {
    const { ask } = newServer();
    const { body } = await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    const answer = await ask("PUT", `${core}/configmaps/a`, { body: configMap("a", {}, { uid: "other" }) });
    expect(refusal(answer)).toEqual(
      refused(
        409,
        "Conflict",
        `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${body.metadata.uid}`,
      ),
    );
  });

  test("keeps omitted server metadata, and is refused if it changes them", async () => {
    const { ask } = newServer();
    const { body } = await ask("POST", `${core}/configmaps`, { body: { metadata: { generateName: "a-" } } });
    const name = body.metadata.name ?? "";
    const path = `${core}/configmaps/${name}`;
    const next = await ask("PUT", path, {
      body: configMap(name, { k: "v" }, { creationTimestamp: "2001-01-01T00:00:00Z" }),
    });
    expect(next.body.metadata).toMatchObject({
      uid: body.metadata.uid,
      creationTimestamp: body.metadata.creationTimestamp,
    });
    expect(next.body.metadata).not.toHaveProperty("generateName");
    const dead = await ask("PUT", path, { body: configMap(name, {}, { deletionTimestamp: "2001-01-01T00:00:00Z" }) });
    expect(refusal(dead)).toMatchObject({
      code: 422,
      message: expect.stringContaining("metadata.deletionTimestamp: Invalid value: "),
    });
    expect(dead.body.message).toMatch(/: field is immutable$/);
  });

  test("R5: never changes the status, and an update of the status nothing else", async () => {
    const { ask, cluster } = newServer({ controllers: [] });
    await ask("POST", `${apps}/deployments`, { body: { ...deployment("web", 2), status: { replicas: 9 } } });
    expect(
      cluster.get((await import("../../worker/kinds/apps/deployment.ts")).deployments, "default", "web").status,
    ).toEqual({});
    const put = await ask("PUT", `${apps}/deployments/web`, {
      body: { ...deployment("web", 3), status: { replicas: 9 } },
    });
    expect([put.body.spec["replicas"], put.body.status, put.body.metadata.generation]).toEqual([3, {}, 2]);
    const status = await ask("PUT", `${apps}/deployments/web/status`, {
      body: {
        ...deployment("web", 7),
        metadata: { name: "web", labels: { a: "b" } },
        status: { replicas: 3, observedGeneration: 2 },
      },
    });
    expect(status.body.status).toMatchObject({ replicas: 3, observedGeneration: 2 });
    expect([status.body.spec["replicas"], status.body.metadata.generation, status.body.metadata.labels]).toEqual([
      3,
      2,
      undefined,
    ]);
    expect((await ask("GET", `${apps}/deployments/web/status`)).body).toEqual(status.body);
  });

  test("is limited to images in a pod's spec", async () => {
    const { ask, cluster } = newServer();
    await ask("POST", `${core}/pods`, { body: pod("p") });
    cluster.runUntilQuiet();
    const { body } = await ask("GET", `${core}/pods/p`);
    const moved = await ask("PUT", `${core}/pods/p`, { body: { ...body, spec: { ...body.spec, hostNetwork: true } } });
    expect(moved.code).toBe(422);
    expect(moved.body.message).toMatch(
      /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than/,
    );
  });
});
