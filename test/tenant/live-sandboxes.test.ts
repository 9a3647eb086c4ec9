// Counts of a tenant's object: live sandboxes, and creations of the last hour.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { LiveSandbox, Visit } from "../../shared/contract/tenant-object.ts";
import { createTenantTables } from "../../worker/tenant/tables.ts";
import { newTenant } from "../edge/memory-tenants.ts";
import { nodeSql } from "../sqlite.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 1);
const unbounded = { creationsPerHour: null, liveSandboxes: null };

function newClock() {
  const time = { nowMs: startMs };
  return { time, nowMs: () => time.nowMs };
}

function sandbox(id: string, atMs = startMs, lifeMs = 24 * hourMs): LiveSandbox {
  return { id, name: `name-${id}`, createdAtMs: atMs, expiresAtMs: atMs + lifeMs };
}

describe("the counts of a tenant", () => {
  test("J1: refuse a sandbox past the bound without counting it, with the usage and when some of it is free again", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    const limited = { creationsPerHour: 3, liveSandboxes: 2 };
    expect(tenant.admit(sandbox("a"), limited)).toMatchObject({ ok: true });
    time.nowMs += 60_000;
    expect(tenant.admit(sandbox("b", time.nowMs), limited)).toMatchObject({
      ok: true,
      quotas: { liveSandboxes: { limited: 2, used: 2 }, creationsPerHour: { limited: 3, used: 2 } },
    });
    const refused = tenant.admit(sandbox("c", time.nowMs), limited);
    expect(refused).toMatchObject({ ok: false, limit: "liveSandboxes", quotas: { liveSandboxes: { used: 2 } } });
    tenant.recordEnd("a");
    expect(tenant.admit(sandbox("d", time.nowMs), limited)).toMatchObject({ ok: true });
    const many = tenant.admit(sandbox("e", time.nowMs), limited);
    expect(many).toMatchObject({ ok: false, limit: "creationsPerHour" });
    expect(many.quotas.creationsPerHour).toEqual({ limited: 3, used: 3, resetMs: hourMs - 60_000 });
    time.nowMs = startMs + hourMs;
    tenant.recordEnd("b");
    expect(tenant.admit(sandbox("f", time.nowMs), limited)).toMatchObject({ ok: true });
  });

  test("J1: free the place of an expired sandbox by themselves, and of one with a moved expiry later", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    const limited = { creationsPerHour: null, liveSandboxes: 1 };
    tenant.admit(sandbox("a", startMs, 60_000), limited);
    tenant.recordChange("a", { expiresAtMs: startMs + 120_000 });
    time.nowMs += 60_000;
    expect(tenant.admit(sandbox("b", time.nowMs), limited).ok).toBe(false);
    time.nowMs += 60_000;
    expect(tenant.admit(sandbox("b", time.nowMs), limited).ok).toBe(true);
  });

  test("J1: survive an eviction of the object", () => {
    const { nowMs } = newClock();
    const sql = nodeSql();
    newTenant(nowMs, sql).admit(sandbox("a"), unbounded);
    createTenantTables(sql);
    expect(newTenant(nowMs, sql).counts()).toMatchObject({ liveSandboxes: 1, creationsLastHour: 1 });
  });

  test("J2: are reconciled with the directory, and a sandbox in creation stays", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    tenant.admit(sandbox("lost"), unbounded);
    time.nowMs += hourMs;
    tenant.admit(sandbox("making", time.nowMs), unbounded);
    expect(tenant.reconcile([sandbox("found")], time.nowMs)).toBe(2);
    expect(tenant.counts()).toMatchObject({ liveSandboxes: 2 });
    expect(tenant.reconcile([sandbox("found")], time.nowMs)).toBe(0);
  });
});

