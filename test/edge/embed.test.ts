// Publishable keys and visitors: sandboxes, tickets and limits.
import { describe, expect, test } from "vitest";
import { embedLimits } from "../../shared/base/embed-limits.ts";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { embedSession, oembed } from "../../shared/contract/hosted/embed.ts";
import { type CreatePublishableKey, publishableKey } from "../../shared/contract/hosted/publishable-key.ts";
import { run } from "../../shared/contract/lesson.ts";
import { sign } from "../../worker/edge/control-api/embed/signed.ts";
import { addKey } from "./people.ts";
import { keys, newService, secret } from "./service.ts";

const origin = "https://course.example.org";
const template = "three-nodes";
const lesson = {
  name: "first",
  title: "First",
  manifests: "a: 1",
  timeLimitMinutes: 30,
  users: [{ name: "lea", groups: ["learners"] }],
  steps: [
    {
      title: "One",
      text: "# One",
      question: "Why?",
      checks: [{ name: "a", points: 1, hint: "", expression: "true" }],
      solution: [],
    },
    { title: "Two", text: "# Two", checks: [{ name: "b", points: 1, hint: "", expression: "true" }] },
  ],
};

type Harness = Awaited<ReturnType<typeof newService>>;

async function newKey({ send }: Harness, of: Partial<CreatePublishableKey> = {}) {
  const body = { name: "course", origins: [origin], templates: [template], ...of };
  const answer = await send("POST", "/v1/publishable-keys", { body });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return publishableKey.parse(await answer.json());
}

function ticketFor({ time }: Harness, key: string, of = origin): Promise<string> {
  return sign(secret, "ticket", { key, origin: of }, { nowMs: time.nowMs, forMs: embedLimits.embedSessionMs });
}

interface Coming {
  readonly visitor?: string;
  readonly ticket?: string;
  readonly wish?: object;
  readonly address?: string;
  readonly origin?: string;
}

async function visitPage(harness: Harness, key: string, coming: Coming = {}): Promise<Response> {
  const { visitor, wish = { template }, address } = coming;
  const ticket = coming.ticket ?? (await ticketFor(harness, key, coming.origin));
  const headers: Record<string, string> = address === undefined ? {} : { "cf-connecting-ip": address };
  const body = { ticket, ...(visitor === undefined ? {} : { visitor }), ...wish };
  return harness.send("POST", "/v1/embed/sessions", { key: "", body, headers });
}

