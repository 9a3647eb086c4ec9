// Making, deleting and forgetting a sandbox, cut off before or after each thing they wait for: nothing half is ever shown, nothing stays.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { sandboxList } from "../../shared/contract/sandbox.ts";
import { finishLeftovers, forgetExpired } from "../../worker/edge/control-api/leftovers.ts";
import { removeUnknownFiles } from "../../worker/edge/control-api/snapshot-leftovers.ts";
import { reconcileTenant } from "../../worker/edge/control-api/tenancy/reconcile.ts";
import type { ControlApiServer } from "../../worker/edge/control-api/server.ts";
import { ask, interruptedService } from "./interrupted-service.ts";
import { newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

/** More than any of them waits for: the last cuts come too late, and change nothing. */
const steps = 12;
const dayMs = 24 * 3600 * 1000;

/** Returns the ids of listed sandboxes. Checks that each cluster is listed everywhere or nowhere, and that a listed one works. */
async function listedSandboxes({ service, clusters }: Harness): Promise<Set<string>> {
  const { sandboxes } = sandboxList.parse(await (await ask(service, "GET", "/v1/sandboxes")).json());
  const listed = new Set(sandboxes.map(({ id }) => id));
  for (const [id, { initializeOptions, destroyed }] of clusters) {
    const { status } = await ask(service, "GET", `/v1/sandboxes/${id}`);
    const token = await ask(service, "POST", `/v1/sandboxes/${id}/tokens`, { user: "ada" });
    expect([status, token.status]).toEqual(listed.has(id) ? [200, 201] : [404, 404]);
    if (listed.has(id)) expect([initializeOptions !== undefined, destroyed]).toEqual([true, false]);
  }
  return listed;
}

/** No row and no cluster beside those that are shown. */
async function expectNothingLeft(harness: Harness): Promise<void> {
  const { service, clusters, time } = harness;
  const listed = await listedSandboxes(harness);
  for (const [id, { initializeOptions, destroyed }] of clusters)
    expect(initializeOptions === undefined || destroyed).toBe(!listed.has(id));
  const rows = await service.directory.expired(time.nowMs + 1000 * dayMs, 100);
  expect(new Set(rows.map(({ id }) => id))).toEqual(listed);
  // The scheduled run comes by: then as many are counted as there are, and no more files are kept.
  await reconcileTenant(service, "ada");
  expect(harness.tenants.inside("ada").counts().liveSandboxes).toBe(listed.size);
  await removeUnknownFiles({ ...service, nowMs: () => time.nowMs + 1000 * dayMs });
  for (const key of harness.files.stored.keys()) expect([...listed].some((id) => key.endsWith(id))).toBe(true);
  expect(harness.errors).toEqual([]);
}

async function madeId(harness: Harness): Promise<string> {
  const { id } = await (await ask(harness.service, "POST", "/v1/sandboxes")).json<{ id: string }>();
  return id;
}

/** The requests that may follow when no creation is running any more. */
const next: Readonly<Record<string, (harness: Harness) => Promise<unknown>>> = {
  "who lists": ({ service }) => ask(service, "GET", "/v1/sandboxes"),
  "who makes another": ({ service }) => ask(service, "POST", "/v1/sandboxes"),
  "who gets each": async ({ service, clusters }) => {
    for (const id of [...clusters.keys()]) await ask(service, "GET", `/v1/sandboxes/${id}`);
  },
  "who deletes each": async ({ service, clusters }) => {
    for (const id of [...clusters.keys()]) await ask(service, "DELETE", `/v1/sandboxes/${id}`);
  },
  "the daily run": ({ service }) => finishLeftovers(service),
};

const works: Readonly<Record<string, (cut: ControlApiServer, id: string) => Promise<unknown>>> = {
  making: (cut) => ask(cut, "POST", "/v1/sandboxes"),
  "making with manifests that are wrong": (cut) => ask(cut, "POST", "/v1/sandboxes", { manifests: "bad" }),
  forking: (cut, id) => ask(cut, "POST", `/v1/sandboxes/${id}/fork`),
  deleting: (cut, id) => ask(cut, "DELETE", `/v1/sandboxes/${id}`),
};

describe.each(Object.keys(works))("A5: %s that is interrupted", (work) => {
  test.each(Object.keys(next))("is completed by %s after an interruption at any step", async (who) => {
    for (let at = 0; at < steps; at++) {
      for (const when of ["before", "after"] as const) {
        const harness = await newService();
        const id = await madeId(harness);
        await works[work]?.(interruptedService(harness.service, at, when), id);
        // What a maker is still at is left alone, and not shown.
        await listedSandboxes(harness);
        harness.time.nowMs += limits.sandboxMakingMs + 1;
        await next[who]?.(harness);
        await expectNothingLeft(harness);
      }
    }
  });
});

test("A5: a sandbox whose deletion is interrupted is hidden from its first step on", async () => {
  const harness = await newService();
  const id = await madeId(harness);
  // It reads the row, marks it, and dies.
  await ask(interruptedService(harness.service, 1, "after"), "DELETE", `/v1/sandboxes/${id}`);
  expect(harness.clusters.get(id)?.destroyed).toBe(false);
  expect((await listedSandboxes(harness)).has(id)).toBe(false);
  expect(harness.clusters.get(id)?.destroyed).toBe(true);
});

test("A5: a creation whose sandbox was swept meanwhile notices it and answers with an error", async () => {
  const harness = await newService();
  const { service, time, clusters } = harness;
  const slow: ControlApiServer = {
    ...service,
    cluster: (id) => ({
      ...service.cluster(id),
      initialize: async (options) => {
        const initialized = await service.cluster(id).initialize(options);
        time.nowMs += limits.sandboxMakingMs + 1;
        await finishLeftovers(service);
        return initialized;
      },
    }),
  };
  expect((await ask(slow, "POST", "/v1/sandboxes")).status).toBe(500);
  harness.errors.splice(0);
  expect(clusters.size).toBe(1);
  await expectNothingLeft(harness);
});

test("A5: expired sandboxes are deleted with their clusters, also by a run after an interrupted one", async () => {
  for (let at = 0; at < steps; at++) {
    for (const when of ["before", "after"] as const) {
      const harness = await newService();
      for (let round = 0; round < 3; round++) await madeId(harness);
      const { nowMs } = harness.time;
      harness.time.nowMs += 40 * dayMs;
      await forgetExpired(interruptedService(harness.service, at, when), nowMs + 30 * dayMs).catch(() => undefined);
      await forgetExpired(harness.service, nowMs + 30 * dayMs);
      await expectNothingLeft(harness);
      expect([...harness.clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
    }
  }
});

test("A5: a deletion that fails is reported, delays no other one, and is repeated later", async () => {
  const harness = await newService();
  const { service, errors } = harness;
  const id = await madeId(harness);
  const broken: ControlApiServer = {
    ...service,
    cluster: (of) => ({ ...service.cluster(of), destroy: () => Promise.reject(new Error("not now")) }),
  };
  expect((await ask(broken, "DELETE", `/v1/sandboxes/${id}`)).status).toBe(500);
  expect((await ask(broken, "GET", "/v1/sandboxes")).status).toBe(200);
  expect((await ask(broken, "GET", `/v1/sandboxes/${id}`)).status).toBe(404);
  expect(errors.splice(0).map(String)).toEqual(Array.from({ length: 3 }, () => "Error: not now"));
  await expectNothingLeft(harness);
});
