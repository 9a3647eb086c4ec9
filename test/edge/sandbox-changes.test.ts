// Changes of a sandbox: labels, expiry, waiting for readiness, and reset.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { sandboxesPerDeletion, sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { stateMediaType } from "../../shared/contract/snapshot.ts";
import { tokenList } from "../../shared/contract/token.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { removeUnknownFiles } from "../../worker/edge/control-api/snapshot-leftovers.ts";
import { stateFile } from "../state/files.ts";
import { keys, newService, secret, startMs } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function make({ send }: Harness, body: unknown = {}) {
  const answer = await send("POST", "/v1/sandboxes", { body });
  expect(answer.status).toBe(201);
  return sandboxWithToken.parse(await answer.json());
}

async function errorOf(answer: Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, field: error.field };
}

describe("deletion by labels", () => {
  test("deletes the caller's sandboxes that have all labels, and audits each", async () => {
    const harness = await newService();
    const { send, clusters } = harness;
    const hit = await make(harness, { labels: { job: "42", part: "a" } });
    const misses = [
      await make(harness, { labels: { job: "42" } }),
      await make(harness, { labels: { job: "43", part: "a" } }),
    ];
    const foreign = await send("DELETE", "/v1/sandboxes?label=job%3D42", { key: keys.bob });
    expect(await foreign.json()).toEqual({ deleted: [], hasMore: false });
    const answer = await send("DELETE", "/v1/sandboxes?label=job%3D42&label=part");
    expect([answer.status, await answer.json()]).toEqual([200, { deleted: [hit.id], hasMore: false }]);
    expect([hit, ...misses].map(({ id }) => clusters.get(id)?.destroyed)).toEqual([true, false, false]);
    const { entries } = await (await send("GET", "/v1/audit")).json<{
      entries: { action: string; target: string }[];
    }>();
    expect(entries[0]).toMatchObject({ action: "deleteSandboxes", target: hit.id });
  });

  test("is refused without a label; one request deletes a bounded number and reports that more are left", async () => {
    const harness = await newService();
    expect(await errorOf(harness.send("DELETE", "/v1/sandboxes"))).toEqual({
      status: 400,
      code: "invalid_field",
      field: "label",
    });
    for (let at = 0; at <= sandboxesPerDeletion; at++) await make(harness, { labels: { job: "1" } });
    const first = await (await harness.send("DELETE", "/v1/sandboxes?label=job")).json<{
      deleted: string[];
      hasMore: boolean;
    }>();
    expect([first.deleted.length, first.hasMore]).toEqual([sandboxesPerDeletion, true]);
    expect(await (await harness.send("DELETE", "/v1/sandboxes?label=job")).json()).toMatchObject({ hasMore: false });
  });
});

test("the answer of a creation has all that a client needs: server, authority and token", async () => {
  const harness = await newService();
  const sandbox = await make(harness);
  expect(sandbox).toMatchObject({
    server: expect.stringContaining(sandbox.id),
    ca: "the authority",
    token: expect.stringMatching(/^sba_/),
  });
  harness.service.ca = undefined;
  expect(await make(harness)).not.toHaveProperty("ca");
});