async function visitResult(harness: Harness, key: string, coming: Coming = {}) {
  const answer = await visitPage(harness, key, coming);
  expect(answer.status, await answer.clone().text()).toBe(201);
  return embedSession.parse(await answer.json());
}

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("a publishable key", () => {
  test("Z11: is created, listed and revoked", async () => {
    const harness = await newService();
    const createdKey = await newKey(harness, { templates: [template, template], limits: { perHour: 7 } });
    expect(createdKey.key).toMatch(/^pk_[a-z2-7]{30}$/);
    expect(createdKey).toMatchObject({ origins: [origin], templates: [template], lessons: [], ttlSeconds: 7200 });
    expect(createdKey.limits).toEqual({ perVisitor: 2, atOnce: 20, perHour: 7, perAddress: 30 });
    expect(await (await harness.send("GET", "/v1/publishable-keys")).json()).toEqual({ publishableKeys: [createdKey] });
    expect((await harness.send("DELETE", `/v1/publishable-keys/${createdKey.key}`)).status).toBe(204);
    expect((await harness.send("DELETE", `/v1/publishable-keys/${createdKey.key}`)).status).toBe(404);
    expect(await (await harness.send("GET", "/v1/publishable-keys")).json()).toEqual({ publishableKeys: [] });
  });

  test.each([
    ["no origins", { origins: [] }, "origins"],
    ["an origin with a path", { origins: [`${origin}/a`] }, "origins.0"],
    ["an empty offer", { templates: [] }, "templates"],
    ["an unknown template", { templates: [template, "nowhere"] }, "templates.1"],
    ["an unknown lesson", { lessons: ["nowhere"] }, "lessons.0"],
    ["a bound of 0 sandboxes", { limits: { perHour: 0 } }, "limits.perHour"],
    ["too high a bound for a visitor", { limits: { perVisitor: 21 } }, "limits.perVisitor"],
    ["too long a lifetime", { ttlSeconds: 1e9 }, "ttlSeconds"],
  ])("Z11: with an invalid %s is refused with the field's name", async (_, of, field) => {
    const { send } = await newService();
    const body = { name: "course", origins: [origin], templates: [template], ...of };
    expect(await errorOf(await send("POST", "/v1/publishable-keys", { body }))).toMatchObject({ field });
  });

  test("Z11: is bounded in number for each tenant", async () => {
    const harness = await newService();
    for (let at = 0; at < embedLimits.publishableKeys; at++) await newKey(harness);
    const body = { name: "course", origins: [origin], templates: [template] };
    const refused = await errorOf(await harness.send("POST", "/v1/publishable-keys", { body }));
    expect(refused).toMatchObject({ status: 409, code: "too_many_publishable_keys" });
    expect((await harness.send("POST", "/v1/publishable-keys", { body, key: keys.bob })).status).toBe(201);
  });

  test("Z11: cannot grant more than its creator's own rights", async () => {
    const harness = await newService();
    expect((await harness.send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
    const of = { lessons: ["first"], templates: [] };
    const body = { name: "course", origins: [origin], ...of };
    for (const [scopes, missing] of [
      [["keys:write"], "sandboxes:create"],
      [["keys:write", "sandboxes:create"], "lessons:write"],
    ] as const) {
      const key = await addKey(harness.database, "ada", missing, scopes);
      const refused = await errorOf(await harness.send("POST", "/v1/publishable-keys", { body, key }));
      expect(refused).toMatchObject({ status: 403, code: "missing_scope", scope: missing });
    }
  });

  test("Z11: is refused by the control API", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    for (const path of ["/v1/sandboxes", "/v1/me", "/v1/publishable-keys"])
      expect((await harness.send("GET", path, { key })).status).toBe(401);
    expect((await harness.send("POST", "/v1/sandboxes", { key })).status).toBe(401);
  });

  test("Z11: is deleted with its tenant", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    await harness.send("DELETE", "/v1/tenant");
    expect(await errorOf(await visitPage(harness, key))).toMatchObject({ status: 401, code: "unauthorized" });
  });
});

