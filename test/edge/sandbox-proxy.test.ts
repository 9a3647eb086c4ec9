// Routing to a sandbox: ids, tokens, paths and headers, with a cluster that records its requests.
import { describe, expect, test } from "vitest";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { frameOrigins, frameParameter } from "../../worker/edge/frame-policy.ts";
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { proxyToSandbox } from "../../worker/edge/sandbox-proxy.ts";
import { isSandboxId, newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken, isTokenOf, newViewToken } from "../../worker/edge/tokens.ts";
import { newThrottle } from "../../worker/edge/service/throttle.ts";

const secret = "a secret of a test, 32 characters or more";
const nowMs = Date.UTC(2026, 0, 1);
const unauthorized = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "Unauthorized",
  reason: "Unauthorized",
  code: 401,
};

interface Arrived {
  readonly id: string;
  readonly path: string;
  readonly headers: Headers;
}

/** Sends a request the way it would come in; the cluster answers 200 to all. */
async function send(url: string, headers: Record<string, string> = {}) {
  const arrived: Arrived[] = [];
  const request = new Request(url, { headers });
  const address = sandboxAddress(request);
  if (!address) return { arrived, status: undefined, body: undefined };
  const cluster = (id: string) => ({
    fetch: async (to: string | Request, init: RequestInit = {}) => {
      const { pathname, search } = new URL(typeof to === "string" ? to : to.url);
      arrived.push({
        id,
        path: pathname + search,
        headers: new Headers(typeof to === "string" ? init.headers : to.headers),
      });
      return new Response("{}");
    },
  });
  const response = await proxyToSandbox(request, address, {
    secret,
    throttle: newThrottle(),
    server: "https://service",
    cluster,
    holdings: unboundedHoldings(),
    nowMs: () => nowMs,
  });
  const body: unknown = JSON.parse(await response.text());
  return { arrived, status: response.status, body, headers: response.headers };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A token as a browser sends it with a WebSocket; `Request` itself would refuse the upgrade headers in a browser, not here. */
const socket = (...protocols: string[]) => ({ upgrade: "websocket", "sec-websocket-protocol": protocols.join(", ") });
const asProtocol = (token: string) => `base64url.bearer.authorization.k8s.io.${btoa(token).replaceAll("=", "")}`;

describe("sandbox ids", () => {
  test("A2: have at most 63 characters of a-z and 0-9, and a verifiable tag", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    expect(id).toMatch(/^[a-z0-9]{1,63}$/);
    expect(await isSandboxId(secret, id)).toBe(true);
    expect(await isSandboxId("another secret", id)).toBe(false);
  });

  test("A2: an invented id is 404 with any token, and reaches no cluster", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const otherId = id.startsWith("a") ? `b${id.slice(1)}` : `a${id.slice(1)}`;
    for (const invented of [otherId, `${id}a`, id.slice(1), "x", "", "%00", "a".repeat(500)]) {
      const answer = await send(`http://host/c/${invented}/api`, bearer(await adminToken(secret, invented)));
      expect(answer).toMatchObject({ status: 404, body: { kind: "Status", reason: "NotFound" }, arrived: [] });
    }
  });
});

describe("tokens", () => {
  test("A7: a refusal has the client's audit id, or a new one", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const withoutAuditId = await send(`http://host/c/${id}/api`);
    expect([withoutAuditId.status, withoutAuditId.headers?.get("audit-id")]).toEqual([
      401,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    const withAuditId = await send("http://host/c/none/api", { "audit-id": "mine" });
    expect([withAuditId.status, withAuditId.headers?.get("audit-id")]).toEqual([404, "mine"]);
  });

  test("A7: the cluster gets the server's address from the edge, and not from the client", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = { ...bearer(await adminToken(secret, id)), "sandbar-server": "https://elsewhere" };
    const { arrived } = await send(`http://host/c/${id}/.well-known/openid-configuration`, headers);
    expect(arrived.map((forwarded) => forwarded.headers.get("sandbar-server"))).toEqual([`https://service/c/${id}`]);
  });

  test("A7: the sandbox's own token is forwarded unchanged", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const token = await adminToken(secret, id);
    const { status, arrived } = await send(`http://host/c/${id}/api/v1/pods?limit=5`, bearer(token));
    expect([status, arrived[0]?.id, arrived[0]?.path]).toEqual([200, id, `/c/${id}/api/v1/pods?limit=5`]);
    expect(arrived[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
  });

  test("A1: a missing, wrong or foreign token is 401, reveals nothing, and wakes no cluster", async () => {
    const [id, otherId] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: false }),
    ];
    const view = await newViewToken(secret, id, nowMs + 60_000);
    const wrong = [
      {},
      bearer(""),
      bearer("sba_"),
      bearer("sbk_aaaaaaaaaaaaaaaaaaaaaaaa"),
      bearer(await adminToken(secret, otherId)),
      bearer(await adminToken("another secret", id)),
      bearer(await newViewToken(secret, otherId, nowMs + 60_000)),
      bearer(`${view}a`),
      bearer(view.replace("_", "_1")),
      { authorization: `Basic ${btoa("admin:admin")}` },
    ];
    for (const headers of wrong) {
      expect(await send(`http://host/c/${id}/api`, headers)).toMatchObject({
        status: 401,
        body: unauthorized,
        arrived: [],
      });
    }
  });

  test("A4: a view token ends at its expiry, and the expiry cannot be changed", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const token = await newViewToken(secret, id, nowMs + 60_000);
    expect(await isTokenOf(secret, id, token, nowMs + 59_999)).toBe(true);
    expect(await isTokenOf(secret, id, token, nowMs + 60_000)).toBe(false);
    const later = ((nowMs + 90_000) / 1000).toString(36);
    expect(await isTokenOf(secret, id, token.replace(/^sbv_[^_]+/, `sbv_${later}`), nowMs)).toBe(false);
  });

  test("A8: a service account's token is forwarded to the cluster, which verifies it", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    expect(await send(`http://host/c/${id}/api`, bearer("eyJh.eyJp.c2ln"))).toMatchObject({ status: 200 });
    expect(await send(`http://host/c/${id}/api`, bearer("eyJh.eyJp"))).toMatchObject({ status: 401 });
  });

  test("A7: a WebSocket may have the token as a subprotocol, which is not forwarded", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const token = await adminToken(secret, id);
    const { arrived } = await send(
      `http://host/c/${id}/api/v1/namespaces/a/services/b/proxy`,
      socket("v5.channel.k8s.io", asProtocol(token)),
    );
    expect(arrived[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
    expect(arrived[0]?.headers.get("sec-websocket-protocol")).toBe("v5.channel.k8s.io");
  });

  test("A1: as upstream, such a token is refused without an upgrade, alone, twice, or in another encoding", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const token = asProtocol(await adminToken(secret, id));
    const { upgrade: _, ...withoutUpgrade } = socket("x", token);
    for (const headers of [withoutUpgrade, socket(token), socket("x", token, token), socket("x", `${token}%`)]) {
      expect(await send(`http://host/c/${id}/api`, headers)).toMatchObject({ status: 401, arrived: [] });
    }
  });
});

