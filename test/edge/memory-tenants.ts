// Tenants' objects for tests of the edge: the real `Tenant` over node:sqlite, called as over RPC.
import { seededRandom } from "../../shared/base/random.ts";
import type { TenantRpc } from "../../shared/contract/tenant-object.ts";
import type { Webhook } from "../../shared/contract/hosted/webhook.ts";
import { webhookSecret } from "../../worker/tenant/signature.ts";
import { createTenantTables } from "../../worker/tenant/tables.ts";
import { Tenant } from "../../worker/tenant/tenant.ts";
import { nodeSql } from "../sqlite.ts";

export interface MemoryTenants {
  tenant(id: string): TenantRpc;
  /** Returns the state of a tenant's object. */
  inside(id: string): Tenant;
}

export function memoryTenants(secret: string, nowMs: () => number): MemoryTenants {
  const all = new Map<string, Tenant>();
  const inside = (id: string) => {
    const tenant = all.get(id) ?? newTenant(nowMs, nodeSql(), all.size + 1);
    all.set(id, tenant);
    return tenant;
  };
  const withSecret = (webhook: Webhook) => ({ ...webhook, secret: webhookSecret(secret, webhook.id) });
  const tenant = (id: string): TenantRpc => {
    const it = inside(id);
    return {
      admit: async (sandbox, limited, source) => it.admit(sandbox, limited, source),
      sandboxOfVisitor: async (visit) => it.sandboxOfVisitor(visit),
      renew: async (sandbox) => it.renew(sandbox),
      filterAbandoned: async (ids) => it.filterAbandoned(ids),
      markMade: async (sandbox) => it.markMade(sandbox),
      recordChange: async (sandbox, to) => it.recordChange(sandbox, to),
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
      deliveries: async (webhook) => {
        const deliveries = it.webhooks.deliveries(webhook);
        return deliveries && { deliveries };
      },
      sendScore: async (platform, score) => it.scores.send(platform, score, nowMs()),
      scores: async (platform) => ({ deliveries: it.scores.list(platform) }),
      dropScores: async (platform) => it.scores.drop(platform),
      sendLessonEvent: async (type, progress) => it.sendLessonEvent(type, progress),
      destroy: async () => void all.delete(id),
    };
  };
  return { tenant, inside };
}

export function newTenant(nowMs: () => number, sql = nodeSql(), seed = 1): Tenant {
  createTenantTables(sql);
  return new Tenant({ sql, random: seededRandom(seed), nowMs });
}