describe("a visitor", () => {
  test("Z12: gets a sandbox of the template, with the key's lifetime and label, as its administrator", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { ttlSeconds: 600 });
    const first = await visitResult(harness, key);
    expect(first).toMatchObject({ isNew: true, readOnly: false, user: "visitor" });
    expect(Date.parse(first.sandbox.expiresAt)).toBe(harness.time.nowMs + 600_000);
    const cluster = harness.clusters.get(first.sandbox.id);
    expect(cluster?.tokens).toMatchObject([{ user: "visitor", groups: ["system:masters", "system:authenticated"] }]);
    // The token ends with the sandbox.
    expect(first.tokenExpiresAt).toBe(first.sandbox.expiresAt);
    const list = await (await harness.send("GET", `/v1/sandboxes?label=publishable-key=${key}`)).json();
    expect(list).toMatchObject({ sandboxes: [{ id: first.sandbox.id, labels: { template } }] });
  });

  test("Z12: gets the same sandbox on return, and other visitors get their own", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const first = await visitResult(harness, key);
    const again = await visitResult(harness, key, { visitor: first.visitor });
    expect(again).toMatchObject({ isNew: false, sandbox: first.sandbox });
    // The ticket of the last answer is as good as the page's.
    const renewed = await visitResult(harness, key, { visitor: again.visitor, ticket: again.ticket });
    expect(renewed.sandbox).toEqual(first.sandbox);
    const otherVisitor = await visitResult(harness, key);
    expect(otherVisitor.isNew).toBe(true);
    expect(otherVisitor.sandbox.id).not.toBe(first.sandbox.id);
  });

  test("Z12: gets one token for a hundred page loads within a quarter of an hour", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    let { visitor, sandbox } = await visitResult(harness, key);
    for (let at = 0; at < 100; at++) {
      harness.time.nowMs += 9_000;
      ({ visitor, sandbox } = await visitResult(harness, key, { visitor }));
    }
    expect(harness.clusters.get(sandbox.id)?.tokens.length).toBe(1);
  });

  test("Z12: gets a read-only token only if the page asks for it", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const { token, sandbox, user } = await visitResult(harness, key, { wish: { template, readOnly: true } });
    expect(token).toMatch(/^sbv_/);
    expect(user).toBe("sandbar:viewer");
    expect(harness.clusters.get(sandbox.id)?.tokens).toMatchObject([{ readOnly: true }]);
  });

  test("Z12: gets one sandbox for two frames that load at once", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const { visitor } = await visitResult(harness, key);
    await harness.send("DELETE", `/v1/sandboxes/${(await visitResult(harness, key, { visitor })).sandbox.id}`);
    // What the other does goes on meanwhile.
    harness.service.wait = () => new Promise((done) => void setImmediate(done));
    const both = await Promise.all([visitResult(harness, key, { visitor }), visitResult(harness, key, { visitor })]);
    expect(both[0].sandbox).toEqual(both[1].sandbox);
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
  });

  test("Z12: gets another sandbox if theirs was deleted or has expired", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { ttlSeconds: 600 });
    const first = await visitResult(harness, key);
    await harness.send("DELETE", `/v1/sandboxes/${first.sandbox.id}`);
    const second = await visitResult(harness, key, { visitor: first.visitor });
    expect(second.sandbox.id).not.toBe(first.sandbox.id);
    harness.time.nowMs += 600_000;
    const third = await visitResult(harness, key, { visitor: second.visitor });
    expect(third.sandbox.id).not.toBe(second.sandbox.id);
  });

  test("Z12: gets a specific sandbox or none if the page names it", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { ttlSeconds: 600 });
    const { visitor, sandbox } = await visitResult(harness, key);
    const wish = { template, sandbox: sandbox.id };
    expect((await visitResult(harness, key, { visitor, wish })).sandbox).toEqual(sandbox);
    expect((await visitPage(harness, key, { wish })).status).toBe(410);
    harness.time.nowMs += 600_000;
    expect((await visitPage(harness, key, { visitor, wish })).status).toBe(410);
    expect(harness.clusters.size).toBe(2);
  });

  test("Z12: gets an error if the creation fails, and the creation is not counted", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { limits: { atOnce: 1 } });
    const { visitor, sandbox } = await visitResult(harness, key);
    await harness.send("DELETE", `/v1/sandboxes/${sandbox.id}`);
    const { markReady } = harness.service.directory;
    harness.service.directory = { ...harness.service.directory, markReady: async () => false };
    expect((await visitPage(harness, key, { visitor })).status).toBe(500);
    harness.service.directory = { ...harness.service.directory, markReady };
    expect((await visitResult(harness, key, { visitor })).isNew).toBe(true);
    harness.errors.length = 0;
  });
});

