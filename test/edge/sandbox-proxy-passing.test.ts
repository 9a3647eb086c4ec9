// Forwarding to a sandbox and back: unchanged requests, security headers, and failures as Status.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { proxyToSandbox, type SandboxProxyOptions } from "../../worker/edge/sandbox-proxy.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken } from "../../worker/edge/tokens.ts";
import { newThrottle } from "../../worker/edge/service/throttle.ts";

const secret = "a secret of a test, 32 characters or more";

interface Sent {
  readonly path?: string;
  readonly init?: RequestInit;
  readonly cf?: object;
  readonly answer?: () => Response;
  readonly proxy?: Partial<SandboxProxyOptions>;
}

/** Enters with the administrator's token. */
async function enter({ path = "/api", init = {}, cf, answer = () => new Response("{}"), proxy = {} }: Sent) {
  const id = await newSandboxId(secret, { anonymousAccess: false });
  const arrived: { url: string; init: RequestInit | Request; headers: Headers }[] = [];
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${await adminToken(secret, id)}`);
  const request = new Request(`http://host/c/${id}${path}`, { ...init, headers });
  if (cf) Object.defineProperty(request, "cf", { value: cf });
  const address = sandboxAddress(request);
  if (!address) throw new Error("no address");
  const response = await proxyToSandbox(request, address, {
    secret,
    throttle: newThrottle(),
    server: "https://service",
    holdings: unboundedHoldings(),
    nowMs: () => 0,
    cluster: () => ({
      fetch: async (to, requestInit = {}) => {
        const url = typeof to === "string" ? to : to.url;
        const init = typeof to === "string" ? requestInit : to;
        arrived.push({ url, init, headers: new Headers(init.headers) });
        return answer();
      },
    }),
    ...proxy,
  });
  return { response, arrived };
}

describe("the forwarded request", () => {
  test("A7: keeps its method and body, and a redirection is returned to the client", async () => {
    const { arrived, response } = await enter({
      path: "/api/v1/namespaces?dryRun=All",
      init: { method: "POST", body: "{}" },
      answer: () => new Response(null, { status: 307, headers: { location: "/elsewhere" } }),
    });
    expect(arrived).toHaveLength(1);
    expect(arrived[0]?.url).toMatch(/^http:\/\/host\/c\/[^/]+\/api\/v1\/namespaces\?dryRun=All$/);
    expect(arrived[0]?.init.method).toBe("POST");
    expect(await new Response(arrived[0]?.init.body).text()).toBe("{}");
    expect([response.status, response.headers.get("location")]).toEqual([307, "/elsewhere"]);
  });

  test.each<[string, string, RequestInit, boolean]>([
    ["a read", "/api/v1/namespaces", {}, true],
    ["a read of a group", "/apis/apps/v1/deployments", {}, true],
    ["a log that is not followed", "/api/v1/namespaces/a/pods/b/log", {}, true],
    ["a watch", "/api/v1/namespaces?watch=1", {}, false],
    ["an encoded path", "/api/v1/namespaces/%61", {}, false],
    ["a path that needs its address", "/api/v1/namespaces/a/services/b/proxy", {}, false],
    ["a path that is not a resource", "/.well-known/openid-configuration", {}, false],
    ["a forged internal header", "/api/v1/namespaces", { headers: { "sandbar-session": "step" } }, false],
    ["a WebSocket upgrade", "/api/v1/namespaces", { headers: { upgrade: "websocket" } }, false],
    ["a list of subprotocols", "/api/v1/namespaces", { headers: { "sec-websocket-protocol": "x" } }, false],
  ])("A7: with method %s, path %s and %j is forwarded unchanged: %s", async (_, path, init, isAsSent) => {
    const { arrived } = await enter({ path, init });
    expect(arrived[0]?.init instanceof Request).toBe(isAsSent);
    expect(arrived[0]?.headers.has("sandbar-server")).toBe(!isAsSent);
    expect(arrived[0]?.headers.get("sandbar-session")).toBeNull();
  });

  test("A7: is sent once for a read that an aggregated server answers", async () => {
    const { arrived, response } = await enter({
      path: "/apis/metrics.k8s.io/v1/nodes",
      answer: () =>
        Response.json(
          { way: "direct", call: { to: { url: "https://localhost:1/" }, method: "GET", headers: [], timeoutMs: 1 } },
          { headers: { "sandbar-outside": "here", "audit-id": "1" } },
        ),
    });
    expect(arrived.map(({ headers }) => headers.get("sandbar-outside")?.split(" ")[0])).toEqual([undefined, "failed"]);
    expect(response.status).toBe(200);
  });

  test.each([
    ["br, gzip", "br, gzip"],
    ["", null],
    [undefined, "identity"],
    [7, "identity"],
  ])(
    "A7: with the platform's client encodings %j has the Accept-Encoding %s",
    async (clientAcceptEncoding, expected) => {
      const init = { headers: { "accept-encoding": "identity" } };
      const { arrived } = await enter({ init, cf: { clientAcceptEncoding } });
      expect(arrived[0]?.headers.get("accept-encoding")).toBe(expected);
    },
  );

  test("Y6: has the client's trace headers", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const { arrived } = await enter({ init: { headers: { traceparent, tracestate: "a=b" } } });
    expect([arrived[0]?.headers.get("traceparent"), arrived[0]?.headers.get("tracestate")]).toEqual([
      traceparent,
      "a=b",
    ]);
  });
});

