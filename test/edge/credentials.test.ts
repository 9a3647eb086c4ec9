// Credentials of a sandbox beside its own tokens: none by default, anonymous access, and certificates.
import { describe, expect, test } from "vitest";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { proxyToSandbox } from "../../worker/edge/sandbox-proxy.ts";
import { readSandboxId, newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken, newUserToken, newViewToken } from "../../worker/edge/tokens.ts";
import { newThrottle } from "../../worker/edge/service/throttle.ts";

const secret = "a secret of a test, 32 characters or more";
const nowMs = Date.UTC(2026, 0, 1);
const server = "https://service";

interface Sent {
  readonly headers?: Record<string, string>;
  readonly cf?: object;
  readonly certificates?: string;
}

async function send(path: string, { headers = {}, cf, certificates }: Sent = {}) {
  const request = new Request(`http://host${path}`, { headers });
  if (cf) Object.defineProperty(request, "cf", { value: cf });
  const address = sandboxAddress(request);
  if (!address) return { arrived: undefined, status: 404, warning: null };
  let arrived: Headers | undefined;
  const cluster = () => ({
    fetch: async (_to: string, init: RequestInit = {}) => {
      arrived = new Headers(init.headers);
      return new Response("{}");
    },
  });
  const proxy = {
    throttle: newThrottle(),
    holdings: unboundedHoldings(),
    secret,
    server,
    cluster,
    nowMs: () => nowMs,
    certificates,
  };
  const { status, headers: answered } = await proxyToSandbox(request, address, proxy);
  return { arrived, status, warning: answered.get("warning") };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("users' tokens", () => {
  test("A1: are valid only for their sandbox and until their expiry", async () => {
    const [id, otherId] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: false }),
    ];
    const token = await newUserToken(secret, id, nowMs + 60_000);
    expect((await send(`/c/${id}/api`, { headers: bearer(token) })).status).toBe(200);
    const later = ((nowMs + 90_000) / 1000).toString(36);
    const view = await newViewToken(secret, id, nowMs + 60_000);
    const wrong = [
      await newUserToken(secret, id, nowMs),
      await newUserToken(secret, otherId, nowMs + 60_000),
      token.replace(id, otherId),
      token.replace(/_[^_]+_([^_]+_[^_]+)$/, `_${later}_$1`),
      `${token}_`,
      token.slice(0, -1),
      token.replace("sbu_", "sbv_"),
      view.replace("sbv_", `sbu_${id}_`),
      view.replace("sbv_", "sbu_"),
    ];
    for (const wrongToken of wrong) {
      expect([wrongToken, (await send(`/c/${id}/api`, { headers: bearer(wrongToken) })).status]).toEqual([
        wrongToken,
        401,
      ]);
    }
  });

  test("A1: select their sandbox for a path without one", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = bearer(await newUserToken(secret, id, nowMs + 60_000));
    expect((await send("/readyz", { headers })).status).toBe(200);
    expect((await send("/readyz", { headers: bearer(`sbu_${id}_x_y_z`) })).status).toBe(401);
  });

  test("A8: are forwarded in unknown forms to the cluster, which verifies them", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    expect((await send(`/c/${id}/api`, { headers: bearer("abcdef.0123456789abcdef") })).status).toBe(200);
    for (const token of ["abcdef.0123456789abcde", "abcdefg.0123456789abcdef", "ABCDEF.0123456789abcdef"]) {
      expect((await send(`/c/${id}/api`, { headers: bearer(token) })).status).toBe(401);
    }
  });
});