describe("leases of creations", () => {
  const leaseMs = limits.requestLeaseMs;

  test("abandon a sandbox whose creation does not renew, and leave the counts doubtful until they are reconciled", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    tenant.admit(sandbox("a"), unbounded);
    tenant.admit(sandbox("b"), unbounded);
    expect([tenant.filterAbandoned(["a", "b", "c"]), tenant.counts().isDoubtful]).toEqual([["c"], false]);
    time.nowMs += leaseMs - 1;
    expect(tenant.renew("b")).toBe(true);
    time.nowMs += 1;
    expect([tenant.filterAbandoned(["a", "b"]), tenant.counts().isDoubtful]).toEqual([["a"], true]);
    expect(tenant.reconcile([], time.nowMs)).toBe(1);
    expect(tenant.counts()).toMatchObject({ liveSandboxes: 1, isDoubtful: false });
    expect([tenant.renew("a"), tenant.renew("b")]).toEqual([false, true]);
  });

  test("make counts doubtful when the object is opened, and give creations time to renew", () => {
    const { time, nowMs } = newClock();
    const sql = nodeSql();
    newTenant(nowMs, sql).admit(sandbox("cut"), unbounded);
    newTenant(nowMs, sql).admit(sandbox("alive"), unbounded);
    time.nowMs += leaseMs;
    const opened = newTenant(nowMs, sql);
    expect([opened.filterAbandoned(["cut"]), opened.counts().isDoubtful]).toEqual([[], true]);
    expect(opened.reconcile([], time.nowMs)).toBe(0);
    opened.renew("alive");
    time.nowMs += leaseMs;
    opened.renew("alive");
    expect(opened.counts()).toMatchObject({ liveSandboxes: 2, isDoubtful: true });
    expect(opened.reconcile([], time.nowMs)).toBe(1);
    expect(opened.counts()).toMatchObject({ liveSandboxes: 1, isDoubtful: false });
  });

  test("keep the counts of sandboxes that were created or deleted after the directory was listed", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    tenant.admit(sandbox("deleted"), unbounded);
    tenant.markMade("deleted");
    time.nowMs += 2 * hourMs;
    const listedAtMs = time.nowMs;
    tenant.admit(sandbox("made", time.nowMs), unbounded);
    time.nowMs += 100;
    tenant.markMade("made");
    tenant.recordEnd("deleted");
    expect(tenant.reconcile([sandbox("deleted")], listedAtMs)).toBe(0);
    expect(tenant.counts()).toMatchObject({ liveSandboxes: 1 });
  });

  test("report doubtful counts in a refusal at most once within some seconds", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    const limited = { creationsPerHour: null, liveSandboxes: 1 };
    tenant.admit(sandbox("a"), limited);
    tenant.markMade("a");
    expect(tenant.admit(sandbox("b"), limited)).toMatchObject({ ok: false, isDoubtful: true });
    tenant.reconcile([sandbox("a")], time.nowMs);
    expect(tenant.admit(sandbox("b"), limited)).toMatchObject({ ok: false, isDoubtful: false });
    time.nowMs += limits.recountMs;
    expect(tenant.admit(sandbox("b"), limited)).toMatchObject({ ok: false, isDoubtful: true });
  });
});

describe("the usage of a tenant", () => {
  const report = {
    id: "a",
    requests: 2,
    rowsRead: 30,
    rowsWritten: 4,
    awakeMs: 5000,
    bytes: 600,
    limits: [],
    isReady: false,
  };

  test("J3: has the hours between a sandbox's creation and its end by day, and sums of the reported rest", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    time.nowMs = startMs + 22 * hourMs;
    tenant.admit(sandbox("a", time.nowMs), unbounded);
    tenant.markMade("a");
    tenant.report({ ...report, atMs: time.nowMs });
    tenant.report({ ...report, atMs: time.nowMs, bytes: 500 });
    time.nowMs += 3 * hourMs;
    const rows = tenant.usage("2026-01-01", "2026-01-02", "sandbox");
    const first = { day: "2026-01-01", id: "a", name: "name-a", seconds: 7200, awakeSeconds: 10, requests: 4 };
    expect(rows).toMatchObject([
      { ...first, rowsRead: 60, rowsWritten: 8, bytes: 600 },
      { day: "2026-01-02", id: "a", seconds: 3600, requests: 0 },
    ]);
    tenant.recordEnd("a");
    time.nowMs += 5 * hourMs;
    expect(tenant.usage("2026-01-01", "2026-01-02", "sandbox")).toEqual(rows);
    expect(tenant.usage("2026-01-02", "2026-01-02", "day")).toMatchObject([
      { day: "2026-01-02", id: "", seconds: 3600 },
    ]);
  });

  test("J3: has the hours of an unreported creation once it is reconciled", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    tenant.admit(sandbox("a"), unbounded);
    time.nowMs += hourMs;
    expect(tenant.reconcile([sandbox("a")], time.nowMs)).toBe(0);
    expect(tenant.usage("2026-01-01", "2026-01-01", "sandbox")).toMatchObject([{ id: "a", seconds: 3600 }]);
  });

  test("J3: has no hours of a sandbox that was never created", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    tenant.admit(sandbox("a"), unbounded);
    time.nowMs += hourMs;
    tenant.recordEnd("a");
    expect(tenant.usage("2026-01-01", "2026-01-01", "sandbox")).toEqual([]);
  });
});

