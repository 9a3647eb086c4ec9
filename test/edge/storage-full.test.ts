// The edge with a full disk: recognised errors, repeated reads, and refused writes.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { DiskSpace } from "../../shared/base/disk/disk-space.ts";
import { isStorageFull } from "../../shared/base/disk/storage-full.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { ownCluster } from "../../worker/edge/own-cluster.ts";
import { newService } from "./service.ts";

/** The error that workerd throws for an object whose write could not be stored. */
const full = () => Object.assign(new Error("database or disk is full: SQLITE_FULL"), { durableObjectReset: true });
/** As D1's driver does. */
const wrapped = () => new Error("Failed query: insert into ...", { cause: full() });

function clusterThat(...answers: (Error | Response)[]) {
  const requests: string[] = [];
  const cluster = ownCluster(() => ({
    fetch: async (_, init) => {
      requests.push(init?.method ?? "GET");
      const answer = answers.shift() ?? new Response("good");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  }));
  return { asked: requests, cluster };
}

test("S8: a write that resets the object is a 507, and is not repeated", async () => {
  const { asked: requests, cluster } = clusterThat(full());
  await expect(cluster.fetch("https://host/", { method: "POST" })).rejects.toMatchObject({
    code: 507,
    reason: "InsufficientStorage",
  });
  expect(requests).toEqual(["POST"]);
});

test("S8: a read during which the object was reset is repeated a few times", async () => {
  const once = clusterThat(full());
  expect(await (await once.cluster.fetch("https://host/")).text()).toBe("good");
  expect(once.asked).toEqual(["GET", "GET"]);
  const always = clusterThat(full(), full(), full(), full());
  await expect(always.cluster.fetch("https://host/")).rejects.toMatchObject({ code: 507 });
  expect(always.asked).toHaveLength(3);
  const failingCluster = clusterThat(new Error("else"));
  await expect(failingCluster.cluster.fetch("https://host/")).rejects.toThrow("else");
});

test.each([
  ["the object's", full],
  ["D1's", wrapped],
])("S8: the control API answers 507 for %s error, and reports none", async (_, error) => {
  const harness = await newService();
  const { directory } = harness.service;
  harness.service.directory = { ...directory, add: () => Promise.reject(error()) };
  const answer = await harness.send("POST", "/v1/sandboxes");
  expect([answer.status, errorBody.parse(await answer.json()).error.code]).toEqual([507, "storage_full"]);
  expect(harness.errors).toEqual([]);
});

test("S8: with little free space, sandboxes and tokens cannot be created, but listed and deleted", async () => {
  const harness = await newService();
  const { id } = await (await harness.send("POST", "/v1/sandboxes")).json<{ id: string }>();
  harness.service.hasFreeSpace = () => Promise.resolve(false);
  const statuses: number[] = [];
  for (const [method, path] of [
    ["POST", ""],
    ["POST", `/${id}/tokens`],
    ["GET", ""],
    ["GET", `/${id}`],
    ["DELETE", `/${id}`],
  ] as const) {
    statuses.push((await harness.send(method, `/v1/sandboxes${path}`)).status);
  }
  expect(statuses).toEqual([507, 507, 200, 200, 204]);
});

test("S8: the free space is read at intervals, and a missing answer blocks no write", async () => {
  let free: number | Error = limits.reservedDiskBytes - 1;
  let requestCount = 0;
  let nowMs = 0;
  const answer = () => (free instanceof Error ? Promise.reject(free) : Promise.resolve(free));
  const room = new DiskSpace(
    () => {
      requestCount++;
      return answer();
    },
    () => nowMs,
  );
  expect(room.isShort).toBe(false);
  await room.check();
  await room.check();
  expect([room.isShort, requestCount]).toEqual([true, 1]);
  expect([room.withReserve(() => room.isShort), room.isShort]).toEqual([false, true]);
  nowMs += limits.diskCheckMs;
  free = limits.reservedDiskBytes;
  await room.check();
  expect(room.isShort).toBe(false);
  free = 0;
  nowMs += limits.diskCheckMs;
  await room.check();
  nowMs += limits.diskCheckMs;
  free = new Error("no answer");
  await room.check();
  expect(room.isShort).toBe(false);
});

test("SQLite's own messages alone count as a full disk", () => {
  expect(isStorageFull(full())).toBe(true);
  expect(isStorageFull(new Error("database or disk is full"))).toBe(true);
  expect(isStorageFull(new Error("the node is full"))).toBe(false);
  expect(isStorageFull("SQLITE_FULL")).toBe(false);
});
