// The one alarm: set when something is due, not set for nothing, and never lost to a run that fails or is killed.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { configMaps } from "../../../worker/kinds/config-maps.ts";
import { defineController, type Request, type Result, self } from "../../../worker/runtime/controller.ts";
import { newSandbox } from "./sandbox.ts";
import { probe } from "./worker.ts";

/** A controller of config maps, for what it does to its object. */
function meddle(reconcile: (request: Request, ctx: DurableObjectState) => Result | undefined) {
  probe().controllers = (ctx) => [
    defineController({
      name: "meddler",
      component: "meddler",
      watches: [self(configMaps, (next) => next?.metadata.namespace === "default")],
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
  await sandbox.call("DELETE", "/apis/apps/v1/namespaces/kube-system/deployments/coredns");
  await sandbox.quiet();
  const before = sandbox.alarmsSet();
  for (let at = 0; at < 10; at++) await sandbox.put("a", { at: String(at) });
  expect(sandbox.alarmsSet()).toBe(before);
});

test("Q5: what is due later has an alarm at that time, and once it is done there is none but the expiry", async () => {
  let times = 0;
  meddle(({ name }) => (name === "later" && ++times === 1 ? { afterMs: 700 } : undefined));
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const fromMs = Date.now();
  await sandbox.put("later", {});
  const alarm = (await sandbox.alarm()) ?? 0;
  expect(alarm - fromMs).toBeGreaterThanOrEqual(700);
  expect(alarm - Date.now()).toBeLessThanOrEqual(700);
  await sandbox.quiet();
  expect(times).toBe(2);
});

test("Q5: a controller that breaks is reported, and neither the write nor the alarm fails with it", async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let times = 0;
  meddle(({ name }) => {
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

test("Q5: an alarm run that fails altogether sets the alarm again", async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const sql = (statement: string) => runInDurableObject(sandbox.cluster, (_, state) => void state.storage.sql.exec(statement));
  await sql("ALTER TABLE queue RENAME TO hidden");
  // The write is kept though the drain that followed it failed.
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  expect(await runDurableObjectAlarm(sandbox.cluster)).toBe(true);
  expect(String(reports.mock.calls)).toContain("no such table: queue");
  const alarm = (await sandbox.alarm()) ?? 0;
  expect(alarm - Date.now()).toBeLessThanOrEqual(5000);
  await sql("ALTER TABLE hidden RENAME TO queue");
  await vi.waitFor(async () => expect(await readyReplicas(sandbox)).toBe(1), { timeout: 20_000, interval: 300 });
});

test("Q6: a request that kills its runs is set aside and reported, and everything else goes on", { timeout: 60_000 }, async () => {
  const reports = vi.spyOn(console, "error").mockImplementation(() => undefined);
  let kills = 0;
  const seen = new Set<string>();
  meddle(({ name }, ctx) => {
    if (name !== "poison") return undefined;
    // First in the turn of the write, harmless; then on the alarm.
    if (!seen.has(name)) {
      seen.add(name);
      return { afterMs: 200 };
    }
    kills++;
    ctx.abort("killed, as for its CPU");
    throw new Error("unreachable");
  });
  const sandbox = await newSandbox();
  await sandbox.quiet();
  await sandbox.put("poison", {});
  const start = Date.now();
  await vi.waitFor(() => expect(String(reports.mock.calls)).toContain("set aside"), { timeout: 50_000, interval: 100 });
  console.log("kills", kills, Date.now() - start);
  expect(kills).toBeLessThanOrEqual(3);
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web", 1));
  await vi.waitFor(async () => expect(await readyReplicas(sandbox)).toBe(1), { timeout: 20_000, interval: 300 });
  const alarm = (await sandbox.alarm()) ?? 0;
  expect(alarm - Date.now()).toBeGreaterThan(1_000_000);
});

function deployment(name: string, replicas: number) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

async function readyReplicas(sandbox: Awaited<ReturnType<typeof newSandbox>>) {
  const found = await sandbox.call("GET", "/apis/apps/v1/namespaces/default/deployments/web");
  return (found as { status?: { readyReplicas?: number } }).status?.readyReplicas ?? 0;
}
