// Plans and limits of tenants in the control API: refusals, their messages, and headers with counts.
import { StatementSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { type LimitOverrides, standing } from "../../shared/contract/hosted/plan.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { stateFile } from "../state/files.ts";
import { ask, interruptedService } from "./interrupted-service.ts";
import { keys, newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function withLimits(overrides: LimitOverrides): Promise<Harness> {
  const harness = await newService();
  await harness.service.plans.set("ada", { overrides });
  return harness;
}

async function errorOf(answer: Response) {
  const { error } = errorBody.parse(await answer.json());
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), ...error };
}

const create = (harness: Harness, body: unknown = {}) => harness.send("POST", "/v1/sandboxes", { body });

describe("limits of a plan", () => {
  test("J1: a sandbox past the bound is 429 with the limit's name, and a deletion makes room", async () => {
    const harness = await withLimits({ liveSandboxes: 1 });
    const sandbox = sandboxWithToken.parse(await (await create(harness, { ttlSeconds: 120 })).json());
    expect(await errorOf(await create(harness))).toMatchObject({
      status: 429,
      code: "limit_reached",
      retryAfter: "120",
      limit: { name: "liveSandboxes", limited: 1, used: 1, requested: 1 },
    });
    expect(harness.clusters.size).toBe(1);
    expect((await harness.send("POST", "/v1/sandboxes", { key: keys.bob })).status).toBe(201);
    await harness.send("DELETE", `/v1/sandboxes/${sandbox.id}`);
    expect((await create(harness)).status).toBe(201);
  });

  test("an interrupted creation or deletion occupies no place, and the counts are exact after seconds", async () => {
    for (const work of ["POST", "DELETE"]) {
      for (let at = 0; at < 10; at++) {
        const harness = await withLimits({ liveSandboxes: 1 });
        const sandbox = work === "POST" ? undefined : sandboxWithToken.parse(await (await create(harness)).json());
        await ask(
          interruptedService(harness.service, at, "after"),
          work,
          sandbox ? `/v1/sandboxes/${sandbox.id}` : "/v1/sandboxes",
        );
        harness.time.nowMs += limits.requestLeaseMs;
        const listedCount = (await harness.service.directory.list("ada", harness.time.nowMs, 10)).length;
        const limitsStanding = standing.parse(await (await harness.send("GET", "/v1/limits")).json());
        // The object lives on and cannot know that its caller was cut off while it deleted: a refusal asks the directory.
        if (work === "POST") expect([at, limitsStanding.used.liveSandboxes]).toEqual([at, listedCount]);
        expect([work, at, (await create(harness)).status]).toEqual([work, at, listedCount === 0 ? 201 : 429]);
      }
    }
  });

  test("J1: creations of an hour include deleted sandboxes and forks", async () => {
    const harness = await withLimits({ creationsPerHour: 2 });
    const { id } = sandboxWithToken.parse(await (await create(harness)).json());
    expect((await harness.send("POST", `/v1/sandboxes/${id}/fork`)).status).toBe(201);
    await harness.send("DELETE", `/v1/sandboxes/${id}`);
    expect(await errorOf(await create(harness))).toMatchObject({
      status: 429,
      limit: { name: "creationsPerHour", used: 2 },
    });
    harness.time.nowMs += 3_600_000;
    expect((await create(harness)).status).toBe(201);
  });

  test("J1: a failed creation counts as a creation, and not as a sandbox", async () => {
    const harness = await withLimits({ liveSandboxes: 1, creationsPerHour: 2 });
    expect((await create(harness, { manifests: "bad" })).status).toBe(400);
    expect((await create(harness)).status).toBe(201);
    expect(await errorOf(await create(harness))).toMatchObject({ limit: { name: "creationsPerHour" } });
  });

  test.each([
    [{ nodes: 2 }, { nodes: 3 }, "nodes"],
    [{ ttlSeconds: 60 }, { ttlSeconds: 61 }, "ttlSeconds"],
  ])("J7: with %j, %j is 403 that names %s", async (overrides, body, name) => {
    const harness = await withLimits(overrides);
    expect(await errorOf(await create(harness, body))).toMatchObject({
      status: 403,
      code: "beyond_plan",
      field: name,
      limit: { name },
    });
    expect(harness.clusters.size).toBe(0);
  });

  test("J7: a sandbox cannot be reset to a shared snapshot with more nodes than the plan allows", async () => {
    const harness = await newService();
    const { id } = sandboxWithToken.parse(await (await create(harness)).json());
    const node = (name: string) => ["nodes", { apiVersion: "v1", kind: "Node", metadata: { name } }] as const;
    harness.clusters.get(id)?.states.set("now", stateFile([node("a"), node("b")]));
    const snapshot = await (await harness.send("POST", `/v1/sandboxes/${id}/snapshots`)).json<{ id: string }>();
    const restore = () => harness.send("POST", `/v1/sandboxes/${id}/restore`, { body: { snapshot: snapshot.id } });
    await harness.service.plans.set("ada", { overrides: { nodes: 1 } });
    expect(await errorOf(await restore())).toMatchObject({
      status: 403,
      code: "beyond_plan",
      limit: { name: "nodes" },
    });
    expect(harness.clusters.get(id)?.restored).toEqual([]);
    await harness.service.plans.set("ada", { overrides: { nodes: 2 } });
    expect((await restore()).status).toBe(200);
  });

  test("J7: an expiry cannot be moved past the plan's lifetime", async () => {
    const harness = await withLimits({ ttlSeconds: 60 });
    const { id } = sandboxWithToken.parse(await (await create(harness, { ttlSeconds: 30 })).json());
    const change = (ttlSeconds: number) => harness.send("PATCH", `/v1/sandboxes/${id}`, { body: { ttlSeconds } });
    expect((await change(60)).status).toBe(200);
    expect(await errorOf(await change(61))).toMatchObject({ status: 403, code: "beyond_plan" });
    expect(harness.clusters.get(id)?.endsAtMs).toBe(harness.time.nowMs + 60_000);
  });

  test("J1: snapshots are bounded in bytes, and one past the bound leaves no file", async () => {
    const harness = await withLimits({ snapshotBytes: 10 });
    const { id } = sandboxWithToken.parse(await (await create(harness)).json());
    expect(await errorOf(await harness.send("POST", `/v1/sandboxes/${id}/snapshots`))).toMatchObject({
      status: 429,
      limit: { name: "snapshotBytes", limited: 10, used: 0 },
    });
    expect(harness.files.stored.size).toBe(0);
  });

  test("J8: a new sandbox gets the plan's limits, overridden by the tenant's own", async () => {
    const harness = await withLimits({ objects: 7 });
    await harness.service.plans.set("ada", { plan: "free" });
    const { id } = sandboxWithToken.parse(await (await create(harness)).json());
    expect(harness.clusters.get(id)?.initializeOptions?.settings.limits).toMatchObject({
      objects: 7,
      requestsPerSecond: 50,
    });
    const otherTenantResponse = await harness.send("POST", "/v1/sandboxes", { key: keys.bob });
    expect(
      harness.clusters.get(sandboxWithToken.parse(await otherTenantResponse.json()).id)?.initializeOptions?.settings
        .limits,
    ).toBeUndefined();
  });

  test("J9: the answer to a creation contains the counts and what is left of each bound", async () => {
    const harness = await withLimits({ liveSandboxes: 5 });
    const { headers } = await create(harness, { ttlSeconds: 60 });
    expect([headers.get("ratelimit-policy"), headers.get("ratelimit")]).toEqual([
      '"liveSandboxes";q=5',
      '"liveSandboxes";r=4;t=60',
    ]);
    const free = await harness.send("POST", "/v1/sandboxes", { key: keys.bob });
    expect([free.headers.get("ratelimit"), free.headers.get("sandbar-live-sandboxes")]).toEqual([null, "1"]);
  });
});