describe("anonymous access", () => {
  test("A2: an id encodes whether its sandbox is open, and cannot be forged", async () => {
    const [closed, open] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: true }),
    ];
    expect([await readSandboxId(secret, closed), await readSandboxId(secret, open)]).toEqual([
      { anonymousAccess: false },
      { anonymousAccess: true },
    ]);
    expect(open.length).toBe(closed.length);
    expect(await readSandboxId(secret, open.slice(0, 16) + closed.slice(16))).toBeUndefined();
    expect(await readSandboxId("another secret", open)).toBeUndefined();
  });

  test("A8: a request without credentials wakes only an open sandbox, and is forwarded without credentials", async () => {
    const [closed, open] = [
      await newSandboxId(secret, { anonymousAccess: false }),
      await newSandboxId(secret, { anonymousAccess: true }),
    ];
    const authorizationHeaders = ["Basic YTpi", "Bearer", "Bearer  x"].map((authorization) => ({ authorization }));
    for (const headers of [undefined, ...authorizationHeaders]) {
      const sent = headers ? { headers } : {};
      expect(await send(`/c/${closed}/api`, sent)).toMatchObject({ status: 401, arrived: undefined });
      const { status, arrived } = await send(`/c/${open}/api`, sent);
      expect([status, arrived?.get("authorization")]).toEqual([200, null]);
    }
  });

  test("A1: wrong credentials are 401 for an open sandbox as well", async () => {
    const [open, otherId] = [
      await newSandboxId(secret, { anonymousAccess: true }),
      await newSandboxId(secret, { anonymousAccess: true }),
    ];
    for (const token of ["x", await adminToken(secret, otherId), await newViewToken(secret, open, nowMs)]) {
      expect(await send(`/c/${open}/api`, { headers: bearer(token) })).toMatchObject({
        status: 401,
        arrived: undefined,
      });
    }
    const protocol = { upgrade: "websocket", "sec-websocket-protocol": "x, base64url.bearer.authorization.k8s.io.Cg" };
    expect(await send(`/c/${open}/api`, { headers: protocol })).toMatchObject({ status: 401, arrived: undefined });
  });
});

describe("client certificates", () => {
  const name = "sandbar-client-certificate";
  const cf = { tlsClientAuth: { certPresented: "1", certRFC9440: ":MIIB+/8=:" } };

  test("A8: the platform's certificate, or a configured proxy header, reaches the cluster as base64", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const headers = { "client-cert": ":MIIB:" };
    const arrived = async (certificates: string) =>
      (await send(`/c/${id}/api`, { cf, headers, certificates })).arrived?.get(name);
    expect([await arrived("cf"), await arrived("client-cert")]).toEqual(["MIIB+/8=", "MIIB"]);
  });

  test("A1: a client's own headers are not taken as a certificate", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    for (const header of ["client-cert", name, "Sandbar-Client-Certificate"]) {
      expect(await send(`/c/${id}/api`, { cf, headers: { [header]: "MIIB" } })).toMatchObject({ status: 401 });
      const forgedHeaders = { headers: { [header]: "MIIB" }, certificates: "cf" };
      expect(await send(`/c/${id}/api`, forgedHeaders)).toMatchObject({ status: 401, arrived: undefined });
    }
    const headers = { ...bearer(await adminToken(secret, id)), [name]: "MIIB" };
    expect((await send(`/c/${id}/api`, { headers })).arrived?.has(name)).toBe(false);
    const none = { tlsClientAuth: { certPresented: "0", certRFC9440: "" } };
    const withoutCertificate = { cf: none, headers: { "client-cert": "MIIB" }, certificates: "cf" };
    expect(await send(`/c/${id}/api`, withoutCertificate)).toMatchObject({ status: 401, arrived: undefined });
  });

  test("A8: a request without a token gets a warning if the service does not receive client certificates", async () => {
    const id = await newSandboxId(secret, { anonymousAccess: false });
    const warning = '299 - "this service does not receive client certificates; send a bearer token"';
    expect(await send(`/c/${id}/api`)).toMatchObject({ status: 401, warning });
    expect(await send(`/c/${id}/api`, { headers: bearer("x") })).toMatchObject({ status: 401, warning: null });
    expect(await send(`/c/${id}/api`, { certificates: "cf" })).toMatchObject({ status: 401, warning: null });
  });
});
