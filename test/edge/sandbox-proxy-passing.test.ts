// What the way into a sandbox hands on to the cluster and back: the request as it was sent, the answer hardened, failures in words.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { proxyToSandbox, type SandboxProxy } from "../../worker/edge/sandbox-proxy.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken } from "../../worker/edge/tokens.ts";

const secret = "a secret of a test, 32 characters or more";

interface Sent {
  readonly path?: string;
  readonly init?: RequestInit;
  readonly cf?: object;
  readonly answer?: () => Response;
  readonly proxy?: Partial<SandboxProxy>;
}

/** Enters with the administrator's token. */
async function enter({ path = "/api", init = {}, cf, answer = () => new Response("{}"), proxy = {} }: Sent) {
  const id = await newSandboxId(secret, { anonymousAccess: false });
  const arrived: { url: string; init: RequestInit; headers: Headers }[] = [];
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${await adminToken(secret, id)}`);
  const request = new Request(`http://host/c/${id}${path}`, { ...init, headers });
  if (cf) Object.defineProperty(request, "cf", { value: cf });
  const address = sandboxAddress(request);
  if (!address) throw new Error("no address");
  const response = await proxyToSandbox(request, address, {
    secret,
    server: "https://service",
    nowMs: () => 0,
    cluster: () => ({
      fetch: async (url, given = {}) => {
        arrived.push({ url, init: given, headers: new Headers(given.headers) });
        return answer();
      },
    }),
    ...proxy,
  });
  return { response, arrived };
}

describe("what reaches the cluster", () => {
  test("A7: method and body as they were sent; what it answers as a redirection is the client's", async () => {
    const { arrived, response } = await enter({
      path: "/api/v1/namespaces?dryRun=All",
      init: { method: "POST", body: "{}" },
      answer: () => new Response(null, { status: 307, headers: { location: "/elsewhere" } }),
    });
    expect(arrived).toHaveLength(1);
    expect([arrived[0]?.url, arrived[0]?.init.method, arrived[0]?.init.redirect]).toEqual([
      "http://host/api/v1/namespaces?dryRun=All",
      "POST",
      "manual",
    ]);
    expect(await new Response(arrived[0]?.init.body).text()).toBe("{}");
    expect([response.status, response.headers.get("location")]).toEqual([307, "/elsewhere"]);
  });

  test.each([
    ["br, gzip", "br, gzip"],
    ["", null],
    [undefined, "identity"],
    [7, "identity"],
  ])(
    "A7: what the platform says the client takes, %j, is what the cluster is told: %s",
    async (clientAcceptEncoding, expected) => {
      const init = { headers: { "accept-encoding": "identity" } };
      const { arrived } = await enter({ init, cf: { clientAcceptEncoding } });
      expect(arrived[0]?.headers.get("accept-encoding")).toBe(expected);
    },
  );
});

describe("what comes back", () => {
  test("A9: every answer is hardened and otherwise as it was", async () => {
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

  test("S8: a refusal on the way is a Status; where nothing more can be stored so is any failure, and else it is itself", async () => {
    const failing = (error: Error, room?: boolean) =>
      enter({
        answer: () => {
          throw error;
        },
        ...(room === undefined ? {} : { proxy: { hasRoom: () => Promise.resolve(room) } }),
      });
    const gone = await failing(new ApiError(410, "Gone", "the sandbox is gone"), false);
    expect([gone.response.status, await gone.response.json()]).toMatchObject([410, { reason: "Gone", kind: "Status" }]);
    const full = await failing(new Error("internal error"), false);
    expect([full.response.status, await full.response.json()]).toMatchObject([507, { reason: "InsufficientStorage" }]);
    await expect(failing(new Error("internal error"), true)).rejects.toThrow("internal error");
    await expect(failing(new Error("internal error"))).rejects.toThrow("internal error");
  });
});
