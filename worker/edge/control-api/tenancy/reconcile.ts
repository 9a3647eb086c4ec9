// Makes what tenants' objects count agree with the directory, and keeps what each tenant used for the operator.
import { limits } from "../../../../shared/base/limits.ts";
import type { LiveSandbox, TenantCounts } from "../../../../shared/contract/tenant-object.ts";
import type { PageAfter } from "../../db/directory.ts";
import { finishLeftovers } from "../leftovers.ts";
import type { ControlApiServer } from "../server.ts";

type Reconciling = Pick<ControlApiServer, "plans" | "directory" | "tenant" | "nowMs" | "report">;

const dayMs = 86_400_000;
/** The scheduled run comes every hour; a tenant's turn comes twice a day. */
const everyMs = dayMs / 2;

/** Those whose turn it is, longest ago first. What goes wrong with one is reported, and keeps no other. */
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

/** Returns how many sandboxes were counted wrongly. */
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

/** Makes a tenant's counts agree with the directory now: requests that were cut off left them doubtful. */
export async function recount(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  await finishLeftovers(controlApi, tenantId);
  const listedAtMs = controlApi.nowMs();
  await controlApi.tenant(tenantId).reconcile(await liveOf(controlApi, tenantId), listedAtMs);
}

/** The counts of a tenant, compared with the directory if they are doubtful. */
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
