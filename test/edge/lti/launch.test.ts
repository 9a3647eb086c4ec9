// LTI 1.3 launches from a platform with real keys, as Canvas and Moodle send them, and refused launches.
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import type { Run } from "../../../shared/contract/lesson.ts";
import { withoutTicket } from "../../../worker/edge/lti/paths.ts";
import { htmlPage } from "../../../worker/edge/lti/page.ts";
import { storedRows } from "../people.ts";
import { newKey, rolesOf } from "./platform.ts";
import { dataOf, fieldOf, type LaunchOptions, lesson, newWorld, type World } from "./world.ts";

const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;

describe.each(["moodle", "canvas"] as const)("a launch from %s", (family) => {
  test("D1: redirects the login to the platform with all parameters of OpenID Connect", async () => {
    const { login, platform } = await newWorld(family);
    const { answer, data } = await login({ lti_message_hint: "hint", lti_deployment_id: "2" });
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'self' *");
    const to = new URL(data?.byCookie ?? "");
    expect(to.href.startsWith(String(platform.registration["authorizationUrl"]))).toBe(true);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      scope: "openid",
      response_type: "id_token",
      response_mode: "form_post",
      prompt: "none",
      client_id: platform.registration.clientId,
      redirect_uri: "http://localhost:8787/lti/ada/launch",
      login_hint: "17",
      lti_message_hint: "hint",
      lti_deployment_id: "2",
    });
    expect(data?.cookie).toMatch(
      /^sandbar-lti-\w{8}=\w{32}; Path=\/lti; Max-Age=600; Secure; SameSite=None; Partitioned$/,
    );
  });

  test("D3: opens the learner's run of the lesson, and the same run the next time", async () => {
    const world = await newWorld(family);
    const first = await world.learn();
    expect(first.location).toMatch(/^http:\/\/localhost:8787\/\w+\/\w+\?frame=[\w.-]+#\S+$/);
    const again = await world.learn();
    expect(again.run).toBe(first.run);
    expect(again.location.split("#")[0]).toBe(first.location.split("#")[0]);
    const { results } = await (await world.send("GET", "/v1/lessons/first/results")).json<{ results: object[] }>();
    expect(results).toMatchObject([
      { run: first.run, learner: expect.stringMatching(/^Ann Of /) as string, state: "running" },
    ]);
    expect(world.errors).toEqual([]);
  });

  test("D3: starts another run after the expiry of the first", async () => {
    const world = await newWorld(family);
    const first = await world.learn();
    world.time.nowMs += 31 * 60_000;
    const second = await world.learn();
    expect(second.run).not.toBe(first.run);
    const { results } = await (await world.send("GET", "/v1/lessons/first/results")).json<{ results: object[] }>();
    expect(results).toHaveLength(2);
  });

  test("D3: opens an exam after its end, so that the learner sees the result", async () => {
    const world = await newWorld(family);
    const body = { ...lesson, exam: {} };
    expect((await world.send("POST", "/v1/lessons", { body })).status).toBe(201);
    const first = await world.learn();
    world.time.nowMs += 91 * 60_000;
    expect((await world.learn()).run).toBe(first.run);
  });

  test("D3: opens the board for a teacher, without a run", async () => {
    const world = await newWorld(family);
    await world.learn({ user: "23" });
    world.platform.members.push(
      { status: "Active", user_id: "23", name: "Pat <b>", roles: ["Learner"] },
      { status: "Active", user_id: "24", given_name: "Kim", family_name: "Lee", roles: rolesOf.learner },
      { status: "Inactive", user_id: "25", name: "Gone", roles: ["Learner"] },
      { status: "Active", user_id: "1", name: "Prof", roles: rolesOf.teacher },
    );
    const { answer } = await world.launch({ teaches: true, user: "1" });
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain("First &lt;lesson&gt;");
    expect(html).toContain("<td>Pat &lt;b&gt;</td><td>step 1</td>");
    expect(html).toContain("<td>Kim Lee</td><td>not begun</td>");
    expect(html).not.toMatch(/Gone|Prof/);
    expect(answer.headers.get("content-security-policy")).toContain(`https://${world.platform.host}`);
    expect(answer.headers.get("content-security-policy")).not.toContain("frame-ancestors 'self' *");
    const [rosterRequest] = world.platform.requests.filter(({ url }) => /memberships|names_and_roles/.test(url));
    expect(rosterRequest?.headers.get("authorization")).toContain("contextmembership.readonly");
    expect(world.clusters.size).toBe(1);
    expect(world.errors).toEqual([]);
  });
});

