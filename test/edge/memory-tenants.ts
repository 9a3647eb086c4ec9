// Tenants' objects for tests of the edge: the real `Tenant` over node:sqlite, called as over RPC.
import { seededRandom } from "../../shared/base/random.ts";
import type { TenantRpc } from "../../shared/contract/tenant-object.ts";
import type { ObjectCopyRpc } from "../../shared/contract/hosted/object-copy.ts";
import type { Webhook } from "../../shared/contract/hosted/webhook.ts";
import { ResourceLocks } from "../../worker/tenant/locks.ts";
import { withSecret as addSecret } from "../../worker/tenant/signature.ts";
import { createTenantTables } from "../../worker/tenant/tables.ts";
import { Tenant } from "../../worker/tenant/tenant.ts";
import { nodeSql } from "../sqlite.ts";

export interface MemoryTenants {
  tenant(id: string): TenantRpc & ObjectCopyRpc;
  /** Opens a socket that receives a message for each event. */
  follow(id: string): Response;
  /** Returns the state of a tenant's object. */
  inside(id: string): Tenant;
  /** Opens a tenant's object again over what it has stored. */
  reopen(id: string): void;
}

export function memoryTenants(secret: string, nowMs: () => number): MemoryTenants {
  const locks = new ResourceLocks();
  const all = new Map<string, Tenant>();
  const followers = new Map<string, Set<() => void>>();
  const followersOf = (id: string) => {
    const ofTenant = followers.get(id) ?? new Set();
    followers.set(id, ofTenant);
    return ofTenant;
  };
  const inside = (id: string) => {
    const tenant = all.get(id) ?? newTenant(nowMs, storageOf(id), all.size + 1, followersOf(id));
    all.set(id, tenant);
    return tenant;
  };
  const storages = new Map<string, ReturnType<typeof nodeSql>>();
  const storageOf = (id: string) => {
    const storage = storages.get(id) ?? nodeSql();
    storages.set(id, storage);
    return storage;
  };
  const tenant = (id: string): TenantRpc & ObjectCopyRpc => {
    const it = inside(id);
    const withSecret = (webhook: Webhook) => addSecret(secret, webhook, it.webhooks.secretOf(webhook.id, nowMs()));
    return {
      admit: async (sandbox, limited, source) => it.admit(sandbox, limited, source),
      sandboxOfVisitor: async (visit) => it.sandboxOfVisitor(visit),
      renew: async (sandbox) => it.renew(sandbox),
      filterAbandoned: async (ids) => it.filterAbandoned(ids),
      markMade: async (sandbox, start) => it.markMade(sandbox, start),
      recordChange: async (sandbox, to) => it.recordChange(sandbox, to),
      phases: async (ids) => it.phases(ids),
      events: async (after) => it.events(after),
      recordRotation: async (sandbox) => it.recordRotation(sandbox),
      recordEnd: async (sandbox) => it.recordEnd(sandbox),
      report: async (report) => it.report(report),
      usage: async (from, to, by) => it.usage(from, to, by),
      counts: async () => it.counts(),
      reconcile: async (live, listedAtMs) => it.reconcile(live, listedAtMs),
      addWebhook: async (webhook, most) => {
        const used = it.webhooks.list().length;
        if (used >= (most ?? 50)) return { ok: false, used };
        return { ok: true, webhook: withSecret(it.webhooks.add(webhook, nowMs())) };
      },
      remindOfExam: async (name, atMs) => it.reminders.add(name, atMs),
      listWebhooks: async () => it.webhooks.list(),
      getWebhook: async (webhook) => {
        const webhookRecord = it.webhooks.find(webhook);
        return webhookRecord && withSecret(webhookRecord);
      },
      changeWebhook: async (webhook, to) => it.webhooks.change(webhook, to),
      removeWebhook: async (webhook) => it.webhooks.remove(webhook),
      testWebhook: async (webhook) => {
        const event = { type: "test", timestamp: new Date(nowMs()).toISOString(), data: {} } as const;
        return it.webhooks.enqueueEvent(event, nowMs(), webhook)[0];
      },
      rotateWebhook: async (webhook) => {
        const rotated = it.webhooks.rotate(webhook, nowMs());
        return rotated && withSecret(rotated);
      },
      redeliver: async (webhook, delivery) => it.webhooks.redeliver(webhook, delivery, nowMs()),
      deliveries: async (webhook) => {
        const deliveries = it.webhooks.deliveries(webhook);
        return deliveries && { deliveries };
      },
      sendScore: async (platform, score) => it.scores.send(platform, score, nowMs()),
      scores: async (platform) => ({ deliveries: it.scores.list(platform) }),
      dropScores: async (platform) => it.scores.drop(platform),
      sendLessonEvent: async (type, progress) => it.sendLessonEvent(type, progress),
      hold: async (resource, holder) => locks.hold(`${id} ${resource}`, holder, nowMs()),
      release: async (resource, holder) => locks.release(`${id} ${resource}`, holder),
      copyPage: async () => ({ ok: true, session: "a", text: "a copy\n", isLast: true }),
      restorePage: async () => ({ ok: true, session: "a.1", isComplete: true }),
      countStoredRows: async () => it.counts().liveSandboxes,
      destroy: async () => {
        all.delete(id);
        storages.delete(id);
      },
    };
  };
  return { tenant, inside, reopen: (id) => void all.delete(id), follow: (id) => followed(followersOf(id)) };
}

export function newTenant(nowMs: () => number, sql = nodeSql(), seed = 1, followers = new Set<() => void>()): Tenant {
  createTenantTables(sql);
  return new Tenant({
    sql,
    random: seededRandom(seed),
    nowMs,
    eventAdded: () => {
      for (const follower of followers) follower();
    },
    isFollowed: () => followers.size > 0,
  });
}

/** Returns a response as the platform has it, with the client's end of a socket. */
function followed(followers: Set<() => void>): Response {
  const webSocket = new EventTarget();
  const send = () => void webSocket.dispatchEvent(new Event("message"));
  const close = () => void followers.delete(send);
  Object.assign(webSocket, { accept: () => followers.add(send), close });
  return Object.defineProperty(new Response(null, { status: 200 }), "webSocket", { value: webSocket });
}
