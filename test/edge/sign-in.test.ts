// Signing in: by passkeys of a software authenticator, and by a GitHub that is played here.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { me, sessionList } from "../../shared/contract/sign-in.ts";
import { newAuthenticator } from "./authenticator.ts";
import { addPerson, storedRows } from "./people.ts";
import { newService, type SendOptions } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

const ownOrigin = { "sec-fetch-site": "same-origin", origin: "http://localhost:8787" };

/** Sends a request from a page of the service without credentials. */
function post({ send }: Harness, path: string, body?: unknown, more: SendOptions = {}) {
  return send("POST", path, { key: "", headers: ownOrigin, ...(body === undefined ? {} : { body }), ...more });
}

async function optionsOf(harness: Harness, path: string, body?: unknown, more?: SendOptions): Promise<object> {
  const answer = await post(harness, path, body, more);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json<object>();
}

async function invited({ send }: Harness, role = "member"): Promise<string> {
  const answer = await send("POST", "/v1/invitations", { body: { role } });
  return (await answer.json<{ code: string }>()).code;
}

/** The cookie that an answer sets, as a browser sends it back. */
function cookieOf(answer: Response, name = "sandbar-session"): string {
  const all = answer.headers.getSetCookie();
  const cookie = all.find((setCookie) => setCookie.startsWith(`${name}=`))?.split(";")[0] ?? "";
  expect(cookie, all.join("\n")).not.toBe("");
  return cookie;
}

async function joined(harness: Harness, { name = "Ada", role = "member" } = {}) {
  const authenticator = await newAuthenticator();
  const invitation = await invited(harness, role);
  const passkey = await authenticator.create(await optionsOf(harness, "/v1/join/options", { invitation, name }));
  const answer = await post(harness, "/v1/join", { invitation, name, passkey });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return { authenticator, invitation, passkey, answer, cookie: cookieOf(answer) };
}

async function errorOf(answer: Response | Promise<Response>) {
  const { status } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, field: error.field };
}

const failed = { status: 401, code: "sign_in_failed" };
const notTaken = { status: 400, code: "invalid_passkey", field: "passkey" };