describe("paths and hosts", () => {
  test("A7: the sandbox is in the path or in the first label of the host", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = bearer(await adminToken(secret, id));
    for (const url of [`http://host/c/${id}/api`, `http://${id}.host/api`]) {
      expect((await send(url, headers)).arrived[0]).toMatchObject({ id, path: "/api" });
    }
    expect((await send(`http://host/c/${id}`, headers)).arrived[0]?.path).toBe("/");
    expect((await send("http://www.host/api")).status).toBeUndefined();
  });

  test("A1: a path without a sandbox is routed to the admin token's sandbox if the token is genuine", async () => {
    const [id, otherId] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: false }),
    ];
    const token = await adminToken(secret, id);
    const { status, arrived } = await send("http://host/readyz?verbose", bearer(token));
    expect([status, arrived[0]?.id, arrived[0]?.path]).toEqual([200, id, "/readyz?verbose"]);
    const forged = [token.replace(id, otherId), `${token}a`, `sba_${otherId}_`];
    for (const forgedToken of forged)
      expect(await send("http://host/api", bearer(forgedToken))).toMatchObject({ status: 401, arrived: [] });
    const view = await newViewToken(secret, id, nowMs + 60_000);
    for (const wrongToken of [view, "sba_x_y", "sbk_x"])
      expect((await send("http://host/api", bearer(wrongToken))).status).toBeUndefined();
    // A path that names a sandbox is for that one alone.
    expect(await send(`http://host/c/${otherId}/api`, bearer(token))).toMatchObject({ status: 401, arrived: [] });
  });

  test("A1: no path leaves its sandbox: dots are resolved before the check, encoded slashes never", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = bearer(await adminToken(secret, id));
    for (const path of ["/../x/api", "/%2e%2e/x/api", "/a/..%2f..%2fv1", "/..%5c..%5cv1", "//evil.example/x"]) {
      const { arrived, status } = await send(`http://host/c/${id}${path}`, headers);
      if (status === 200) expect(arrived[0]?.id).toBe(id);
      else expect(status).toBe(404);
    }
    const encodedPath = await send(`http://host/c/${id}/api/v1/a%2Fb%2e`, headers);
    expect(encodedPath.arrived[0]?.path).toBe("/api/v1/a%2Fb%2e");
    expect((await send(`http://host/c/${id}//evil.example/x`, headers)).arrived[0]?.path).toBe("//evil.example/x");
  });

  test("A1: internal headers of a client are dropped", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = {
      ...bearer(await adminToken(secret, id)),
      "sandbar-watch": "join",
      "Sandbar-User": "root",
      "x-a": "b",
    };
    const { arrived } = await send(`http://host/c/${id}/api`, headers);
    const names = [...(arrived[0]?.headers.keys() ?? [])];
    expect(names.filter((name) => name.startsWith("sandbar"))).toEqual(["sandbar-server"]);
    expect(arrived[0]?.headers.get("sandbar-server")).toBe(`https://service/c/${id}`);
    expect(arrived[0]?.headers.get("x-a")).toBe("b");
  });

  test("A9: a browser never runs what a sandbox serves", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const { headers } = await send(`http://host/c/${id}/api`, bearer(await adminToken(secret, id)));
    expect(headers?.get("content-security-policy")).toContain("sandbox");
    expect(headers?.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("frame ancestors of a live view", () => {
  test("A4: are taken from the URL only with their tag, for their sandbox", async () => {
    const origins = ["https://course.example.org", "http://localhost:9000"];
    const parameter = await frameParameter(secret, "one", origins);
    expect(await frameOrigins(secret, "one", parameter)).toEqual(origins);
    for (const bad of ["", "x", `x${parameter}`, `${btoa("https://evil.example")}.${parameter.split(".")[1]}`]) {
      expect(await frameOrigins(secret, "one", bad)).toEqual([]);
    }
    expect(await frameOrigins(secret, "two", parameter)).toEqual([]);
  });
});