describe("tickets", () => {
  test.each([
    ["a foreign text", async () => "a.b.c"],
    ["a visitor's", async (harness: Harness, key: string) => (await visitResult(harness, key)).visitor],
    ["a session's", async (harness: Harness, key: string) => (await visitResult(harness, key)).session],
    [
      "a ticket of another service",
      async ({ time }: Harness, key: string) => {
        const how = { nowMs: time.nowMs, forMs: 1e6 };
        return sign(`${secret}!`, "ticket", { key, origin }, how);
      },
    ],
    [
      "an expired ticket",
      async (harness: Harness, key: string) => {
        const ticket = await ticketFor(harness, key);
        harness.time.nowMs += embedLimits.embedSessionMs;
        return ticket;
      },
    ],
  ])("Z14: %s is refused as a ticket", async (_, ticketOf) => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const refused = await errorOf(await visitPage(harness, key, { ticket: await ticketOf(harness, key) }));
    expect(refused).toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("Z14: a ticket is valid for pages of the key's origins, until the key is revoked", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const foreign = await errorOf(await visitPage(harness, key, { origin: "https://evil.example.org" }));
    expect(foreign).toMatchObject({ status: 403, code: "origin_not_allowed" });
    const { session, ticket } = await visitResult(harness, key);
    await harness.send("DELETE", `/v1/publishable-keys/${key}`);
    expect(await errorOf(await visitPage(harness, key, { ticket }))).toMatchObject({ status: 401 });
    const reset = await harness.send("POST", "/v1/embed/reset", { key: "", body: { session } });
    expect(await errorOf(reset)).toMatchObject({ status: 401 });
  });

  test("Z14: a frame that was open past its ticket's expiry continues as its visitor", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { ttlSeconds: 86_400 });
    const { visitor, ticket, sandbox } = await visitResult(harness, key);
    harness.time.nowMs += 8 * embedLimits.embedSessionMs;
    expect((await visitPage(harness, key, { ticket })).status).toBe(401);
    expect((await visitResult(harness, key, { ticket, visitor })).sandbox).toEqual(sandbox);
  });

  test("Z14: a visitor of another key or origin is new, and so is one after thirty days", async () => {
    const harness = await newService();
    const second = "https://wiki.example.org";
    const { key } = await newKey(harness, { origins: [origin, second] });
    const { key: otherKey } = await newKey(harness, { origins: [origin] });
    const { visitor } = await visitResult(harness, key);
    expect((await visitResult(harness, key, { visitor, origin: second })).isNew).toBe(true);
    expect((await visitResult(harness, otherKey, { visitor })).isNew).toBe(true);
    expect((await visitResult(harness, key, { visitor: "a.b.c" })).isNew).toBe(true);
    harness.time.nowMs += embedLimits.embedVisitorMs;
    expect((await visitResult(harness, key, { visitor })).isNew).toBe(true);
  });

  test("Z14: a template or lesson that the key does not offer is refused", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    for (const [wish, field] of [
      [{ template: "empty" }, "template"],
      [{ lesson: "first" }, "lesson"],
    ] as const) {
      const refused = await errorOf(await visitPage(harness, key, { wish }));
      expect(refused).toMatchObject({ status: 403, code: "not_offered", field });
    }
    expect(await errorOf(await visitPage(harness, key, { wish: {} }))).toMatchObject({
      status: 400,
      field: "template",
    });
    const both = await visitPage(harness, key, { wish: { template, lesson: "first" } });
    expect(await errorOf(both)).toMatchObject({ status: 400 });
    // A name stands for all of its versions, a version for itself.
    expect((await visitPage(harness, key, { wish: { template: `${template}@1` } })).status).toBe(201);
    const { key: pinned } = await newKey(harness, { templates: [`${template}@1`] });
    expect((await visitPage(harness, pinned)).status).toBe(403);
  });

  test("Z14: a suspended tenant's key is refused", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    await harness.service.plans.set("ada", { suspended: "unpaid" });
    const refused = await errorOf(await visitPage(harness, key));
    expect(refused).toMatchObject({ status: 403, code: "suspended" });
    expect(refused.message).not.toContain("unpaid");
  });
});

