// A reader far slower than the writers: bounded memory at the edge, and no event is lost unnoticed.
import { runInDurableObject } from "cloudflare:test";
import { afterAll, expect, test, vi } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import type { ClusterStub } from "../../../worker/edge/cluster-stub.ts";
import { bridgeWatch } from "../../../worker/edge/watch/bridge.ts";
import { Holdings } from "../../../worker/edge/watch/holdings.ts";
import { Inbox } from "../../../worker/edge/watch/inbox.ts";
import { Store } from "../../../worker/store/store.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import type { WatchEvent } from "./watch-reader.ts";

/** Bytes on their way: taken from the cluster, neither read by the client nor dropped. */
const edge = { inboxes: new Map<Inbox, number>(), moved: 0 };

// The edge's queue, observed from outside.
const { push, take } = Inbox.prototype;
vi.spyOn(Inbox.prototype, "push").mockImplementation(function (this: Inbox, frame) {
  push.call(this, frame);
  edge.inboxes.set(this, this.state === "open" ? (edge.inboxes.get(this) ?? 0) + frame.length : 0);
});
vi.spyOn(Inbox.prototype, "take").mockImplementation(function (this: Inbox) {
  const delivery = take.call(this);
  edge.moved += delivery?.events.length ?? 0;
  edge.inboxes.set(this, 0);
  return delivery;
});

// Files share the modules that they import.
afterAll(() => {
  vi.restoreAllMocks();
});

const events = 100;
const eventBytes = 500_000;
const readBytesPerSecond = 10_000;

async function openSlowWatch(sandbox: Sandbox) {
  // Not from an earlier test.
  edge.inboxes.clear();
  edge.moved = 0;
  const stub = sandbox.stub();
  const cluster: ClusterStub = {
    fetch: async (url, init) => {
      const answer = await stub.fetch(url, init);
      if (!answer.body) return answer;
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          edge.moved += chunk.byteLength;
          controller.enqueue(chunk);
        },
      });
      return new Response(answer.body.pipeThrough(count), answer);
    },
  };
  const url = new URL("https://host/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dbig");
  const headers = new Headers({ authorization: `Bearer ${sandbox.token}` });
  const { signal } = new AbortController();
  const holdings = new Holdings({ sandboxBytes: limits.heldBySandboxBytes, totalBytes: limits.heldByAllBytes });
  const response = await bridgeWatch(
    { url, headers, upgrade: false, signal, leftMs: 600_000, hold: (holder) => holdings.open("sandbox", holder) },
    cluster,
  );
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader({ mode: "byob" });
  let readBytes = 0;
  let rest = "";
  const chunks: string[] = [];
  const decoder = new TextDecoder();
  const read = async (bytes: number): Promise<boolean> => {
    const { done, value } = await reader.read(new Uint8Array(bytes));
    readBytes += value?.byteLength ?? 0;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    chunks.push(...lines);
    return !done;
  };
  return {
    read,
    held: () => edge.moved - readBytes + [...edge.inboxes.values()].reduce((sum, size) => sum + size, 0),
    /** Whole events. */
    seen: chunks,
    close: () => reader.cancel(),
  };
}

/** Writes all events while the reader reads at its pace; returns the most that was held for it. */
async function writeMuch(sandbox: Sandbox, watch: Awaited<ReturnType<typeof openSlowWatch>>): Promise<number> {
  let most = 0;
  let isWriting = true;
  const observer = setInterval(() => {
    most = Math.max(most, watch.held());
  }, 5);
  const reading = (async () => {
    while (isWriting) {
      await Promise.race([watch.read(readBytesPerSecond / 10), new Promise((resolve) => setTimeout(resolve, 1000))]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const text = "x".repeat(eventBytes);
  for (let at = 0; at < events; at++) await sandbox.put("big", { at: String(at), text });
  isWriting = false;
  await reading;
  clearInterval(observer);
  return most;
}

const numbersOf = (lines: readonly string[]) =>
  lines.map((line) => Number((JSON.parse(line) as WatchEvent & { object: { data: { at: string } } }).object.data.at));

test("W5: 50 MB written past a reader of 10 KB/s hold a bounded number of bytes, and the reader receives every event", async () => {
  const sandbox = await newSandbox();
  const watch = await openSlowWatch(sandbox);
  const most = await writeMuch(sandbox, watch);
  // The queue, what is being written of it, and one chunk of a pulled body.
  expect(most).toBeGreaterThan(eventBytes);
  expect(most).toBeLessThan(3 * limits.watchBufferBytes);
  while (watch.seen.length < events) await watch.read(64 * 1024);
  expect(numbersOf(watch.seen)).toEqual(Array.from({ length: events }, (_, at) => at));
  await watch.close();
});

test("W5 W3: a reader whose missed events are compacted is ended with a 410 from which it can resume", async () => {
  const stores = new Set<Store>();
  const { commit } = Store.prototype;
  vi.spyOn(Store.prototype, "commit").mockImplementation(function (this: Store, write) {
    stores.add(this);
    return commit.call(this, write);
  });
  const sandbox = await newSandbox();
  const watch = await openSlowWatch(sandbox);
  await writeMuch(sandbox, watch);
  // What is being pulled is kept while it is; what comes after that is not.
  do {
    await runInDurableObject(sandbox.stub(), () => {
      for (const store of stores) store.compact(store.revision);
    });
  } while (await watch.read(64 * 1024));
  const last = JSON.parse(watch.seen.at(-1) ?? "{}") as WatchEvent & { object: { code: number; reason: string } };
  expect([last.type, last.object.code, last.object.reason]).toEqual(["ERROR", 410, "Expired"]);
  const numbers = numbersOf(watch.seen.slice(0, -1));
  expect(numbers.length).toBeLessThan(events);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at));
  const list = await sandbox.call("GET", "/api/v1/configmaps");
  const again = await sandbox.send(
    `/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${list.metadata.resourceVersion}`,
  );
  expect([again.status, await again.text()]).toEqual([200, ""]);
});
