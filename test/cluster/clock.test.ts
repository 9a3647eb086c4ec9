// The clock of a cluster: its speed, its pauses and its runs.
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { SteppedClock } from "../../shared/base/clock.ts";
import { patchClock, type PatchClock, type SetClock } from "../../shared/contract/cluster/clock.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { ClusterClock, readClock } from "../../worker/cluster/time/clock/cluster-clock.ts";
import { createTables } from "../../worker/store/tables.ts";
import { type ClockedServer, newClockedServer } from "./clocked-server.ts";
import { nodeSql } from "../sqlite.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

function newClock() {
  const [sql, real] = [nodeSql(), new SteppedClock()];
  createTables(sql);
  return { sql, real, clock: new ClusterClock(sql, real) };
}

describe("a cluster's clock", () => {
  test("follows the machine's clock until it is set, and stores nothing", () => {
    const { sql, real, clock } = newClock();
    real.step(5_000);
    expect([clock.nowMs(), clock.isReal, clock.realMsOf(real.nowMs() + 70)]).toEqual([
      real.nowMs(),
      true,
      real.nowMs() + 70,
    ]);
    expect(readClock(sql)).toBeUndefined();
  });

  test("stands still while it is paused, so nothing becomes due", () => {
    const { real, clock } = newClock();
    const pausedMs = clock.nowMs();
    clock.set({ state: "paused" });
    real.step(dayMs);
    expect(clock.nowMs()).toBe(pausedMs);
    expect(clock.realMsOf(pausedMs + 1)).toBe(Number.POSITIVE_INFINITY);
    expect(clock.realMsOf(pausedMs)).toBe(real.nowMs());
    clock.set({ state: "running" });
    real.step(1_000);
    expect(clock.nowMs()).toBe(pausedMs + 1_000);
  });

  test.each([
    [60, 60_000, 1_000],
    [0.5, 500, 1_000],
  ])("runs %d times as fast: %d ms in %d ms", (speed, clusterMs, realMs) => {
    const { real, clock } = newClock();
    const beganMs = real.nowMs();
    clock.set({ speed });
    expect(clock.realMsOf(beganMs + clusterMs)).toBe(beganMs + realMs);
    real.step(realMs);
    expect(clock.nowMs()).toBe(beganMs + clusterMs);
  });

  test("continues from its last time when its object is opened again, and never runs backwards", () => {
    const { sql, real, clock } = newClock();
    clock.set({ speed: 10, nowMs: clock.nowMs() + dayMs });
    real.step(1_000);
    const later = new ClusterClock(sql, real);
    expect([later.nowMs(), later.speed]).toEqual([clock.nowMs(), 10]);
    later.set({ nowMs: 0 });
    expect(later.nowMs()).toBe(clock.nowMs());
    real.step(-60_000);
    expect(later.nowMs()).toBeGreaterThanOrEqual(clock.nowMs());
  });
});

const cronJob = {
  metadata: { name: "backup" },
  spec: {
    schedule: "0 */6 * * *",
    jobTemplate: { spec: { template: podTemplate("echo backing up; sleep 5") } },
  },
};

function podTemplate(script: string) {
  const container = { name: "c", image: "busybox", command: ["sh", "-c", script] };
  return { spec: { restartPolicy: "Never", containers: [container] } };
}

const ofJobs = "/apis/batch/v1/namespaces/default/jobs";

