// CORS of the control API. Origins of sandboxes are tested in workerd.
import { describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { addPerson } from "./people.ts";
import { keys, newService } from "./service.ts";

const course = "https://course.example.org";
const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };

async function newHarness(allowedOrigins = [course]) {
  const harness = await newService();
  const answer = await harness.send("PATCH", "/v1/tenant", { body: { allowedOrigins } });
  expect([answer.status, await answer.json()]).toMatchObject([200, { allowedOrigins }]);
  const ask = (origin: string, options: Parameters<typeof harness.send>[2] = {}, method = "GET") =>
    harness.send(method, "/v1/sandboxes", { ...options, headers: { origin, ...options.headers } });
  const mayAsk = async (origin: string) =>
    (await ask(origin, { key: "", headers: preflight }, "OPTIONS")).status === 204;
  return { ...harness, ask, mayAsk };
}

const allowed = (answer: Response) => answer.headers.get("access-control-allow-origin");

describe("an origin that a tenant allows", () => {
  test("O8: may send requests with that tenant's key, and preflights list the allowed headers", async () => {
    const { ask } = await newHarness();
    const before = await ask(course, { key: "", headers: preflight }, "OPTIONS");
    expect([before.status, Object.fromEntries(before.headers)]).toMatchObject([
      204,
      {
        "access-control-allow-origin": course,
        "access-control-allow-methods": expect.stringContaining("PATCH"),
        "access-control-allow-headers": expect.stringContaining("Authorization"),
        "access-control-max-age": String(limits.preflightSeconds),
        vary: "Origin",
      },
    ]);
    const answer = await ask(course);
    expect([answer.status, allowed(answer), answer.headers.get("vary")]).toEqual([200, course, "Origin"]);
    const refused = await ask(course, { key: `sbk_${"n".repeat(40)}` });
    expect([refused.status, allowed(refused)]).toEqual([401, course]);
    for (const corsResponse of [before, answer, refused])
      expect(corsResponse.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("O8: gets no CORS headers with another tenant's key", async () => {
    const { ask } = await newHarness();
    expect(allowed(await ask(course, { key: keys.bob }))).toBeNull();
  });

  test("O8: changes nothing with a session's cookie, and browsers cannot read the answer", async () => {
    const { ask, database, time, clusters } = await newHarness();
    const { cookie } = await addPerson(database, "ann", { tenant: "ada", role: "owner", nowMs: time.nowMs });
    const answer = await ask(course, { cookie, headers: { "sec-fetch-site": "cross-site" } });
    // Without this header a browser does not show what was asked with cookies.
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    expect((await ask(course, { cookie, headers: { "sec-fetch-site": "cross-site" } }, "POST")).status).toBe(403);
    expect(clusters.size).toBe(0);
  });

  test("O8: is refused after its removal, immediately in the same isolate", async () => {
    const { mayAsk, send, ask } = await newHarness();
    expect(await mayAsk(course)).toBe(true);
    await send("PATCH", "/v1/tenant", { body: { allowedOrigins: [] } });
    expect([await mayAsk(course), allowed(await ask(course))]).toEqual([false, null]);
  });

  test("O8: is read from D1 once a minute", async () => {
    const { mayAsk, ask, service, time } = await newHarness();
    const lookups = [vi.spyOn(service.tenants, "namesOrigin"), vi.spyOn(service.tenants, "find")];
    for (let at = 0; at < 20; at++) {
      await mayAsk(course);
      await ask(course);
    }
    expect(lookups.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    time.nowMs += limits.rememberedOriginMs;
    await mayAsk(course);
    expect(lookups[0]?.mock.calls.length).toBe(2);
  });

  test("O8: is refused without delay if D1 takes too long", async () => {
    const { service, mayAsk } = await newHarness();
    service.originCache.clear();
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.abort());
    vi.spyOn(service.tenants, "namesOrigin").mockReturnValue(new Promise(() => undefined));
    expect(await mayAsk(course)).toBe(false);
    vi.restoreAllMocks();
  });

  test("O8: is refused without an error if D1 fails", async () => {
    const { ask, service } = await newHarness();
    service.originCache.clear();
    for (const name of ["namesOrigin", "find"] as const)
      vi.spyOn(service.tenants, name).mockRejectedValue(new Error("D1 is away"));
    const answer = await ask(course);
    expect([answer.status, allowed(answer)]).toEqual([200, null]);
  });
});

describe("any other origin", () => {
  test.each([
    ["https://evil.example.org"],
    ["http://course.example.org"],
    ["https://course.example.org:444"],
    ["https://course.example.org.evil.org"],
    ["null"],
    [`https://${"x".repeat(300)}`],
  ])("O8: %s is not allowed", async (origin) => {
    const { ask, mayAsk } = await newHarness();
    expect([await mayAsk(origin), allowed(await ask(origin))]).toEqual([false, null]);
  });

  test("O8: the service's own pages need no CORS headers", async () => {
    const { ask } = await newHarness();
    const answer = await ask("http://localhost:8787");
    expect([answer.status, allowed(answer)]).toEqual([200, null]);
  });

  test.each([["*"], ["https://a.example.org/"], ["https://A.example.org"], ["javascript:alert(1)"], ["null"]])(
    "O8: %s is refused as an allowed origin",
    async (origin) => {
      const { send } = await newService();
      expect((await send("PATCH", "/v1/tenant", { body: { allowedOrigins: [origin] } })).status).toBe(400);
    },
  );

  test("O8: a tenant has a bounded number of allowed origins", async () => {
    const { send } = await newService();
    const many = Array.from({ length: limits.allowedOrigins + 1 }, (_, at) => `https://a${at}.example.org`);
    expect((await send("PATCH", "/v1/tenant", { body: { allowedOrigins: many } })).status).toBe(400);
    expect((await send("PATCH", "/v1/tenant", { body: { allowedOrigins: many.slice(1) } })).status).toBe(200);
  });
});
