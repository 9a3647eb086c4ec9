// The learner's page: rights of its token in one run, and webhook events.
import { describe, expect, test } from "vitest";
import type { OwnAccess, Run, RunWithTokens } from "../../shared/contract/lesson.ts";
import { frameOrigins } from "../../worker/edge/frame-policy.ts";
import { page } from "../../worker/edge/pages.ts";
import { keys, newService, secret } from "./service.ts";

const check = (name: string, expression = "true") => ({ name, points: 2, hint: `do ${name}`, expression });
const lesson = {
  name: "first",
  title: "First",
  users: [{ name: "ann", groups: ["system:masters"] }],
  steps: [
    {
      title: "One",
      text: "# One",
      question: "Why?",
      checks: [check("a", 'answer == "so"')],
      solution: [{ apply: "x: 1" }],
    },
    { title: "Two", text: "# Two", checks: [check("b")] },
  ],
};

async function begun(document: object = lesson) {
  const bed = await newService();
  expect((await bed.send("POST", "/v1/lessons", { body: document })).status).toBe(201);
  const run = await (
    await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "pat", frameOrigins: ["https://a.example"] } })
  ).json<RunWithTokens>();
  const url = new URL(run.url);
  const token = url.hash.slice(1);
  const cluster = bed.clusters.get(run.sandbox.id);
  if (!cluster) throw new Error("there is no cluster");
  const ask = async (method: "GET" | "POST", path: string, body?: object, key = token) => {
    // As much as a learner takes between two clicks.
    bed.time.nowMs += 2000;
    const answer = await bed.send(method, `/v1/learn${path}`, { key, body });
    return { status: answer.status, headers: answer.headers, body: await answer.json<Run & Refused>() };
  };
  return { ...bed, run, url, token, cluster, ask };
}

interface Refused {
  readonly error?: { readonly code: string; readonly field?: string };
}

describe("a learner's page", () => {
  test("M10: has the token in the address's fragment alone, and a signed list of origins that may frame it", async () => {
    const { url, run, token } = await begun();
    expect([url.pathname, token.startsWith("sbl_")]).toEqual([`/learn/${run.run}`, true]);
    expect(`${url.pathname}${url.search}`).not.toContain(token);
    expect(await frameOrigins(secret, run.run, url.searchParams.get("frame") ?? "")).toEqual(["https://a.example"]);
  });

  test("M10: has its address returned again to teachers, with other origins", async () => {
    const { send, run, token } = await begun();
    const body = { frameOrigins: ["https://b.example"] };
    const { url } = await (await send("POST", `/v1/lessons/first/runs/${run.run}/link`, { body })).json<{
      url: string;
    }>();
    expect(new URL(url).hash).toBe(`#${token}`);
    expect(await frameOrigins(secret, run.run, new URL(url).searchParams.get("frame") ?? "")).toEqual(
      body.frameOrigins,
    );
  });

  test("M10: may be framed by the named origins only, and its request does not contain the token", async () => {
    const { url, run } = await begun();
    const requests: string[] = [];
    const file = async (path: string) => {
      requests.push(path);
      return new Response("<p>a page</p>");
    };
    const policyOf = async (address: string) => {
      const at = new URL(address);
      const answer = await page(new Request(at), at, { secret, file });
      return /frame-ancestors ([^;]*)/.exec(answer?.headers.get("content-security-policy") ?? "")?.[1];
    };
    expect(await policyOf(url.href)).toBe("'self' https://a.example");
    expect(await policyOf(`http://localhost:8787/learn/${run.run}`)).toBe("'self'");
    // Signed for one run, it is not good for another.
    expect(await policyOf(url.href.replace(run.run, `run${"a".repeat(20)}`))).toBe("'self'");
    expect(new Set(requests)).toEqual(new Set(["/learn.html"]));
  });

  test("M10: shows the run, and lets the learner enter the sandbox, answer and be graded", async () => {
    const { ask, run, cluster } = await begun();
    expect((await ask("GET", "")).body).toMatchObject({
      run: run.run,
      learner: "pat",
      step: 1,
      page: { question: "Why?" },
    });
    const access = (await ask("GET", "/access")).body as unknown as OwnAccess;
    expect(access).toEqual({ sandbox: run.sandbox, tokens: run.tokens });
    expect((await ask("POST", "/check", { answer: "so" })).body).toMatchObject({ step: 2, points: 2 });
    expect(cluster.graded[0]).toMatchObject({ answer: "so" });
    expect((await ask("POST", "/check", {})).body).toMatchObject({ state: "finished", points: 4 });
    expect((await ask("POST", "/check", { answer: "so" })).body.error).toMatchObject({ field: "answer" });
  });

  test("M10: keeps an answer if the step is not passed", async () => {
    const { ask, cluster } = await begun();
    cluster.verdict = () => ({ ok: true, revision: 50, results: [{ passed: false, message: "" }] });
    expect((await ask("POST", "/check", { answer: "no" })).body).toMatchObject({ step: 1, page: { answer: "no" } });
    expect((await ask("POST", "/check", {})).body.page.answer).toBe("no");
  });

  test("M10: restarts a step, and skips to later steps if the lesson allows it", async () => {
    const { ask, cluster } = await begun();
    cluster.states.set(40, new Uint8Array());
    expect((await ask("POST", "/restart", {})).body.step).toBe(1);
    expect((await ask("POST", "/skip", { step: 2 })).body).toMatchObject({
      step: 2,
      steps: [{ state: "skipped" }, {}],
    });
    const strict = await begun({ ...lesson, allowsSkipping: false });
    const refused = await strict.ask("POST", "/skip", { step: 2 });
    expect([refused.status, refused.body.error?.field]).toEqual([400, "step"]);
    expect(strict.cluster.performed).toEqual([]);
    // Their teacher may do it for them.
    const taught = await strict.send("POST", `/v1/lessons/first/runs/${strict.run.run}/skip`, { body: { step: 2 } });
    expect(taught.status).toBe(200);
  });

  test("M10: does not let learners choose a version, whatever another version allows", async () => {
    const { ask, cluster } = await begun();
    const refused = await ask("POST", "/check", { version: 1 });
    expect([refused.status, refused.body.error?.field, cluster.graded]).toEqual([400, "version", []]);
  });

  test("M10: refuses a second action within a second with Retry-After, and does nothing", async () => {
    const { send, token, ask, cluster } = await begun();
    await ask("POST", "/check", { answer: "so" });
    for (const path of ["check", "restart", "skip"]) {
      const body = path === "skip" ? { step: 2 } : {};
      const soon = await send("POST", `/v1/learn/${path}`, { key: token, body });
      expect([soon.status, soon.headers.get("retry-after")]).toEqual([429, "1"]);
    }
    expect([cluster.graded.length, cluster.restored, cluster.performed]).toEqual([1, [], []]);
  });

  test("M10: shows the points after the end, but refuses access and grading", async () => {
    const { ask, time } = await begun();
    time.nowMs += 2 * 3600_000;
    expect((await ask("GET", "")).body.state).toBe("expired");
    for (const [method, path] of [
      ["GET", "/access"],
      ["POST", "/check"],
    ] as const)
      expect((await ask(method, path, method === "POST" ? {} : undefined)).status).toBe(410);
  });
});

