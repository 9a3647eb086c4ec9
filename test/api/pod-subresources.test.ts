// POSTs and PUTs to the subresources of pods: binding, eviction, resize.
import { describe, expect, test } from "vitest";
import { newServer } from "./server.ts";

const pods = "/api/v1/namespaces/default/pods";
const json = { "content-type": "application/strategic-merge-patch+json" };

async function fixture(more: object = {}) {
  const server = newServer({ nodes: 1, controllers: [] });
  const resources = { requests: { cpu: "1" }, limits: { cpu: "2" } };
  const spec = { containers: [{ name: "a", image: "nginx", resources }], automountServiceAccountToken: false, ...more };
  const account = { body: { metadata: { name: "default" } } };
  await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account);
  const created = await server.ask("POST", pods, { body: { metadata: { name: "p" }, spec } });
  expect(created.code).toBe(201);
  const post = (subresource: string, body: object) => server.ask("POST", `${pods}/p/${subresource}`, { body });
  const read = async () => (await server.ask("GET", `${pods}/p`)).body;
  const resize = (patch: object) => server.ask("PATCH", `${pods}/p/resize`, { body: { spec: patch }, headers: json });
  return { ...server, post, read, resize };
}

const target = { kind: "Node", name: "node-1" };

describe("a binding", () => {
  test("requires its own apiVersion", async () => {
    const { post, read } = await fixture();
    const { resourceVersion = "" } = (await read()).metadata;
    const refused = await post("binding", { metadata: { name: "p", resourceVersion: "1" }, target });
    expect(refused.code).toBe(409);
    expect(refused.body.message).toBe(
      `Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
    );
    expect((await post("binding", { metadata: { name: "p", resourceVersion }, target })).code).toBe(201);
    expect((await read()).status["conditions"]).toEqual([
      { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: expect.any(String) as string },
    ]);
  });

  test("without a kind is refused with its problem", async () => {
    const { post, ask } = await fixture();
    const answer = await post("binding", { metadata: { name: "p" }, target: { kind: "Pod" } });
    expect([answer.code, answer.body.message]).toEqual([
      400,
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    ]);
    const nameless = await ask("POST", "/api/v1/namespaces/default/bindings", { body: { metadata: {}, target } });
    expect([nameless.code, nameless.body.message]).toEqual([400, "Name parameter required."]);
  });
});

describe("an eviction", () => {
  const evict = (deleteOptions: object) => ({ metadata: { name: "p", namespace: "default" }, deleteOptions });

  test("has the options of a deletion", async () => {
    const { post } = await fixture();
    const both = await post("eviction", evict({ propagationPolicy: "Background", orphanDependents: true }));
    expect([both.code, both.body.message]).toEqual([
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set',
    ]);
    expect((await post("eviction?dryRun=All", evict({ dryRun: ["None"] }))).body.message).toBe(
      "Non-matching dry-run options in request and content: [All] and [None]",
    );
    const breaking = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await post("eviction", evict(breaking))).code).toBe(422);
  });

  test("R2 honours dryRun and delete options of its body", async () => {
    const { post, read } = await fixture();
    await post("binding", { metadata: { name: "p" }, target });
    const before = await read();
    expect((await post("eviction", evict({ dryRun: ["All"] }))).code).toBe(201);
    expect(await read()).toEqual(before);
    expect((await post("eviction", evict({ propagationPolicy: "Foreground", gracePeriodSeconds: 7 }))).code).toBe(201);
    const { deletionGracePeriodSeconds, finalizers } = (await read()).metadata;
    expect({ deletionGracePeriodSeconds, finalizers }).toEqual({
      deletionGracePeriodSeconds: 7,
      finalizers: ["foregroundDeletion"],
    });
  });
});

describe("a resize", () => {
  const container = (resources: object) => ({ containers: [{ name: "a", resources }] });

  test("is limited by the node's allocatable resources for a running pod", async () => {
    const { post, resize } = await fixture();
    expect((await resize(container({ requests: { cpu: "8" }, limits: { cpu: "8" } }))).code).toBe(200);
    await post("binding", { metadata: { name: "p" }, target });
    const { code, body } = await resize(container({ requests: { cpu: "9" }, limits: { cpu: "9" } }));
    expect([code, body.message]).toEqual([
      403,
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 9000, allocatable: 4000',
    ]);
    expect(body).toMatchObject({ details: { causes: [{ reason: "NodeCapacity" }] } });
  });

  test("changes the resources of a pod and of init containers as well", async () => {
    const init = { name: "i", image: "nginx", resources: { requests: { cpu: "1" } } };
    const { post, resize, ask, read } = await fixture({
      initContainers: [init],
      resources: { requests: { cpu: "1" }, limits: { cpu: "3" } },
    });
    await post("binding", { metadata: { name: "p" }, target });
    expect((await resize({ resources: { requests: { cpu: "2" } } })).code).toBe(200);
    expect((await resize({ initContainers: [{ name: "i", resources: { requests: { cpu: "500m" } } }] })).code).toBe(
      200,
    );
    expect((await read()).spec["resources"]).toEqual({ limits: { cpu: "3" }, requests: { cpu: "2" } });
    expect((await resize({ resources: null })).body.message).toBe(
      'Pod "p" is invalid: spec.resources: Forbidden: pod-level resources cannot be removed',
    );
    const node = await ask("GET", "/api/v1/nodes/node-1");
    const without = { ...node.body, status: { ...node.body.status, declaredFeatures: [] } };
    await ask("PUT", "/api/v1/nodes/node-1/status", { body: without });
    expect((await resize({ resources: { requests: { cpu: "1500m" } } })).body.message).toBe(
      'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "node-1"',
    );
  });

  test("cannot rename containers or change their resize policy", async () => {
    const { resize } = await fixture();
    const policy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    const changed = await resize({ containers: [{ name: "a", resizePolicy: policy }] });
    expect(changed.body.message).toBe('Pod "p" is invalid: spec: Forbidden: only cpu and memory resources are mutable');
    const added = await resize({ containers: [{ name: "b", image: "nginx" }] });
    expect(added.body.message).toContain(
      "spec.containers: Forbidden: containers may not be added or removed on resize",
    );
  });
});