describe("visits of a tenant", () => {
  const visit = (visitor: string, of: Partial<Visit> = {}): Visit => ({
    kind: "visit",
    key: "pk_a",
    visitor,
    wish: "template web",
    address: "",
    user: { name: "lea", groups: ["learners"] },
    most: { perVisitor: 2, atOnce: 3, perHour: 4, perAddress: 2 },
    ...of,
  });

  test("Z12: have one sandbox for a visitor's wish, which survives an eviction and ends with the sandbox", () => {
    const { time, nowMs } = newClock();
    const sql = nodeSql();
    const tenant = newTenant(nowMs, sql);
    expect(tenant.sandboxOfVisitor(visit("ann"))).toBeUndefined();
    expect(tenant.admit(sandbox("a", startMs, 60_000), unbounded, visit("ann")).ok).toBe(true);
    expect(tenant.sandboxOfVisitor(visit("ann"))).toEqual({
      id: "a",
      isMade: false,
      user: { name: "lea", groups: ["learners"] },
    });
    expect(tenant.admit(sandbox("b"), unbounded, visit("ann"))).toMatchObject({ ok: false, limit: "visited" });
    tenant.markMade("a");
    const opened = newTenant(nowMs, sql);
    expect(opened.sandboxOfVisitor(visit("ann"))).toMatchObject({ id: "a", isMade: true });
    for (const otherVisit of [visit("bea"), visit("ann", { key: "pk_b" }), visit("ann", { wish: "template db" })])
      expect(opened.sandboxOfVisitor(otherVisit)).toBeUndefined();
    time.nowMs += 60_000;
    expect(opened.sandboxOfVisitor(visit("ann"))).toBeUndefined();
    time.nowMs += hourMs;
    opened.counts();
    expect(sql.all("SELECT * FROM visits")).toEqual([]);
  });

  test("Z13: report when an exhausted limit is free again", () => {
    const { time, nowMs } = newClock();
    const tenant = newTenant(nowMs);
    const admit = (id: string, who: Visit) => tenant.admit(sandbox(id, time.nowMs, 2 * hourMs), unbounded, who);
    const from = { address: "here" };
    expect(admit("a", visit("ann", from)).ok).toBe(true);
    time.nowMs += 60_000;
    expect(admit("b", visit("bea", from)).ok).toBe(true);
    const crowded = admit("c", visit("cid", from));
    expect(crowded).toMatchObject({ limit: "perAddress", reached: { limited: 2, used: 2, resetMs: hourMs - 60_000 } });
    expect(admit("c", visit("cid")).ok).toBe(true);
    expect(admit("d", visit("dan"))).toMatchObject({
      limit: "atOnce",
      reached: { used: 3, resetMs: 2 * hourMs - 60_000 },
    });
    tenant.recordEnd("a");
    expect(admit("d", visit("dan")).ok).toBe(true);
    tenant.recordEnd("b");
    expect(admit("e", visit("eve"))).toMatchObject({
      limit: "perHour",
      reached: { used: 4, resetMs: hourMs - 60_000 },
    });
    // Another key counts for itself.
    expect(admit("e", visit("eve", { key: "pk_b" })).ok).toBe(true);
  });

  test("Z12: get their table in an older object of a tenant", () => {
    const { nowMs } = newClock();
    const sql = nodeSql();
    newTenant(nowMs, sql).admit(sandbox("a"), unbounded);
    for (const table of ["visits", "stored_version"]) sql.run(`DROP TABLE ${table}`);
    expect(newTenant(nowMs, sql).admit(sandbox("b"), unbounded, visit("ann")).ok).toBe(true);
  });
});