describe("a key's limits", () => {
  test("Z13: bound the sandboxes of a visitor", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { templates: [template, "empty"], limits: { perVisitor: 1 } });
    const { visitor } = await visitResult(harness, key);
    const answer = await visitPage(harness, key, { visitor, wish: { template: "empty" } });
    // An hour, which is the most; it is free again when the first has ended.
    expect(answer.headers.get("retry-after")).toBe("3600");
    const refused = await errorOf(answer);
    expect(refused).toMatchObject({
      status: 429,
      code: "limit_reached",
      limit: { name: "perVisitor", limited: 1, used: 1, requested: 1 },
      message: "perVisitor: the publishable key has 1, 1 of it are used, and 1 more were asked for",
    });
  });

  test("Z13: bound the concurrent sandboxes of this key", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { limits: { atOnce: 1 } });
    const { key: otherKey } = await newKey(harness, { limits: { atOnce: 1 } });
    const { sandbox, visitor } = await visitResult(harness, key);
    expect(await errorOf(await visitPage(harness, key))).toMatchObject({ status: 429, limit: { name: "atOnce" } });
    expect((await visitPage(harness, key, { visitor })).status).toBe(201);
    expect((await visitPage(harness, otherKey)).status).toBe(201);
    await harness.send("DELETE", `/v1/sandboxes/${sandbox.id}`);
    expect((await visitPage(harness, key)).status).toBe(201);
  });

  test("Z13: bound the creations within an hour, including deleted sandboxes", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { ttlSeconds: 600, limits: { perHour: 1 } });
    await visitResult(harness, key);
    harness.time.nowMs += 3_000_000;
    const answer = await visitPage(harness, key);
    expect(answer.headers.get("retry-after")).toBe("600");
    expect(await errorOf(answer)).toMatchObject({ status: 429, limit: { name: "perHour" } });
    harness.time.nowMs += 600_000;
    expect((await visitPage(harness, key)).status).toBe(201);
  });

  test("Z13: bound the sandboxes of a known address, and an IPv6 network counts as one", async () => {
    const harness = await newService();
    const { key } = await newKey(harness, { limits: { perAddress: 1 } });
    await visitResult(harness, key, { address: "2001:db8::1" });
    const refused = await visitPage(harness, key, { address: "2001:db8::2" });
    expect(await errorOf(refused)).toMatchObject({ status: 429, limit: { name: "perAddress" } });
    expect((await visitPage(harness, key, { address: "2001:db8:0:1::1" })).status).toBe(201);
    for (let at = 0; at < 2; at++) expect((await visitPage(harness, key)).status).toBe(201);
  });

  test("Z13: apply beside the plan's limits", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    await harness.service.plans.set("ada", { overrides: { liveSandboxes: 1 } });
    await visitResult(harness, key);
    expect(await errorOf(await visitPage(harness, key))).toMatchObject({
      status: 429,
      limit: { name: "liveSandboxes" },
    });
  });
});

