// The one alarm: set when something is due, not set for nothing, and never lost to a run that fails or is killed.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { patchClock } from "../../../shared/contract/cluster/clock.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { defineController, type Request, type Result, self } from "../../../worker/runtime/controller.ts";
import { deployment, newSandbox, rolledOut } from "./sandbox.ts";
import { probe } from "./worker.ts";
import { patiently } from "../../patiently.ts";

/** Adds a controller of ConfigMaps whose reconcile acts on its object. */
function addController(reconcile: (request: Request, ctx: DurableObjectState) => Result | undefined) {
  probe().controllers = (ctx) => [
    defineController({
      name: "meddler",
      component: "meddler",
      watches: [self(configMaps, (next, previous) => (next ?? previous)?.metadata.namespace === "default")],
      reconcile: (request) => reconcile(request, ctx),
    }),
  ];
}

afterEach(() => {
  probe().controllers = () => [];
  vi.restoreAllMocks();
});

test("Q5: writes that make nothing due set no alarm", async () => {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const before = sandbox.alarmsSet();
  for (let at = 0; at < 10; at++) await sandbox.put("a", { at: String(at) });
  expect(sandbox.alarmsSet()).toBe(before);
});

test("Q5: later work has an alarm at its time, and after it only the expiry has one", async () => {
  let times = 0;
  addController(({ name }) => (name === "later" && ++times === 1 ? { afterMs: 700 } : undefined));
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const fromMs = Date.now();
  await sandbox.put("later", {});
  await patiently(() => expect(times).toBe(1));
  const alarm = (await sandbox.alarm()) ?? 0;
  expect(alarm - fromMs).toBeGreaterThanOrEqual(700);
  expect(alarm - Date.now()).toBeLessThanOrEqual(700);
  await sandbox.quiet();
  expect(times).toBe(2);
});

test("Q5: a paused clock has only the expiry's alarm, a faster clock has earlier alarms, and a run does due work", async () => {
  const times: number[] = [];
  addController(({ name }) => (name === "later" && times.push(Date.now()) === 1 ? { afterMs: 60_000 } : undefined));
  const sandbox = await newSandbox({ ttlMs: 3_600_000 });
  await sandbox.quiet();
  await sandbox.put("later", {});
  await patiently(() => expect(times).toHaveLength(1));
  const untilMs = async () => ((await sandbox.alarm()) ?? 0) - Date.now();
  expect(await untilMs()).toBeLessThanOrEqual(60_000);
  const set = (change: object) => sandbox.stub().setClock(patchClock.parse(change));
  await set({ state: "paused" });
  // The alarm that stands behind a burst of writes may come once more.
  await patiently(async () => expect(await untilMs()).toBeGreaterThan(3_500_000));
  await set({ state: "running", speed: 10 });
  expect(await untilMs()).toBeLessThanOrEqual(6_000);
  await set({ state: "paused" });
  const done = await set({ advance: "2m" });
  expect(done).toMatchObject({ ok: true, state: "paused", run: { simulatedMs: 120_000, end: "time" } });
  expect(times).toHaveLength(2);
  await patiently(async () => expect(await untilMs()).toBeGreaterThan(3_500_000));
});

test("Q5: a controller that throws is reported, and neither the write nor the alarm fails", async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let times = 0;
  addController(({ name }) => {
    if (name !== "odd") return undefined;
    if (++times === 1) return { afterMs: 300 };
    throw new TypeError("a bug of the meddler");
  });
  const sandbox = await newSandbox();
  await sandbox.put("odd", {});
  await vi.waitFor(() => expect(String(reports.mock.calls)).toContain("a bug of the meddler"), { timeout: 5000 });
  await sandbox.quiet();
  expect(times).toBe(2);
});

test("Q5: an alarm run that fails sets the alarm again", async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const sql = (statement: string) =>
    runInDurableObject(sandbox.stub(), (_, state) => void state.storage.sql.exec(statement));
  await sql("ALTER TABLE queue RENAME TO hidden");
  // The write is kept though the drain that followed it failed.
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  expect(await runDurableObjectAlarm(sandbox.stub())).toBe(true);
  expect(String(reports.mock.calls)).toContain("no such table: queue");
  const alarm = (await sandbox.alarm()) ?? 0;
  expect(alarm - Date.now()).toBeLessThanOrEqual(5000);
  await sql("ALTER TABLE hidden RENAME TO queue");
  await rolledOut(sandbox, "web", 1);
});

test("Q6: a request that kills its object is set aside at the next opening and reported, and all other work continues", {
  timeout: 60_000,
}, async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let kills = 0;
  const errors = new Set<string>();
  let cured = false;
  addController(({ name }, ctx) => {
    if (name !== "poison" || cured) return undefined;
    // First after the burst of the write, harmless; then on the alarm.
    if (!errors.has(name)) {
      errors.add(name);
      return { afterMs: 200 };
    }
    kills++;
    ctx.abort("killed, as for its CPU");
    throw new Error("unreachable");
  });
  const sandbox = await newSandbox({ ttlMs: 3 * limits.setAsideMs });
  await sandbox.quiet();
  await sandbox.put("poison", {});
  await vi.waitFor(() => expect(String(reports.mock.calls)).toContain("set aside"), { timeout: 50_000, interval: 100 });
  // One that nobody knew of, and one that was named.
  expect(kills).toBe(2);
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  await rolledOut(sandbox, "web", 1);
  expect(kills).toBe(2);
  const events = await sandbox.call("GET", "/api/v1/namespaces/default/events?fieldSelector=reason=ReconcileSetAside");
  expect(JSON.stringify(events)).toContain('"name":"poison"');
  // Its object can still be deleted, which may be the cure: it is tried again at once, and is as any other.
  cured = true;
  await sandbox.remove("poison");
  await sandbox.quiet();
  const rows = await runInDurableObject(sandbox.stub(), (_, state) =>
    state.storage.sql.exec("SELECT key FROM meta WHERE key LIKE 'intent%' OR key LIKE 'set-aside%'").toArray(),
  );
  expect(rows).toEqual([]);
});