describe("labels and filters", () => {
  async function three() {
    const harness = await newService();
    await make(harness, { name: "a", labels: { suite: "smoke", "example.org/run": "1" } });
    harness.time.nowMs += 1;
    await make(harness, { name: "b", labels: { suite: "smoke" } });
    harness.time.nowMs += 1;
    await make(harness, { name: "b", labels: { suite: "all", run: "" } });
    return harness;
  }

  test.each([
    ["", ["b", "b", "a"]],
    ["label=suite%3Dsmoke", ["b", "a"]],
    ["label=suite%3Dsmoke&label=example.org/run%3D1", ["a"]],
    ["label=suite", ["b", "b", "a"]],
    ["label=run", ["b"]],
    ["label=run%3D", ["b"]],
    ["label=suite%3Dsmok", []],
    ["name=b", ["b", "b"]],
    ["name=b&label=suite%3Dall", ["b"]],
    ["label=suite%3Dsmoke&limit=1", ["b"]],
  ])("I3: ?%s finds %j", async (query, names) => {
    const { send } = await three();
    const list = sandboxList.parse(await (await send("GET", `/v1/sandboxes?${query}`)).json());
    expect(list.sandboxes.map(({ name }) => name)).toEqual(names);
    expect(list.nextCursor !== undefined).toBe(query.endsWith("limit=1"));
  });

  test("I3: ?id finds a sandbox by its id, and not another tenant's or a deleted one", async () => {
    const { send } = await three();
    const [first] = sandboxList.parse(await (await send("GET", "/v1/sandboxes")).json()).sandboxes;
    const findIds = async (id: string) => {
      const answer = await send("GET", `/v1/sandboxes?id=${id}`);
      return sandboxList.parse(await answer.json()).sandboxes.map((listedSandbox) => listedSandbox.id);
    };
    expect(await findIds(first?.id ?? "")).toEqual([first?.id]);
    expect(await findIds("a".repeat(26))).toEqual([]);
  });

  test("I3: filtered pages have no gaps", async () => {
    const { send } = await three();
    const first = sandboxList.parse(await (await send("GET", "/v1/sandboxes?label=suite%3Dsmoke&limit=1")).json());
    const path = `/v1/sandboxes?label=suite%3Dsmoke&limit=1&cursor=${first.nextCursor}`;
    const second = sandboxList.parse(await (await send("GET", path)).json());
    expect([...first.sandboxes, ...second.sandboxes].map(({ name }) => name)).toEqual(["b", "a"]);
    expect(second.nextCursor).toBeUndefined();
  });

  test.each([
    ['label=a"b%3Dc', "label.0"],
    ["label=%27%3Dc", "label.0"],
    [`label=${"a".repeat(200)}`, "label.0"],
    ["name=A%20b", "name"],
    ["name=a&name=b", "name"],
  ])("I3: 400 for ?%s", async (query, field) => {
    const { send } = await three();
    expect(await errorOf(send("GET", `/v1/sandboxes?${query}`))).toMatchObject({ status: 400, field });
  });

  test.each([
    [{ labels: { "a b": "c" } }],
    [{ labels: { a: "x y" } }],
    [{ labels: { a: 1 } }],
    [{ labels: { a: "x".repeat(64) } }],
    [{ labels: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`l${at}`, ""])) }],
  ])("I3: 400 for the labels %j", async (body) => {
    const { send } = await newService();
    const { status, field } = await errorOf(send("POST", "/v1/sandboxes", { body }));
    expect([status, field?.split(".")[0]]).toEqual([400, "labels"]);
  });
});

