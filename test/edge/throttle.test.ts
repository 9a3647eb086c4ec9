// Throttling of failed authentication by address and by guessed credential. Valid credentials always pass.
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { describe, expect, test } from "vitest";
import { accessLimits } from "../../shared/base/request-limits.ts";
import { newThrottle, prefixOf, type SharedCount } from "../../worker/edge/service/throttle.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { proxyToSandbox } from "../../worker/edge/sandbox-proxy.ts";
import { adminToken, newUserToken } from "../../worker/edge/tokens.ts";
import { keys, newService, secret, startMs } from "./service.ts";

const { failuresBurst: burst, failureLeakMs: leakMs, failuresCounted: most } = accessLimits;
const fromOne = { "cf-connecting-ip": "192.0.2.1" };
const wrongKey = (at: number) => `sbk_${String(at).padStart(40, "q")}`;

describe("counts of failed requests", () => {
  test("allow a burst, then one request for each leak; the wait is bounded and shrinks", async () => {
    const throttle = newThrottle();
    const failed = (nowMs: number) => throttle.failed({ address: "a", credential: "" }, nowMs);
    for (let at = 0; at < burst; at++) expect(await failed(0)).toBeUndefined();
    const waits = [];
    for (let at = 0; at < 300; at++) waits.push(await failed(0));
    expect(Math.max(...waits.map((waitMs) => waitMs ?? 0))).toBe(((most - burst) * leakMs) / 1000);
    expect(waits).not.toContain(undefined);
    const restMs = (most - burst + 1) * leakMs;
    expect(await failed(restMs - 1)).toBeGreaterThan(0);
    expect(await failed(restMs + 2 * leakMs)).toBeUndefined();
  });

  test("separate addresses, but count guesses at one key from all of them", async () => {
    const throttle = newThrottle();
    for (let at = 0; at <= burst; at++) await throttle.failed({ address: "a", credential: wrongKey(at) }, 0);
    expect(await throttle.failed({ address: "b", credential: "sbk_other" }, 0)).toBeUndefined();
    expect(await throttle.failed({ address: "c", credential: wrongKey(1) }, 0)).toBeGreaterThan(0);
  });

  test("include only the guessed key for local programs", async () => {
    const throttle = newThrottle();
    const failed = (address: string, credential: string) => throttle.failed({ address, credential }, 0);
    for (let at = 0; at < 2 * burst; at++) {
      for (const address of ["127.0.0.1", "0:0:0:0", ""]) expect(await failed(address, "")).toBeUndefined();
    }
    for (let at = 0; at < burst; at++) await failed("127.0.0.1", wrongKey(at));
    expect(await failed("127.0.0.1", wrongKey(1))).toBeGreaterThan(0);
  });

  test("are bounded, and the newest failures are kept", async () => {
    const throttle = newThrottle();
    const failed = (address: string) => throttle.failed({ address, credential: "" }, 0);
    for (let at = 0; at < burst; at++) await failed("first");
    for (let at = 0; at < burst; at++) await failed("kept");
    for (let at = 1; at < accessLimits.keptFailures; at++) await failed(`other ${at}`);
    expect([await failed("kept"), await failed("first")]).toEqual([2, undefined]);
  });

  test("include all isolates if this isolate's count would allow the request", async () => {
    const sharedRequests: string[] = [];
    const shared: SharedCount = {
      limit: async ({ key }) => {
        sharedRequests.push(key);
        return { success: sharedRequests.length < 4 };
      },
    };
    const failed = () => newThrottle(shared).failed({ address: "a", credential: wrongKey(1) }, 0);
    expect([await failed(), await failed()]).toEqual([undefined, accessLimits.sharedFailuresSeconds]);
    expect(sharedRequests).toEqual(["address a", "prefix sbk_qqqq", "address a", "prefix sbk_qqqq"]);
  });

  test("group a token by what it names, and a key by its prefix", () => {
    const credentials = [
      "sba_id_tag",
      "sbu_id_expires_random_tag",
      "sbk_abcdefgh",
      "sbk_ab",
      "a.b.c",
      "",
      "x".repeat(999),
    ];
    expect(credentials.map(prefixOf)).toEqual([
      "sba_id_",
      "sbu_id_expires_random_",
      "sbk_abcd",
      "sbk_ab",
      undefined,
      undefined,
      undefined,
    ]);
    expect(prefixOf(`${"_".repeat(5000)}x`)).toHaveLength(accessLimits.failureKeyCharacters);
  });
});