describe("passkeys", () => {
  test("O6: an invited person creates a passkey, is signed in, and signs in with it again", async () => {
    const harness = await newService();
    const { answer, authenticator, cookie } = await joined(harness);
    const currentUser = me.parse(await answer.json());
    expect(currentUser).toMatchObject({ tenant: { id: "ada" }, person: { name: "Ada" }, role: "member" });
    expect(answer.headers.getSetCookie().join()).toMatch(
      /^sandbar-session=sbs_[a-z2-7]{51}; Max-Age=2592000; Path=\/v1; HttpOnly; SameSite=Strict$/,
    );
    expect(me.parse(await (await harness.send("GET", "/v1/me", { cookie })).json())).toEqual(currentUser);
    harness.time.nowMs += 1000;
    const passkey = await authenticator.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
    const again = await post(harness, "/v1/sign-in/passkey", { passkey });
    expect([again.status, me.parse(await again.json())]).toEqual([201, currentUser]);
    expect(cookieOf(again)).not.toBe(cookie);
    const response = await harness.send("POST", "/v1/sandboxes", { cookie: cookieOf(again) });
    expect(response.status).toBe(201);
    const stored = storedRows(harness.database).join("\n");
    for (const sessionCookie of [cookie, cookieOf(again)]) expect(stored).not.toContain(sessionCookie.split("=")[1]);
  });

  test("O6: the cookie is Secure over https", async () => {
    const harness = await newService();
    harness.service.console = "https://sandbar.example.org";
    const authenticator = await newAuthenticator({ origin: harness.service.console, rpId: "sandbar.example.org" });
    const invitation = await invited(harness);
    const at = { headers: { "sec-fetch-site": "same-origin", origin: "https://sandbar.example.org" } };
    const options = await optionsOf(harness, "/v1/join/options", { invitation, name: "Ada" }, at);
    const passkey = await authenticator.create(options);
    const answer = await post(harness, "/v1/join", { invitation, name: "Ada", passkey }, at);
    expect(answer.headers.getSetCookie().join()).toMatch(/^__Secure-sandbar-session=.*; Secure; SameSite=Strict$/);
  });

  test("O6: a challenge is accepted once, and not after a newer one was used", async () => {
    const harness = await newService();
    const { authenticator } = await joined(harness);
    harness.time.nowMs += 1000;
    const older = await optionsOf(harness, "/v1/sign-in/passkey/options");
    harness.time.nowMs += 1000;
    const passkey = await authenticator.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
    expect((await post(harness, "/v1/sign-in/passkey", { passkey })).status).toBe(201);
    expect(await errorOf(post(harness, "/v1/sign-in/passkey", { passkey }))).toMatchObject(failed);
    const late = { passkey: await authenticator.get(older) };
    expect(await errorOf(post(harness, "/v1/sign-in/passkey", late))).toMatchObject(failed);
  });

  test("O6: two concurrent answers to a challenge sign in once", async () => {
    const harness = await newService();
    const { authenticator } = await joined(harness);
    harness.time.nowMs += 1000;
    const passkey = await authenticator.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
    const both = [0, 1].map(async () => (await post(harness, "/v1/sign-in/passkey", { passkey })).status);
    expect((await Promise.all(both)).sort()).toEqual([201, 401]);
  });

  test.each([
    ["too late", { waitMs: limits.signInMs }],
    ["for another site", { origin: "https://evil.example.org" }],
    ["for another service", { rpId: "evil.example.org" }],
    ["without user verification", { flags: 1 }],
    ["for another challenge", { challenge: "bm90LW91cnM" }],
    ["for a challenge with another tag", { tamper: true }],
    ["with another key", { stranger: true }],
  ])("O6: an assertion signed %s is refused", async (_, changes: Record<string, unknown>) => {
    const harness = await newService();
    const { authenticator, passkey: createdPasskey } = await joined(harness);
    harness.time.nowMs += 1000;
    const options = (await optionsOf(harness, "/v1/sign-in/passkey/options")) as { challenge: string };
    // Another tag of the same form.
    const text = atob(options.challenge.replaceAll("-", "+").replaceAll("_", "/"));
    const tampered = btoa(text.slice(0, -1) + (text.endsWith("a") ? "b" : "a")).replaceAll("=", "");
    const challenge = changes["tamper"]
      ? tampered
      : ((changes["challenge"] as string | undefined) ?? options.challenge);
    const isOther = ["origin", "rpId", "flags", "stranger"].some((name) => name in changes);
    const by = isOther ? await newAuthenticator(changes) : authenticator;
    const signed = { ...(await by.get({ challenge })), id: createdPasskey.id, rawId: createdPasskey.id };
    harness.time.nowMs += Number(changes["waitMs"] ?? 0);
    const before = storedRows(harness.database);
    expect(await errorOf(post(harness, "/v1/sign-in/passkey", { passkey: signed }))).toMatchObject(failed);
    expect(storedRows(harness.database)).toEqual(before);
    expect(harness.errors).toEqual([]);
  });

  test.each([
    ["too late", { waitMs: limits.signInMs }],
    ["for another site", { origin: "https://evil.example.org" }],
    ["without user verification", { flags: 1 }],
    ["for a sign-in challenge", { options: "/v1/sign-in/passkey/options" }],
  ])("O6: a passkey that was created %s is refused, and the invitation stays open", async (_, changes) => {
    const harness = await newService();
    const invitation = await invited(harness);
    const body = { invitation, name: "Ada" };
    const path = "options" in changes ? changes.options : "/v1/join/options";
    const authenticator = await newAuthenticator(changes as object);
    const passkey = await authenticator.create(await optionsOf(harness, path, "options" in changes ? undefined : body));
    harness.time.nowMs += "waitMs" in changes ? (changes.waitMs ?? 0) : 0;
    const before = storedRows(harness.database);
    expect(await errorOf(post(harness, "/v1/join", { ...body, passkey }))).toEqual(notTaken);
    expect(storedRows(harness.database)).toEqual(before);
  });

  test.each([
    ["nothing", ""],
    ["arrays in arrays", "gY".repeat(4000)],
    ["noise", "o2NmbXRm".repeat(1000)],
  ])("O6: an attestation of %s is a 400", async (_, attestationObject) => {
    const harness = await newService();
    const invitation = await invited(harness);
    const body = { invitation, name: "Ada" };
    const passkey = await (await newAuthenticator()).create(await optionsOf(harness, "/v1/join/options", body));
    const broken = { ...passkey, response: { ...passkey.response, attestationObject } };
    expect(await errorOf(post(harness, "/v1/join", { ...body, passkey: broken }))).toEqual(notTaken);
    expect(harness.errors).toEqual([]);
  });

  test("O6: further passkeys are added, listed and removed, except the last way to sign in", async () => {
    const harness = await newService();
    const { cookie, passkey: first } = await joined(harness);
    const further = await newAuthenticator();
    const passkey = await further.create(await optionsOf(harness, "/v1/me/passkeys/options", undefined, { cookie }));
    const added = await harness.send("POST", "/v1/me/passkeys", { cookie, body: { name: "laptop", passkey } });
    expect([added.status, await added.json()]).toMatchObject([201, { name: "laptop" }]);
    expect(await errorOf(harness.send("POST", "/v1/me/passkeys", { cookie, body: { passkey } }))).toEqual(notTaken);
    const remove = (id: string) => harness.send("DELETE", `/v1/me/passkeys/${id}`, { cookie });
    expect((await remove(first.id)).status).toBe(204);
    expect(await errorOf(remove(passkey.id))).toMatchObject({ status: 409, code: "last_passkey" });
    const { passkeys } = await (await harness.send("GET", "/v1/me/passkeys", { cookie })).json<{
      passkeys: object[];
    }>();
    expect(passkeys).toHaveLength(1);
    harness.time.nowMs += 1000;
    const signed = await further.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
    expect((await post(harness, "/v1/sign-in/passkey", { passkey: signed })).status).toBe(201);
  });

  test("O6: a challenge for a person is refused for another", async () => {
    const harness = await newService();
    const { cookie } = await joined(harness);
    const { cookie: otherCookie } = await joined(harness, { name: "Eve" });
    const authenticator = await newAuthenticator();
    const options = await optionsOf(harness, "/v1/me/passkeys/options", undefined, { cookie });
    const passkey = await authenticator.create(options);
    const body = { passkey };
    expect(await errorOf(harness.send("POST", "/v1/me/passkeys", { cookie: otherCookie, body }))).toEqual(notTaken);
  });

  test("O6: a person has a bounded number of passkeys", async () => {
    const harness = await newService();
    const { database } = harness;
    const person = await addPerson(database, "many", { tenant: "ada", role: "member", nowMs: harness.time.nowMs });
    for (let at = 0; at < limits.passkeys; at++)
      database.prepare("INSERT INTO passkeys VALUES (?, ?, 'p', '', 0, '[]', 0, NULL, 0)").run(`p${at}`, person.id);
    const refused = harness.send("POST", "/v1/me/passkeys/options", { cookie: person.cookie });
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: "too_many_passkeys" });
  });
});