describe("an embedded lesson", () => {
  const wish = { lesson: "first" };

  async function begin(of: Partial<CreatePublishableKey> = {}) {
    const harness = await newService();
    expect((await harness.send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
    const { key } = await newKey(harness, { lessons: ["first"], ...of });
    return { harness, key };
  }

  test("Z15: lets a visitor take it as a learner: graded, answered and restarted", async () => {
    const { harness, key } = await begin();
    const { session, run: begun, user, sandbox, visitor } = await visitResult(harness, key, { wish });
    expect(user).toBe("lea");
    expect(begun).toMatchObject({ lesson: "first", step: 1, page: { question: "Why?" } });
    const act = (action: string, more: object = {}) =>
      harness.send("POST", `/v1/embed/${action}`, { key: "", body: { session, ...more } });
    expect(run.parse(await (await act("answer", { answer: "so" })).json()).page.answer).toBe("so");
    const cluster = harness.clusters.get(sandbox.id);
    if (cluster)
      cluster.restoreState = () => Promise.resolve({ ok: true, revision: 1, version: "1.36" as const, objects: 1 });
    expect(await (await act("reset")).json()).toMatchObject({ run: { step: 1, page: { answer: "" } } });
    expect(run.parse(await (await act("check")).json())).toMatchObject({ step: 2, points: 1 });
    const back = await visitResult(harness, key, { wish, visitor });
    expect(back).toMatchObject({ isNew: false, run: { step: 2, points: 1 } });
  });

  test("Z15: shows no exam of several clusters, and creates no sandbox", async () => {
    const { harness, key } = await begin();
    const { manifests: _, ...fields } = lesson;
    const body = { ...fields, exam: {}, clusters: [{ name: "c1" }, { name: "c2" }] };
    expect((await harness.send("POST", "/v1/lessons", { body })).status).toBe(201);
    const refused = await errorOf(await visitPage(harness, key, { wish }));
    expect(refused).toMatchObject({ status: 403, code: "not_offered", field: "lesson" });
    expect(harness.clusters.size).toBe(0);
  });

  test("Z15: grades only sessions of lessons", async () => {
    const { harness, key } = await begin();
    const { session } = await visitResult(harness, key);
    const answer = await harness.send("POST", "/v1/embed/check", { key: "", body: { session } });
    expect(await errorOf(answer)).toMatchObject({ status: 400, field: "session" });
  });

  test("Z15: starts a separate run for a resume under a visitor's name", async () => {
    const { harness, key } = await begin();
    const { run: visited } = await visitResult(harness, key, { wish });
    const body = { learner: visited?.learner ?? "", resume: true };
    const resumed = await harness.send("POST", "/v1/lessons/first/runs", { body });
    expect(resumed.status).toBe(201);
    expect((await resumed.json<{ run: string }>()).run).not.toBe(visited?.run);
  });

  test("Z15: takes no learner's place with its visitors' runs, and deletes them a day after their end", async () => {
    const { harness, key } = await begin();
    const { run: begun } = await visitResult(harness, key, { wish });
    const copy = harness.database.prepare(
      "INSERT INTO lesson_runs (id, tenant_id, lesson, version, learner, sandbox_id, step, step_revision, answer, progress, points, max_points, is_finished, created_at_ms, changed_at_ms, expires_at_ms, change, publishable_key, step_started_ms, class_id) SELECT id || ?, tenant_id, lesson, version, learner, sandbox_id, step, step_revision, answer, progress, points, max_points, is_finished, created_at_ms, changed_at_ms, expires_at_ms, change, publishable_key, step_started_ms, class_id FROM lesson_runs WHERE id = ?",
    );
    for (let at = 1; at < limits.lessonRuns; at++) copy.run(at, begun?.run ?? "");
    expect(await errorOf(await visitPage(harness, key, { wish }))).toMatchObject({
      status: 409,
      code: "too_many_runs",
    });
    const learner = await harness.send("POST", "/v1/lessons/first/runs", { body: { learner: "ann" } });
    expect(learner.status).toBe(201);
    harness.time.nowMs = Date.parse(begun?.expiresAt ?? "") + embedLimits.visitorRunMs + 1;
    await visitResult(harness, key, { wish });
    expect(harness.database.prepare("SELECT count(*) AS count FROM lesson_runs").get()).toEqual({ count: 2 });
  });
});

describe("oEmbed", () => {
  const ask = ({ send }: Harness, query: Record<string, string>) =>
    send("GET", `/v1/oembed?${new URLSearchParams(query).toString()}`, { key: "" });

  test("Z17: describes the frame for any page, within the requested size", async () => {
    const harness = await newService();
    const { key } = await newKey(harness);
    const url = `http://localhost:8787/embed/${key}?template=${template}&panes=live&a="><script>`;
    const answer = await ask(harness, { url, maxwidth: "400", maxheight: "99999", dnt: "1" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const oembedAnswer = oembed.parse(await answer.json());
    expect(oembedAnswer).toMatchObject({
      type: "rich",
      width: 400,
      height: 480,
      title: `Kubernetes cluster: ${template}`,
    });
    expect(oembedAnswer.html).toContain(
      `src="http://localhost:8787/embed/${key}?template=${template}&amp;panes=live&amp;`,
    );
    expect(oembedAnswer.html).toContain('referrerpolicy="origin"');
    expect(oembedAnswer.html).not.toContain("<script");
  });

  test.each([
    ["an address of another host", { url: "https://example.org/embed/pk_a" }, 404],
    ["an address outside of /embed", { url: "http://localhost:8787/" }, 404],
    ["an unknown key", { url: `http://localhost:8787/embed/pk_${"a".repeat(30)}` }, 404],
    ["no address", { url: "x" }, 404],
    ["XML", { url: "http://localhost:8787/", format: "xml" }, 501],
    ["a long one", { url: "x".repeat(embedLimits.embedUrlCharacters + 1) }, 400],
  ])("Z17: %s is refused", async (_, query, status) => {
    const harness = await newService();
    expect((await ask(harness, query as unknown as Record<string, string>)).status).toBe(status);
  });
});
