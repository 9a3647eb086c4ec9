// Live watches in the object: frames, and attachments of sleeping sockets.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { patiently } from "../../patiently.ts";

async function join(sandbox: Sandbox, query = "") {
  const { metadata } = await sandbox.call("GET", "/api/v1/namespaces?limit=1");
  const { webSocket } = await sandbox
    .stub()
    .fetch(`https://host/api/v1/namespaces/default/configmaps?watch=1${query}`, {
      headers: {
        authorization: `Bearer ${sandbox.token}`,
        upgrade: "websocket",
        [internalHeaders.watch]: "join",
        [internalHeaders.since]: metadata.resourceVersion ?? "",
      },
    });
  if (!webSocket) throw new Error("not joined");
  const frames: { revision: number; lines: string[]; length: number }[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    const text = String(data);
    const [revision = "", ...lines] = text.split("\n");
    frames.push({ revision: Number(revision), lines: lines.filter(Boolean), length: text.length });
  });
  webSocket.accept();
  await patiently(() => expect(frames).toHaveLength(1));
  return { webSocket, frames };
}

async function revisionOf(sandbox: Sandbox): Promise<number> {
  return Number((await sandbox.call("GET", "/api/v1/namespaces?limit=1")).metadata.resourceVersion);
}

test("W1: a turn with many writes is sent in frames of a bounded size, each with the revision up to which it is complete", async () => {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const text = "x".repeat(100_000);
  for (let at = 0; at < 12; at++) await sandbox.put(`c${at}`, { text });
  const { frames, webSocket } = await join(sandbox);
  await sandbox.call("DELETE", "/api/v1/namespaces/default/configmaps");
  const last = await revisionOf(sandbox);
  await patiently(() => expect(frames.at(-1)?.revision).toBe(last));
  expect(frames.length).toBeGreaterThan(4);
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(limits.watchFrameBytes + 110_000);
  for (const { revision, lines } of frames.slice(1)) {
    expect(JSON.parse(lines.at(-1) ?? "{}")).toMatchObject({
      object: { metadata: { resourceVersion: String(revision) } },
    });
  }
  webSocket.close();
});

test("W1: a watch without matching events is sent the cluster's revision at intervals", async () => {
  const { watchTellRevisions } = limits;
  // The real number would take long to reach.
  const changeable = limits as { watchTellRevisions: number };
  changeable.watchTellRevisions = 10;
  try {
    const sandbox = await newSandbox();
    await sandbox.quiet();
    const { frames, webSocket } = await join(sandbox, "&labelSelector=a%3Db");
    const [{ revision } = { revision: 0 }] = frames;
    for (let at = 0; at < 25; at++) await sandbox.put("other", { at: String(at) });
    await patiently(() => expect(frames.map((frame) => frame.revision - revision)).toEqual([0, 10, 20]));
    expect(frames.flatMap(({ lines }) => lines)).toEqual([]);
    webSocket.close();
  } finally {
    changeable.watchTellRevisions = watchTellRevisions;
  }
});

test("W4: a selector too long for a sleeping socket survives eviction, and leaves no row behind", async () => {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const many = Array.from({ length: 1000 }, (_, at) => `value-${at}`).join(",");
  const { frames, webSocket } = await join(sandbox, `&labelSelector=${encodeURIComponent(`a in (${many})`)}`);
  const storedRows = () =>
    runInDurableObject(sandbox.stub(), (_, state) =>
      state.storage.sql.exec("SELECT key FROM meta WHERE key LIKE 'watch:%'").toArray(),
    );
  expect(await storedRows()).toHaveLength(1);
  await evictDurableObject(sandbox.stub());
  await sandbox.put("not-this", {}, { a: "b" });
  await sandbox.put("this", {}, { a: "value-999" });
  await patiently(() => expect(frames).toHaveLength(2));
  expect(frames[1]?.lines.join()).toContain('"this"');
  webSocket.close(1000, "enough");
  await patiently(async () => expect(await storedRows()).toEqual([]));
});

test("W1: a sleeping watch whose spec is no longer valid is ended, and no other watch with it", async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const sandbox = await newSandbox();
  await sandbox.quiet();
  // As if a later version of the service no longer knew what it watches.
  const odd = await join(sandbox, "&labelSelector=x%3Dy");
  const closed = vi.fn();
  odd.webSocket.addEventListener("close", closed);
  await runInDurableObject(sandbox.stub(), (_, state) => {
    const [socket] = state
      .getWebSockets()
      .filter((webSocket) => JSON.stringify(webSocket.deserializeAttachment()).includes("x=y"));
    socket?.serializeAttachment({ spec: JSON.stringify({ apiVersion: "v9", plural: "nothings" }) });
  });
  await evictDurableObject(sandbox.stub());
  const { frames, webSocket } = await join(sandbox);
  await sandbox.put("a", {});
  await patiently(() => expect(frames.at(-1)?.lines.join()).toContain('"a"'));
  await patiently(() => expect(closed).toHaveBeenCalled());
  expect(String(reports.mock.calls)).toContain("a watch that slept");
  webSocket.close();
  reports.mockRestore();
});