describe("the control API", () => {
  const ways: readonly [
    string,
    (at: number) => { path: string; method?: string; key?: string; body?: object; cookie?: string },
  ][] = [
    ["keys", (at) => ({ path: "/v1/sandboxes", key: wrongKey(at) })],
    ["sessions", (at) => ({ path: "/v1/me", cookie: `sandbar-session=sbs_${"q".repeat(50)}${"abcdefg"[at % 7]}` })],
    ["the operator's key", (at) => ({ path: "/v1/admin/tenants", key: `wrong${at}` })],
    ["learners' tokens", (at) => ({ path: "/v1/learn/access", key: `sbl_${at}` })],
    [
      "links of classes",
      (at) => ({ path: "/v1/classes/join", method: "POST", key: "", body: { class: `sbj_${at}`, name: "a" } }),
    ],
    [
      "invitations",
      (at) => ({ path: "/v1/join/options", method: "POST", key: "", body: { invitation: `sbi_${at}`, name: "a" } }),
    ],
    [
      "frames' tickets",
      (at) => ({ path: "/v1/embed/sessions", method: "POST", key: "", body: { ticket: `${at}`, template: "empty" } }),
    ],
  ];

  test.each(ways)("300 wrong %s in a row are a burst of refusals, then 429 with Retry-After", async (_, way) => {
    const { send } = await newService();
    const statusCounts = new Map<number, number>();
    for (let at = 0; at < 300; at++) {
      const { path, method = "GET", ...options } = way(at);
      const ownPageRequest = { ...fromOne, origin: "http://localhost:8787", "sec-fetch-site": "same-origin" };
      const answer = await send(method, path, { ...options, headers: ownPageRequest });
      statusCounts.set(answer.status, (statusCounts.get(answer.status) ?? 0) + 1);
      if (answer.status !== 429) continue;
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await answer.json<{ error: { code: string } }>()).error.code).toBe("too_many_failures");
    }
    const [refused] = [...statusCounts.keys()];
    expect([...statusCounts]).toEqual([
      [refused, burst],
      [429, 300 - burst],
    ]);
  });

  test("a right key is accepted from the same address, a request without key is not counted, and the count decays", async () => {
    const { send, time } = await newService();
    const statusOf = async (key: string) => (await send("GET", "/v1/sandboxes", { key, headers: fromOne })).status;
    for (let at = 0; at < 100; at++) expect(await statusOf("")).toBe(401);
    for (let at = 0; at < 100; at++) await statusOf(wrongKey(at));
    expect([await statusOf(wrongKey(1)), await statusOf(keys.ada), await statusOf(wrongKey(1))]).toEqual([
      429, 200, 429,
    ]);
    expect((await send("GET", "/v1/sandboxes", { key: "sbk_another000000000" })).status).toBe(401);
    time.nowMs += most * leakMs;
    expect(await statusOf(wrongKey(1))).toBe(401);
  });
});

describe("the sandbox API", () => {
  async function newSandbox(answer: () => Response = () => new Response("{}")) {
    const [id, throttle] = [await newSandboxId(secret, { anonymousAccess: false }), newThrottle()];
    let clusterRequests = 0;
    const cluster = () => ({
      fetch: async () => {
        clusterRequests += 1;
        return answer();
      },
    });
    const holdings = unboundedHoldings();
    const proxy = { secret, server: "https://service", nowMs: () => startMs, cluster, throttle, holdings };
    const get = async (token: string, headers: Record<string, string> = {}) => {
      const all = { ...fromOne, ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
      const request = new Request(`http://host/c/${id}/api`, { headers: all });
      const address = sandboxAddress(request);
      return proxyToSandbox(request, address ?? expect.fail("no address"), proxy);
    };
    return { id, get, asked: () => clusterRequests };
  }

  test("300 wrong tokens in a row are 401, then a Status with 429; the right one passes", async () => {
    const { id, get, asked: clusterRequests } = await newSandbox();
    const statuses: number[] = [];
    for (let at = 0; at < 300; at++) statuses.push((await get(`sba_${id}_${String(at).padStart(51, "q")}`)).status);
    expect([
      statuses.filter((status) => status === 401).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([burst, 300 - burst]);
    expect(clusterRequests()).toBe(0);
    const refused = await get("nonsense");
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await refused.json()).toMatchObject({
      kind: "Status",
      code: 429,
      reason: "TooManyRequests",
      details: { retryAfterSeconds: 10 },
    });
    expect((await get(await adminToken(secret, id))).status).toBe(200);
  });

  test("an expired token is refused as expired any number of times", async () => {
    const { id, get } = await newSandbox(() => new Response("{}", { status: 401 }));
    for (const token of [await adminToken(secret, id, 1), await newUserToken(secret, id, startMs - 1000), ""]) {
      for (let at = 0; at < 2 * burst; at++) expect((await get(token)).status).toBe(401);
    }
  });

  test("tokens that only the cluster can verify are counted by its answer", async () => {
    const { get, asked: clusterRequests } = await newSandbox(() => new Response("{}", { status: 401 }));
    const statuses: number[] = [];
    for (let at = 0; at < 30; at++) statuses.push((await get(`a.b.${at}`)).status);
    expect([statuses.indexOf(429), clusterRequests()]).toEqual([burst, 30]);
  });
});