describe("the teacher's board", () => {
  test("D3: is reloaded, starts a trial of the lesson, and opens a learner's sandbox read-only", async () => {
    const world = await newWorld();
    await world.learn({ user: "23" });
    const { answer } = await world.launch({ teaches: true, user: "1" });
    const ticket = fieldOf(await answer.text(), "ticket");
    const again = await world.post("/lti/ada/board", { ticket, act: "look" });
    expect(await again.text()).toContain("Ann Of 23");
    const watching = await world.post("/lti/ada/board", { ticket, act: "watch", learner: "23" });
    expect(watching.headers.get("location")).toMatch(/^http:\/\/localhost:8787\/view\/\w+\?frame=\S+#\S+$/);
    expect([...world.clusters.values()][0]?.tokens.at(-1)).toMatchObject({ readOnly: true, user: "sandbar:viewer" });
    const foreign = await world.post("/lti/ada/board", { ticket, act: "try" }, "", "cross-site");
    expect(foreign.status).toBe(403);
    const unknownLearner = await world.post("/lti/ada/board", { ticket, act: "watch", learner: "99" });
    expect([unknownLearner.status, await unknownLearner.text()]).toEqual([
      400,
      expect.stringContaining("has not begun"),
    ]);
    const trying = await world.post("/lti/ada/board", { ticket, act: "try" });
    expect(trying.status).toBe(303);
    expect(world.clusters.size).toBe(2);
    const { run } = world.database.prepare("SELECT run FROM lti_learners WHERE user_id = '1'").get() as { run: string };
    await world.checkRun(run, [true, true]);
    expect(world.tenants.inside("ada").scores.list(world.platformId)).toEqual([]);
    world.time.nowMs += ltiLimits.pageMs;
    expect((await world.post("/lti/ada/board", { ticket, act: "look" })).status).toBe(400);
  });

  test("D3: opens each cluster of an exam that has several", async () => {
    const world = await newWorld();
    const clusters = [{ name: "k8s-c1" }, { name: "k8s-c2" }];
    const body = { ...lesson, manifests: undefined, exam: {}, clusters };
    expect((await world.send("POST", "/v1/lessons", { body })).status).toBe(201);
    const { run } = await world.learn({ user: "23" });
    const { answer } = await world.launch({ teaches: true, user: "1" });
    const html = await answer.text();
    expect(html.match(/<button>Watch[^<]*/g)).toEqual(["<button>Watch k8s-c1", "<button>Watch k8s-c2"]);
    const ticket = fieldOf(html, "ticket");
    const places = await (await world.send("GET", `/v1/lessons/first/runs/${run}`)).json<Run>();
    const watch = async (cluster?: string) => {
      const form = { ticket, act: "watch", learner: "23", ...(cluster ? { cluster } : {}) };
      const { status, headers } = await world.post("/lti/ada/board", form);
      return [status, /\/view\/(\w+)/.exec(headers.get("location") ?? "")?.[1]];
    };
    const [first, second] = places.clusters?.map(({ sandbox }) => sandbox.id) ?? [];
    expect(await watch("k8s-c1")).toEqual([303, first]);
    expect(await watch("k8s-c2")).toEqual([303, second]);
    expect(await watch()).toEqual([303, first]);
    expect((await watch("k8s-c3"))[0]).toBe(400);
  });

  test("D3: explains that the members are unavailable, and shows learners with runs", async () => {
    const world = await newWorld();
    await world.learn({ user: "23" });
    world.platform.instead.set("/mod/lti/services.php/CourseSection", () => new Response("no", { status: 503 }));
    const html = await (await world.launch({ teaches: true, user: "1" })).answer.text();
    expect(html).toContain("it answered 503");
    expect(html).toContain("Ann Of 23");
  });

  test("D3: reads members in pages, and sends the token to no other origin", async () => {
    const world = await newWorld();
    const page = (link: string, id: string) => () =>
      Response.json({ members: [{ user_id: id, name: `N${id}`, roles: ["Learner"] }] }, { headers: { link } });
    const next = `<https://${world.platform.host}/more?p=2>; rel="next"`;
    world.platform.instead.set("/mod/lti/services.php/CourseSection", page(next, "30"));
    world.platform.instead.set("/more", page('<https://evil.example.org/x>; rel="next"', "31"));
    const html = await (await world.launch({ teaches: true, user: "1" })).answer.text();
    expect(html).toMatch(/N30.*N31/s);
  });
});

describe("a learner's launch", () => {
  test("D3: twice at once starts one run, and leaves no extra sandbox", async () => {
    const world = await newWorld();
    const both = await Promise.all([world.launch(), world.launch()]);
    const places = both.map(({ answer }) => answer.headers.get("location")?.split("?")[0]);
    expect(places[0]).toMatch(/\/\w{20,}$/);
    expect(places[1]).toBe(places[0]);
    const liveClusters = [...world.clusters.values()].filter(({ destroyed }) => !destroyed);
    expect([world.clusters.size, liveClusters.length]).toEqual([2, 1]);
    expect(world.errors).toEqual([]);
  });

  test("D3: starts the new lesson of a changed link, without the former's points", async () => {
    const world = await newWorld();
    const { run } = await world.learn();
    await world.checkRun(run, [true, true]);
    await world.send("POST", "/v1/lessons", { body: { ...lesson, name: "second" } });
    await world.learn({ lesson: "second" });
    const row = world.database.prepare("SELECT lesson, points, max_points FROM lti_learners").all();
    expect(row).toEqual([{ lesson: "second", points: 0, max_points: 0 }]);
    expect((await world.launch({ lesson: "nothing" })).answer.status).toBe(404);
  });

  test("D3: in a tenant without room explains it", async () => {
    const world = await newWorld();
    await world.service.plans.set("ada", { overrides: { liveSandboxes: 1 } });
    await world.learn();
    const { answer } = await world.launch({ user: "18" });
    expect([answer.status, await answer.text()]).toEqual([429, expect.stringMatching(/liveSandboxes/)]);
    // What was noted of the learner does no harm.
    await world.service.plans.set("ada", { overrides: {} });
    await world.learn({ user: "18" });
  });

  test("D3: in a tenant that is being deleted is refused", async () => {
    const world = await newWorld();
    const { data } = await world.login();
    await world.service.tenants.markDeleting("ada");
    expect((await world.login()).answer.status).toBe(400);
    const to = new URL(data?.byCookie ?? "");
    const form = { id_token: await world.platform.idToken(to), state: to.searchParams.get("state") ?? "" };
    expect((await world.post("/lti/ada/launch", form, data?.has)).status).toBe(400);
    expect(world.clusters.size).toBe(0);
  });
});

describe("roles", () => {
  test.each([
    [["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"], true],
    [["Instructor"], true],
    [["http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"], true],
    [["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"], false],
    // Who teaches somewhere, and learns here.
    [["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor", rolesOf.learner[1]], false],
    [["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"], false],
    [["http://purl.imsglobal.org/vocab/lis/v2/membership#InstructorX"], false],
    [[], false],
  ])("D3: %j may teach: %s", async (roles, teaches) => {
    const world = await newWorld();
    const { answer } = await world.launch({ claims: { [claim("roles")]: roles } });
    expect(answer.status).toBe(teaches ? 200 : 303);
  });
});

describe("a browser without cookies in frames", () => {
  test("D1: keeps its login state in the platform's storage", async () => {
    const world = await newWorld();
    const { answer, data, idToken, state } = await world.launch({
      login: { lti_storage_target: "_parent" },
      byStorage: true,
    });
    expect(data).toMatchObject({ storage: "_parent", origin: `https://${world.platform.host}` });
    // A page that asks the platform's for it, and nothing has begun.
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(dataOf(html)).toMatchObject({
      storage: "_parent",
      key: data?.key,
      origin: `https://${world.platform.host}`,
    });
    expect(world.clusters.size).toBe(0);
    expect(fieldOf(html, "id_token")).toBe(idToken);
    const wrong = await world.post("/lti/ada/launch", { id_token: idToken, state, proof: "x".repeat(32) });
    expect(wrong.status).toBe(400);
    // Another site's page may have a proof of its own.
    const form = { id_token: idToken, state, proof: data?.value ?? "" };
    expect((await world.post("/lti/ada/launch", form, "", "cross-site")).status).toBe(403);
    const right = await world.post("/lti/ada/launch", { id_token: idToken, state, proof: data?.value ?? "" });
    expect(right.status).toBe(303);
  });

  test("D1: without that storage opens the lesson in a window of its own, with the same login", async () => {
    const { login } = await newWorld();
    const html = await (await login({ lti_message_hint: "h<" })).answer.text();
    const form = html.slice(html.indexOf('<form id="window"'));
    expect(form).toContain('target="_blank"');
    expect(fieldOf(form, "login_hint")).toBe("17");
    expect(form).toContain('value="h&lt;"');
  });
});

/** Requires that a launch is refused with a page that has the reason, and that nothing is written. */
async function expectRefused(world: World, options: LaunchOptions, why: RegExp) {
  const before = storedRows(world.database);
  const { answer } = await world.launch(options);
  const html = await answer.text();
  expect([answer.status, html]).toEqual([400, expect.stringMatching(why)]);
  expect(storedRows(world.database)).toEqual(before);
  expect(world.clusters.size).toBe(0);
  expect(world.errors).toEqual([]);
}

const seconds = (world: World) => Math.floor(world.time.nowMs / 1000);

describe("a launch that is refused", () => {
  test.each<[string, (world: World) => Record<string, unknown>, RegExp]>([
    ["another nonce", () => ({ nonce: "n".repeat(32) }), /does not belong to the login/],
    ["no nonce", () => ({ nonce: undefined }), /nonce/],
    ["another audience", () => ({ aud: "another" }), /its aud/],
    [
      "two audiences and no azp",
      ({ platform }) => ({ aud: [platform.registration.clientId, "b"], azp: undefined }),
      /azp/,
    ],
    ["another azp", ({ platform }) => ({ aud: [platform.registration.clientId, "b"], azp: "b" }), /azp/],
    ["another issuer", () => ({ iss: "https://evil.example.org" }), /its iss/],
    ["an expired token", (world) => ({ exp: seconds(world) - ltiLimits.clockSeconds - 1 }), /has expired/],
    ["no end", () => ({ exp: undefined }), /its exp/],
    [
      "a token that is too old",
      (world) => ({ iat: seconds(world) - ltiLimits.tokenSeconds - ltiLimits.clockSeconds - 1 }),
      /expired|iat/,
    ],
    ["a token of the future", (world) => ({ iat: seconds(world) + ltiLimits.clockSeconds + 1 }), /its iat/],
    ["an unknown deployment", () => ({ [claim("deployment_id")]: "3" }), /deployment &quot;3&quot; is not known/],
    ["no deployment", () => ({ [claim("deployment_id")]: undefined }), /deployment_id/],
    ["LTI 1.1", () => ({ [claim("version")]: "1.1" }), /version/],
    ["another message", () => ({ [claim("message_type")]: "LtiSubmissionReviewRequest" }), /message_type/],
    ["no resource link", () => ({ [claim("resource_link")]: undefined }), /no resource link/],
    ["nobody", () => ({ sub: undefined }), /who you are/],
    ["no lesson", () => ({ [claim("custom")]: {} }), /names no lesson/],
    ["a name of 300 characters", () => ({ [claim("resource_link")]: { id: "x".repeat(300) } }), /no resource link/],
  ])("D2: %s", async (title, claims, why) => {
    const world = await newWorld();
    // What is wrong with the lesson alone is found after the launch was used up.
    if (title === "nobody" || title === "no lesson") {
      const { answer } = await world.launch({ claims: claims(world) });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(why)]);
      return;
    }
    await expectRefused(world, { claims: claims(world) }, why);
  });

  test("D1: several audiences are accepted with this tool as azp", async () => {
    const world = await newWorld();
    const { clientId } = world.platform.registration;
    expect((await world.launch({ claims: { aud: [clientId, "b"], azp: clientId } })).answer.status).toBe(303);
    expect((await world.launch({ claims: { aud: [clientId] } })).answer.status).toBe(303);
  });

  test("D2: a token is refused a second time", async () => {
    const world = await newWorld();
    const { answer, idToken, state, data } = await world.launch();
    expect(answer.status).toBe(303);
    const again = await world.post("/lti/ada/launch", { id_token: idToken, state }, data.has);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("was used before")]);
    expect(world.clusters.size).toBe(1);
  });

  test("D2: a launch is refused in another browser, or with another login's cookie", async () => {
    const world = await newWorld();
    await expectRefused(world, { cookie: "" }, /another browser/);
    const otherLogin = await world.login();
    const value = otherLogin.data?.has.split("=")[1] ?? "";
    const { data, idToken, state } = await world.launch({ cookie: "x=y" });
    const name = data.has.split("=")[0] ?? "";
    const wrong = await world.post("/lti/ada/launch", { id_token: idToken, state }, `${name}=${value}`);
    expect(wrong.status).toBe(400);
  });

  test("D2: a state is refused if it is forged, too old, or another tenant's", async () => {
    const world = await newWorld();
    const { idToken, state, data } = await world.launch({ cookie: "" });
    const ask = async (path: string, of: string) =>
      (await world.post(path, { id_token: idToken, state: of }, data.has)).status;
    expect(await ask("/lti/ada/launch", "x.y")).toBe(400);
    expect(await ask("/lti/ada/launch", `${state.slice(0, -4)}AAAA`)).toBe(400);
    expect(await ask("/lti/bob/launch", state)).toBe(400);
    world.time.nowMs += ltiLimits.loginMs;
    expect(await ask("/lti/ada/launch", state)).toBe(400);
    expect(world.clusters.size).toBe(0);
  });

  test("D2: a signature is refused if the platform does not list its key, or another key made it", async () => {
    const world = await newWorld();
    await expectRefused(world, { key: await newKey("stranger") }, /does not list/);
    await expectRefused(world, { key: await newKey("first") }, /signature is not the platform/);
  });

  test("D2: an unsigned token, or one with the public key as a shared secret, is refused", async () => {
    const world = await newWorld();
    const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const body = { iss: world.platform.registration.issuer, aud: world.platform.registration.clientId };
    await expectRefused(
      world,
      { idToken: `${encodePart({ alg: "none" })}.${encodePart(body)}.` },
      /RS256|cannot be|can be read/,
    );
    const [key] = world.platform.keys;
    const pem = await exportSPKI((await importJWK(key?.publicJwk ?? {}, "RS256")) as Parameters<typeof exportSPKI>[0]);
    const hmac = await new SignJWT(body)
      .setProtectedHeader({ alg: "HS256", kid: "first" })
      .setIssuedAt(seconds(world))
      .setExpirationTime(seconds(world) + 60)
      .sign(new TextEncoder().encode(pem));
    await expectRefused(world, { idToken: hmac }, /RS256/);
    const { privateKey } = await generateKeyPair("ES256");
    const elliptic = await new SignJWT(body).setProtectedHeader({ alg: "ES256", kid: "first" }).sign(privateKey);
    await expectRefused(world, { idToken: elliptic }, /RS256/);
    await expectRefused(world, { idToken: "a.b.c" }, /can be read/);
    await expectRefused(world, { idToken: "x" }, /can be read/);
  });

  test("D2: a body that is too long or not a form is refused", async () => {
    const world = await newWorld();
    const long = await world.post("/lti/ada/launch", { id_token: "a".repeat(ltiLimits.formBytes), state: "x" });
    expect([long.status, await long.text()]).toEqual([400, expect.stringContaining("longer than")]);
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("a".repeat(65_536))),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const endless = await world.ask("/lti/ada/launch", {
      method: "POST",
      body,
      headers,
      duplex: "half",
    } as RequestInit);
    expect(endless.status).toBe(400);
    const json = await world.ask("/lti/ada/launch", { method: "POST", body: "{}" });
    expect([json.status, await json.text()]).toEqual([400, expect.stringContaining("A form is expected")]);
    expect((await world.post("/lti/ada/launch", {})).status).toBe(400);
  });

  test("D2: a launch is refused if the platform reports that nobody is signed in, or the tenant is suspended", async () => {
    const world = await newWorld();
    const { data } = await world.login();
    const state = new URL(data?.byCookie ?? "").searchParams.get("state") ?? "";
    const sent = { state, error: "login_required", error_description: "<b>sign in</b>" };
    const refused = await world.post("/lti/ada/launch", sent, data?.has);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("&lt;b&gt;sign in")]);
    await world.service.plans.set("ada", { suspended: "unpaid" });
    expect((await world.launch()).answer.status).toBe(403);
    expect(world.clusters.size).toBe(0);
  });
});

