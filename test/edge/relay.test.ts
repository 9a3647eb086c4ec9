// Requests for aggregated APIs at the edge: their routes, streamed answers, and reported failures.
import { describe, expect, test, vi } from "vitest";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import {
  type Directions,
  nodeHeaders,
  pieceBytes,
  streamWindowBytes,
  type TunnelPiece,
} from "../../shared/contract/tunnel.ts";
import { relayed, relayHeader } from "../../worker/edge/outside/relay.ts";

const url = "https://host/apis/things.example.com/v1/things?watch=1";
const call = {
  id: "",
  origin: "https://far.example.com",
  method: "GET",
  path: "/apis/things.example.com/v1/things?watch=1",
  serverName: "api.default.svc",
  headers: [],
  body: "",
  timeoutMs: 1000,
};

/** Returns a cluster that returns a route once, and then the given answer. */
function clusterThat(directions: Directions, then: () => Response = () => new Response("told", { status: 503 })) {
  const requests: string[] = [];
  const fetch = async (_url: string, init: RequestInit = {}) => {
    const outside = new Headers(init.headers).get(internalHeaders.outside) ?? "";
    requests.push(outside);
    if (requests.length > 1) return then();
    return Response.json(directions, { headers: { [internalHeaders.outside]: "here", "audit-id": "1" } });
  };
  return { asked: requests, fetch };
}

interface Answers {
  readonly headers: Record<string, string>;
  readonly body?: ReadableStream<Uint8Array> | null;
}

function ask(cluster: ReturnType<typeof clusterThat>, { headers, body = null }: Answers = { headers: {} }) {
  const node = { fetch: async () => new Response(body, { headers }) };
  const signal = new AbortController().signal;
  const through = relayed(cluster, { upgrade: false, method: "GET", signal, leftMs: 60_000, node });
  return through.fetch(url, { headers: { [internalHeaders.outside]: "ask" } });
}

function begun(status: number, headers: readonly (readonly [string, string])[]): Record<string, string> {
  return { [nodeHeaders.answer]: encodeURIComponent(JSON.stringify({ status, headers })) };
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

describe("a request for an aggregated API", () => {
  test("is relayed below /apis if it reads or upgrades; a request with a body goes to the cluster", () => {
    const of = (path: string, method: string, upgrade = false) =>
      relayHeader(new URL(path, "https://host"), method, upgrade);
    expect(of("/apis/a.example.com/v1/things", "GET")).toBe("ask");
    expect(of("/apis/a.example.com/v1/things/one/exec", "POST", true)).toBe("upgrade");
    expect(of("/apis/a.example.com/v1/things", "POST")).toBeUndefined();
    expect(of("/api/v1/pods", "GET")).toBeUndefined();
    expect(of("/api/v1/namespaces/default/pods/web/log", "GET")).toBe("ask");
    expect(of("/api/v1/nodes/laptop:10250/proxy/metrics", "GET")).toBe("ask");
    expect(of("/api/v1/nodes/laptop/proxy/run", "POST")).toBeUndefined();
    expect(of("/api/v1/nodes/laptop", "GET")).toBeUndefined();
  });

  test("streams its server's answer", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const cluster = clusterThat({ way: "direct", call });
    const headers = begun(200, [
      ["Content-Type", "application/json"],
      ["Connection", "close"],
    ]);
    const response = await ask(cluster, { headers, body: readable });
    expect([response.status, response.headers.get("content-type"), response.headers.get("audit-id")]).toEqual([
      200,
      "application/json",
      "1",
    ]);
    expect(response.headers.has("connection")).toBe(false);
    const reader = response.body?.getReader();
    if (!reader) throw new Error("no body");
    const writer = writable.getWriter();
    for (const event of ["one", "two"]) {
      void writer.write(new TextEncoder().encode(event));
      expect(await read(reader)).toBe(event);
    }
    expect(cluster.asked).toEqual(["ask"]);
  });

  test("is not sent to another address", async () => {
    const answer = await ask(clusterThat({ way: "direct", call }), { headers: begun(302, [["Location", "/"]]) });
    expect([answer.status, await answer.text(), answer.headers.has("location")]).toEqual([
      502,
      "the backend attempted to redirect this request, which is not permitted",
      false,
    ]);
  });

  test("falls back to the cluster if its server is unreachable", async () => {
    const cluster = clusterThat({ way: "direct", call });
    const why = "dial tcp 127.0.0.1:1: connect: connection refused";
    const answer = await ask(cluster, { headers: { [nodeHeaders.error]: encodeURIComponent(why) } });
    expect([answer.status, await answer.text()]).toEqual([503, "told"]);
    expect(cluster.asked).toEqual(["ask", `failed ${encodeURIComponent(why)}`]);
  });

  test("is answered by the cluster if the cluster gives no route", async () => {
    const cluster = { fetch: async () => new Response("its own", { status: 201 }) };
    const signal = new AbortController().signal;
    const through = relayed(cluster, { upgrade: false, method: "GET", signal, leftMs: 60_000 });
    expect((await through.fetch(url)).status).toBe(201);
  });
});

