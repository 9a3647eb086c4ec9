// Single sign-on by OpenID Connect, over a small provider that is played here.
import { describe, expect, test } from "vitest";
import { generateKeyPair } from "jose";
import { limits } from "../../shared/base/limits.ts";
import { identityLimits } from "../../shared/base/request-limits.ts";
import { auditList } from "../../shared/contract/control-audit.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { me } from "../../shared/contract/sign-in.ts";
import { issuerUrl, newIssuer, type Person } from "./issuer.ts";
import { addPerson, storedRows } from "./people.ts";
import { keys, newService } from "./service.ts";

const eve: Person = { sub: "eve-1", email: "Eve@Example.org", email_verified: true, name: "Eve" };
/** Metadata of issuers is cached in the process for ten minutes, so each test begins later. */
let clockMs = 0;

async function begin(settings: object = {}) {
  const harness = await newService();
  const issuer = await newIssuer();
  const { service, time, send } = harness;
  clockMs += 3_600_000;
  time.nowMs += clockMs;
  issuer.state.nowMs = time.nowMs;
  service.localService = issuer.localService;
  const body = { issuer: issuerUrl, clientId: "sandbar", clientSecret: "s3cret", ...settings };
  const set = () => send("PUT", "/v1/tenant/sso", { body });
  /** Starts a sign-in. Returns the provider's address and the browser's cookie. */
  const start = async (tenant = "ada") => {
    const answer = await send("GET", `/v1/sign-in/sso?tenant=${tenant}`, { key: "" });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    return { status: answer.status, location: answer.headers.get("location") ?? "", cookie };
  };
  const comeBack = async (query: Readonly<Record<string, string>>, cookie: string) => {
    const path = `/v1/sign-in/sso/callback?${new URLSearchParams(query)}`;
    const answer = await send("GET", path, { key: "", headers: { cookie } });
    const session = answer.headers.getSetCookie().find((text) => text.startsWith("sandbar-session="));
    return { to: answer.headers.get("location") ?? "", session: session?.split(";")[0] ?? "" };
  };
  const signIn = async (person: Person) => {
    const { location, cookie } = await start();
    return comeBack(issuer.approve(location, person), cookie);
  };
  const whoIs = async (cookie: string) => me.parse(await (await send("GET", "/v1/me", { cookie })).json());
  return { ...harness, issuer, set, start, comeBack, signIn, whoIs };
}