describe("a change of a sandbox", () => {
  test("I4: moves the expiry, in the cluster and of its tokens, earlier and later", async () => {
    const harness = await newService();
    const { id } = await make(harness, { ttlSeconds: 3600 });
    await harness.send("POST", `/v1/sandboxes/${id}/tokens`, { body: { user: "ada", ttlSeconds: 3600 } });
    for (const [body, endMs] of [
      [{ ttlSeconds: 60 }, startMs + 60_000],
      [{ expiresAt: "2026-01-02T00:00:00Z" }, startMs + 24 * 3_600_000],
    ] as const) {
      const answer = await harness.send("PATCH", `/v1/sandboxes/${id}`, { body });
      const { expiresAt } = sandboxWithToken.parse(await answer.json());
      expect([answer.status, Date.parse(expiresAt), harness.clusters.get(id)?.endsAtMs]).toEqual([200, endMs, endMs]);
      const listedTokens = tokenList.parse(await (await harness.send("GET", `/v1/sandboxes/${id}/tokens`)).json());
      expect(listedTokens.tokens.map((token) => Date.parse(token.expiresAt))).toEqual([
        Math.min(endMs, startMs + 3_600_000),
      ]);
    }
    harness.time.nowMs = startMs + 3_600_000;
    expect((await harness.send("GET", `/v1/sandboxes/${id}`)).status).toBe(200);
  });

  test("I4: changes name and labels, merges labels, and leaves other fields unchanged", async () => {
    const harness = await newService();
    const sandbox = await make(harness, { name: "one", labels: { a: "1", b: "2" } });
    const change = async (body: unknown) =>
      sandboxWithToken.parse(await (await harness.send("PATCH", `/v1/sandboxes/${sandbox.id}`, { body })).json());
    const labels = { b: "4", c: "3" };
    expect(await change({ labels: { a: null, b: "4", c: "3", d: null } })).toEqual({ ...sandbox, labels });
    expect(await change({ name: "two" })).toEqual({ ...sandbox, name: "two", labels });
    expect(await change({})).toEqual({ ...sandbox, name: "two", labels });
    // The merged labels have the bound of those of a creation.
    const more = Object.fromEntries(Array.from({ length: limits.labels - 1 }, (_, at) => [`l${at}`, ""]));
    const path = `/v1/sandboxes/${sandbox.id}`;
    const refused = await errorOf(harness.send("PATCH", path, { body: { labels: more } }));
    expect(refused).toEqual({ status: 400, code: "invalid_field", field: "labels" });
    expect(await change({})).toEqual({ ...sandbox, name: "two", labels });
    expect(harness.clusters.get(sandbox.id)?.endsAtMs).toBeUndefined();
  });

  test.each([
    [{ ttlSeconds: 9 }, "ttlSeconds"],
    [{ ttlSeconds: 31 * 24 * 3600 }, "ttlSeconds"],
    [{ expiresAt: "2025-12-31T23:59:59Z" }, "expiresAt"],
    [{ expiresAt: "2026-02-01T00:00:00Z" }, "expiresAt"],
    [{ expiresAt: "tomorrow" }, "expiresAt"],
    [{ ttlSeconds: 60, expiresAt: "2026-01-02T00:00:00Z" }, "expiresAt"],
  ])("I4: %j is a 400, and nothing changes", async (body, field) => {
    const harness = await newService();
    const sandbox = await make(harness);
    const { id } = sandbox;
    expect(await errorOf(harness.send("PATCH", `/v1/sandboxes/${id}`, { body }))).toMatchObject({ status: 400, field });
    expect(harness.clusters.get(id)?.endsAtMs).toBeUndefined();
    expect(await (await harness.send("GET", `/v1/sandboxes/${id}`)).json()).toEqual(sandbox);
  });

  test("I4: is 404 for another tenant's sandbox, and 410 for an expired one and one without its cluster", async () => {
    const harness = await newService();
    const { id } = await make(harness, { ttlSeconds: 60 });
    const path = `/v1/sandboxes/${id}`;
    const body = { ttlSeconds: 600 };
    expect(await errorOf(harness.send("PATCH", path, { body, key: keys.bob }))).toMatchObject({ status: 404 });
    expect(await errorOf(harness.send("POST", `${path}/reset`, { key: keys.bob }))).toMatchObject({ status: 404 });
    await harness.clusters.get(id)?.destroy();
    expect(await errorOf(harness.send("PATCH", path, { body }))).toMatchObject({ status: 410, code: "expired" });
    harness.time.nowMs += 60_000;
    expect(await errorOf(harness.send("PATCH", path, { body }))).toMatchObject({ status: 410, code: "expired" });
    expect(await errorOf(harness.send("POST", `${path}/reset`))).toMatchObject({ status: 410 });
  });
});

describe("waiting for a new sandbox", () => {
  const lack = [{ kind: "Deployment", namespace: "default", name: "web", reason: "0 of 1 are available" }];

  async function waiting(lacks: (typeof lack)[], query: string) {
    const harness = await newService();
    const { cluster } = harness.service;
    harness.service.cluster = (id) => {
      const fakeCluster = cluster(id);
      const fake = harness.clusters.get(id);
      if (fake && fake.lacks.length === 0) fake.lacks.push(...lacks);
      return fakeCluster;
    };
    const answer = await harness.send("POST", `/v1/sandboxes?${query}`);
    return { ...sandboxWithToken.parse(await answer.json()), tookMs: harness.time.nowMs - startMs };
  }

  test("I5: answers when all workloads are available", async () => {
    const { notReady, tookMs } = await waiting([lack, lack, []], "wait=ready");
    expect([notReady, tookMs]).toEqual([[], 2 * limits.readyCallMs]);
  });

  test("I5: answers within the timeout, with the unavailable workloads and their reasons", async () => {
    const { notReady, tookMs } = await waiting([lack], "wait=ready&waitSeconds=3");
    expect(notReady).toEqual(lack);
    expect(tookMs).toBeLessThanOrEqual(3000);
    expect(tookMs).toBeGreaterThan(1500);
  });

  test("I5: omits readiness if it is not requested", async () => {
    expect((await waiting([lack], "")).notReady).toBeUndefined();
  });

  test.each([["wait=soon"], ["wait=ready&waitSeconds=0"], ["wait=ready&waitSeconds=301"], ["name=x"]])(
    "I5: 400 for ?%s",
    async (query) => {
      const { send } = await newService();
      expect(await errorOf(send("POST", `/v1/sandboxes?${query}`))).toMatchObject({ status: 400 });
    },
  );
});

