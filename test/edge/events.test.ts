// The stream of events: who reads what, how it continues, and when it ends.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventLimits } from "../../shared/base/share-limits.ts";
import type { LessonProgress } from "../../shared/contract/hosted/webhook.ts";
import { Sandbar, type SandboxEvent } from "../../client/index.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { addKey } from "./people.ts";
import { keys, newService, type SendOptions } from "./service.ts";

const lesson: LessonProgress = {
  ...{ name: "first", version: 1, run: "r", learner: "pat", step: 1, points: 0, maxPoints: 1 },
  sandbox: "x",
};

async function begin() {
  const bed = await newService();
  const follow = async (query = "", options: SendOptions = {}) => {
    const answer = await bed.send("GET", `/v1/events${query}`, options);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const reader = answer.body?.getReader();
    return {
      next: async () => new TextDecoder().decode((await reader?.read())?.value),
      cancel: () => reader?.cancel(),
    };
  };
  const create = async (name: string) => {
    const answer = await bed.send("POST", "/v1/sandboxes", { body: { name } });
    await bed.settled();
    return (await answer.json<{ id: string }>()).id;
  };
  return { ...bed, follow, create };
}

describe("the stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("J4: the stream has what happens from now on, in order, each with an id", async () => {
    const { follow, create, send } = await begin();
    await create("before");
    const stream = await follow();
    expect(await stream.next()).toBe(": follows\n\n");
    const id = await create("demo");
    await vi.advanceTimersByTimeAsync(eventLimits.stepPauseMs);
    const created = await stream.next();
    expect(created).toMatch(/^id: 2\ndata: \{"type":"sandbox.created".*"phase":"Pending"/);
    await send("PATCH", `/v1/sandboxes/${id}`, { body: { labels: { a: "b" } } });
    await send("DELETE", `/v1/sandboxes/${id}`);
    await vi.advanceTimersByTimeAsync(eventLimits.stepPauseMs);
    const rest = await stream.next();
    expect([...rest.matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type)).toEqual([
      "sandbox.changed",
      "sandbox.deleted",
    ]);
    await stream.cancel();
  });

  test("J4: the stream continues after the last event that the client has, with heartbeats", async () => {
    const { follow, create } = await begin();
    for (const name of ["a", "b", "c"]) await create(name);
    const stream = await follow("?after=1", { headers: { "last-event-id": "2" } });
    const text = await stream.next();
    expect([text.match(/^id: /gm)?.length, text.includes('"name":"c"')]).toEqual([1, true]);
    await vi.advanceTimersByTimeAsync(eventLimits.aliveMs);
    expect(await stream.next()).toBe(": waits\nid: 3\n\n");
    await stream.cancel();
    expect((await (await follow("?after=0")).next()).match(/^id: /gm)).toHaveLength(3);
    expect(await (await follow("?after=9")).next()).toContain("event: truncated\n");
  });

  test("J4: a type and a sandbox select events", async () => {
    const { follow, create, service } = await begin();
    const id = await create("a");
    await create("b");
    await service.tenant("ada").sendLessonEvent("lesson.started", { ...lesson, sandbox: id });
    const types = async (query: string) =>
      [...(await (await follow(`?after=0${query}`)).next()).matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type);
    expect(await types(`&sandbox=${id}`)).toEqual(["sandbox.created", "lesson.started"]);
    expect(await types("&type=lesson.started")).toEqual(["lesson.started"]);
    expect(await types("&type=lesson.started&type=sandbox.created")).toHaveLength(3);
  });

  test("J4: events of lessons need the scope of lessons, and another organisation reads none", async () => {
    const { follow, create, service, database } = await begin();
    await create("a");
    await service.tenant("ada").sendLessonEvent("lesson.started", lesson);
    const few = await addKey(database, "ada", "few", ["sandboxes:read"]);
    expect(await (await follow("?after=0", { key: few })).next()).not.toContain("lesson");
    expect(await (await follow("?after=0")).next()).toContain("lesson.started");
    expect(await (await follow("?after=0", { key: keys.bob })).next()).toBe(": follows\n\n");
  });

  test.each([
    ["?after=-1", {}, "after"],
    ["?after=x", {}, "after"],
    ["?type=no", {}, "type.0"],
    ["?filter=a", {}, "filter"],
    ["", { "last-event-id": "x" }, "Last-Event-ID"],
  ])("J4: %s with %j is refused and names the parameter", async (query, headers, field) => {
    const { send } = await begin();
    const answer = await send("GET", `/v1/events${query}`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_field", field } }]);
  });

  test("J4: the stream ends with an error within a heartbeat after its key was revoked", async () => {
    const { follow, send, database, service, time } = await begin();
    const key = await addKey(database, "ada", "short", ["sandboxes:read"]);
    const stream = await follow("", { key });
    await stream.next();
    database.exec("DELETE FROM api_keys WHERE name = 'short'");
    service.callerCache.clear();
    time.nowMs += eventLimits.aliveMs;
    await vi.advanceTimersByTimeAsync(eventLimits.aliveMs);
    expect(await stream.next()).toMatch(/^event: error\ndata: .*"code":"unauthorized"/);
    expect(await stream.next()).toBe("");
    expect((await send("GET", "/v1/events", { key })).status).toBe(401);
  });

  test("J4: events that follow each other are read together, after a pause since the last read", async () => {
    const { follow, create, tenants } = await begin();
    await create("before");
    const stream = await follow();
    await stream.next();
    const inside = tenants.inside("ada");
    const read = vi.spyOn(inside, "events");
    for (const name of ["a", "b", "c", "d"]) {
      await create(name);
      await vi.advanceTimersByTimeAsync(eventLimits.stepPauseMs / 10);
    }
    await vi.advanceTimersByTimeAsync(eventLimits.stepPauseMs);
    expect((await stream.next()).match(/^id: /gm)).toHaveLength(4);
    expect(read.mock.calls.length).toBeLessThanOrEqual(2);
    await stream.cancel();
  });

  test("J4: a stream beyond the bound of open ones is 409", async () => {
    const { send, service } = await begin();
    service.followTenant = async () => new Response(null, { status: 409 });
    const answer = await send("GET", "/v1/events");
    expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: "limit_exceeded" } }]);
  });
});

