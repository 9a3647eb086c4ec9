// The clock and the past of a sandbox at the edge: forwarded calls, refusals and answers, and the command line.
import { describe, expect, test } from "vitest";
import { errorBody } from "../../shared/contract/error.ts";
import type { Run } from "../../client/cli/command-run.ts";
import { timeCommands } from "../../client/cli/time.ts";
import type { ChangedClock, PatchClock } from "../../client/index.ts";
import { newService, startMs } from "./service.ts";

async function withSandbox() {
  const harness = await newService();
  const { id } = await (await harness.send("POST", "/v1/sandboxes", { body: {} })).json<{ id: string }>();
  const cluster = harness.clusters.get(id);
  if (!cluster) throw new Error("there is no cluster");
  return { ...harness, id, cluster, path: `/v1/sandboxes/${id}` };
}

describe("a sandbox's clock", () => {
  test("is shown and changed", async () => {
    const { send, path, cluster } = await withSandbox();
    const clock = { now: new Date(startMs).toISOString(), state: "running", speed: 1 };
    expect(await (await send("GET", `${path}/clock`)).json()).toEqual(clock);
    const body = { state: "paused", speed: 0.5, advance: "1d2h3m4s5ms" };
    expect(await (await send("PATCH", `${path}/clock`, { body })).json()).toEqual(clock);
    expect(cluster.clockChanges).toEqual([
      { state: "paused", speed: 0.5, advance: 93_784_005, quietFor: 60_000, limit: { real: 20_000 } },
    ]);
  });

  test.each([
    [{ speed: 0 }, "speed"],
    [{ speed: 1001 }, "speed"],
    [{ state: "stopped" }, "state"],
    [{ advance: "soon" }, "advance"],
    [{ advance: "367d" }, "advance"],
    [{ advance: "" }, "advance"],
    [{ advance: "1h", runUntil: "quiet" }, "runUntil"],
    [{ runUntil: "later" }, "runUntil"],
    [{ runUntil: { resource: "pods", name: "a" } }, "runUntil.expression"],
    [{ now: "yesterday" }, "now"],
    [{ limit: { real: "2m" } }, "limit.real"],
    [{ pace: 3 }, "pace"],
  ])("refuses %j", async (body, field) => {
    const { send, path, cluster } = await withSandbox();
    const answer = await send("PATCH", `${path}/clock`, { body });
    const { error } = errorBody.parse(await answer.json());
    expect([answer.status, error.code, error.field]).toEqual([400, "invalid_field", field]);
    expect(cluster.clockChanges).toEqual([]);
  });

  test("is refused with the cluster's reason", async () => {
    const { send, path, cluster } = await withSandbox();
    cluster.clockRefusal = { ok: false, code: "busy", message: "the clock is being run: ask again later" };
    const answer = await send("PATCH", `${path}/clock`, { body: { advance: "1h" } });
    expect([answer.status, errorBody.parse(await answer.json()).error.code]).toEqual([409, "busy"]);
  });
});

describe("the past of a sandbox", () => {
  test("has a kubeconfig for each revision or time", async () => {
    const { send, path, id } = await withSandbox();
    const at = "2026-01-31T12:00:00Z";
    const text = await (await send("GET", `${path}/kubeconfig?at=${at}`)).text();
    expect(text).toMatch(new RegExp(`server: ".*/c/${id}/at/2026-01-31T12%3A00%3A00Z"`));
    expect(text).toMatch(/current-context: "[^"]+@2026-01-31T12:00:00Z"/);
    expect((await send("GET", `${path}/kubeconfig?at=noon`)).status).toBe(400);
  });

  test("is returned as JSON or as text", async () => {
    const { send, path } = await withSandbox();
    expect(await (await send("GET", `${path}/timeline`)).json()).toEqual({ entries: [], truncated: false });
    const asText = await send("GET", `${path}/timeline?format=text`);
    expect([asText.headers.get("content-type"), await asText.text()]).toEqual(["text/plain; charset=UTF-8", ""]);
    const why = await send("GET", `${path}/why/pod/web?format=text`);
    expect(await why.text()).toBe("Pod default/web is fine: it runs.\n✓ Pod default/web: it runs\n");
    expect((await send("GET", `${path}/timeline?limit=0`)).status).toBe(400);
  });
});

describe("sandbar clock", () => {
  function run(words: string[], answers: ChangedClock[], options: Record<string, string> = {}) {
    const [printed, errorOutput, patches]: [string[], string[], PatchClock[]] = [[], [], []];
    const time = {
      getClock: async () => ({ now: "2026-01-01T00:00:00.000Z", state: "running", speed: 1 }) as const,
      changeClock: async (_: string, input: PatchClock) => {
        patches.push(input);
        const answer = answers.shift();
        if (!answer) throw new Error("asked too often");
        return answer;
      },
    };
    const listSandboxes = async () => ({ sandboxes: [{ id: "a".repeat(26) }] });
    // The fields of a run and its client that the commands read.
    const runOptions = {
      words,
      client: { time, listSandboxes },
      environment: {},
      signal: new AbortController().signal,
      text: (option: string) => options[option],
      has: () => false,
      print: (text: string) => void printed.push(text),
      say: (text: string) => void errorOutput.push(text),
    } as unknown as Run;
    const done = timeCommands["clock"]?.(runOptions);
    return { done, printed, said: errorOutput, asked: patches };
  }
  const changed = (end: "realLimit" | "time", started: number): ChangedClock => ({
    ...{ now: "2026-01-02T00:00:00.000Z", state: "running", speed: 1 },
    run: { simulatedMs: 43_200_000, realMs: 1_500, end, events: { Started: started }, changes: 2 },
  });

  test("repeats the request until the time is reached, and adds up the events", async () => {
    const ran = run(["advance", "24h"], [changed("realLimit", 1), changed("time", 2)]);
    await ran.done;
    const patch = { runUntil: "2026-01-02T00:00:00.000Z" };
    expect(ran.asked).toEqual([patch, patch]);
    expect(ran.printed.join("")).toBe("2026-01-02T00:00:00.000Z running\nEVENT    COUNT\nStarted  3\n");
    expect(ran.said.at(-1)).toBe("86400 s in 3 s, 4 changes");
  });

  test.each([
    [["advance", "soon"], /must be a time such as/],
    [["advance"], /name a duration/],
    [["until", "jobs.batch/once"], /name an expression/],
    [["dance"], /say show, pause, run/],
  ])("rejects %j as a wrong command", async (words, message) => {
    await expect(async () => run(words, []).done).rejects.toThrow(message);
  });

  test("waits for an object's condition in its namespace", async () => {
    const ran = run(["until", "jobs.batch/once", "object.status.succeeded == 1"], [changed("time", 0)], {
      namespace: "team",
      limit: "7d",
    });
    await ran.done;
    const runUntil = {
      resource: "jobs.batch",
      namespace: "team",
      name: "once",
      expression: "object.status.succeeded == 1",
    };
    expect(ran.asked).toEqual([{ runUntil, limit: { simulated: "7d" } }]);
  });
});