describe("invitations", () => {
  test("O5: an invitation is accepted by one person, also with two concurrent ones", async () => {
    const harness = await newService();
    const invitation = await invited(harness);
    const comers = await Promise.all(
      ["Ada", "Eve"].map(async (name) => {
        const authenticator = await newAuthenticator();
        const options = await optionsOf(harness, "/v1/join/options", { invitation, name });
        return { invitation, name, passkey: await authenticator.create(options) };
      }),
    );
    const statuses = await Promise.all(comers.map(async (body) => (await post(harness, "/v1/join", body)).status));
    expect(statuses.sort()).toEqual([201, 410]);
    const count = (table: string) => harness.database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
    for (const table of ["people", "members", "passkeys", "sessions"])
      expect([table, count(table)]).toEqual([table, { n: 1 }]);
    expect(await (await harness.send("GET", "/v1/invitations")).json()).toEqual({ invitations: [] });
  });

  test("O5: a withdrawn, expired or invented invitation is 404", async () => {
    const harness = await newService();
    const ask = (invitation: string) => errorOf(post(harness, "/v1/join/options", { invitation, name: "Ada" }));
    const gone = { status: 404, code: "not_found" };
    expect(await ask(`sbi_${"a".repeat(51)}`)).toMatchObject(gone);
    const first = await harness.send("POST", "/v1/invitations", { body: { role: "viewer" } });
    const { id, code, url } = await first.json<{ id: string; code: string; url: string }>();
    expect(url).toBe(`http://localhost:8787/#/join/${code}`);
    expect(storedRows(harness.database).join("\n")).not.toContain(code);
    expect((await harness.send("DELETE", `/v1/invitations/${id}`)).status).toBe(204);
    expect(await ask(code)).toMatchObject(gone);
    const expiring = await invited(harness);
    harness.time.nowMs += limits.invitationTtlSeconds * 1000;
    expect(await ask(expiring)).toMatchObject(gone);
    expect(await (await harness.send("GET", "/v1/invitations")).json()).toEqual({ invitations: [] });
  });

  test("O5: a signed-in person accepts an invitation, and the session switches to that organisation", async () => {
    const harness = await newService();
    const { database, time } = harness;
    const bob = await addPerson(database, "bob", { tenant: "bob", role: "owner", nowMs: time.nowMs });
    const code = await invited(harness, "viewer");
    const take = () => harness.send("POST", "/v1/me/memberships", { cookie: bob.cookie, body: { invitation: code } });
    const taken = me.parse(await (await take()).json());
    expect(taken).toMatchObject({ tenant: { id: "ada" }, role: "viewer" });
    expect(taken.memberships?.map(({ tenant, role }) => [tenant.id, role]).sort()).toEqual([
      ["ada", "viewer"],
      ["bob", "owner"],
    ]);
    expect(await errorOf(take())).toMatchObject({ status: 410, code: "invitation_used" });
    const again = await invited(harness, "owner");
    const twice = harness.send("POST", "/v1/me/memberships", { cookie: bob.cookie, body: { invitation: again } });
    expect(await errorOf(twice)).toMatchObject({ status: 409, code: "already_member" });
    const back = await harness.send("PATCH", "/v1/me", { cookie: bob.cookie, body: { tenant: "bob", name: "Robert" } });
    expect(me.parse(await back.json())).toMatchObject({
      tenant: { id: "bob" },
      role: "owner",
      person: { name: "Robert" },
    });
  });

  test("O5: an organisation has a bounded number of members", async () => {
    const harness = await newService();
    const { database, time } = harness;
    const code = await invited(harness);
    database.exec("BEGIN");
    for (let at = 0; at < limits.members; at++) {
      database.prepare("INSERT INTO people (id, name, created_at_ms) VALUES (?, 'p', 0)").run(`p${at}`);
      database.prepare("INSERT INTO members VALUES ('ada', ?, 'viewer', 0)").run(`p${at}`);
    }
    database.exec("COMMIT");
    const bob = await addPerson(database, "bob", { tenant: "bob", role: "owner", nowMs: time.nowMs });
    const taken = harness.send("POST", "/v1/me/memberships", { cookie: bob.cookie, body: { invitation: code } });
    expect(await errorOf(taken)).toMatchObject({ status: 409, code: "too_many_members" });
    expect(await errorOf(post(harness, "/v1/join/options", { invitation: code, name: "x" }))).toMatchObject({
      status: 409,
    });
  });
});

