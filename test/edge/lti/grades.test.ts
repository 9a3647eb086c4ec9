// Scores of lessons on their way to a platform, as the Assignment and Grade Services have it.
import { describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { signingKey } from "../../../worker/edge/lti/tool-keys.ts";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { deliveryList } from "../../../shared/contract/hosted/webhook.ts";
import { keys } from "../service.ts";
import { newWorld, type World } from "./world.ts";

const grades = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint";
const scope = (name: string) => `https://purl.imsglobal.org/spec/lti-ags/scope/${name}`;

async function scoreDeliveries(world: World) {
  const answer = await world.send("GET", `/v1/lti/platforms/${world.platformId}/scores`);
  return deliveryList.parse(await answer.json()).deliveries;
}

describe("a score", () => {
  test("D4: is sent to Moodle after each passed check, and in full when the lesson is done", async () => {
    const world = await newWorld("moodle");
    const { run } = await world.learn();
    await world.checkRun(run, [true, false]);
    expect(world.scores()).toEqual([]);
    await world.sendDue();
    const [first] = world.scores();
    // The query of Moodle's line items stays behind the path.
    expect(first?.url).toBe(
      `https://${world.platform.host}/mod/lti/services.php/3/lineitems/9/lineitem/scores?type_id=2`,
    );
    expect(first?.headers.get("content-type")).toBe("application/vnd.ims.lis.v1.score+json");
    expect(first?.headers.get("authorization")).toBe(`Bearer granted ${scope("score")}`);
    expect(first?.score).toEqual({
      userId: "17",
      scoreGiven: 2,
      scoreMaximum: 10,
      comment: "2 of 10 points so far",
      timestamp: new Date(world.time.nowMs).toISOString(),
      activityProgress: "InProgress",
      gradingProgress: "FullyGraded",
    });
    world.time.nowMs += 60_000;
    await world.checkRun(run, [true, true]);
    await world.checkRun(run, [true]);
    await world.sendDue();
    // What came between was superseded before it was sent.
    expect(world.scores().map(({ score }) => [score["scoreGiven"], score["activityProgress"]])).toEqual([
      [2, "InProgress"],
      [10, "Completed"],
    ]);
    expect(world.platform.askedOf("/mod/lti/token.php")).toHaveLength(1);
    expect(await scoreDeliveries(world)).toMatchObject([
      { type: "lti.score", state: "delivered", attempts: 1, status: 200 },
      { type: "lti.score", state: "delivered", attempts: 1, status: 200 },
    ]);
    expect(world.errors).toEqual([]);
  });

  test("D4: is sent to Canvas as one submission, when the lesson is done", async () => {
    const world = await newWorld("canvas");
    const { run } = await world.learn();
    await world.checkRun(run, [true]);
    await world.sendDue();
    world.time.nowMs += 60_000;
    await world.checkRun(run, [true, true]);
    await world.checkRun(run, [true]);
    await world.sendDue();
    const submission = "https://canvas.instructure.com/lti/submission";
    expect(world.scores().map(({ score }) => score[submission])).toEqual([
      { new_submission: false },
      { new_submission: true },
    ]);
    expect(world.scores()[0]?.url).toBe(`https://${world.platform.host}/api/lti/courses/1/line_items/5/scores`);
  });

  test("D4: is not sent if it is not better, neither for a worse attempt nor for a worse later run", async () => {
    const world = await newWorld();
    const { run } = await world.learn();
    await world.checkRun(run, [true, false]);
    await world.checkRun(run, [false, false]);
    await world.sendDue();
    world.time.nowMs += 31 * 60_000;
    const { run: second } = await world.learn();
    expect(second).not.toBe(run);
    await world.checkRun(second, [true, false]);
    await world.sendDue();
    expect(world.scores().map(({ score }) => score["scoreGiven"])).toEqual([2]);
    await world.checkRun(second, [false, true]);
    await world.sendDue();
    expect(world.scores().map(({ score }) => score["scoreGiven"])).toEqual([2, 3]);
  });

  test("D4: is not sent for a run without a launch, for a teacher, or if the platform accepts no scores", async () => {
    const world = await newWorld();
    const alone = await (await world.send("POST", "/v1/lessons/first/runs", { body: { learner: "x" } })).json<{
      run: string;
    }>();
    await world.checkRun(alone.run, [true, true]);
    const readOnly = { scope: [scope("result.readonly")], lineitem: "https://a.example.edu/1" };
    for (const [user, claim] of [
      ["1", undefined],
      ["2", readOnly],
    ] as const) {
      const { run } = await world.learn({ user, claims: { [grades]: claim } });
      await world.checkRun(run, [true, true]);
    }
    await world.sendDue();
    expect(await scoreDeliveries(world)).toEqual([]);
  });

  test("D4: searches its line item if the launch names none, and creates it if it is missing", async () => {
    const world = await newWorld();
    const lineitems = `https://${world.platform.host}/mod/lti/services.php/3/lineitems?type_id=2`;
    const claims = { [grades]: { scope: [scope("lineitem"), scope("score")], lineitems } };
    const { run } = await world.learn({ claims });
    await world.checkRun(run, [true]);
    await world.sendDue();
    const [lookup, creation] = world.platform.askedOf("/mod/lti/services.php/3/lineitems");
    expect(new URL(lookup?.url ?? "").search).toBe("?type_id=2&resource_link_id=4&limit=10");
    expect(JSON.parse(creation?.body ?? "")).toEqual({
      scoreMaximum: 10,
      label: "First <lesson>",
      resourceLinkId: "4",
      resourceId: "first",
    });
    expect(world.scores().map(({ url }) => url)).toEqual([`https://${world.platform.host}/made/12/scores`]);
    world.platform.instead.set("/mod/lti/services.php/3/lineitems", () =>
      Response.json([
        { id: "https://a.example.edu/other", resourceLinkId: "5" },
        { id: `https://${world.platform.host}/found/1?x=1`, resourceLinkId: "4", resourceId: "first" },
      ]),
    );
    await world.checkRun(run, [true, true]);
    await world.sendDue();
    expect(world.scores()[1]?.url).toBe(`https://${world.platform.host}/found/1/scores?x=1`);
  });
});

describe("a platform that fails", () => {
  test("D4: is retried with growing delays, with the newest score and time, and abandoned in the end", async () => {
    const world = await newWorld();
    world.platform.instead.set("/mod/lti/services.php/3/lineitems", () => new Response("", { status: 503 }));
    const { run } = await world.learn();
    await world.checkRun(run, [true]);
    await world.sendDue();
    expect(await scoreDeliveries(world)).toMatchObject([{ state: "waiting", attempts: 1, status: 503 }]);
    await world.sendDue();
    expect(world.scores()).toHaveLength(1);
    await world.checkRun(run, [true, true]);
    for (const pause of limits.deliveryPauseSeconds) {
      await world.sendDue();
      world.time.nowMs += pause * 1200;
    }
    await world.sendDue();
    const scores = world.scores().map(({ score }) => score);
    expect(scores.map(({ scoreGiven }) => scoreGiven)).toEqual([2, ...Array.from({ length: 7 }, () => 5)]);
    expect(new Set(scores.map(({ timestamp }) => timestamp)).size).toBe(7);
    expect(await scoreDeliveries(world)).toMatchObject([{ state: "failed", attempts: 7, error: "it answered 503" }]);
    // The next launch tries it once more; a score that has arrived is not sent again.
    world.platform.instead.clear();
    for (let at = 0; at < 2; at++) {
      await world.learn();
      await world.settled();
      await world.sendDue();
    }
    expect(world.scores()).toHaveLength(9);
    expect((await scoreDeliveries(world))[0]).toMatchObject({ state: "delivered" });
  });

  test.each<[string, string, () => Response, RegExp]>([
    [
      "gives no token",
      "/mod/lti/token.php",
      () => Response.json({ error: "x" }, { status: 400 }),
      /no access token: it answered 400/,
    ],
    ["gives an invalid token", "/mod/lti/token.php", () => Response.json({ access_token: 7 }), /no access token/],
    [
      "answers a token of 10 MB",
      "/mod/lti/token.php",
      () => new Response("x".repeat(1e7)),
      /no access token: the answer is longer/,
    ],
    [
      "redirects",
      "/mod/lti/services.php/3/lineitems",
      () => new Response(null, { status: 307, headers: { location: "http://10.0.0.1/" } }),
      /answered 307/,
    ],
  ])("D4: keeps the score waiting and shows the reason if it %s", async (_, path, answer, why) => {
    const world = await newWorld();
    world.platform.instead.set(path, answer);
    const { run } = await world.learn();
    await world.checkRun(run, [true]);
    await world.sendDue();
    const [delivery] = await scoreDeliveries(world);
    expect(delivery).toMatchObject({ state: "waiting", error: expect.stringMatching(why) as string });
    expect(world.platform.requests.every(({ url }) => new URL(url).hostname === world.platform.host)).toBe(true);
  });

  test("D4: gets a new token if it refuses the old one", async () => {
    const world = await newWorld();
    const { run } = await world.learn();
    world.platform.instead.set("/mod/lti/services.php/3/lineitems", () => new Response("", { status: 401 }));
    await world.checkRun(run, [true]);
    await world.sendDue();
    world.platform.instead.clear();
    world.time.nowMs += 6000;
    await world.sendDue();
    expect(world.platform.askedOf("/mod/lti/token.php")).toHaveLength(2);
    expect(await scoreDeliveries(world)).toMatchObject([{ state: "delivered", attempts: 2 }]);
  });

  test.each([
    "http://a.example.edu/1",
    "https://10.0.0.1/1",
    "https://localhost/1",
    "https://[::1]/1",
    "https://metadata.google.internal/",
    "https://u:p@a.example.edu/1",
    "javascript:alert(1)",
    "x",
  ])("D6: receives no request for a line item at %s", async (lineitem) => {
    const world = await newWorld();
    const { run } = await world.learn({ claims: { [grades]: { scope: [scope("score")], lineitem } } });
    await world.checkRun(run, [true]);
    await world.sendDue();
    expect(await scoreDeliveries(world)).toMatchObject([
      { state: "waiting", error: expect.stringMatching(/^the address/) as string },
    ]);
  });

  test("D6: receives nothing after its deletion", async () => {
    const world = await newWorld();
    const { run } = await world.learn();
    await world.checkRun(run, [true]);
    expect((await world.send("DELETE", `/v1/lti/platforms/${world.platformId}`)).status).toBe(204);
    await world.settled();
    await world.sendDue();
    await world.checkRun(run, [true, true]);
    await world.sendDue();
    expect(world.scores()).toEqual([]);
    expect(world.errors).toEqual([]);
  });
});

describe("the keys of the tool", () => {
  const publishedKeyIds = async ({ ask }: World) =>
    (await (await ask("/lti/ada/jwks.json")).json<{ keys: { kid: string }[] }>()).keys;

  test("D7: are published as public keys only, cacheable for less than a day", async () => {
    const { ask } = await newWorld();
    const answer = await ask("/lti/ada/jwks.json");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    const { keys: all } = await answer.json<{ keys: object[] }>();
    expect(all).toHaveLength(1);
    expect(Object.keys(all[0] ?? {}).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
  });

  test("D7: are published a day before they sign, and stay published for longer than scores are retried", async () => {
    const world = await newWorld();
    const [first] = await publishedKeyIds(world);
    world.time.nowMs += ltiLimits.toolKeySignsMs;
    const two = await publishedKeyIds(world);
    expect(two.map(({ kid }) => kid === first?.kid)).toEqual([false, true]);
    const { run } = await world.learn();
    await world.checkRun(run, [true]);
    const signedBy = () =>
      world.platform.askedOf("/mod/lti/token.php").map(({ body }) => {
        const [head = ""] = (new URLSearchParams(body).get("client_assertion") ?? "").split(".");
        return (JSON.parse(Buffer.from(head, "base64url").toString()) as { kid: string }).kid;
      });
    await world.sendDue();
    expect(signedBy()).toEqual([first?.kid]);
    world.time.nowMs += ltiLimits.toolKeyNewMs;
    const { run: second } = await world.learn({ user: "18" });
    await world.checkRun(second, [true]);
    await world.sendDue();
    expect(signedBy()).toEqual([first?.kid, two[0]?.kid]);
    const lasts = limits.deliveryPauseSeconds.reduce((sum, pauseSeconds) => sum + pauseSeconds * 1100, 0);
    expect(ltiLimits.toolKeyPublishedAfterMs).toBeGreaterThan(lasts);
    const { lti } = world.service;
    const forget = () => {
      const { toolKeySignsMs, toolKeyNewMs, toolKeyPublishedAfterMs } = ltiLimits;
      return lti.forget(
        world.time.nowMs,
        world.time.nowMs - toolKeySignsMs - toolKeyNewMs - toolKeyPublishedAfterMs,
        0,
        100,
      );
    };
    await forget();
    expect(await publishedKeyIds(world)).toHaveLength(2);
    world.time.nowMs += ltiLimits.toolKeyPublishedAfterMs + 1;
    await forget();
    expect(await publishedKeyIds(world)).toEqual([two[0]]);
  });

  test("D7: are used for their own tenant's platforms only, and an unknown tenant has none", async () => {
    const world = await newWorld();
    const [ownDelivery] = await publishedKeyIds(world);
    const ofBob = await (await world.ask("/lti/bob/jwks.json")).json<{ keys: { kid: string }[] }>();
    expect(ofBob.keys).toHaveLength(1);
    expect(ofBob.keys[0]?.kid).not.toBe(ownDelivery?.kid);
    // As a tenant would that knows another's client id: its launches are its own, the tokens are asked for at the other's platform.
    const response = await world.send("POST", "/v1/lti/platforms", {
      key: keys.bob,
      body: world.platform.registration,
    });
    expect(response.status).toBe(201);
    expect((await signingKey(world.service, "bob")).kid).toBe(ofBob.keys[0]?.kid);
    expect((await signingKey(world.service, "ada")).kid).toBe(ownDelivery?.kid);
    const answer = await world.ask("/lti/nobody/jwks.json");
    expect(answer.status).toBe(404);
    expect(world.database.prepare("SELECT count(*) AS count FROM lti_keys").get()).toEqual({ count: 2 });
  });

  test("D7: are stored with an encrypted private key", async () => {
    const world = await newWorld();
    await world.ask("/lti/ada/jwks.json");
    const { sealed, public_jwk: publicJwk } = world.database.prepare("SELECT * FROM lti_keys").get() as Record<
      string,
      string
    >;
    expect(sealed).toMatch(/^eyJ[\w-]*\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(JSON.parse(publicJwk ?? "")).not.toHaveProperty("d");
    expect((await world.send("GET", "/v1/lti/platforms", { key: keys.bob })).status).toBe(200);
  });
});
