// Outbound calls of Node.js for a sandbox: trust, requests, and errors in Go's words.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TunnelCall } from "../../shared/contract/tunnel.ts";
import { begin, perform } from "../../client/tunnel/perform.ts";
import { wordsOf } from "../../client/tunnel/words.ts";
import { type HttpsServer, httpsServer, type Say } from "../https-server.ts";

let server: HttpsServer;
/** Sends its own certificate without the intermediate. */
let alone: HttpsServer;
let origin: string;
beforeAll(async () => {
  const say: Say = ({ path }) => {
    if (path === "/never") return undefined;
    return path === "/long"
      ? { body: "x".repeat(9_000_000) }
      : { status: 201, headers: { "x-own": "1" }, body: "said" };
  };
  server = await httpsServer(["hook.default.svc"], say);
  alone = await httpsServer(["hook.default.svc"], say, "alone");
  origin = `https://127.0.0.1:${server.port}`;
});
afterAll(() => Promise.all([server.close(), alone.close()]));

function question(more: Partial<TunnelCall> = {}): TunnelCall {
  const base = {
    id: "1",
    method: "POST",
    path: "/a?b=c",
    serverName: "hook.default.svc",
    headers: [],
    timeoutMs: 5000,
  };
  return { ...base, body: Buffer.from("asked").toString("base64"), caBundle: server.caBundle, ...more };
}

describe("an outbound call", () => {
  test("is sent with the Service's name, and trusts its CA bundle", async () => {
    const headers = [
      ["X-Remote-Group", "a"],
      ["X-Remote-Group", "b, c"],
    ] as const;
    const answer = await perform(question({ headers }), origin);
    expect(answer).toMatchObject({ id: "1", status: 201, body: Buffer.from("said").toString("base64") });
    expect("headers" in answer && answer.headers).toContainEqual(["x-own", "1"]);
    const heard = server.heard.at(-1);
    expect(heard).toMatchObject({
      method: "POST",
      path: "/a?b=c",
      body: "asked",
      headers: { host: "hook.default.svc" },
    });
    const groups = heard?.rawHeaders.filter((_, at, all) => all[at - 1]?.toLowerCase() === "x-remote-group");
    expect(groups).toEqual(["a", "b, c"]);
  });

  test("fails for an untrusted authority, a wrong name, a timeout, too long an answer, and a missing server", async () => {
    const failed = "tls: failed to verify certificate: x509: ";
    const { caBundle: _, ...withoutBundle } = question();
    const error = async (call: TunnelCall, at = origin) => ((await perform(call, at)) as { error?: string }).error;
    expect(await error(withoutBundle)).toBe(`${failed}certificate signed by unknown authority`);
    expect(await error(question({ serverName: "other.default.svc" }))).toBe(
      `${failed}certificate is valid for hook.default.svc, not other.default.svc`,
    );
    expect(await error(question({ path: "/never", timeoutMs: 50 }))).toBe("context deadline exceeded");
    expect(await error(question({ path: "/long" }))).toBe("the answer is longer than 8388608 bytes");
    expect(await error(question(), "https://127.0.0.1:1")).toBe("dial tcp 127.0.0.1:1: connect: connection refused");
    expect(await error({ ...withoutBundle, insecure: true })).toBeUndefined();
  });
});

describe("a CA bundle", () => {
  const unknown = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  const callResult = async (to: HttpsServer, caBundle: string, serverName = "hook.default.svc") => {
    const at = `https://127.0.0.1:${to.port}`;
    const answer = await perform(question({ caBundle, serverName }), at);
    const { signal } = new AbortController();
    const begun = await begin(question({ caBundle, serverName }), at, undefined, signal);
    if ("body" in begun) begun.body.destroy();
    return [answer, begun].map((outcome) => ("error" in outcome ? outcome.error : outcome.status));
  };

  test("trusts what Go trusts: a root, an intermediate, or the server's own certificate, whatever the server sends", async () => {
    for (const httpsServer of [server, alone]) {
      expect(await callResult(httpsServer, httpsServer.intermediate)).toEqual([201, 201]);
      expect(await callResult(httpsServer, httpsServer.certificate)).toEqual([201, 201]);
      expect(await callResult(httpsServer, btoa(atob(server.certificate) + atob(alone.certificate)))).toEqual([
        201, 201,
      ]);
    }
    expect(await callResult(server, server.caBundle)).toEqual([201, 201]);
  });

  test("with other authorities, or without a chain to the server's certificate, is refused in Go's words", async () => {
    for (const otherBundle of [alone.caBundle, alone.intermediate, alone.certificate])
      expect(await callResult(server, otherBundle)).toEqual([unknown, unknown]);
    for (const otherBundle of [server.caBundle, server.intermediate, server.certificate, alone.caBundle])
      expect(await callResult(alone, otherBundle)).toEqual([unknown, unknown]);
  });

  test("with the server's own certificate does not accept another server name", async () => {
    const why =
      "tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, not other.default.svc";
    expect(await callResult(server, server.certificate, "other.default.svc")).toEqual([why, why]);
  });
});

test("Node.js errors are translated to Go's", () => {
  const error = (code: string) => wordsOf(Object.assign(new Error("m"), { code }), "x.example:443");
  expect(error("ENOTFOUND")).toBe("dial tcp: lookup x.example: no such host");
  expect(error("CERT_HAS_EXPIRED")).toContain("certificate has expired or is not yet valid");
  expect(error("EPROTO")).toBe("http: server gave HTTP response to HTTPS client");
  expect(error("OTHER")).toBe("m");
});