describe("sessions", () => {
  test("O6: sessions are listed, ended from another session, and expire", async () => {
    const harness = await newService();
    const { cookie, authenticator } = await joined(harness);
    harness.time.nowMs += 1000;
    const passkey = await authenticator.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
    const headers = { ...ownOrigin, "user-agent": "a browser", "cf-connecting-ip": "203.0.113.77" };
    const otherCookie = cookieOf(await post(harness, "/v1/sign-in/passkey", { passkey }, { headers }));
    const list = async () =>
      sessionList.parse(await (await harness.send("GET", "/v1/me/sessions", { cookie })).json()).sessions;
    const [newest, mine] = await list();
    expect(newest).toMatchObject({ current: false, browser: "a browser", address: "203.0.113.0/24" });
    expect(mine).toMatchObject({ current: true });
    expect((await harness.send("GET", "/v1/me", { cookie: otherCookie })).status).toBe(200);
    expect((await harness.send("DELETE", `/v1/me/sessions/${newest?.id}`, { cookie })).status).toBe(204);
    expect((await harness.send("GET", "/v1/me", { cookie: otherCookie })).status).toBe(401);
    harness.time.nowMs += limits.sessionMs - 1001;
    expect((await harness.send("GET", "/v1/me", { cookie })).status).toBe(200);
    harness.time.nowMs += 1;
    expect((await harness.send("GET", "/v1/me", { cookie })).status).toBe(401);
  });

  test("O6: signing out removes cookie and session", async () => {
    const harness = await newService();
    const { cookie } = await joined(harness);
    const out = await harness.send("DELETE", "/v1/me/sessions/current", { cookie });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringMatching(/^sandbar-session=; Max-Age=0;/),
    ]);
    expect((await harness.send("GET", "/v1/me", { cookie })).status).toBe(401);
  });

  test("O6: only a person's newest sessions are kept", async () => {
    const harness = await newService();
    const { cookie, authenticator } = await joined(harness);
    for (let at = 0; at < limits.sessions; at++) {
      harness.time.nowMs += 1000;
      const passkey = await authenticator.get(await optionsOf(harness, "/v1/sign-in/passkey/options"));
      expect((await post(harness, "/v1/sign-in/passkey", { passkey })).status).toBe(201);
    }
    expect(harness.database.prepare("SELECT count(*) AS n FROM sessions").get()).toEqual({ n: limits.sessions });
    harness.service.callerCache.clear();
    expect((await harness.send("GET", "/v1/me", { cookie })).status).toBe(401);
  });

  test("O3: a key has precedence over the cookie", async () => {
    const harness = await newService();
    const { cookie } = await joined(harness);
    const { scopes } = me.parse(
      await (await harness.send("GET", "/v1/me", { key: "sbk_bobbobbobbobbobbobbob", cookie })).json(),
    );
    expect(scopes).toContain("tenant:delete");
    const response = await harness.send("GET", "/v1/me", { key: "sbk_bobbobbobbobbobbobbob", cookie });
    expect(me.parse(await response.json()).tenant).toEqual({ id: "bob", name: "bob" });
  });
});