describe("a run of the clock", () => {
  test("plays a week of a CronJob and counts the events", async () => {
    const server = newClockedServer();
    await server.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", { body: cronJob });
    const beganMs = server.clock.nowMs();
    const done = await run(server, { advance: "7d1h" });
    expect(done.run).toMatchObject({ simulatedMs: 7 * dayMs + hourMs, end: "time" });
    expect(done.run?.events).toMatchObject({ SuccessfulCreate: 56, Started: 28, Completed: 28, SawCompletedJob: 28 });
    expect(done.run?.events).not.toHaveProperty("UnexpectedJob");
    expect(server.clock.nowMs()).toBe(beganMs + 7 * dayMs + hourMs);
    // The history limit keeps three.
    expect(server.client.list(jobs, { namespace: "default" }).map(({ status }) => status?.succeeded)).toEqual([
      1, 1, 1,
    ]);
  });

  test("leaves a paused cluster paused, with nothing due", async () => {
    const server = newClockedServer();
    await server.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", { body: cronJob });
    await run(server, { state: "paused" });
    const done = await run(server, { advance: "1h" });
    expect([done.state, done.run?.end]).toEqual(["paused", "time"]);
    server.real.step(dayMs);
    const dueMs = server.cluster.runtime.nextDueMs() ?? 0;
    expect(dueMs).toBeGreaterThan(server.clock.nowMs());
    expect(server.clock.realMsOf(dueMs)).toBe(Number.POSITIVE_INFINITY);
  });

  test("deletes a finished Job when its time to live is over, not before", async () => {
    const server = newClockedServer();
    const job = { metadata: { name: "once" }, spec: { ttlSecondsAfterFinished: 3600, template: podTemplate("true") } };
    await server.ask("POST", ofJobs, { body: job });
    const finished = {
      resource: "jobs.batch",
      name: "once",
      namespace: "default",
      expression: "object.status.succeeded == 1",
    };
    expect((await run(server, { runUntil: finished })).run?.end).toBe("condition");
    await run(server, { advance: "59m" });
    expect(server.client.get(jobs, "default", "once")).toBeDefined();
    const gone = { ...finished, expression: "object == null" };
    const done = await run(server, { runUntil: gone });
    expect(done.run?.end).toBe("condition");
    expect(done.run?.simulatedMs).toBeLessThanOrEqual(61_000);
  });

  test("expires a service account's token", async () => {
    const server = newClockedServer();
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    await run(server, { runUntil: "quiet" });
    const body = { spec: { expirationSeconds: 3600 } };
    const { status } = await server.ask<{ status: { token: string } }>("POST", path, { body });
    const getVersion = () => server.ask<{ code?: number }>("GET", "/version", { token: status.token });
    await run(server, { advance: "1h" });
    expect((await getVersion()).code).toBeUndefined();
    await run(server, { advance: "2m" });
    expect((await getVersion()).code).toBe(401);
  });

  test("ends at the last change, when nothing more changes", async () => {
    const server = newClockedServer({ delays: true });
    const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "nginx" }] } };
    await server.ask("POST", "/api/v1/namespaces/default/pods", { body: pod });
    const done = await run(server, { runUntil: "quiet" });
    expect(done.run).toMatchObject({ end: "quiet" });
    expect(done.run?.simulatedMs).toBeGreaterThan(0);
    expect(done.run?.simulatedMs).toBeLessThan(60_000);
    expect(server.client.get(pods, "default", "web")?.status.phase).toBe("Running");
    expect((await run(server, { runUntil: "quiet" })).run?.simulatedMs).toBe(0);
  });

  test("stops at the write after which its condition holds", async () => {
    const server = newClockedServer();
    const parallel = {
      metadata: { name: "many" },
      spec: { completions: 9, parallelism: 3, template: podTemplate("sleep 9") },
    };
    await server.ask("POST", ofJobs, { body: parallel });
    const three = {
      resource: "jobs.batch",
      name: "many",
      namespace: "default",
      expression: "object.status.succeeded >= 3",
    };
    await run(server, { runUntil: three });
    expect(server.client.get(jobs, "default", "many")?.status?.succeeded).toBe(3);
  });

  test("ends at its limits, of the cluster's time and of real time", async () => {
    const server = newClockedServer();
    const never = { resource: "pods", name: "nobody", namespace: "default", expression: "object != null" };
    const bounded = await run(server, { runUntil: never, limit: { simulated: "2h" } });
    expect(bounded.run).toMatchObject({ end: "simulatedLimit", simulatedMs: 2 * hourMs });
    await server.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", { body: cronJob });
    server.turnMs = 600;
    const late = await run(server, { advance: "30d", limit: { real: "1s" } });
    expect(late.run).toMatchObject({ end: "realLimit", realMs: 1_200 });
    expect(late.run?.simulatedMs).toBeLessThan(30 * dayMs);
  });

  test("yields to other requests after at most 50 ms of work", async () => {
    const server = newClockedServer();
    for (let at = 0; at < 10; at++)
      await server.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", {
        body: { ...cronJob, metadata: { name: `backup-${at}` } },
      });
    await run(server, { advance: "7h" });
    expect(server.turnWork.length).toBeGreaterThan(5);
    expect(Math.max(...server.turnWork)).toBeLessThan(100_000);
  });

  test.each<[PatchInput, string, RegExp]>([
    [{ now: "2020-01-01T00:00:00Z" }, "now", /never goes back/],
    [{ runUntil: "2020-01-01T00:00:00Z" }, "runUntil", /never goes back/],
    [{ runUntil: { resource: "pods", name: "a", expression: "1 +" } }, "runUntil.expression", /Syntax error/],
    [{ runUntil: { resource: "pods", name: "a", expression: "object.x + nope" } }, "runUntil.expression", /undeclared/],
    [{ runUntil: { resource: "pods", name: "a", expression: "'text'" } }, "runUntil.expression", /bool/],
    [
      { runUntil: { resource: "nothing", name: "a", expression: "true" } },
      "runUntil.expression",
      /no resource "nothing"/,
    ],
  ])("is refused and changes nothing: %j", async (change, field, message) => {
    const server = newClockedServer();
    const before = server.clock.nowMs();
    const refused = await server.clocks.setClock(patchClock.parse({ ...change, state: "paused" }));
    expect(refused).toMatchObject({ ok: false, code: "invalid_field", field });
    expect(refused.ok ? "" : refused.message).toMatch(message);
    expect([server.clock.nowMs(), server.clock.state]).toEqual([before, "running"]);
  });

  test("is refused while another run is in progress", async () => {
    const server = newClockedServer();
    const first = server.clocks.setClock(patchClock.parse({ advance: "1d" }));
    expect(await server.clocks.setClock(patchClock.parse({ advance: "1d" }))).toMatchObject({
      ok: false,
      code: "busy",
    });
    expect(await first).toMatchObject({ ok: true });
  });

  test("ends with its cluster, and its callers receive an error", async () => {
    const server = newClockedServer();
    const running = server.clocks.setClock(patchClock.parse({ advance: "1d" }));
    server.isGone = true;
    expect(await running).toMatchObject({ ok: false, code: "expired" });
  });
});

type PatchInput = z.input<typeof patchClock>;

async function run(server: ClockedServer, change: PatchInput): Promise<Extract<SetClock, { ok: true }>> {
  const done = await server.clocks.setClock(patchClock.parse(change) satisfies PatchClock);
  if (!done.ok) throw new Error(done.message);
  return done;
}
