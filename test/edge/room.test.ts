// The edge where there is no room: which errors it understands, what is asked again, and what its own writes answer.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { Room } from "../../shared/base/disk/room.ts";
import { isStorageFull } from "../../shared/base/disk/storage-full.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { ownCluster } from "../../worker/edge/own-cluster.ts";
import { newService } from "./service.ts";

/** As workerd throws it, of an object whose write could not be kept. */
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

test("S8: a write that resets the object is a 507, and is not made twice", async () => {
  const { asked: requests, cluster } = clusterThat(full());
  await expect(cluster.fetch("https://host/", { method: "POST" })).rejects.toMatchObject({
    code: 507,
    reason: "InsufficientStorage",
  });
  expect(requests).toEqual(["POST"]);
});

test("S8: a read under which the object was reset is made again, a few times", async () => {
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

test("S8: where Node says that there is hardly any room, sandboxes and tokens are not made, and can be listed and deleted", async () => {
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

test("S8: the room is looked at now and then, and nobody who does not answer keeps anyone from writing", async () => {
  let free: number | Error = limits.roomBytes - 1;
  let requestCount = 0;
  let nowMs = 0;
  const answer = () => (free instanceof Error ? Promise.reject(free) : Promise.resolve(free));
  const room = new Room(
    () => {
      requestCount++;
      return answer();
    },
    () => nowMs,
  );
  expect(room.isShort).toBe(false);
  await room.look();
  await room.look();
  expect([room.isShort, requestCount]).toEqual([true, 1]);
  expect([room.despite(() => room.isShort), room.isShort]).toEqual([false, true]);
  nowMs += limits.roomMs;
  free = limits.roomBytes;
  await room.look();
  expect(room.isShort).toBe(false);
  free = 0;
  nowMs += limits.roomMs;
  await room.look();
  nowMs += limits.roomMs;
  free = new Error("no answer");
  await room.look();
  expect(room.isShort).toBe(false);
});

test("only SQLite's own words are taken for a full disk", () => {
  expect(isStorageFull(full())).toBe(true);
  expect(isStorageFull(new Error("database or disk is full"))).toBe(true);
  expect(isStorageFull(new Error("the node is full"))).toBe(false);
  expect(isStorageFull("SQLITE_FULL")).toBe(false);
});
