// Reconciles the counts of tenants' Durable Objects with the directory, and stores the usage of each tenant for the operator.
import { limits } from "../../../../shared/base/limits.ts";
import type { LiveSandbox, TenantCounts } from "../../../../shared/contract/tenant-object.ts";
import type { PageAfter } from "../../db/directory.ts";
import { finishLeftovers } from "../leftovers.ts";
import type { ControlApiServer } from "../server.ts";

type Reconciling = Pick<ControlApiServer, "plans" | "directory" | "tenant" | "nowMs" | "report">;

const dayMs = 86_400_000;
/** The interval of a tenant: twice a day. The scheduled run starts every hour. */
const everyMs = dayMs / 2;

/** Reconciles the tenants that are due, the longest overdue first. A tenant's failure is reported and does not stop the others. */
export async function reconcileTenants(service: Reconciling): Promise<void> {
  const { plans, nowMs, report } = service;
  for (const tenantId of await plans.unreconciled(nowMs() - everyMs, limits.reconciledTenants)) {
    try {
      await reconcileTenant(service, tenantId);
    } catch (error) {
      report(error, `the counts of tenant ${tenantId}`);
    }
  }
}

/** Returns the number of sandboxes that were counted wrongly. */
export async function reconcileTenant(service: Reconciling, tenantId: string): Promise<number> {
  const { plans, tenant, nowMs } = service;
  const atMs = nowMs();
  const wrong = await tenant(tenantId).reconcile(await liveOf(service, tenantId), atMs);
  const [today, yesterday] = [dayOf(atMs), dayOf(atMs - dayMs)];
  for (const row of (await tenant(tenantId).usage(yesterday, today, "day")) ?? []) {
    const { id: _, name: __, ...amounts } = row;
    await plans.keepUsage({ ...amounts, tenantId });
  }
  await plans.reconciled(tenantId, atMs);
  return wrong;
}

/** Reconciles a tenant now, because interrupted requests made its counts doubtful. */
export async function recount(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  await finishLeftovers(controlApi, tenantId);
  const listedAtMs = controlApi.nowMs();
  await controlApi.tenant(tenantId).reconcile(await liveOf(controlApi, tenantId), listedAtMs);
}

/** Returns the counts of a tenant. Doubtful counts are reconciled first. */
export async function countsOf(
  controlApi: ControlApiServer,
  tenantId: string,
): Promise<Omit<TenantCounts, "isDoubtful">> {
  const first = await controlApi.tenant(tenantId).counts();
  if (first.isDoubtful) await recount(controlApi, tenantId);
  const { isDoubtful: _, ...counts } = first.isDoubtful ? await controlApi.tenant(tenantId).counts() : first;
  return counts;
}

async function liveOf({ directory, nowMs }: Reconciling, tenantId: string): Promise<LiveSandbox[]> {
  const live: LiveSandbox[] = [];
  let after: PageAfter | undefined;
  while (live.length < limits.tenantSandboxes) {
    const page = await directory.list(tenantId, nowMs(), limits.sandboxPageMax, after);
    for (const { id, name, createdAtMs, expiresAtMs } of page) live.push({ id, name, createdAtMs, expiresAtMs });
    after = page.at(-1);
    if (page.length < limits.sandboxPageMax) break;
  }
  return live;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