describe("the returned answer", () => {
  test("A9: has the security headers and is otherwise unchanged", async () => {
    const { response } = await enter({
      answer: () => new Response("<script>", { status: 404, headers: { "content-type": "text/html", "x-own": "1" } }),
    });
    expect([
      response.status,
      await response.text(),
      response.headers.get("content-type"),
      response.headers.get("x-own"),
    ]).toEqual([404, "<script>", "text/html", "1"]);
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("S8: is a Status for refusals and failures, and says if no more can be stored", async () => {
    const failing = (error: Error, room?: boolean) =>
      enter({
        answer: () => {
          throw error;
        },
        ...(room === undefined ? {} : { proxy: { hasFreeSpace: () => Promise.resolve(room) } }),
      });
    const gone = await failing(new ApiError(410, "Gone", "the sandbox is gone"), false);
    expect([gone.response.status, await gone.response.json()]).toMatchObject([410, { reason: "Gone", kind: "Status" }]);
    const full = await failing(new Error("internal error"), false);
    expect([full.response.status, await full.response.json()]).toMatchObject([507, { reason: "InsufficientStorage" }]);
    for (const room of [true, undefined]) {
      const broken = await failing(new Error("the object broke"), room);
      expect([broken.response.status, await broken.response.json()]).toMatchObject([
        500,
        { reason: "InternalError", message: "Internal error occurred: the sandbox did not answer; try again" },
      ]);
    }
  });
});

describe("streams that the edge serves itself", () => {
  const pods = "/api/v1/namespaces/default/pods";
  const upgrade = (...protocols: string[]) => ({
    headers: {
      upgrade: "websocket",
      ...(protocols.length > 0 ? { "sec-websocket-protocol": protocols.join(", ") } : {}),
    },
  });
  const refused = () => new Response("no", { status: 403 });

  test.each<[string, string, RequestInit, Record<string, string | null>]>([
    ["a watch starts with a pull", "/api/v1/pods?watch=1", {}, { "sandbar-watch": "pull", "sandbar-session": null }],
    ["a list has no internal headers", "/api/v1/pods", {}, { "sandbar-watch": null, "sandbar-outside": null }],
    [
      "a command is opened as a session",
      `${pods}/web/exec?command=ls`,
      upgrade("v5.channel.k8s.io"),
      { "sandbar-session": "open" },
    ],
    [
      "an attach is opened as a session",
      `${pods}/web/attach`,
      upgrade("v5.channel.k8s.io"),
      { "sandbar-session": "open", upgrade: "websocket" },
    ],
    [
      "a port-forward is opened as a session",
      `${pods}/web/portforward`,
      upgrade("SPDY/3.1+portforward.k8s.io"),
      { "sandbar-session": "open" },
    ],
    [
      "a port-forward over WebSocket channels is opened as a session",
      `${pods}/web/portforward`,
      upgrade("v4.channel.k8s.io"),
      { "sandbar-session": "open" },
    ],
    [
      "a command without an upgrade is not a session",
      `${pods}/web/exec?command=ls`,
      {},
      { "sandbar-session": null, "sandbar-session-id": null },
    ],
    [
      "a followed log has an id",
      `${pods}/web/log?follow=1`,
      {},
      { "sandbar-session-id": expect.any(String) as string },
    ],
    ["a log that is not followed has no id", `${pods}/web/log`, {}, { "sandbar-session-id": null }],
    [
      "a read of a group may be answered by an aggregated server",
      "/apis/metrics.k8s.io/v1/nodes%2f",
      {},
      { "sandbar-outside": "ask" },
    ],
    [
      "a proxied read of a node may be answered by a machine's kubelet",
      "/api/v1/nodes/laptop/proxy/metrics",
      {},
      { "sandbar-outside": "ask" },
    ],
    [
      "an upgrade may be answered by an aggregated server",
      "/apis/example.com/v1/a",
      upgrade("x"),
      { "sandbar-outside": "upgrade" },
    ],
    [
      "a write is answered by the cluster",
      "/apis/example.com/v1/a",
      { method: "POST", body: "{}" },
      { "sandbar-outside": null },
    ],
  ])("A7: %s", async (_, path, init, headers) => {
    const { arrived, response } = await enter({ path, init, answer: refused });
    expect(arrived).toHaveLength(1);
    const receivedHeaders = Object.keys(headers).map((name) => [name, arrived[0]?.headers.get(name)]);
    expect(Object.fromEntries(receivedHeaders)).toEqual(headers);
    // What the cluster refuses is refused.
    expect([response.status, await response.text()]).toEqual([403, "no"]);
  });
});
