// Informs sandboxes of changed limits of their tenant. The operator's request informs some; the scheduled run informs the others and
// retries those that were not reached.
import { limits } from "../../../../shared/base/limits.ts";
import type { SandboxStanding } from "../../../../shared/contract/cluster/life.ts";
import { limitsOf } from "../../../../shared/contract/hosted/plan.ts";
import { restartCursorPrefix } from "../../db/plans.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import type { ControlApiServer } from "../server.ts";
import { limitsOfSandbox, planNamed } from "./plans.ts";

type InformContext = Pick<ControlApiServer, "plans" | "plan" | "limits" | "directory" | "cluster" | "nowMs" | "report">;

interface InformResult {
  /** The number of informed sandboxes. */
  readonly count: number;
  /** The cursor of the next batch; null if none is left. */
  readonly next: string | null;
}

/** Sends the tenant's limits to up to `limit` sandboxes after the cursor `after`, the newest first. */
export async function informSandboxes(
  controlApi: InformContext,
  tenantId: string,
  after: string = restartCursorPrefix,
  limit: number = limits.informedSandboxes,
): Promise<InformResult> {
  const standing = await currentStanding(controlApi, tenantId);
  if (!standing) return { count: 0, next: null };
  const from = after.startsWith(restartCursorPrefix) ? undefined : decodeCursor(after);
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), limit + 1, from);
  const batch = rows.slice(0, limit);
  for (let start = 0; start < batch.length; start += limits.informedAtOnce) {
    await Promise.all(
      batch.slice(start, start + limits.informedAtOnce).map(({ id }) => informSandbox(controlApi, id, standing)),
    );
  }
  const last = batch.at(-1);
  return { count: batch.length, next: last && rows.length > limit ? encodeCursor(last) : null };
}

/** Reads D1 instead of the cache, which may hold the previous plan. */
async function currentStanding(controlApi: InformContext, tenantId: string): Promise<SandboxStanding | undefined> {
  const tenant = await controlApi.plans.tenant(tenantId);
  if (!tenant) return undefined;
  const all = limitsOf(planNamed(tenant.plan) ?? controlApi.plan, tenant.overrides);
  return { suspended: tenant.suspended, limits: limitsOfSandbox(controlApi, all) };
}

/** Tries twice. A sandbox that does not answer keeps its limits until the next run. */
async function informSandbox({ cluster, report }: InformContext, id: string, standing: SandboxStanding): Promise<void> {
  await cluster(id)
    .setStanding(standing)
    .catch(() => cluster(id).setStanding(standing))
    .catch((error: unknown) => report(error, `what sandbox ${id} may do`));
}

/** Runs the scheduled part with a limited number of calls. A tenant's failure is reported and does not stop the others. */
export async function informTenants(controlApi: InformContext): Promise<void> {
  const { plans, report } = controlApi;
  let left: number = limits.informedSandboxes;
  for (const { tenantId, after } of await plans.tenantsToInform(limits.informedTenants)) {
    if (left <= 0) return;
    try {
      const { count, next } = await informSandboxes(controlApi, tenantId, after, left);
      left -= count;
      await plans.advanceCursor(tenantId, after, next);
    } catch (error) {
      report(error, `what sandboxes of tenant ${tenantId} may do`);
    }
  }
}