describe("a streamed answer through a tunnel", () => {
  function throughTunnel(timeoutMs = 60_000) {
    const target = new EventTarget();
    const sent: string[] = [];
    const state = { closed: false };
    const socket = {
      accept: () => undefined,
      addEventListener: target.addEventListener.bind(target),
      send: (text: string) => void sent.push(text),
      close: () => void (state.closed = true),
    };
    const joined = () => Object.defineProperty(new Response(null), "webSocket", { value: socket });
    const cluster = clusterThat({ way: "tunnel", timeoutMs }, joined);
    const answer = ask(cluster);
    const receive = (piece: TunnelPiece) =>
      target.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(piece) }));
    const close = () => target.dispatchEvent(new Event("close"));
    return { answer, hear: receive, close, sent, state, questions: cluster.asked };
  }
  const turns = () => new Promise<void>((resolve) => void setTimeout(resolve, 0));

  test("is reassembled, and the tunnel is told how many bytes were read", async () => {
    const { answer, hear, sent, state } = throughTunnel();
    await turns();
    hear({ id: "1", status: 200, headers: [["content-type", "text/plain"]] });
    const half = streamWindowBytes / 2;
    hear({ id: "1", piece: Buffer.alloc(half, "x").toString("base64") });
    const response = await answer;
    const text = response.text();
    await turns();
    expect(sent).toEqual([JSON.stringify({ id: "", took: half })]);
    hear({ id: "1", piece: Buffer.from("end").toString("base64") });
    hear({ id: "1", end: true });
    expect(await text).toBe(`${"x".repeat(half)}end`);
    expect(state.closed).toBe(true);
  });

  test("ends if more arrives than its window, or what is no base64", async () => {
    const overflow = throughTunnel();
    await turns();
    overflow.hear({ id: "1", status: 200, headers: [] });
    const full = { id: "1", piece: Buffer.alloc(pieceBytes).toString("base64") };
    for (let sent = 0; sent <= streamWindowBytes + pieceBytes; sent += pieceBytes) overflow.hear(full);
    await expect((await overflow.answer).text()).rejects.toThrow();
    const malformed = throughTunnel();
    await turns();
    malformed.hear({ id: "1", status: 200, headers: [] });
    malformed.hear({ id: "1", piece: "%" });
    await expect((await malformed.answer).text()).rejects.toThrow();
    expect([overflow.state.closed, malformed.state.closed]).toEqual([true, true]);
  });

  test("fails if it does not begin in time", async () => {
    vi.useFakeTimers();
    const { answer, state, questions } = throughTunnel(5_000);
    await vi.advanceTimersByTimeAsync(6_000);
    vi.useRealTimers();
    await answer;
    expect([questions.at(-1), state.closed]).toEqual([
      `failed ${encodeURIComponent("context deadline exceeded")}`,
      true,
    ]);
  });

  test("is an error if it breaks off", async () => {
    const { answer, hear, close } = throughTunnel();
    await turns();
    hear({ id: "1", status: 200, headers: [] });
    const text = (await answer).text();
    close();
    await expect(text).rejects.toThrow();
  });

  test("closes its socket if the client cancels it", async () => {
    const { answer, hear, state } = throughTunnel();
    await turns();
    hear({ id: "1", status: 200, headers: [] });
    const { body } = await answer;
    await body?.cancel();
    hear({ id: "1", piece: Buffer.from("more").toString("base64") });
    await turns();
    expect(state.closed).toBe(true);
  });
});