test("J12: requests within an interval read the plan once, and do not write counts", async () => {
  const { send, database, time } = await newService();
  const statements = vi.spyOn(StatementSync.prototype, "all");
  const reads = () =>
    statements.mock.contexts.filter((context) => (context as StatementSync).sourceSQL.includes('from "tenant_plans"'))
      .length;
  const { id } = sandboxWithToken.parse(await (await send("POST", "/v1/sandboxes")).json());
  await send("PATCH", `/v1/sandboxes/${id}`, { body: { ttlSeconds: 600 } });
  expect(reads()).toBe(1);
  time.nowMs += limits.rememberedPlanMs;
  await send("GET", "/v1/sandboxes");
  expect(reads()).toBe(2);
  for (const table of ["tenant_plans", "usage_days"]) {
    expect(database.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
  }
});

test("J10: a suspended tenant is refused with the reason, and other tenants are not", async () => {
  const { service, send } = await newService();
  await service.plans.set("ada", { suspended: "the bill is not paid" });
  expect(await errorOf(await send("GET", "/v1/sandboxes"))).toMatchObject({
    status: 403,
    code: "suspended",
    message: "the tenant is suspended: the bill is not paid",
  });
  expect((await send("GET", "/v1/sandboxes", { key: keys.bob })).status).toBe(200);
});
