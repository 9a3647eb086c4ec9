// Operations of the operator: tenants, plans, suspension, counts, and the health of a sandbox without its content.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import type {
  OperatedSandboxList,
  PatchOperatedTenant,
  SandboxHealth,
  OperatedTenant,
  TenantFactsShown,
  OperatedTenantList,
  tenantQuery,
} from "../../../../shared/contract/hosted/admin.ts";
import { limitsOf } from "../../../../shared/contract/hosted/plan.ts";
import type { listQuery } from "../../../../shared/contract/sandbox.ts";
import type { PageAfter } from "../../db/directory.ts";
import type { TenantFacts } from "../../db/plans.ts";
import { audited } from "../access/audit.ts";
import { ControlError } from "../control-error.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { planNamed } from "./plans.ts";

import { countsOf, reconcileTenant } from "./reconcile.ts";
import { informSandboxes } from "./inform-sandboxes.ts";
import type { ControlApiServer } from "../server.ts";

export async function listOperatedTenants(
  controlApi: ControlApiServer,
  { limit, cursor }: z.output<typeof tenantQuery>,
): Promise<OperatedTenantList> {
  const rows = await controlApi.plans.tenants(limit + 1, cursor);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = last && rows.length > limit ? { nextCursor: last.id } : {};
  return { tenants: page.map((row) => describe(controlApi, row)), ...next };
}

export async function getOperatedTenant(controlApi: ControlApiServer, tenantId: string): Promise<OperatedTenant> {
  const tenant = describe(controlApi, await tenantFactsOf(controlApi, tenantId));
  const counts = await countsOf(controlApi, tenantId);
  return { ...tenant, limits: limitsOf(tenant.plan, tenant.overrides), ...counts };
}

/** Changes a tenant. The control API applies the change at once. Some sandboxes are informed here, the others by the scheduled run. */
export async function changeOperatedTenant(
  controlApi: ControlApiServer,
  tenantId: string,
  { plan, overrides, suspended }: PatchOperatedTenant,
): Promise<OperatedTenant> {
  await tenantFactsOf(controlApi, tenantId);
  const to = {
    ...(plan === undefined ? {} : { plan: plan ?? "" }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(suspended === undefined ? {} : { suspended: suspended ?? "" }),
  };
  if (Object.keys(to).length > 0) {
    if (!(await controlApi.plans.set(tenantId, to))) throw noTenant();
    await informSandboxes(controlApi, tenantId);
  }
  return getOperatedTenant(controlApi, tenantId);
}

export async function reconcileNow(controlApi: ControlApiServer, tenantId: string): Promise<{ corrected: number }> {
  await tenantFactsOf(controlApi, tenantId);
  return audited(controlApi, tenantId, async () => {
    await informSandboxes(controlApi, tenantId);
    return { corrected: await reconcileTenant(controlApi, tenantId) };
  });
}

export async function listSandboxesOf(
  controlApi: ControlApiServer,
  tenantId: string,
  { limit, cursor }: z.output<typeof listQuery>,
): Promise<OperatedSandboxList> {
  await tenantFactsOf(controlApi, tenantId);
  const after: PageAfter | undefined = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    sandboxes: page.map(({ id, name, nodes, createdAtMs, expiresAtMs }) => ({
      id,
      name,
      tenant: tenantId,
      nodes,
      createdAt: new Date(createdAtMs).toISOString(),
      expiresAt: new Date(expiresAtMs).toISOString(),
    })),
    ...(last && rows.length > limit ? { nextCursor: encodeCursor(last) } : {}),
  };
}

export async function sandboxHealth(controlApi: ControlApiServer, id: string): Promise<SandboxHealth> {
  const health =
    (await controlApi.directory.tenantOf(id)) !== undefined ? await controlApi.cluster(id).health() : undefined;
  if (!health) throw new ControlError(404, "not_found", "there is no such sandbox");
  return health;
}

export async function describeTenant(controlApi: ControlApiServer, tenantId: string): Promise<TenantFactsShown> {
  return describe(controlApi, await tenantFactsOf(controlApi, tenantId));
}

export async function requireTenant(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  await tenantFactsOf(controlApi, tenantId);
}

async function tenantFactsOf({ plans }: ControlApiServer, tenantId: string): Promise<TenantFacts> {
  const tenant = tenantId.length > limits.sandboxNameCharacters ? undefined : await plans.tenant(tenantId);
  if (!tenant) throw noTenant();
  return tenant;
}

function noTenant(): ControlError {
  return new ControlError(404, "not_found", "there is no such tenant");
}

function describe({ plan: usual }: ControlApiServer, row: TenantFacts): TenantFactsShown {
  const { id, name, createdAtMs, plan, overrides, suspended } = row;
  return {
    id,
    name,
    createdAt: new Date(createdAtMs).toISOString(),
    plan: planNamed(plan) ?? usual,
    overrides,
    ...(suspended === "" ? {} : { suspended }),
  };
}