const home = "http://localhost:8787/#/";
const failedAt = (code: string) => `${home}sign-in/${code}`;

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("O11: the provider of an organisation", () => {
  test("is stored after its metadata was read, and its secret is never shown", async () => {
    const { set, send, database } = await begin({ groupRoles: { Admins: "owner" } });
    const stored = await (await set()).json<object>();
    expect(stored).toEqual({
      issuer: issuerUrl,
      clientId: "sandbar",
      hasClientSecret: true,
      role: "member",
      joins: true,
      domains: [],
      groupRoles: { admins: "owner" },
      redirectUri: "http://localhost:8787/v1/sign-in/sso/callback",
      signInUrl: "http://localhost:8787/v1/sign-in/sso?tenant=ada",
      scimUrl: "http://localhost:8787/v1/scim/v2",
    });
    expect(await (await send("GET", "/v1/tenant/sso")).json()).toEqual(stored);
    expect(storedRows(database).join()).not.toContain("s3cret");
    const again = { issuer: issuerUrl, clientId: "sandbar" };
    expect(await (await send("PUT", "/v1/tenant/sso", { body: again })).json()).toMatchObject({
      hasClientSecret: true,
    });
    const another = { issuer: issuerUrl, clientId: "other" };
    expect(await (await send("PUT", "/v1/tenant/sso", { body: another })).json()).toMatchObject({
      hasClientSecret: false,
    });
    expect((await send("DELETE", "/v1/tenant/sso")).status).toBe(204);
    expect((await send("GET", "/v1/tenant/sso")).status).toBe(404);
  });

  test.each([
    ["another issuer", { issuer: "https://evil.example.org" }, "another issuer"],
    ["no keys", { jwks_uri: 7 }, "incomplete metadata: jwks_uri"],
    ["no PKCE", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    ["an address with a user", { token_endpoint: "https://a@idp.example.org/token" }, "token_endpoint"],
  ])("is refused with %s in its metadata, and nothing is stored", async (_, metadata, why) => {
    const { issuer, set, send } = await begin();
    issuer.state.metadata = metadata;
    const error = await errorOf(await set());
    expect(error).toMatchObject({ status: 400, code: "invalid_field", field: "issuer" });
    expect(error.message).toContain(why);
    expect((await send("GET", "/v1/tenant/sso")).status).toBe(404);
  });

  test("is refused if it answers too much, no JSON, or an error", async () => {
    const { issuer, set } = await begin();
    for (const body of ["x".repeat(600_000), "<html>", "[]"]) {
      issuer.state.broken.set("/.well-known/openid-configuration", () => ({ status: 200, body }));
      expect((await set()).status).toBe(400);
    }
    issuer.state.broken.set("/.well-known/openid-configuration", () => ({ status: 500, body: "" }));
    expect((await errorOf(await set())).message).toContain("it answered 500");
  });

  test("must be public and have TLS on a hosted service", async () => {
    const { service, send } = await begin();
    service.localService = undefined;
    for (const issuer of ["http://idp.example.org", "https://127.0.0.1:9000", "https://localhost"]) {
      const answer = await send("PUT", "/v1/tenant/sso", { body: { issuer, clientId: "x" } });
      expect(await errorOf(answer)).toMatchObject({ status: 400, field: "issuer" });
    }
  });

  test("gives no role that exceeds the caller's", async () => {
    const { send, database, time } = await begin();
    const { cookie } = await addPerson(database, "vi", { tenant: "ada", role: "member", nowMs: time.nowMs });
    const answer = await send("PUT", "/v1/tenant/sso", { cookie, body: { issuer: issuerUrl, clientId: "x" } });
    expect(await errorOf(answer)).toMatchObject({ status: 403, scope: "tenant:write" });
  });
});

describe("O11: a sign-in", () => {
  test("sends the browser on with state, nonce and PKCE, and makes the person a member of the organisation only", async () => {
    const { set, start, comeBack, issuer, whoIs, send, settled, errors } = await begin({ role: "viewer" });
    await set();
    const { status, location, cookie } = await start();
    const { origin, pathname, searchParams } = new URL(location);
    expect([status, origin + pathname]).toEqual([302, `${issuerUrl}/authorize`]);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: "code",
      client_id: "sandbar",
      redirect_uri: "http://localhost:8787/v1/sign-in/sso/callback",
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(searchParams.get(name)?.length).toBeGreaterThan(40);
    const { to, session } = await comeBack(issuer.approve(location, eve), cookie);
    expect(to).toBe(home);
    const who = await whoIs(session);
    expect(who).toMatchObject({ person: { name: "Eve" }, tenant: { id: "ada" }, role: "viewer" });
    expect(issuer.received.find(({ path }) => path === "/token")?.headers.get("authorization")).toBe(
      `Basic ${btoa("sandbar:s3cret")}`,
    );
    await settled();
    const { entries } = auditList.parse(await (await send("GET", "/v1/audit")).json());
    expect(entries[0]).toMatchObject({ action: "signInBySso", by: { kind: "person", name: "Eve" }, outcome: "done" });
    expect(errors).toEqual([]);
  });

  test("finds the same person again by the provider's id, also with another address", async () => {
    const { set, signIn, whoIs } = await begin();
    await set();
    const first = await whoIs((await signIn(eve)).session);
    const again = await whoIs((await signIn({ ...eve, email: "new@example.org", name: "Evelyn" })).session);
    expect(again.person?.id).toBe(first.person?.id);
  });

  test("at another organisation with the same address is by another person", async () => {
    const { set, signIn, whoIs, send, comeBack, issuer } = await begin();
    await set();
    const first = await whoIs((await signIn(eve)).session);
    const body = { issuer: issuerUrl, clientId: "sandbar", clientSecret: "x" };
    expect((await send("PUT", "/v1/tenant/sso", { key: keys.bob, body })).status).toBe(200);
    const answer = await send("GET", "/v1/sign-in/sso?tenant=bob", { key: "" });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const { session } = await comeBack(issuer.approve(answer.headers.get("location") ?? "", eve), cookie);
    const stranger = await whoIs(session);
    expect(stranger.person?.id).not.toBe(first.person?.id);
    expect(stranger.memberships?.map(({ tenant }) => tenant.id)).toEqual(["bob"]);
  });

  test.each([
    ["another nonce", { nonce: "other" }],
    ["another issuer", { iss: "https://evil.example.org" }],
    ["another audience", { aud: "other" }],
    ["several audiences and no azp", { aud: ["sandbar", "other"] }],
    ["another azp", { azp: "other" }],
    ["no subject", { sub: "" }],
    ["a subject that is too long", { sub: "s".repeat(identityLimits.nameCharacters + 1) }],
    ["an end in the past", { exp: 1 }],
    ["a time of issue long ago", { iat: 1 }],
  ])("with %s in the id token fails, and nothing is stored", async (_, claims) => {
    const { set, signIn, issuer, database, notes } = await begin();
    await set();
    const before = storedRows(database);
    issuer.state.claims = claims;
    expect(await signIn(eve)).toEqual({ to: failedAt("sso_unavailable"), session: "" });
    expect(storedRows(database)).toEqual(before);
    expect(notes).toEqual([expect.stringContaining("sso_failed: the provider of ada sends an id token")]);
  });

  test("with a token that another key signed, or a shared secret, fails", async () => {
    const { set, signIn, issuer } = await begin();
    await set();
    issuer.state.signWith = (await generateKeyPair("ES256")).privateKey;
    expect((await signIn(eve)).to).toBe(failedAt("sso_unavailable"));
    issuer.state.algorithm = "HS256";
    issuer.state.signWith = new TextEncoder().encode("s3cret".repeat(10));
    expect((await signIn(eve)).to).toBe(failedAt("sso_unavailable"));
  });

  test("fails without a question to the provider if this browser did not begin it, or it took too long", async () => {
    const { set, start, comeBack, issuer, time } = await begin();
    await set();
    const { location, cookie } = await start();
    const back = issuer.approve(location, eve);
    const count = issuer.received.length;
    expect((await comeBack(back, "")).to).toBe(failedAt("sign_in_failed"));
    expect((await comeBack({ ...back, state: `${back.state.slice(1)}x` }, cookie)).to).toBe(failedAt("sign_in_failed"));
    expect((await comeBack({ error: "access_denied" }, cookie)).to).toBe(failedAt("sign_in_failed"));
    time.nowMs += limits.signInMs;
    expect((await comeBack(back, cookie)).to).toBe(failedAt("sign_in_failed"));
    expect(issuer.received.length).toBe(count);
  });

  test("answered by another issuer, or by none where the provider names itself, fails", async () => {
    const { set, start, comeBack, issuer } = await begin();
    issuer.state.metadata = { authorization_response_iss_parameter_supported: true };
    await set();
    const { location, cookie } = await start();
    const back = issuer.approve(location, eve);
    expect((await comeBack({ ...back, iss: "https://evil.example.org" }, cookie)).to).toBe(failedAt("sso_unavailable"));
    expect((await comeBack(back, cookie)).to).toBe(failedAt("sso_unavailable"));
    expect((await comeBack({ ...back, iss: issuerUrl }, cookie)).to).toBe(home);
  });

  test("needs a verified address in one of the organisation's domains, if it names any", async () => {
    const { set, signIn } = await begin({ domains: ["example.org"] });
    await set();
    const strangers: Person[] = [
      { ...eve, email_verified: false },
      { sub: "a", email: "eve@example.org" },
      { sub: "b" },
      { ...eve, email: "eve@example.org.evil.test" },
      { ...eve, email: "eve@sub.example.org" },
    ];
    for (const person of strangers) expect((await signIn(person)).to).toBe(failedAt("not_invited"));
    expect((await signIn({ ...eve, email_verified: "true" })).to).toBe(home);
  });

  test("reads the address from the userinfo endpoint if the id token has none, and accepts no other person's", async () => {
    const { set, signIn, issuer } = await begin({ domains: ["example.org"] });
    issuer.state.metadata = { userinfo_endpoint: `${issuerUrl}/me` };
    await set();
    const thin = { email: undefined, email_verified: undefined, name: undefined };
    issuer.state.claims = thin;
    expect((await signIn(eve)).to).toBe(home);
    issuer.state.info = { sub: "mallory" };
    expect((await signIn(eve)).to).toBe(failedAt("sso_unavailable"));
    issuer.state.info = { email_verified: false };
    expect((await signIn(eve)).to).toBe(failedAt("not_invited"));
    issuer.state.broken.set("/me", () => ({ status: 500, body: "" }));
    expect((await signIn(eve)).to).toBe(failedAt("sso_unavailable"));
  });

  test("without provisioning is refused if the organisation wants it so", async () => {
    const { set, signIn, send, whoIs } = await begin({ joins: false });
    await set();
    expect((await signIn(eve)).to).toBe(failedAt("not_invited"));
    const body = { userName: "eve@example.org", displayName: "Eve of SCIM" };
    const { id } = await (await send("POST", "/v1/scim/v2/Users", { body })).json<{ id: string }>();
    // An address that is not verified identifies nobody.
    expect((await signIn({ ...eve, email_verified: false })).to).toBe(failedAt("not_invited"));
    const { person } = await whoIs((await signIn(eve)).session);
    expect(person).toMatchObject({ id, name: "Eve of SCIM" });
    // Somebody else who gets the same address later is another.
    expect((await signIn({ ...eve, sub: "eve-2" })).to).toBe(failedAt("not_invited"));
  });

  test("is 404 without a provider, also for an organisation that does not exist or is deleted", async () => {
    const { start, set, send } = await begin();
    expect((await start()).status).toBe(404);
    expect((await start("nobody")).status).toBe(404);
    await set();
    expect((await start()).status).toBe(302);
    expect((await send("DELETE", "/v1/tenant")).status).toBe(204);
    expect((await start()).status).toBe(404);
  });

  test("is 502 while the provider does not answer, and works again afterwards", async () => {
    const { set, start, issuer, time } = await begin();
    await set();
    time.nowMs += identityLimits.rememberedIssuerMs;
    issuer.state.broken.set("/.well-known/openid-configuration", () => ({ status: 503, body: "" }));
    const count = issuer.received.length;
    for (let times = 0; times < 3; times++) expect((await start()).status).toBe(502);
    // Strangers who begin sign-ins do not make the service ask each time.
    expect(issuer.received.length).toBe(count + 1);
    issuer.state.broken.clear();
    time.nowMs += identityLimits.failedIssuerMs;
    expect((await start()).status).toBe(302);
  });
});

describe("O11: a managed person", () => {
  test("belongs to this organisation only, and signs in with its provider only", async () => {
    const { set, signIn, send, service } = await begin();
    service.signIn = { ...service.signIn, signUp: true };
    await set();
    const { session: cookie } = await signIn(eve);
    const { code } = await (await send("POST", "/v1/invitations", { key: keys.bob })).json<{ code: string }>();
    const refused = { status: 403, code: "managed_person" };
    const ask = async (path: string, body?: object) => errorOf(await send("POST", path, { cookie, body }));
    expect(await ask("/v1/me/memberships", { invitation: code })).toMatchObject(refused);
    expect(await ask("/v1/tenants", { name: "mine" })).toMatchObject(refused);
    expect(await ask("/v1/me/passkeys/options")).toMatchObject(refused);
  });

  test("stays out after an owner has removed them, until SCIM makes them active", async () => {
    const { set, signIn, send, whoIs } = await begin();
    await set();
    const { session: cookie } = await signIn(eve);
    const { person } = await whoIs(cookie);
    expect((await send("DELETE", `/v1/members/${person?.id}`)).status).toBe(204);
    expect((await send("GET", "/v1/sandboxes", { cookie })).status).toBe(403);
    expect((await signIn(eve)).to).toBe(failedAt("deactivated"));
    const body = { Operations: [{ op: "replace", path: "active", value: true }] };
    expect((await send("PATCH", `/v1/scim/v2/Users/${person?.id}`, { body })).status).toBe(200);
    expect((await signIn(eve)).to).toBe(home);
  });

  test("is recognised by the verified address again after the issuer has changed", async () => {
    const { set, signIn, send, whoIs, issuer } = await begin();
    await set();
    const first = await whoIs((await signIn(eve)).session);
    await send("DELETE", "/v1/tenant/sso");
    await set();
    const again = await whoIs((await signIn({ ...eve, sub: "another-id" })).session);
    expect(again.person?.id).toBe(first.person?.id);
    expect(issuer.received.length).toBeGreaterThan(0);
  });

  test("is deleted with the organisation", async () => {
    const { set, signIn, send, database } = await begin();
    await set();
    const { session: cookie } = await signIn(eve);
    expect((await send("DELETE", "/v1/tenant")).status).toBe(204);
    expect((await send("GET", "/v1/me", { cookie })).status).toBe(401);
    expect(storedRows(database).filter((row) => row.startsWith("people "))).toEqual([]);
  });
});