test("D8: a registration link is not logged", () => {
  expect(withoutTicket("/lti/ada/register/x.y")).toBe("/lti/ada/register/...");
  expect(withoutTicket("/lti/ada/launch")).toBe("/lti/ada/launch");
});

describe("a login that is refused", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ["an unknown issuer", { iss: "https://nowhere.example.org" }, /No platform/],
    ["another client id", { client_id: "another" }, /No platform/],
    ["no hint", { login_hint: "" }, /login_hint/],
    ["a hint of 9000 characters", { lti_message_hint: "x".repeat(9000) }, /lti_message_hint/],
    ["an invalid frame name", { lti_storage_target: "a'];alert(1)" }, /lti_storage_target/],
  ])("D2: %s", async (_, more, why) => {
    const { login, platform } = await newWorld();
    const { answer } = await login(more);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(why)]);
    expect(platform.requests).toEqual([]);
  });

  test("D6: another tenant's platform is unknown", async () => {
    const { post, platform } = await newWorld();
    const { issuer: iss, clientId: client_id } = platform.registration;
    const answer = await post("/lti/bob/login", { iss, client_id, login_hint: "17" });
    expect(answer.status).toBe(400);
  });

  test("D1: the client id may be omitted if a single platform has the issuer", async () => {
    const { post, platform, send } = await newWorld();
    const { issuer: iss } = platform.registration;
    expect((await post("/lti/ada/login", { iss, login_hint: "17" })).status).toBe(200);
    await send("POST", "/v1/lti/platforms", { body: { ...platform.registration, clientId: "another" } });
    const answer = await post("/lti/ada/login", { iss, login_hint: "17" });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("client_id")]);
  });
});

