// People, keys and pages of other origins in workerd, over D1 itself: the libraries work there, and so does the SQL.
import { type D1Migration, applyD1Migrations, env } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { fromGithub, toGithub } from "../../worker/edge/control-api/access/github.ts";
import { handle } from "../../worker/edge/handler.ts";
import { sweep } from "../../worker/edge/service/sweep.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import type { Env } from "../../worker/env.ts";
import { newAuthenticator } from "../edge/authenticator.ts";

interface TestEnv extends Env {
  readonly MIGRATIONS: D1Migration[];
}

// The pool's configuration binds these.
const bound = env as unknown as TestEnv;
const service = (exports as { default: Fetcher }).default;
const key = "sbk_annannannannannannann";
const origin = "https://sandbar.example.org";

beforeAll(async () => {
  await applyD1Migrations(bound.DB, bound.MIGRATIONS);
  await bound.DB.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES ('ann', 'ann', 0)").run();
  await bound.DB.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'ann', 0)")
    .bind(await hashOf(key))
    .run();
});

async function ask(
  method: string,
  path: string,
  { body, as = key, cookie }: { body?: unknown; as?: string; cookie?: string } = {},
) {
  const ownHeaders = { "sec-fetch-site": "same-origin", origin, ...(cookie ? { cookie } : {}) };
  const headers = {
    "content-type": "application/json",
    ...(as && !cookie ? { authorization: `Bearer ${as}` } : ownHeaders),
  };
  const answer = await service.fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  return answer;
}

async function createdBody<T>(answer: Promise<Response>, status = 201): Promise<T> {
  const { status: actualStatus } = await answer;
  expect([actualStatus, actualStatus === status ? "" : await (await answer).text()]).toEqual([status, ""]);
  return (await answer).json<T>();
}

async function entries() {
  const { entries: all } = await createdBody<{ entries: { action: string; outcome: string; by: { name: string } }[] }>(
    ask("GET", "/v1/audit"),
    200,
  );
  return all.map(({ action, outcome, by }) => `${by.name} ${action} ${outcome}`);
}

describe("people on D1", () => {
  test("O6, O10: create a passkey, sign in with it, and are deleted", async () => {
    const { code } = await createdBody<{ code: string }>(ask("POST", "/v1/invitations", { body: { role: "owner" } }));
    const authenticator = await newAuthenticator({ origin, rpId: "sandbar.example.org" });
    const joining = { invitation: code, name: "Ann" };
    const options = await createdBody<object>(ask("POST", "/v1/join/options", { body: joining, as: "" }), 200);
    const passkey = await authenticator.create(options);
    await createdBody(ask("POST", "/v1/join", { body: { ...joining, passkey }, as: "" }));
    await scheduler.wait(2);
    const signed = await authenticator.get(
      await createdBody<object>(ask("POST", "/v1/sign-in/passkey/options", { as: "" }), 200),
    );
    const answer = await ask("POST", "/v1/sign-in/passkey", { body: { passkey: signed }, as: "" });
    expect([answer.status, await answer.clone().text()]).toEqual([201, expect.stringContaining('"role":"owner"')]);
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(cookie).toMatch(/^__Secure-sandbar-session=sbs_/);
    const { id } = await createdBody<{ id: string }>(ask("POST", "/v1/sandboxes", { cookie, body: {} }));
    expect((await ask("DELETE", `/v1/sandboxes/${id}`, { cookie })).status).toBe(204);
    const listed = await createdBody<{ sessions: { id: string; current: boolean }[] }>(
      ask("GET", "/v1/me/sessions", { cookie }),
      200,
    );
    const otherSession = listed.sessions.find(({ current }) => !current)?.id ?? "";
    expect((await ask("DELETE", `/v1/me/sessions/${otherSession}`, { cookie })).status).toBe(204);
    expect((await ask("DELETE", "/v1/me/sessions/current", { cookie })).status).toBe(204);
    expect((await ask("GET", "/v1/me", { cookie })).status).toBe(401);
    await scheduler.wait(2);
    const again = await authenticator.get(
      await createdBody<object>(ask("POST", "/v1/sign-in/passkey/options", { as: "" }), 200),
    );
    const back = await ask("POST", "/v1/sign-in/passkey", { body: { passkey: again }, as: "" });
    await back.body?.cancel();
    const next = back.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const alone = await ask("DELETE", "/v1/me", { cookie: next });
    expect([alone.status, await alone.text()]).toEqual([409, expect.stringContaining("last_owner")]);
    await bound.DB.prepare("INSERT INTO people (id, name, created_at_ms) VALUES ('usrb', 'Bea', 0)").run();
    await bound.DB.prepare("INSERT INTO members VALUES ('ann', 'usrb', 'owner', 0)").run();
    await createdBody(ask("POST", "/v1/keys", { cookie: next, body: { name: "mine", scopes: ["audit:read"] } }));
    expect((await ask("DELETE", "/v1/me", { cookie: next })).status).toBe(204);
    expect((await ask("GET", "/v1/me", { cookie: next })).status).toBe(401);
    const left = await bound.DB.prepare("SELECT name FROM people").all<{ name: string }>();
    expect(left.results).toEqual([{ name: "Bea" }]);
    expect(await entries()).toEqual([
      " deleteMe done",
      " createKey done",
      " signInByPasskey done",
      " endSession done",
      " endSession done",
      " deleteSandbox done",
      " createSandbox done",
      " signInByPasskey done",
      " join done",
      "operator createInvitation done",
    ]);
  });

  test("O6: sign in with GitHub", async () => {
    const harness = { secret: "s".repeat(32), console: origin, nowMs: () => 1000 };
    const settings = {
      clientId: "id",
      clientSecret: "secret",
      url: "https://github.test",
      api: "https://api.github.test",
    };
    const sent = await toGithub(harness, settings, "");
    const state = new URL(sent.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const headers = new Headers({ cookie: sent.headers.get("set-cookie")?.split(";")[0] ?? "" });
    const requestedUrls: string[] = [];
    vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
      const request = new Request(input, init);
      requestedUrls.push(request.url);
      if (request.url.endsWith("/user")) return Response.json({ id: 7, login: "ann" });
      return Response.json({ access_token: "gho_x" });
    });
    const came = await fromGithub(harness, settings, { code: "c", state }, headers);
    vi.unstubAllGlobals();
    expect(came).toEqual({ account: { id: "7", login: "ann", name: "ann" }, invitation: "" });
    expect(requestedUrls).toEqual(["https://github.test/login/oauth/access_token", "https://api.github.test/user"]);
  });

  test("O4: create a key with scopes, use it with an audit entry, and revoke it", async () => {
    const body = { name: "ci", scopes: ["sandboxes:read"], ttlSeconds: 60 };
    const { id, key: text } = await createdBody<{ id: string; key: string }>(ask("POST", "/v1/keys", { body }));
    expect((await ask("GET", "/v1/sandboxes", { as: text })).status).toBe(200);
    const refused = await ask("POST", "/v1/sandboxes", { as: text });
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { scope: "sandboxes:create" } }]);
    await vi.waitFor(async () => {
      const { keys } = await createdBody<{ keys: { id: string; lastUsedAt?: string }[] }>(ask("GET", "/v1/keys"), 200);
      expect(keys.find((key) => key.id === id)?.lastUsedAt).toBeDefined();
    });
    expect((await ask("DELETE", `/v1/keys/${id}`)).status).toBe(204);
    const { id: invitation } = await createdBody<{ id: string }>(
      ask("POST", "/v1/invitations", { body: { role: "viewer" } }),
    );
    expect((await ask("DELETE", `/v1/invitations/${invitation}`)).status).toBe(204);
    expect((await ask("GET", "/v1/sandboxes", { as: text })).status).toBe(401);
    const noted = ["withdrawInvitation", "createInvitation", "revokeKey", "createKey"];
    expect((await entries()).slice(0, 4)).toEqual(noted.map((action) => `operator ${action} done`));
  });

  test("O9: delete an organisation, and the sweep leaves nothing of it", async () => {
    const otherKey = "sbk_evaevaevaevaevaevaeva";
    await bound.DB.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES ('eva', 'eva', 0)").run();
    await bound.DB.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'eva', 0)")
      .bind(await hashOf(otherKey))
      .run();
    await createdBody(ask("POST", "/v1/sandboxes", { as: otherKey, body: {} }));
    expect((await ask("DELETE", "/v1/tenant", { as: otherKey })).status).toBe(204);
    expect((await ask("GET", "/v1/sandboxes", { as: otherKey })).status).toBe(401);
    await sweep(bound);
    const { results } = await bound.DB.prepare("SELECT id FROM tenants WHERE id = 'eva'").all();
    expect(results).toEqual([]);
    const { results: left } = await bound.DB.prepare("SELECT id FROM sandboxes WHERE tenant_id = 'eva'").all();
    expect(left).toEqual([]);
  });
});

