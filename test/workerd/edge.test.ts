// The edge in workerd, with a fake cluster behind it: real streams, real sockets, clients that go away.
import { type D1Migration, applyD1Migrations, env } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Env } from "../../worker/env.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken } from "../../worker/edge/tokens.ts";
import { bodySink } from "../../worker/edge/watch/sinks.ts";
import type { ClusterObject } from "./fake-cluster-object.ts";
import { patiently } from "../patiently.ts";

interface TestEnv extends Omit<Env, "CLUSTERS"> {
  readonly CLUSTERS: DurableObjectNamespace<ClusterObject>;
  readonly MIGRATIONS: D1Migration[];
}

// The pool's configuration binds these.
const bound = env as unknown as TestEnv;
const service = (exports as { default: Fetcher }).default;
const key = "sbk_adaadaadaadaadaadaada";

beforeAll(async () => {
  await applyD1Migrations(bound.DB, bound.MIGRATIONS);
  await bound.DB.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES ('ada', 'ada', 0)").run();
  await bound.DB.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'ada', 0)")
    .bind(await hashOf(key))
    .run();
});

async function newSandbox() {
  const id = await newSandboxId(bound.SANDBAR_SECRET, { anonymousAccess: false });
  const token = await adminToken(bound.SANDBAR_SECRET, id);
  const cluster = bound.CLUSTERS.getByName(id);
  const get = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return service.fetch(`https://host/c/${id}${path}`, { ...init, headers });
  };
  const socketsBecome = (count: number) =>
    vi.waitFor(async () => expect((await cluster.counts()).sockets).toBe(count), { timeout: 5000, interval: 20 });
  return { id, token, cluster, get, socketsBecome };
}

/** Returns the requested number of complete lines, or fewer at the end. */
function lineReader(body: ReadableStream<Uint8Array> | null) {
  if (!body) throw new Error("no body");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const ready: string[] = [];
  let held = "";
  const read = async (count: number): Promise<string[]> => {
    while (ready.length < count) {
      const { done, value } = await reader.read();
      if (done) break;
      const [first = "", ...more] = value.split("\n");
      held += first;
      for (const next of more) {
        ready.push(held);
        held = next;
      }
    }
    return ready.splice(0, count);
  };
  return { read, cancel: () => reader.cancel() };
}

const revisionOf = (line: string | undefined) =>
  (JSON.parse(line ?? "{}") as { object: { revision: number } }).object.revision;
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe("a watch over HTTP", () => {
  test("W1: sends existing objects and changes as lines, and no internal headers", async () => {
    const { cluster, get, socketsBecome } = await newSandbox();
    await cluster.emit(3, 10);
    const response = await get("/api/v1/pods?watch=1");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache, private, no-transform",
      "content-encoding": "identity",
    });
    expect([...response.headers.keys()].filter((name) => name.startsWith("sandbar"))).toEqual([]);
    const lines = lineReader(response.body);
    expect((await lines.read(3)).map(revisionOf)).toEqual([1, 2, 3]);
    await socketsBecome(1);
    await cluster.emit(2, 10);
    expect((await lines.read(2)).map(revisionOf)).toEqual([4, 5]);
    await lines.cancel();
  });

  test("W5: pulls 20 MB for a reader that waits, without buffering or losing any", async () => {
    const { cluster, get, socketsBecome } = await newSandbox();
    const lines = lineReader((await get("/api/v1/pods?watch=1")).body);
    await socketsBecome(1);
    await cluster.emit(200, 100_000);
    await socketsBecome(0);
    expect((await lines.read(200)).map(revisionOf)).toEqual(upTo(200));
    expect((await cluster.counts()).pulls).toBeGreaterThan(1);
    await socketsBecome(1);
    await cluster.emit(1, 1);
    expect((await lines.read(1)).map(revisionOf)).toEqual([201]);
    await lines.cancel();
  });

  test("W3: sends a 410 in the stream and ends if its revision is compacted", async () => {
    const { cluster, get, socketsBecome } = await newSandbox();
    const lines = lineReader((await get("/api/v1/pods?watch=1")).body);
    await socketsBecome(1);
    await cluster.emit(200, 100_000);
    await cluster.compact();
    await socketsBecome(0);
    const receivedLines = await lines.read(1000);
    const last = JSON.parse(receivedLines.at(-1) ?? "{}") as { type: string; object: { code: number } };
    expect([last.type, last.object.code]).toEqual(["ERROR", 410]);
    const revisions = receivedLines.slice(0, -1).map(revisionOf);
    expect(revisions).toEqual(upTo(revisions.length));
  });

  test("ends the stream and closes the socket after timeoutSeconds", async () => {
    const { get, socketsBecome } = await newSandbox();
    const response = await get("/api/v1/pods?watch=1&timeoutSeconds=1");
    await socketsBecome(1);
    expect(await response.text()).toBe("");
    await socketsBecome(0);
  });

  test("W5: closes the socket of a disconnected client at the next event", async () => {
    const { cluster, get, socketsBecome } = await newSandbox();
    const gone = new AbortController();
    for (let round = 0; round < 10; round++) {
      const response = await get("/api/v1/pods?watch=1", { signal: gone.signal });
      if (round % 2 === 0) await response.body?.cancel();
    }
    gone.abort();
    await cluster.emit(1, 1);
    await cluster.emit(1, 1);
    await socketsBecome(0);
  });

  test("forwards a refusal, and an answer that is not a watch, unchanged", async () => {
    const { get } = await newSandbox();
    const refused = await get("/api/v1/forbidden?watch=1");
    expect([refused.status, await refused.json()]).toEqual([403, { kind: "Status", code: 403 }]);
    expect(await (await get("/api/v1/not-a-watch?watch=1")).json()).toEqual({ kind: "Namespace" });
  });
});