describe("reset of a sandbox", () => {
  test("I6: restores the state of a new sandbox with the same settings, which is then deleted", async () => {
    const harness = await newService();
    const body = {
      nodes: 2,
      manifests: "kind: List",
      anonymousAccess: true,
      kubeletSpeed: 10,
      controllers: ["kubelet"],
    };
    const { id } = await make(harness, body);
    const answer = await harness.send("POST", `/v1/sandboxes/${id}/reset`);
    expect([answer.status, await answer.json()]).toEqual([200, { revision: 99 }]);
    const [first, otherCluster] = [...harness.clusters.values()];
    expect(harness.clusters.size).toBe(2);
    expect(otherCluster?.destroyed).toBe(true);
    expect(otherCluster?.initializeOptions).toMatchObject({ nodes: 2, manifests: "kind: List" });
    // Nobody pays for the other.
    const { reportsTo, ...settings } = first?.initializeOptions?.settings ?? {};
    expect(reportsTo).toEqual({ tenant: "ada", sandbox: id });
    expect(otherCluster?.initializeOptions?.settings).toEqual({ ...settings, expiresAtMs: startMs + 600_000 });
    expect(otherCluster?.initializeOptions?.adminTokenHash).not.toBe(first?.initializeOptions?.adminTokenHash);
    expect(first?.restored).toEqual([{ file: stateFile([]) }]);
    const list = sandboxList.parse(await (await harness.send("GET", "/v1/sandboxes")).json());
    expect(list.sandboxes.map((listedSandbox) => listedSandbox.id)).toEqual([id]);
  });

  test("I6: is refused for a sandbox without recorded settings", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const old =
      "INSERT INTO sandboxes (id, tenant_id, name, nodes, created_at_ms, expires_at_ms) SELECT ?, tenant_id, name, nodes, created_at_ms, expires_at_ms FROM sandboxes";
    const oldId = await newSandboxId(secret, { anonymousAccess: false });
    harness.database.prepare(old).run(oldId);
    const refused = await errorOf(harness.send("POST", `/v1/sandboxes/${oldId}/reset`));
    expect([refused.code, (await harness.send("POST", `/v1/sandboxes/${id}/reset`)).status]).toEqual([
      "no_beginning",
      200,
    ]);
    expect(sandboxWithToken.parse(await (await harness.send("GET", `/v1/sandboxes/${oldId}`)).json()).labels).toEqual(
      {},
    );
  });

  test("I6: restores the sandbox's snapshot, and reports that it was deleted or never stored", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const taken = await harness.send("POST", `/v1/sandboxes/${id}/snapshots`);
    const snapshot = (await taken.json<{ id: string }>()).id;
    const ofSnapshot = (await make(harness, { snapshot, labels: { a: "b" } })).id;
    expect((await harness.send("POST", `/v1/sandboxes/${ofSnapshot}/reset`)).status).toBe(200);
    expect(harness.clusters.get(ofSnapshot)?.restored).toHaveLength(1);
    await harness.send("DELETE", `/v1/snapshots/${snapshot}`);
    expect(await errorOf(harness.send("POST", `/v1/sandboxes/${ofSnapshot}/reset`))).toMatchObject({ status: 404 });
    const forked = await harness.send("POST", `/v1/sandboxes/${id}/fork`, { body: { labels: { a: "b" } } });
    const fork = sandboxWithToken.parse(await forked.json());
    expect(fork.labels).toEqual({ a: "b" });
  });

  test("I6: restores a fork's or an upload's state, whose file is deleted with the sandbox", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const fork = sandboxWithToken.parse(await (await harness.send("POST", `/v1/sandboxes/${id}/fork`)).json());
    const written = await harness.send("GET", `/v1/sandboxes/${id}/export?format=state`);
    const body = new Uint8Array(await written.arrayBuffer());
    const headers = { "content-type": stateMediaType };
    const upload = sandboxWithToken.parse(
      await (await harness.send("POST", "/v1/sandboxes", { body, headers })).json(),
    );
    expect(harness.files.stored.size).toBe(2);
    for (const copied of [fork, upload]) {
      expect((await harness.send("POST", `/v1/sandboxes/${copied.id}/reset`)).status).toBe(200);
      expect(harness.clusters.get(copied.id)?.restored).toEqual([{ file: body }]);
    }
    const { service, files } = harness;
    await removeUnknownFiles({ ...service, nowMs: () => startMs + 30 * 24 * 3_600_000 });
    expect(files.stored.size).toBe(2);
    for (const copied of [fork, upload]) await harness.send("DELETE", `/v1/sandboxes/${copied.id}`);
    expect(files.stored.size).toBe(0);
  });
});

