// Requests of the client library: idempotency keys, retries and errors.
import { describe, expect, test, vi } from "vitest";
import { Sandbar, SandbarError } from "../../client/index.ts";
import { requireDefaultAuthorities } from "../../client/cli/node-version.ts";
import { apiKey, labelsOf, secondsOf } from "../../client/cli/values.ts";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Answer = Response | Error;

function clientOf(...answers: readonly (() => Answer)[]) {
  const left = [...answers];
  const requests: { url: string; headers: Record<string, string>; body: unknown }[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    requests.push({ url: url instanceof Request ? url.url : url.toString(), headers, body: init.body });
    const answer = (left.shift() ?? left.at(-1) ?? (() => new Response("{}")))();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { client: new Sandbar({ url: "http://service/", key: "sbk_x", fetch }), seen: requests };
}

const lost = () => new TypeError("fetch failed", { cause: new Error("read ECONNRESET") });
const refused = (status: number, code: string) => () =>
  Response.json({ error: { code, message: "no", field: "nodes" } }, { status });
const createdResponse = () => Response.json({ id: "x" }, { status: 201 });

describe("requests of the library", () => {
  test("K2: are repeated with the same key if the answer to a creation is lost", async () => {
    vi.useFakeTimers();
    const { client, seen: requests } = clientOf(
      lost,
      () => new Response("bad gateway", { status: 502 }),
      createdResponse,
    );
    const pendingCall = client.createSandbox({ nodes: 0 });
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await pendingCall).toEqual({ id: "x" });
    const keys = new Set(requests.map(({ headers }) => headers["idempotency-key"]));
    expect([requests.length, keys.size, [...keys][0]?.length]).toEqual([3, 1, 36]);
    expect(new Set(requests.map(({ body }) => body))).toEqual(new Set(['{"nodes":0}']));
  });

  test("K2: are repeated while the first one is in progress", async () => {
    vi.useFakeTimers();
    const { client, seen: requests } = clientOf(refused(409, "request_in_progress"), createdResponse);
    const pendingCall = client.createSandbox();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect([await pendingCall, requests.length]).toEqual([{ id: "x" }, 2]);
  });

  test("K2: throw a refusal immediately, with its code and field", async () => {
    const { client, seen: requests } = clientOf(refused(400, "invalid_field"));
    const error: unknown = await client.createSandbox().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandbarError);
    expect(error).toMatchObject({ status: 400, code: "invalid_field", field: "nodes", message: "no" });
    expect(requests).toHaveLength(1);
  });

  test("K2: throw an answer that is not the service's with its status", async () => {
    const { client } = clientOf(() => new Response("<p>a proxy</p>", { status: 403 }));
    await expect(client.getSandbox("x")).rejects.toMatchObject({ status: 403, code: "unknown" });
  });

  test("K2: have no idempotency key for reads, and encode names in the address", async () => {
    const { client, seen: requests } = clientOf();
    await client.getSandbox("../snapshots?x");
    await client.listSandboxes({ name: "a", labels: { "example.org/a": "b c", d: "" }, limit: 5 });
    expect(requests[0]).toMatchObject({ url: "http://service/v1/sandboxes/..%2Fsnapshots%3Fx" });
    expect(requests[0]?.headers).toEqual({ authorization: "Bearer sbk_x" });
    const { searchParams } = new URL(requests[1]?.url ?? "");
    expect([...searchParams]).toEqual([
      ["name", "a"],
      ["limit", "5"],
      ["label", "example.org/a=b c"],
      ["label", "d="],
    ]);
  });
});

describe("the creation of a sandbox", () => {
  test("K2: an import of some length is the body, and the other fields are in the query", async () => {
    const { client, seen: requests } = clientOf(createdResponse, createdResponse);
    const long = "#".repeat(2_000_001);
    const fields = { name: "copy", nodes: 0, ttlSeconds: 60, seed: 5, labels: { a: "b" } };
    await client.createSandbox({ ...fields, import: long }, { wait: true });
    await client.createSandbox({ ...fields, import: "#" });
    const { searchParams } = new URL(requests[0]?.url ?? "");
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ wait: "ready", name: "copy", nodes: "0", ttlSeconds: "60", settings: '{"seed":5,"labels":{"a":"b"}}' },
    });
    expect([requests[0]?.headers["content-type"], requests[0]?.body]).toEqual(["application/yaml", long]);
    expect(requests[1]).toMatchObject({ url: "http://service/v1/sandboxes" });
    expect(JSON.parse(String(requests[1]?.body))).toEqual({ ...fields, import: "#" });
  });
});

describe("arguments of the command line", () => {
  test.each([
    ["90", 90],
    ["90s", 90],
    ["30m", 1800],
    ["12h", 43_200],
    ["7d", 604_800],
  ])("K4: %s is %i seconds", (text, seconds) => expect(secondsOf(text, "--ttl")).toBe(seconds));

  test.each(["", "h", "1.5h", "-1", "1w"])("K4: %j is an invalid time", (text) => {
    expect(() => secondsOf(text, "--every")).toThrow("--every must be a time");
  });

  test("K4: a label may have an empty value and = in its value", () => {
    expect(labelsOf(["a=", "b=c=d"])).toEqual({ a: "", b: "c=d" });
    expect(() => labelsOf(["=b"])).toThrow("key=value");
  });

  test("K4: the key comes from the environment, or from the nearest folder above", () => {
    const root = mkdtempSync(join(tmpdir(), "sandbar-key-"));
    mkdirSync(join(root, ".sandbar"));
    mkdirSync(join(root, "a/b"), { recursive: true });
    writeFileSync(join(root, ".sandbar/api-key"), "sbk_file\n");
    expect(apiKey({ SANDBAR_API_KEY: "sbk_env" }, root)).toBe("sbk_env");
    expect(apiKey({}, join(root, "a/b"))).toBe("sbk_file");
    expect(apiKey({ SANDBAR_DATA: join(root, ".sandbar") }, "/")).toBe("sbk_file");
    expect(apiKey({}, "/")).toBeUndefined();
  });
});

test("K4: a command that needs a newer Node.js says which", () => {
  expect(() => requireDefaultAuthorities({}, "v20.19.0")).toThrow(
    "this command needs Node.js 22.19, 24.5 or later; this is v20.19.0",
  );
  expect(() => requireDefaultAuthorities({ setDefaultCACertificates: () => undefined })).not.toThrow();
});
