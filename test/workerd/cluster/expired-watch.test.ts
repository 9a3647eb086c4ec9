// A watch from a revision that is compacted, in each form that a client may ask for.
import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { Store } from "../../../worker/store/store.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";

const path = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=1";
const expired = { type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } };

/** Creates a sandbox whose log is compacted up to now. */
async function compacted(): Promise<Sandbox> {
  const stores = new Set<Store>();
  const { commit } = Store.prototype;
  const spy = vi.spyOn(Store.prototype, "commit").mockImplementation(function (this: Store, write) {
    stores.add(this);
    return commit.call(this, write);
  });
  const sandbox = await newSandbox();
  await sandbox.quiet();
  await sandbox.put("a", {});
  await runInDurableObject(sandbox.stub(), () => {
    for (const store of stores) store.compact(store.revision);
  });
  spy.mockRestore();
  return sandbox;
}

test("W3: a watch over HTTP at a compacted revision gets an ERROR event with 410 and ends, as JSON, Tables and protobuf", async () => {
  const sandbox = await compacted();
  for (const accept of ["application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"]) {
    const answer = await sandbox.send(path, { headers: { accept } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(await answer.text())).toMatchObject(expired);
  }
  const accept = "application/vnd.kubernetes.protobuf;stream=watch";
  const answer = await sandbox.send(path, { headers: { accept } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, accept]);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(new DataView(bytes.buffer).getUint32(0)).toBe(bytes.length - 4);
  const text = new TextDecoder().decode(bytes);
  for (const fragment of ["ERROR", "k8s\0", "Status", "Expired", "too old resource version: 1 ("]) {
    expect(text).toContain(fragment);
  }
});

test("W3: a watch over a WebSocket gets it as a text frame in JSON or a binary frame in protobuf, and ends", async () => {
  const sandbox = await compacted();
  const framesOf = async (accept: string) => {
    const { webSocket } = await sandbox.send(path, { headers: { upgrade: "websocket", accept } });
    const frames: unknown[] = [];
    const ended = new Promise<number>((resolve) =>
      webSocket?.addEventListener("close", ({ code }) => void resolve(code)),
    );
    webSocket?.addEventListener("message", ({ data }) => void frames.push(data));
    webSocket?.accept();
    return { code: await ended, frames };
  };
  const json = await framesOf("application/json");
  expect(json).toEqual({ code: 1000, frames: [expect.any(String)] });
  expect(JSON.parse(String(json.frames[0]))).toMatchObject(expired);
  const { code, frames } = await framesOf("application/vnd.kubernetes.protobuf;stream=watch");
  expect([code, frames.length, typeof frames[0]]).toEqual([1000, 1, "object"]);
});