test("I9: with a domain for sandboxes, a kubeconfig points at the sandbox's own name", async () => {
  const harness = await newService();
  const byPath = await make(harness);
  expect(byPath.server).toBe(`https://127.0.0.1:8443/c/${byPath.id}`);
  harness.service.domain = "boxes.example.org:8443";
  const { id, server } = await make(harness);
  expect(server).toBe(`https://${id}.boxes.example.org:8443`);
  expect(await (await harness.send("GET", `/v1/sandboxes/${id}/kubeconfig`)).text()).toContain(`server: "${server}"`);
  const address = sandboxAddress(new Request(`${server}/api/v1/pods?limit=1`));
  expect([address?.id, address?.url.pathname]).toEqual([id, "/api/v1/pods"]);
});

describe("the number of nodes", () => {
  test("I13: a change reaches the cluster and is shown, and a refusal of the cluster or the plan changes nothing", async () => {
    const { send, clusters } = await newService();
    const { id } = await (await send("POST", "/v1/sandboxes", { body: { nodes: 2 } })).json<{ id: string }>();
    const change = async (nodes: unknown) => {
      const answer = await send("PATCH", `/v1/sandboxes/${id}`, { body: { nodes } });
      return [answer.status, await answer.json()] as const;
    };
    expect(await change(5)).toMatchObject([200, { nodes: 5 }]);
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({ nodes: 5 });
    expect(clusters.get(id)?.scaled).toEqual([[2, 5]]);
    for (const nodes of [-1, 5_001, 1.5, "3"])
      expect(await change(nodes)).toMatchObject([400, { error: { field: "nodes" } }]);
    const cluster = clusters.get(id);
    if (cluster)
      cluster.nodesRefusal = { ok: false, code: "limit_exceeded", message: "too many objects", field: "nodes" };
    expect(await change(6)).toMatchObject([409, { error: { code: "limit_exceeded", field: "nodes" } }]);
    await send("PATCH", "/v1/admin/tenants/ada", { body: { overrides: { nodes: 3 } }, key: keys.operator });
    expect(await change(4)).toMatchObject([403, { error: { code: "beyond_plan" } }]);
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({ nodes: 5 });
    expect(cluster?.scaled).toHaveLength(2);
  });
});

describe("the Kubernetes version", () => {
  test("is that of the creation, and an upgrade reaches the cluster and is shown", async () => {
    const { send, clusters } = await newService();
    const created = await send("POST", "/v1/sandboxes", { body: { version: "1.34" } });
    const { id, version } = await created.json<{ id: string; version: string }>();
    expect([version, clusters.get(id)?.initializeOptions?.settings.version]).toEqual(["1.34", "1.34"]);
    const change = async (next: unknown) => {
      const answer = await send("PATCH", `/v1/sandboxes/${id}`, { body: { version: next } });
      return [answer.status, await answer.json()] as const;
    };
    expect(await change("1.35")).toMatchObject([200, { version: "1.35" }]);
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({ version: "1.35" });
    expect(await change("1.30")).toMatchObject([400, { error: { field: "version" } }]);
    const cluster = clusters.get(id);
    if (cluster)
      cluster.versionRefusal = { ok: false, code: "invalid_field", message: "version: no", field: "version" };
    expect(await change("1.36")).toMatchObject([400, { error: { code: "invalid_field", field: "version" } }]);
    expect(await (await send("GET", `/v1/sandboxes/${id}`)).json()).toMatchObject({ version: "1.35" });
    expect(cluster?.upgraded).toEqual(["1.35", "1.36"]);
  });

  test("is 1.36 by default, and that of the state after a reset", async () => {
    const { send } = await newService();
    const { id, version } = await (await send("POST", "/v1/sandboxes", { body: {} })).json<{
      id: string;
      version: string;
    }>();
    expect(version).toBe("1.36");
    const older = await (await send("POST", "/v1/sandboxes", { body: { version: "1.33" } })).json<{ id: string }>();
    // The cluster of these tests restores a state of 1.36.
    expect((await send("POST", `/v1/sandboxes/${older.id}/reset`)).status).toBe(200);
    expect(await (await send("GET", `/v1/sandboxes/${older.id}`)).json()).toMatchObject({ version: "1.36" });
    expect(id).not.toBe(older.id);
  });
});