describe("a learner's token", () => {
  test("M10: is accepted for its own run only", async () => {
    const { ask, send, token, run } = await begun();
    const otherRun = await (
      await send("POST", "/v1/lessons/first/runs", { body: { learner: "kim" } })
    ).json<RunWithTokens>();
    const kims = new URL(otherRun.url).hash.slice(1);
    // One's own with another's run in it, cut, longer, and of nobody.
    for (const wrong of [token.replace(run.run, otherRun.run), token.slice(0, -1), `${token}a`, keys.ada, "sbl_x"]) {
      expect((await ask("GET", "", undefined, wrong)).status).toBe(401);
    }
    expect((await ask("GET", "", undefined, kims)).body.learner).toBe("kim");
    for (const path of ["/v1/me", "/v1/lessons", `/v1/lessons/first/runs/${run.run}`, "/v1/sandboxes"])
      expect((await send("GET", path, { key: token })).status).toBe(401);
  });

  test("M10: does not use the tenant's idempotency keys", async () => {
    const { send, token, database } = await begun();
    const before = database.prepare("SELECT count(*) AS n FROM idempotency_keys").get();
    await send("POST", "/v1/learn/check", { key: token, body: {}, headers: { "idempotency-key": "a" } });
    expect(database.prepare("SELECT count(*) AS n FROM idempotency_keys").get()).toEqual(before);
  });

  test("M10: is refused for a deleted run and for a suspended tenant", async () => {
    const { ask, send, run } = await begun();
    const suspending = { key: keys.operator, body: { suspended: "unpaid" } };
    expect((await send("PATCH", "/v1/admin/tenants/ada", suspending)).status).toBe(200);
    expect((await ask("GET", "")).body.error?.code).toBe("suspended");
    await send("PATCH", "/v1/admin/tenants/ada", { ...suspending, body: { suspended: null } });
    await send("DELETE", `/v1/lessons/first/runs/${run.run}`);
    expect((await ask("GET", "")).status).toBe(401);
  });
});

describe("webhook events", () => {
  test("J4: a webhook receives the start of a run, each passed step once, and its end", async () => {
    const { ask, send, settled, tenants, time } = await begun();
    await settled();
    await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.org/a", events: eventTypes } });
    const otherStart = await send("POST", "/v1/lessons/first/runs", { body: { learner: "kim" } });
    expect(otherStart.status).toBe(201);
    await ask("POST", "/check", { answer: "so" });
    await ask("POST", "/check", {});
    await ask("POST", "/check", {});
    await settled();
    const sent = tenants
      .inside("ada")
      .webhooks.due(time.nowMs)
      .map(({ body }) => JSON.parse(body) as Told);
    expect(sent.map(({ type, data: { lesson: of } }) => [type, of.learner, of.step, of.points]).sort()).toEqual([
      ["lesson.finished", "pat", 2, 4],
      ["lesson.started", "kim", 1, 0],
      ["lesson.step_passed", "pat", 1, 2],
      ["lesson.step_passed", "pat", 2, 4],
    ]);
    expect(sent[0]?.data.lesson).toMatchObject({ name: "first", version: 1, maxPoints: 4 });
  });
});

const eventTypes = ["lesson.started", "lesson.step_passed", "lesson.finished"];

interface Told {
  readonly type: string;
  readonly data: { readonly lesson: { readonly learner: string; readonly step: number; readonly points: number } };
}