test("W5: a body that is never read is abandoned, in writes and in the middle of a body", async () => {
  for (const piped of [true, false]) {
    const sink = bodySink(new IdentityTransformStream().writable);
    const stuck = piped ? sink.pipe(new Response("one\n").body as ReadableStream<Uint8Array>) : sink.write("one\n");
    const expectation = expect(stuck).rejects.toBeDefined();
    await scheduler.wait(20);
    sink.abort();
    await expectation;
  }
});

describe("a watch over the client's WebSocket", () => {
  async function open(path: string, more = "") {
    const sandbox = await newSandbox();
    await sandbox.cluster.emit(2, 10);
    const encoded = btoa(sandbox.token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const protocol = `base64url.bearer.authorization.k8s.io.${encoded}, base64.binary.k8s.io${more}`;
    const response = await service.fetch(`https://host/c/${sandbox.id}${path}`, {
      headers: { upgrade: "websocket", "sec-websocket-protocol": protocol },
    });
    const frames: string[] = [];
    const state = { closed: 0 };
    response.webSocket?.addEventListener("message", ({ data }) => void frames.push(String(data)));
    response.webSocket?.addEventListener("close", ({ code }) => {
      state.closed = code;
    });
    response.webSocket?.accept();
    return { ...sandbox, response, frames, state };
  }

  test("sends one event in a frame; the token's protocol is neither echoed nor forwarded", async () => {
    const { cluster, response, frames, socketsBecome } = await open("/api/v1/pods?watch=1");
    expect([response.status, response.headers.get("sec-websocket-protocol")]).toEqual([101, "base64.binary.k8s.io"]);
    await socketsBecome(1);
    await cluster.emit(2, 10);
    await patiently(() => expect(frames.map(revisionOf)).toEqual([1, 2, 3, 4]));
    const { requests } = await cluster.counts();
    expect(JSON.stringify(requests)).not.toContain("base64url.bearer");
    response.webSocket?.close(1000, "enough");
    await socketsBecome(0);
  });

  test("refuses the handshake with several protocols, as upstream does", async () => {
    const { response, socketsBecome } = await open("/api/v1/pods?watch=1", ", binary.k8s.io");
    expect([response.status, await response.text()]).toEqual([400, ""]);
    await socketsBecome(0);
  });

  test("closes with 1000 when its time is over", async () => {
    const { state, socketsBecome } = await open("/api/v1/pods?watch=1&timeoutSeconds=1");
    await vi.waitFor(() => expect(state.closed).toBe(1000), { timeout: 4000 });
    await socketsBecome(0);
  });

  test("answers the handshake with a refusal", async () => {
    const { response } = await open("/api/v1/forbidden?watch=1");
    expect(response.status).toBe(403);
  });
});

describe("other routes of the edge", () => {
  test("the control API works on D1", async () => {
    const headers = { authorization: `Bearer ${key}` };
    const createAnswer = await service.fetch("https://host/v1/sandboxes", { method: "POST", headers });
    const { id, server } = await createAnswer.json<{ id: string; server: string }>();
    expect([createAnswer.status, server]).toEqual([201, `https://host/c/${id}`]);
    const list = await service.fetch("https://host/v1/sandboxes", { headers });
    expect(await list.json()).toMatchObject({ sandboxes: [{ id }] });
  });

  test("A4: the live view may be framed by the origins of its URL, and the console by none", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const createAnswer = await service.fetch("https://host/v1/sandboxes", { method: "POST", headers, body: "{}" });
    const { id } = await createAnswer.json<{ id: string }>();
    const body = JSON.stringify({ frameOrigins: ["https://course.example.org"] });
    const token = await service.fetch(`https://host/v1/sandboxes/${id}/tokens`, { method: "POST", headers, body });
    const { url } = await token.json<{ url: string }>();
    const policy = async (of: string) => (await service.fetch(of)).headers.get("content-security-policy");
    expect(await policy(url)).toContain("frame-ancestors 'self' https://course.example.org");
    expect(await policy(`https://host/view/${id}`)).toMatch(/frame-ancestors 'self'$/);
    expect(await policy("https://host/")).toContain("frame-ancestors 'none'");
  });
});