describe("a platform's keys", () => {
  test("D1: are cached, and read again for an unknown key id", async () => {
    const world = await newWorld();
    const countReads = () => world.platform.askedOf("/mod/lti/certs.php").length;
    await world.learn({ user: "101" });
    await world.learn({ user: "102" });
    expect(countReads()).toBe(1);
    world.platform.keys.push(await newKey("second"));
    world.time.nowMs += ltiLimits.platformKeysPauseMs;
    await world.learn({ user: "103" });
    expect(countReads()).toBe(2);
    // A stranger's key is looked for once in a while alone.
    const stranger = await newKey("stranger");
    for (let at = 0; at < 5; at++) expect((await world.launch({ key: stranger })).answer.status).toBe(400);
    expect(countReads()).toBe(2);
    world.time.nowMs += ltiLimits.platformKeysMs;
    await world.learn({ user: "104" });
    expect(countReads()).toBe(3);
    // One that is listed no more is good no more.
    world.platform.keys.shift();
    world.time.nowMs += ltiLimits.platformKeysMs;
    const first = await newWorld().then(({ platform }) => platform.keys[0]);
    expect((await world.launch({ ...(first ? { key: first } : {}) })).answer.status).toBe(400);
  });

  test.each<[string, () => Response, RegExp]>([
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
      /answered 302/,
    ],
    ["10 MB", () => new Response("x".repeat(10 * 1024 * 1024)), /longer than/],
    ["too long", () => new Response(" ".repeat(ltiLimits.answerBytes + 1)), /longer than/],
    ["no JSON", () => new Response("<html>"), /did not answer JSON/],
    ["no keys", () => Response.json({}), /did not answer a key set/],
    ["a thousand keys", () => Response.json({ keys: Array.from({ length: 1000 }, () => ({ kty: "RSA" })) }), /key set/],
    ["an error", () => new Response("", { status: 500 }), /answered 500/],
  ])("D2: refuse every launch if they are %s", async (_, answer, why) => {
    const world = await newWorld();
    world.platform.instead.set("/mod/lti/certs.php", answer);
    await expectRefused(world, {}, why);
    const countBefore = world.platform.requests.length;
    await expectRefused(world, {}, why);
    expect(world.platform.requests.length).toBe(countBefore);
    world.platform.instead.clear();
    world.time.nowMs += ltiLimits.platformKeysRetryMs;
    expect((await world.launch()).answer.status).toBe(303);
  });
});

