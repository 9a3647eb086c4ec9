// Limits of a sandbox through edge and object: they survive an eviction, answer 429, and lose no change.
import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSandbox } from "./sandbox.ts";
import { watchReader } from "./watch-reader.ts";
import { patiently } from "../../patiently.ts";

const path = "/api/v1/namespaces/default/configmaps";

test("B1: a watch past the bound is a 429 with Retry-After, and a watch that ends makes room", async () => {
  const sandbox = await newSandbox({ limits: { watches: 2 } });
  const open = () => sandbox.send(`${path}?watch=1`);
  const [first, second] = [watchReader(await open()), watchReader(await open())];
  await sandbox.put("a", {});
  for (const watch of [first, second]) await patiently(async () => expect(await watch.next(1)).toBeDefined());
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({
    reason: "TooManyRequests",
    message: "exceeded limit of this sandbox: requested: watches=1, used: watches=2, limited: watches=2",
  });
  await evictDurableObject(sandbox.stub());
  const still = await open();
  expect(still.status).toBe(429);
  await still.body?.cancel();
  await first.cancel();
  await patiently(
    async () => {
      // A client that has gone is noticed by what it does not take.
      await sandbox.put("b", { at: String(Date.now()) });
      const again = await open();
      await again.body?.cancel();
      expect(again.status).toBe(200);
    },
    { timeout: 20_000, interval: 200 },
  );
});

test("B1: requests past the rate are refused in one line for any client", async () => {
  const sandbox = await newSandbox({ limits: { requestsPerSecond: 5 } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => sandbox.send("/version")));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(5);
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  expect(await refused[0]?.text()).toBe("Too many requests, please try again later.\n");
});

test("B2: watches that a turn has no room for pull missed events, each once, in order", async () => {
  const sandbox = await newSandbox();
  const watches = await Promise.all(
    Array.from({ length: 10 }, async () =>
      watchReader(await sandbox.send(`${path}?watch=1&fieldSelector=metadata.name=big`)),
    ),
  );
  await sandbox.put("big", { at: "0" });
  for (const watch of watches) await watch.next(1);
  for (const at of ["1", "2", "3"]) await sandbox.put("big", { at, text: "x".repeat(700_000) });
  await sandbox.put("big", { at: "4" });
  for (const watch of watches) {
    const events = await watch.next(4);
    expect(events.map(({ object }) => (object as { data?: { at?: string } }).data?.at)).toEqual(["1", "2", "3", "4"]);
    await watch.cancel();
  }
});

test("B1: a node past the bound is a 429 for any client, and a deleted node makes room", async () => {
  const sandbox = await newSandbox({ limits: { nodes: 4 } });
  const add = (name: string) =>
    sandbox.send("/api/v1/nodes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name } }),
    });
  expect((await add("further-1")).status).toBe(201);
  const refused = await add("further-2");
  expect(await refused.json()).toMatchObject({
    code: 429,
    reason: "TooManyRequests",
    message: "exceeded limit of this sandbox: requested: nodes=1, used: nodes=4, limited: nodes=4",
  });
  // What is there already is changed all the same.
  const labelled = await sandbox.send("/api/v1/nodes/further-1", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { labels: { a: "b" } } }),
  });
  expect(labelled.status).toBe(200);
  expect((await sandbox.send("/api/v1/nodes/further-1", { method: "DELETE" })).status).toBe(200);
  expect((await add("further-2")).status).toBe(201);
});

test("J8: changed limits apply immediately to a running sandbox and after its eviction, and open watches stay", async () => {
  const sandbox = await newSandbox({ limits: { watches: 1, requestsPerSecond: 50 } });
  const open = () => sandbox.send(`${path}?watch=1`);
  const first = watchReader(await open());
  await sandbox.put("a", {});
  await patiently(async () => expect(await first.next(1)).toBeDefined());
  const second = await open();
  expect(second.status).toBe(429);
  await second.body?.cancel();
  await sandbox.stub().setStanding({ suspended: "", limits: { watches: 2, nodes: 3, requestsPerSecond: 50 } });
  const third = watchReader(await open());
  await sandbox.put("b", {});
  for (const watch of [first, third]) await patiently(async () => expect(await watch.next(1)).toBeDefined());
  const past = await open();
  expect(past.status).toBe(429);
  await past.body?.cancel();
  await evictDurableObject(sandbox.stub());
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "further" } };
  const refused = await sandbox.send("/api/v1/nodes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(node),
  });
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("limited: nodes=3")]);
  await first.cancel();
  await third.cancel();
});