describe("the client", () => {
  async function withClient() {
    const bed = await begin();
    let requests = 0;
    const fetch = (async (input: string, init?: RequestInit) => {
      requests++;
      return controlApiApp.fetch(new Request(input, init), { controlApi: bed.service });
    }) as typeof globalThis.fetch;
    return {
      ...bed,
      client: new Sandbar({ url: "http://localhost:8787", key: keys.ada, fetch }),
      count: () => requests,
    };
  }

  test("J4: the client yields events with their ids until it is aborted", async () => {
    const { client, create } = await withClient();
    await create("a");
    const stop = new AbortController();
    const all: SandboxEvent[] = [];
    for await (const event of client.events.followEvents({ after: 0 }, stop.signal)) {
      all.push(event);
      if (all.length === 1) await create("b");
      else stop.abort();
    }
    expect(all.map(({ id, data }) => [id, data.sandbox?.name])).toEqual([
      ["1", "a"],
      ["2", "b"],
    ]);
  });

  test("J4: the client waits until a sandbox is ready or has ended, and not for what has happened", async () => {
    const { client, create, service, send } = await withClient();
    const id = await create("a");
    const ready = client.events.waitFor(id, "ready");
    await service.tenant("ada").markMade(id, { isReady: true, isPaused: false });
    expect(await ready).toBe("ready");
    expect(await client.events.waitFor(id, "ready")).toBe("ready");
    const ended = client.events.waitFor(id, "ended");
    await send("DELETE", `/v1/sandboxes/${id}`);
    expect(await ended).toBe("ended");
    expect(await client.events.waitFor(id, "ready")).toBe("ended");
    const unready = await create("b");
    expect(await client.events.waitFor(unready, "ready", AbortSignal.timeout(300))).toBeUndefined();
  });

  test("J4: the client opens a broken stream again behind the last event, and throws a refusal", async () => {
    const { client, create, service, tenants, errors, count } = await withClient();
    await create("a");
    const events = client.events.followEvents({ after: 0 });
    expect((await events.next()).value).toMatchObject({ id: "1" });
    const inside = tenants.inside("ada");
    const read = inside.events.bind(inside);
    const first = count();
    inside.events = () => {
      inside.events = read;
      throw new Error("the object was moved");
    };
    const next = events.next();
    await service.tenant("ada").sendLessonEvent("lesson.started", lesson);
    expect((await next).value).toMatchObject({ id: "2", type: "lesson.started" });
    expect([count() - first, errors.map(String)]).toEqual([1, ["Error: the object was moved"]]);
    await events.return();
    const wrong = new Sandbar({
      url: "http://localhost:8787",
      key: "sbk_wrongwrongwrongwrong",
      fetch: async () => Response.json({ error: { code: "unauthorized", message: "no" } }, { status: 401 }),
    });
    await expect(wrong.events.followEvents().next()).rejects.toMatchObject({ code: "unauthorized" });
  });
});