describe("LTI pages", () => {
  test("D8: are not cached, have a policy, and are framed by the platform only", async () => {
    const world = await newWorld("canvas");
    const { answer } = await world.launch({ teaches: true });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'nonce-\w+'; base-uri 'none'; form-action 'self'; frame-ancestors /,
    );
    expect(policy.split("frame-ancestors ")[1]?.split(" ")).toEqual([
      "'self'",
      "https://canvas.instructure.com",
      `https://${world.platform.host}`,
      "https://college.instructure.com",
      "https://*.instructure.com",
    ]);
  });

  test("D8: escape a script's data, so that it cannot end the script", async () => {
    const page = htmlPage({
      title: "<b>",
      body: "",
      script: "f()",
      data: "</script><script>alert(1)</script>",
      frames: [],
    });
    const html = await page.text();
    expect(html.match(/<\/script>/g)).toHaveLength(1);
    expect(html).toContain("<title>&lt;b&gt; ");
  });

  test("D8: contain a return address in the policy as an origin only", async () => {
    const world = await newWorld();
    const claims = { [claim("launch_presentation")]: { return_url: "https://a.example.org;script-src * /x" } };
    const { answer } = await world.launch({ teaches: true, claims });
    expect(answer.headers.get("content-security-policy")).not.toContain("script-src *");
  });

  test("D2: answer 404 for unknown paths, and 405 with the allowed methods", async () => {
    const { ask, post } = await newWorld();
    for (const path of [
      "/lti/ada/nothing",
      "/lti/",
      "/lti/ada",
      "/lti/ada/login/x",
      "/lti/ada/register",
      "/lti/ada/toString",
    ])
      expect((await ask(path)).status).toBe(404);
    const answer = await ask("/lti/ada/launch");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await post("/lti/ada/jwks.json", {})).status).toBe(405);
    expect((await ask("/lti/ada/register/%")).status).toBe(404);
    expect((await ask("/lti/ada/register/x.y?openid_configuration=x")).status).toBe(400);
  });
});
