// Tests the record that a tenant keeps of its sandboxes for the stream of events, and the phases that follow from it.
import { describe, expect, test } from "vitest";
import { eventLimits } from "../../shared/base/share-limits.ts";
import type { Tenant } from "../../worker/tenant/tenant.ts";
import { newTenant } from "../edge/memory-tenants.ts";
import { nodeSql } from "../sqlite.ts";

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const unbounded = { creationsPerHour: null, liveSandboxes: null };
const usage = { requests: 1, rowsRead: 1, rowsWritten: 1, awakeMs: 1, bytes: 1, limits: [], isReady: false };

function begin() {
  const time = { nowMs: startMs };
  const followers = new Set<() => void>();
  const tenant = newTenant(() => time.nowMs, nodeSql(), 1, followers);
  return { time, tenant, followers };
}

function admit(tenant: Tenant, id = "a", lifeMs = 60 * minuteMs) {
  tenant.admit({ id, name: id, createdAtMs: startMs, expiresAtMs: startMs + lifeMs }, unbounded);
}

function typesOf(tenant: Tenant, after = 0) {
  return tenant.events(after).events.map(({ event: { type, data } }) => `${type} ${data.sandbox?.phase}`);
}

describe("events", () => {
  test("J4: the life of a sandbox is recorded with its phase, and nothing follows its end", () => {
    const { time, tenant } = begin();
    admit(tenant);
    tenant.markMade("a", { isReady: false, isPaused: false });
    tenant.report({ ...usage, id: "a", atMs: startMs, isReady: true });
    tenant.recordChange("a", { isPaused: true });
    tenant.recordChange("a", { isPaused: true });
    tenant.recordChange("a", { isPaused: false, name: "b" });
    time.nowMs += minuteMs;
    tenant.recordEnd("a");
    tenant.recordEnd("a");
    tenant.recordChange("a", { name: "c" });
    tenant.markMade("a", { isReady: true, isPaused: false });
    expect(typesOf(tenant)).toEqual([
      "sandbox.created Pending",
      "sandbox.ready Running",
      "sandbox.changed Paused",
      "sandbox.changed Running",
      "sandbox.deleted Deleted",
    ]);
    expect(tenant.events(3).events[0]?.event.data.sandbox).toMatchObject({ id: "a", name: "b" });
  });

  test("J4: a sandbox that begins without workloads is ready at once, and a wait that found it ready says so once", () => {
    const { tenant } = begin();
    for (const id of ["a", "b"]) admit(tenant, id);
    tenant.markMade("a", { isReady: true, isPaused: false });
    tenant.markMade("b", { isReady: false, isPaused: false });
    expect(tenant.phases(["a", "b", "c"])).toEqual({ a: "Running", b: "Pending" });
    for (let times = 0; times < 2; times++) tenant.markMade("b", { isReady: true, isPaused: false });
    expect(tenant.phases(["b"])).toEqual({ b: "Running" });
    expect(typesOf(tenant).filter((type) => type.startsWith("sandbox.ready"))).toHaveLength(2);
  });

  test("J4: a sandbox that was never created has no event", () => {
    const { tenant } = begin();
    admit(tenant);
    tenant.report({ ...usage, id: "a", atMs: startMs, isReady: true });
    tenant.recordEnd("a");
    expect(typesOf(tenant)).toEqual([]);
  });

  test("J4: an end is noticed late without a follower, with the time at which it was, and at once with one", () => {
    const { time, tenant, followers } = begin();
    admit(tenant);
    tenant.markMade("a");
    expect(tenant.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
    let news = 0;
    followers.add(() => news++);
    expect(tenant.nextDueMs()).toBe(startMs + 50 * minuteMs);
    time.nowMs = startMs + 50 * minuteMs;
    tenant.tick();
    expect([news, tenant.nextDueMs()]).toEqual([1, startMs + 60 * minuteMs]);
    followers.clear();
    time.nowMs = startMs + 70 * minuteMs;
    expect(typesOf(tenant, 1)).toEqual(["sandbox.expiring_soon Pending", "sandbox.expired Expired"]);
    expect(tenant.events(2).events[0]?.event.timestamp).toBe(new Date(startMs + 60 * minuteMs).toISOString());
  });

  test("J4: events are read in steps, as many are recorded as may be, and a gap is reported", () => {
    const { tenant } = begin();
    admit(tenant);
    tenant.markMade("a");
    for (let times = 1; times < eventLimits.recorded + 50; times++) tenant.recordChange("a", {});
    const first = tenant.events(0);
    expect(first).toMatchObject({ isTruncated: true, hasMore: true });
    expect([first.events.length, first.events[0]?.seq]).toEqual([eventLimits.step, 51]);
    let read = first;
    let count = first.events.length;
    while (read.hasMore) {
      read = tenant.events(read.last);
      expect(read.isTruncated).toBe(false);
      count += read.events.length;
    }
    expect([count, read.last]).toEqual([eventLimits.recorded, eventLimits.recorded + 50]);
    expect(tenant.events(undefined)).toEqual({ events: [], last: read.last, hasMore: false, isTruncated: false });
    expect(tenant.events(read.last)).toEqual({ events: [], last: read.last, hasMore: false, isTruncated: false });
    // The position of another, deleted tenant of this name.
    expect(tenant.events(read.last + 5)).toMatchObject({ isTruncated: true, hasMore: true });
  });

  test("J4: old events are forgotten, and later ones are numbered on", () => {
    const { time, tenant } = begin();
    admit(tenant, "a", 30 * dayMs);
    tenant.markMade("a");
    tenant.recordChange("a", {});
    time.nowMs += eventLimits.recordedDays * dayMs + 1;
    tenant.reconcile([{ id: "a", name: "a", createdAtMs: startMs, expiresAtMs: startMs + 30 * dayMs }], time.nowMs);
    tenant.recordChange("a", {});
    expect(tenant.events(0).events.map(({ seq }) => seq)).toEqual([2, 3]);
  });
});