describe("GitHub", () => {
  let server: Server;
  let base = "";
  /** A GitHub that records its requests and returns the given user. */
  const github = {
    account: {} as object,
    asked: [] as { url: string; body: string; authorization: string }[],
    status: 200,
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { url = "", headers } = request;
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        github.asked.push({ url, body, authorization: headers.authorization ?? "" });
        response.writeHead(url === "/user" ? github.status : 200, { "content-type": "application/json" });
        const isRight = new URLSearchParams(body).get("code") === "right";
        const token = isRight ? { access_token: "gho_x", token_type: "bearer" } : { error: "bad_verification_code" };
        response.end(JSON.stringify(url === "/user" ? github.account : token));
      });
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((done) => server.close(done)));

  async function withGithub(signUp = false) {
    const harness = await newService();
    const settings = { clientId: "the id", clientSecret: "the secret", url: base, api: base };
    harness.service.signIn = { signUp, github: settings };
    Object.assign(github, { account: { id: 7, login: "ada", name: "Ada" }, asked: [], status: 200 });
    return harness;
  }

  async function begin({ send }: Harness, query = "") {
    const sent = await send("GET", `/v1/sign-in/github${query}`, {
      key: "",
      headers: { "sec-fetch-site": "same-origin" },
    });
    const to = new URL(sent.headers.get("location") ?? "");
    return { sent, to, cookie: cookieOf(sent, "sandbar-oauth"), state: to.searchParams.get("state") ?? "" };
  }

  async function comeBack(harness: Harness, { cookie, state }: { cookie: string; state: string }, code = "right") {
    const path = `/v1/sign-in/github/callback?code=${code}&state=${state}`;
    return harness.send("GET", path, { key: "", headers: { cookie, "sec-fetch-site": "cross-site" } });
  }

  test("O6: a person who deletes the account and signs up again may not create more organisations", async () => {
    const harness = await withGithub(true);
    const { send, service, database } = harness;
    service.plan = "free";
    const cookie = cookieOf(await comeBack(harness, await begin(harness)));
    const createTenant = () => send("POST", "/v1/tenants", { cookie, body: { name: "more" } });
    expect([(await createTenant()).status, (await createTenant()).status, (await createTenant()).status]).toEqual([
      201, 201, 429,
    ]);
    await addPerson(database, "else", { tenant: "ada", role: "owner", nowMs: harness.time.nowMs });
    database.exec(
      "INSERT INTO members SELECT id, (SELECT id FROM people WHERE name = 'else'), 'owner', 0 FROM tenants WHERE created_by <> ''",
    );
    expect((await send("DELETE", "/v1/me", { cookie })).status).toBe(204);
    const again = await comeBack(harness, await begin(harness));
    expect(again.headers.get("location")).toBe("http://localhost:8787/#/sign-in/limit_reached");
    // Of the account a hash is left, and not its number.
    const [{ created_by: creator } = {}] = database
      .prepare("SELECT created_by FROM tenants WHERE created_by <> ''")
      .all();
    expect(creator).toMatch(/^github:[0-9a-f]{64}$/);
    github.account = { id: 8, login: "grace", name: "Grace" };
    expect((await comeBack(harness, await begin(harness))).headers.get("location")).toBe("http://localhost:8787/#/");
  });

  test("O6: the browser is redirected to GitHub and returns signed in, identified by the account's number", async () => {
    const harness = await withGithub(true);
    const begun = await begin(harness);
    expect(begun.sent.headers.getSetCookie()[0]).toMatch(/; Path=\/v1\/sign-in\/github; HttpOnly; SameSite=Lax$/);
    expect(Object.fromEntries(begun.to.searchParams)).toMatchObject({
      client_id: "the id",
      redirect_uri: "http://localhost:8787/v1/sign-in/github/callback",
      code_challenge_method: "S256",
    });
    const back = await comeBack(harness, begun);
    expect([back.status, back.headers.get("location")]).toEqual([302, "http://localhost:8787/#/"]);
    const cookie = cookieOf(back);
    const currentUser = me.parse(await (await harness.send("GET", "/v1/me", { cookie })).json());
    expect(currentUser).toMatchObject({
      person: { name: "Ada", github: "ada" },
      role: "owner",
      tenant: { name: "ada" },
    });
    expect(github.asked.map(({ url }) => url)).toEqual(["/login/oauth/access_token", "/user"]);
    expect(github.asked[0]?.authorization).toBe(`Basic ${btoa("the id:the secret")}`);
    expect(new URLSearchParams(github.asked[0]?.body).get("code_verifier")).toMatch(/^.{43,}$/);
    // The login has changed meanwhile; the number has not.
    github.account = { id: 7, login: "lovelace", name: null };
    const again = await comeBack(harness, await begin(harness));
    const later = me.parse(await (await harness.send("GET", "/v1/me", { cookie: cookieOf(again) })).json());
    expect(later.person).toEqual({ ...currentUser.person, github: "lovelace" });
    expect(storedRows(harness.database).join("\n")).not.toContain("gho_x");
  });

  test("O6: a person without invitation is refused if sign-up is closed", async () => {
    const harness = await withGithub();
    const before = storedRows(harness.database);
    const back = await comeBack(harness, await begin(harness));
    expect(back.headers.get("location")).toBe("http://localhost:8787/#/sign-in/not_invited");
    expect(back.headers.getSetCookie().join()).not.toContain("sandbar-session");
    expect(storedRows(harness.database)).toEqual(before);
  });

  test("O5: an invitation is kept during the sign-in, for new and for existing persons", async () => {
    const harness = await withGithub();
    const first = await comeBack(harness, await begin(harness, `?invitation=${await invited(harness, "viewer")}`));
    const currentUser = me.parse(await (await harness.send("GET", "/v1/me", { cookie: cookieOf(first) })).json());
    expect(currentUser).toMatchObject({ tenant: { id: "ada" }, role: "viewer" });
    const ofBob = await harness.send("POST", "/v1/invitations", {
      key: "sbk_bobbobbobbobbobbobbob",
      body: { role: "owner" },
    });
    const { code } = await ofBob.json<{ code: string }>();
    const second = await comeBack(harness, await begin(harness, `?invitation=${code}`));
    const more = me.parse(await (await harness.send("GET", "/v1/me", { cookie: cookieOf(second) })).json());
    expect(more).toMatchObject({ tenant: { id: "bob" }, role: "owner", person: { id: currentUser.person?.id } });
  });

  test.each([
    ["another browser", { cookie: "" }],
    ["another state", { state: "x".repeat(51) }],
    ["an unknown code", { code: "wrong" }],
    ["a forged cookie", { cookie: "sandbar-oauth=abc.def" }],
    ["an account that GitHub does not return", { status: 500 }],
    ["an account without a number", { account: { login: "ada" } }],
    ["a sign-in that took too long", { waitMs: limits.signInMs }],
  ])("O6: %s signs nobody in", async (_, changes: Record<string, unknown>) => {
    const harness = await withGithub(true);
    const begun = await begin(harness);
    Object.assign(github, changes);
    harness.time.nowMs += Number(changes["waitMs"] ?? 0);
    const before = storedRows(harness.database);
    const back = await comeBack(harness, { ...begun, ...changes }, (changes["code"] as string | undefined) ?? "right");
    expect(back.headers.get("location")).toBe("http://localhost:8787/#/sign-in/sign_in_failed");
    expect(back.headers.getSetCookie().join()).not.toContain("sandbar-session");
    expect(storedRows(harness.database)).toEqual(before);
    expect(harness.errors).toEqual([]);
  });

  test("O3: another site's page cannot accept an invitation, but can link to the sign-in", async () => {
    const { send } = await withGithub();
    const headers = { "sec-fetch-site": "cross-site" };
    const refused = send("GET", "/v1/sign-in/github?invitation=x", { key: "", headers });
    expect(await errorOf(refused)).toMatchObject({ status: 403, code: "cross_origin" });
    expect((await send("GET", "/v1/sign-in/github", { key: "", headers })).status).toBe(302);
  });

  test("O6: without GitHub's settings it is 404 and not offered", async () => {
    const { send } = await newService();
    expect((await send("GET", "/v1/sign-in/github", { key: "" })).status).toBe(404);
    const ways = { github: false, signUp: false, trial: false };
    expect(await (await send("GET", "/v1/sign-in", { key: "" })).json()).toEqual({ ...ways, signedIn: false });
    expect(await (await send("GET", "/v1/sign-in")).json()).toEqual({ ...ways, signedIn: true });
    const wrong = await send("GET", "/v1/sign-in", { key: `sbk_${"0".repeat(32)}` });
    expect([wrong.status, await wrong.json()]).toEqual([200, { ...ways, signedIn: false }]);
  });
});

