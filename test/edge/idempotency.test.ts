// Requests that come again with the same Idempotency-Key: answered once more, done once.
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { ask, interruptedService } from "./interrupted-service.ts";
import { keys, newService } from "./service.ts";

async function newHarness() {
  const harness = await newService();
  const post = (key: string, options: { body?: unknown; path?: string; as?: string; accept?: string } = {}) => {
    const { body, path = "/v1/sandboxes", as = keys.ada, accept } = options;
    const headers = { "idempotency-key": key, ...(accept ? { accept } : {}) };
    return harness.send("POST", path, { body, key: as, headers });
  };
  const clusterCount = () => harness.clusters.size;
  return { ...harness, post, clusterCount };
}

async function errorOf(answer: Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, field: error.field };
}

describe("a repeated idempotency key", () => {
  test("I7: returns the same answer for the same request, and one sandbox is created", async () => {
    const { post, clusterCount, time } = await newHarness();
    const first = await post("k", { body: { name: "one" } });
    const text = await first.text();
    time.nowMs += 23 * 3_600_000;
    const again = await post("k", { body: { name: "one" } });
    expect([again.status, await again.text(), clusterCount()]).toEqual([201, text, 1]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
  });

  test("I7: returns the same answer without a body and as YAML", async () => {
    const { post, clusterCount } = await newHarness();
    const first = await post("k", { accept: "application/yaml" });
    const again = await post("k", { accept: "application/yaml" });
    expect([await again.text(), clusterCount()]).toEqual([await first.text(), 1]);
    expect(again.headers.get("content-type")).toBe("application/yaml");
  });

  test.each([
    ["another body", { body: { name: "two" } }],
    ["another form of the answer", { body: { name: "one" }, accept: "application/yaml" }],
    ["another query", { body: { name: "one" }, path: "/v1/sandboxes?wait=ready" }],
  ])("I7: is refused with 422 for %s, and nothing is created", async (_, options) => {
    const { post, clusterCount } = await newHarness();
    await post("k", { body: { name: "one" } });
    const refused = await errorOf(post("k", options));
    expect(refused).toEqual({ status: 422, code: "idempotency_key_reused", field: "Idempotency-Key" });
    expect(clusterCount()).toBe(1);
  });

  test("I7: past the daily bound is refused with 409 and not stored, while earlier keys are answered", async () => {
    const { post, clusterCount, service } = await newHarness();
    await post("k");
    const counted = vi.spyOn(service.repeats, "countSince").mockResolvedValue(limits.idempotencyKeys + 1);
    const refused = { status: 409, code: "too_many_idempotency_keys", field: "Idempotency-Key" };
    expect(await errorOf(post("more"))).toEqual(refused);
    expect((await post("k")).status).toBe(201);
    expect(clusterCount()).toBe(1);
    counted.mockRestore();
    expect((await post("more")).status).toBe(201);
  });

  test("I7: is counted for its tenant and for a day", async () => {
    const { post, service, time } = await newHarness();
    for (const key of ["a", "b", "a"]) await post(key);
    await post("c", { as: keys.bob });
    const count = () => service.repeats.countSince("ada", time.nowMs - limits.idempotencyMs);
    expect(await count()).toBe(2);
    time.nowMs += limits.idempotencyMs;
    expect(await count()).toBe(0);
  });

  test("I7: belongs to its tenant", async () => {
    const { post, clusterCount } = await newHarness();
    await post("k");
    expect((await post("k", { as: keys.bob, body: { name: "x" } })).status).toBe(201);
    expect(clusterCount()).toBe(2);
  });

  test("I7: is refused with 409 while the first request is running", async () => {
    const { post, service, clusterCount } = await newHarness();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { cluster } = service;
    service.cluster = (id) => {
      const fakeCluster = cluster(id);
      return { ...fakeCluster, initialize: (options) => promise.then(() => fakeCluster.initialize(options)) };
    };
    const first = post("k");
    await new Promise((done) => void setTimeout(done, 5));
    expect(await errorOf(post("k"))).toMatchObject({ status: 409, code: "request_in_progress" });
    resolve();
    expect([(await first).status, (await post("k")).status, clusterCount()]).toEqual([201, 201, 1]);
  });

  test("I7: is taken over ten seconds after its request was interrupted", async () => {
    const { post, service, time, clusterCount } = await newHarness();
    const row = { tenantId: "ada", key: "k", request: "", holder: "dead", createdAtMs: time.nowMs };
    const request = JSON.stringify([
      ...["POST", "http://localhost:8787/v1/sandboxes", null, null, {}],
      (await hashOf(keys.ada)).slice(0, 20),
    ]);
    await service.repeats.begin({ ...row, request: await hashOf(request) }, time.nowMs + limits.requestLeaseMs);
    expect(await errorOf(post("k"))).toMatchObject({ status: 409 });
    time.nowMs += limits.requestLeaseMs;
    expect([(await post("k")).status, (await post("k")).status, clusterCount()]).toEqual([201, 201, 1]);
  });

  test("renews itself and its sandbox while its request is running, for any duration", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const { post, service, clusterCount, time } = await newHarness();
      const { promise, resolve } = Promise.withResolvers<void>();
      const { cluster } = service;
      service.cluster = (id) => {
        const fakeCluster = cluster(id);
        return { ...fakeCluster, initialize: (options) => promise.then(() => fakeCluster.initialize(options)) };
      };
      const slow = post("k");
      await new Promise((done) => void setTimeout(done, 5));
      for (let round = 0; round < 20; round++) {
        time.nowMs += limits.requestRenewMs;
        await vi.advanceTimersByTimeAsync(limits.requestRenewMs);
        expect(await errorOf(post("k"))).toMatchObject({ code: "request_in_progress" });
        await service.tenant("ada").reconcile([], time.nowMs);
        expect((await service.tenant("ada").counts()).liveSandboxes).toBe(1);
      }
      resolve();
      expect([(await slow).status, clusterCount()]).toEqual([201, 1]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("I7: is deleted after a day", async () => {
    const { post, service, time, clusterCount, database } = await newHarness();
    await post("k");
    time.nowMs += limits.idempotencyMs;
    expect((await post("k", { body: { name: "other" } })).status).toBe(201);
    expect(clusterCount()).toBe(2);
    const rows = () => database.prepare("SELECT count(*) AS n FROM idempotency_keys").get()?.["n"];
    expect([await service.repeats.forgetOld(time.nowMs, 10), rows()]).toEqual([0, 1]);
    await post("l");
    expect([await service.repeats.forgetOld(time.nowMs + 1, 1), rows()]).toEqual([1, 1]);
    expect([await service.repeats.forgetOld(time.nowMs + 1, 10), rows()]).toEqual([1, 0]);
  });

  test("I7: is not stored for a refused request, which can be retried", async () => {
    const { post, clusterCount } = await newHarness();
    expect((await post("k", { body: { manifests: "bad" } })).status).toBe(400);
    expect((await post("k", { body: { nodes: -1 } })).status).toBe(400);
    expect((await post("k", { body: {} })).status).toBe(201);
    // The refused one was destroyed.
    expect(clusterCount()).toBe(2);
  });

  test("I7: answers even if the answer cannot be stored, and the request is not repeated", async () => {
    const { post, service, clusterCount, errors, time } = await newHarness();
    const { repeats } = service;
    service.repeats = { ...repeats, keep: () => Promise.reject(new Error("D1 is away")) };
    expect([(await post("k")).status, errors.length]).toEqual([201, 1]);
    service.repeats = repeats;
    time.nowMs += 1000;
    expect([(await post("k")).status, clusterCount()]).toEqual([201, 1]);
  });

  test("I7: does not repeat a request past one D1 batch after an interruption or a failure, and answers with an error", async () => {
    const { post, service, time } = await newHarness();
    const { id } = await (await post("k")).json<{ id: string }>();
    const reset = { path: `/v1/sandboxes/${id}/reset` };
    const { repeats, cluster } = service;
    let restoreCount = 0;
    const counting = (fails: boolean) => (of: string) => ({
      ...cluster(of),
      restoreState: (...restoreArguments: Parameters<ReturnType<typeof cluster>["restoreState"]>) => {
        restoreCount += 1;
        return fails ? Promise.reject(new Error("cut off")) : cluster(of).restoreState(...restoreArguments);
      },
    });
    service.cluster = counting(true);
    expect((await post("failed", reset)).status).toBe(500);
    service.cluster = counting(false);
    const unknown = { status: 409, code: "outcome_unknown", field: "Idempotency-Key" };
    expect([await errorOf(post("failed", reset)), restoreCount]).toEqual([unknown, 1]);
    service.repeats = { ...repeats, keep: () => Promise.reject(new Error("killed")) };
    await post("cut", reset);
    service.repeats = repeats;
    expect([await errorOf(post("cut", reset)), restoreCount]).toEqual([{ ...unknown, code: "request_in_progress" }, 2]);
    time.nowMs += limits.requestLeaseMs;
    expect([await errorOf(post("cut", reset)), restoreCount]).toEqual([unknown, 2]);
    expect([(await post("other", reset)).status, restoreCount]).toEqual([200, 3]);
  });

  test.each([
    ["makes", "/v1/sandboxes", { name: "one" }],
    ["waits", "/v1/sandboxes?wait=ready", { name: "one" }],
    ["forks", "", {}],
  ])(
    "I7: for a request that %s and is killed at any step leaves one sandbox, which the next request returns",
    async (_, path, body) => {
      let resumed = 0;
      for (let at = 0; at < 16; at++) {
        for (const when of ["before", "after"] as const) {
          const harness = await newHarness();
          const source = path === "" ? await (await harness.post("source")).json<{ id: string }>() : undefined;
          const to = path || `/v1/sandboxes/${source?.id}/fork`;
          const key = { "idempotency-key": "k" };
          await ask(interruptedService(harness.service, at, when), "POST", to, body, key);
          const listedNames = async () =>
            (await harness.service.directory.list("ada", harness.time.nowMs, 100))
              .map(({ id }) => id)
              .filter((id) => id !== source?.id);
          const before = await listedNames();
          harness.time.nowMs += limits.requestLeaseMs + 1;
          const answers = [];
          for (let again = 0; again < 2; again++)
            answers.push(await (await ask(harness.service, "POST", to, body, key)).json<{ id: string }>());
          const [first, second] = answers;
          expect([at, when, await listedNames()]).toEqual([at, when, [first?.id]]);
          expect(second).toEqual(first);
          if (before.length > 0) expect([at, before]).toEqual([at, [first?.id]]);
          resumed += before.length;
        }
      }
      expect(resumed).toBeGreaterThan(2);
    },
  );

  test("I7: creates nothing in a slow request whose key was taken over", async () => {
    const { post, service, time } = await newHarness();
    const { promise, resolve } = Promise.withResolvers<void>();
    const initializing = Promise.withResolvers<void>();
    const { cluster, directory } = service;
    let first = true;
    service.cluster = (id) => {
      const fakeCluster = cluster(id);
      if (!first) return fakeCluster;
      first = false;
      return {
        ...fakeCluster,
        initialize: (options) => {
          initializing.resolve();
          return promise.then(() => fakeCluster.initialize(options));
        },
      };
    };
    const slow = post("k");
    await initializing.promise;
    time.nowMs += limits.requestLeaseMs;
    const { id } = await (await post("k")).json<{ id: string }>();
    resolve();
    expect((await slow).status).toBe(500);
    expect((await directory.list("ada", time.nowMs, 10)).map((sandbox) => sandbox.id)).toEqual([id]);
  });

  test("I7: stores no readable token", async () => {
    const { post, database } = await newHarness();
    const { token } = await (await post("k")).json<{ token: string }>();
    const stored = JSON.stringify(database.prepare("SELECT * FROM idempotency_keys").all());
    expect(stored).toContain('"key":"k"');
    expect(stored).not.toContain(token);
    expect(stored).not.toContain("sba_");
  });

  test.each([["x".repeat(256)], ["a b"], ["é"]])("I7: is refused in the form %j", async (key) => {
    const { post, clusterCount } = await newHarness();
    expect(await errorOf(post(key))).toMatchObject({ status: 400, field: "Idempotency-Key" });
    expect(clusterCount()).toBe(0);
  });
});
