// Webhook events, retries and signatures.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { type EventType, eventTypes } from "../../shared/contract/hosted/webhook.ts";
import { signedHeaders, webhookSecret } from "../../worker/tenant/signature.ts";
import type { Tenant } from "../../worker/tenant/tenant.ts";
import { newTenant } from "../edge/memory-tenants.ts";

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const unbounded = { creationsPerHour: null, liveSandboxes: null };
const usage = {
  requests: 1,
  rowsRead: 1,
  rowsWritten: 1,
  awakeMs: 1,
  bytes: 1,
  limits: [] as string[],
  isReady: false,
};

function begin(events: readonly EventType[] = eventTypes) {
  const time = { nowMs: startMs };
  const tenant = newTenant(() => time.nowMs);
  const webhook = tenant.webhooks.add({ url: "https://hooks.example.org/", events: [...events] }, startMs);
  return { time, tenant, webhook };
}

function make(tenant: Tenant, lifeMs = 60 * minuteMs) {
  const sandbox = { id: "a", name: "b", createdAtMs: startMs, expiresAtMs: startMs + lifeMs };
  tenant.admit(sandbox, unbounded);
  tenant.markMade("a");
}

/** Sends the events that are due at a moment, and records an answer for each. */
function send(tenant: Tenant, nowMs: number, status = 200) {
  const due = tenant.webhooks.due(nowMs);
  for (const sending of due) tenant.webhooks.recordAttempt(sending, { status }, nowMs);
  return due.map(({ body }) => JSON.parse(body) as { type: string; data: { sandbox: { id: string }; limit?: string } });
}