describe("a sandbox on D1", () => {
  const course = "https://course.example.org";

  async function newSandbox() {
    const { id, token } = await createdBody<{ id: string; token: string }>(ask("POST", "/v1/sandboxes", { body: {} }));
    const get = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
      service.fetch(`${origin}/c/${id}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      });
    const bare = (path: string, headers: Record<string, string>) =>
      service.fetch(`${origin}/c/${id}${path}`, { method: "OPTIONS", headers });
    return { id, get, bare };
  }

  const preflight = { origin: course, "access-control-request-method": "GET" };

  test("O8: may be requested and watched by pages of its tenant's origins, with a preflight", async () => {
    await createdBody(ask("PATCH", "/v1/tenant", { body: { allowedOrigins: [course] } }), 200);
    const { get, bare } = await newSandbox();
    const before = await bare("/api/v1/pods", preflight);
    expect([before.status, before.headers.get("access-control-allow-origin")]).toEqual([204, course]);
    const answer = await get("/api/v1/pods", { headers: { origin: course } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, course]);
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    const watch = await get("/api/v1/pods?watch=1&timeoutSeconds=1", { headers: { origin: course } });
    expect([watch.headers.get("access-control-allow-origin"), await watch.text()]).toEqual([course, ""]);
  });

  test("O8: refuses other pages, and an invented id causes no query once no secret was replaced", async () => {
    const { get, bare } = await newSandbox();
    const otherPreflight = { ...preflight, origin: "https://evil.example.org" };
    expect((await bare("/api", otherPreflight)).status).toBe(401);
    const answer = await get("/api", { headers: { origin: otherPreflight.origin } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    const invented = async (character: string) => {
      const url = `${origin}/c/${character.repeat(26)}/api`;
      return (await handle(new Request(url, { method: "OPTIONS", headers: preflight }), bound)).status;
    };
    expect(await invented("a")).toBe(404);
    const prepareSpy = vi.spyOn(bound.DB, "prepare");
    expect(await invented("b")).toBe(404);
    expect(prepareSpy).not.toHaveBeenCalled();
  });

  test("O3: sets none of the service's cookies, only its own", async () => {
    const { get } = await newSandbox();
    const answer = await get("/cookies");
    expect(answer.headers.getSetCookie()).toEqual(["theirs=theirs; Path=/v1"]);
  });
});