describe("the sign-in link of a local service", () => {
  test("H2: returns the key if the local process accepts it, and refuses wrong links and other sites' pages", async () => {
    const harness = await newService();
    const nodeRequests: [string, unknown][] = [];
    const node = {
      fetch: async (url: string, { body }: RequestInit) => {
        nodeRequests.push([url, body]);
        return body === "right" ? new Response("sbk_a") : new Response(null, { status: 404 });
      },
    };
    Object.assign(harness.service, { localService: node });
    const answer = await post(harness, "/v1/sign-in/link", { link: "right" });
    expect([answer.status, await answer.json()]).toEqual([200, { key: "sbk_a" }]);
    expect(await errorOf(post(harness, "/v1/sign-in/link", { link: "wrong" }))).toMatchObject({
      status: 401,
      code: "sign_in_failed",
    });
    const more = { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" } };
    expect(await errorOf(post(harness, "/v1/sign-in/link", { link: "right" }, more))).toMatchObject({ status: 403 });
    expect(await errorOf(post(harness, "/v1/sign-in/link", { link: "x".repeat(1000) }))).toMatchObject({
      field: "link",
    });
    expect(nodeRequests).toEqual(["right", "wrong"].map((answer) => ["http://node/sign-in-link", answer]));
  });

  test("H2: does not exist without a local process beside the Worker", async () => {
    const answer = post(await newService(), "/v1/sign-in/link", { link: "right" });
    expect(await errorOf(answer)).toMatchObject({ status: 404, code: "not_found" });
  });
});