describe("events of a tenant", () => {
  test("J4: report a sandbox's life, each once, and the alarm is due with the next one", () => {
    const { time, tenant } = begin();
    make(tenant);
    expect(send(tenant, time.nowMs)).toMatchObject([{ type: "sandbox.created", data: { sandbox: { id: "a" } } }]);
    expect(tenant.report({ ...usage, id: "a", atMs: startMs })).toEqual({ wantsReady: true });
    expect(tenant.report({ ...usage, id: "a", atMs: startMs, isReady: true })).toEqual({ wantsReady: false });
    tenant.report({ ...usage, id: "a", atMs: startMs, isReady: true, limits: ["objects"] });
    tenant.report({ ...usage, id: "a", atMs: startMs, limits: ["objects"] });
    expect(send(tenant, time.nowMs)).toMatchObject([
      { type: "sandbox.ready" },
      { type: "sandbox.limit_reached", data: { limit: "objects" } },
    ]);
    expect(tenant.nextDueMs()).toBe(startMs + 50 * minuteMs);
    time.nowMs = tenant.nextDueMs();
    tenant.tick();
    tenant.tick();
    expect(send(tenant, time.nowMs)).toMatchObject([{ type: "sandbox.expiring_soon" }]);
    expect(tenant.nextDueMs()).toBe(startMs + 60 * minuteMs);
    time.nowMs = tenant.nextDueMs();
    tenant.tick();
    expect(send(tenant, time.nowMs)).toMatchObject([{ type: "sandbox.expired" }]);
    expect(tenant.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  });

  test("J4: wake nobody without a webhook, and include only subscribed types", () => {
    const { time, tenant, webhook } = begin(["sandbox.created"]);
    make(tenant);
    tenant.report({ ...usage, id: "a", atMs: startMs, isReady: true });
    expect(send(tenant, time.nowMs).map(({ type }) => type)).toEqual(["sandbox.created"]);
    expect(tenant.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
    tenant.webhooks.remove(webhook.id);
    expect(tenant.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("deliveries of a webhook", () => {
  test("J5: are retried with growing delays and the same id, and abandoned after the last attempt", () => {
    const { time, tenant, webhook } = begin(["sandbox.created"]);
    make(tenant);
    const [first] = tenant.webhooks.due(time.nowMs);
    const waits: number[] = [];
    for (let attempt = 0; attempt <= limits.deliveryPauseSeconds.length; attempt++) {
      const [due] = tenant.webhooks.due(time.nowMs);
      expect(due?.id).toBe(first?.id);
      send(tenant, time.nowMs, 500);
      if (tenant.nextDueMs() === Number.POSITIVE_INFINITY) break;
      waits.push((tenant.nextDueMs() - time.nowMs) / 1000);
      expect(tenant.webhooks.due(tenant.nextDueMs() - 1)).toEqual([]);
      time.nowMs = tenant.nextDueMs();
    }
    expect(waits).toHaveLength(limits.deliveryPauseSeconds.length);
    for (const [at, wait] of waits.entries()) {
      const pause = limits.deliveryPauseSeconds[at] ?? 0;
      expect([wait >= pause * 0.9, wait <= pause * 1.1 + 1]).toEqual([true, true]);
    }
    const [delivery] = tenant.webhooks.deliveries(webhook.id) ?? [];
    expect(delivery).toMatchObject({
      state: "failed",
      attempts: waits.length + 1,
      status: 500,
      error: "it answered 500",
    });
  });

  test("J5: disable a webhook that answers 410, and abandon its waiting deliveries", () => {
    const { time, tenant, webhook } = begin();
    make(tenant);
    send(tenant, time.nowMs, 410);
    expect(tenant.webhooks.find(webhook.id)?.enabled).toBe(false);
    expect(tenant.webhooks.waiting).toBe(0);
  });

  test("J5: are sent ten at once, the newest hundred are listed, and all are deleted after a week", () => {
    const { tenant, webhook } = begin();
    const event = { type: "test", timestamp: "", data: {} } as const;
    for (let at = 0; at < 150; at++) tenant.webhooks.enqueueEvent(event, startMs + at, webhook.id);
    const sent: number[] = [];
    const atMs = startMs + minuteMs;
    for (let due = send(tenant, atMs); due.length > 0; due = send(tenant, atMs)) sent.push(due.length);
    expect([Math.max(...sent), sent.reduce((sum, sentCount) => sum + sentCount, 0)]).toEqual([10, 150]);
    expect(tenant.webhooks.deliveries(webhook.id)).toHaveLength(100);
    const weekMs = 7 * 24 * 60 * minuteMs;
    tenant.webhooks.forget(startMs + weekMs);
    expect(tenant.webhooks.deliveries(webhook.id)).toHaveLength(100);
    tenant.webhooks.forget(startMs + weekMs + minuteMs);
    expect(tenant.webhooks.deliveries(webhook.id)).toEqual([]);
  });

  test("J5: are bounded while they wait, and one past the bound is reported as failed", () => {
    const { tenant, webhook } = begin();
    const event = { type: "test", timestamp: "", data: {} } as const;
    for (let at = 0; at < limits.waitingDeliveries + 5; at++)
      tenant.webhooks.enqueueEvent(event, startMs + at, webhook.id);
    expect(tenant.webhooks.waiting).toBe(limits.waitingDeliveries);
    expect(tenant.webhooks.deliveries(webhook.id)?.[0]).toMatchObject({ state: "failed", attempts: 0 });
  });
});

test("J6: a delivery is signed as Standard Webhooks specifies", () => {
  const secret = webhookSecret("the service's", "wh_1");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhookSecret("the service's", "wh_2")).not.toBe(secret);
  const headers = signedHeaders([secret], "msg_1", 1_767_225_600, '{"type":"test"}');
  const key = Buffer.from(secret.slice(6), "base64");
  const expected = createHmac("sha256", key).update('msg_1.1767225600.{"type":"test"}').digest("base64");
  expect(headers).toMatchObject({
    "webhook-id": "msg_1",
    "webhook-timestamp": "1767225600",
    "webhook-signature": `v1,${expected}`,
  });
});
