// The tenant itself: creation by a person, changes, and deletion with all of its data.
import type * as z from "zod";
import { limits } from "../../../../shared/base/limits.ts";
import { limitsOf } from "../../../../shared/contract/hosted/plan.ts";
import type { patchTenant, Tenant } from "../../../../shared/contract/tenant.ts";
import { fileKey } from "../../files.ts";
import { hashOf, randomText } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import { finishLeftovers } from "../leftovers.ts";
import { requireFreeSpace } from "../sandboxes.ts";
import type { ControlApiServer } from "../server.ts";
import { limitReached, standingOf } from "../tenancy/plans.ts";
import { finishSnapshotLeftovers } from "../snapshot-leftovers.ts";
import { beginDeletionReport, endDeletionReport, reportDeletedSandboxes } from "../tenancy/stored-data.ts";
import type { Caller } from "./caller.ts";

export function newTenantId(): string {
  return `org${randomText(20)}`;
}

export async function getTenant({ tenants }: ControlApiServer, tenantId: string): Promise<Tenant> {
  const row = await tenants.find(tenantId);
  if (!row) throw gone();
  const { id, name, createdAtMs, allowedOrigins } = row;
  return { id, name, createdAt: new Date(createdAtMs).toISOString(), allowedOrigins };
}

export async function changeTenant(
  controlApi: ControlApiServer,
  tenantId: string,
  to: z.output<typeof patchTenant>,
): Promise<Tenant> {
  const isAsked = to.name !== undefined || to.allowedOrigins !== undefined;
  if (isAsked && !(await controlApi.tenants.change(tenantId, to))) throw gone();
  controlApi.originCache.clear();
  controlApi.callerCache.clear();
  return getTenant(controlApi, tenantId);
}

/** Creates a tenant that the person owns. */
export async function makeTenant(
  controlApi: ControlApiServer,
  { id: personId }: Pick<NonNullable<Caller["person"]>, "id">,
  name: string,
): Promise<Tenant> {
  if (!controlApi.signIn.signUp)
    throw new ControlError(403, "not_invited", "only the operator of this service creates organisations");
  if (await controlApi.identity.isManaged(personId)) {
    const message = "your account is managed by your organisation's identity provider";
    throw new ControlError(403, "managed_person", message);
  }
  await requireFreeSpace(controlApi);
  const person = await controlApi.people.find(personId);
  const creators = [personId, ...(person?.githubId ? [await githubCreator(person.githubId)] : [])];
  const mine = await controlApi.members.memberships(personId);
  const owned = mine.filter(({ role }) => role === "owner").map(({ tenantId }) => tenantId);
  const createdLimit = await requireFewTenants(controlApi, creators, owned);
  const row = { id: newTenantId(), name, createdAtMs: controlApi.nowMs(), createdBy: personId };
  const owner = { personId, creators, memberships: limits.memberships, createdLimit };
  if (await controlApi.tenants.add(row, owner)) return getTenant(controlApi, row.id);
  // A concurrent request created an organisation, or the person has too many memberships.
  await requireFewTenants(controlApi, creators, owned);
  throw tooManyTenants();
}

/**
 * Returns the `createdBy` of a deleted person with a GitHub account. It keeps the limit of organisations when the same account signs up
 * again.
 */
export async function githubCreator(githubId: string): Promise<string> {
  return `github:${await hashOf(`github:${githubId}`)}`;
}

/**
 * Returns the limit of organisations that a person may create; undefined if there is none. The limit is the highest of the plans of the
 * tenants that the person owns, or that of the service's plan. Throws 429 if it is reached.
 */
export async function requireFewTenants(
  controlApi: ControlApiServer,
  creators: readonly string[],
  owned: readonly string[],
): Promise<number | undefined> {
  const standings = await Promise.all(owned.map((tenantId) => standingOf(controlApi, tenantId)));
  const plans = standings.length > 0 ? standings.map((standing) => standing.limits) : [limitsOf(controlApi.plan, {})];
  const bounds = plans.map(({ organisations }) => organisations);
  const most = Math.max(...bounds.map((bound) => bound ?? Number.POSITIVE_INFINITY));
  if (!Number.isFinite(most)) return undefined;
  const used = await controlApi.tenants.countMade(creators);
  if (used >= most) throw limitReached({ name: "organisations", limited: most, used });
  return most;
}

export function tooManyTenants(): ControlError {
  return new ControlError(409, "too_many_tenants", `one person belongs to ${limits.memberships} organisations at most`);
}

/** Blocks the tenant at once and deletes its data. The next sweep finishes an incomplete deletion. */
export async function deleteTenant(controlApi: ControlApiServer, tenantId: string): Promise<void> {
  if (await controlApi.tenants.find(tenantId)) await beginDeletionReport(controlApi, tenantId);
  const isMarked = await controlApi.tenants.markDeleting(tenantId);
  controlApi.callerCache.clear();
  controlApi.originCache.clear();
  if (!isMarked) throw gone();
  controlApi.later(() => finishTenant(controlApi, tenantId, 1), `what is left of tenant ${tenantId}`);
}

/** As the time before which unfinished creations count as leftovers: none of them does, only rows that are marked for deletion. */
const noCreations = 0;

type Sweeper = Parameters<typeof finishSnapshotLeftovers>[0] &
  Pick<ControlApiServer, "directory" | "cluster" | "tenants" | "templates" | "tenant" | "databases" | "files">;

/** Deletes up to `pages` pages of the remaining data of a tenant, and then the tenant. */
async function finishTenant(sweeper: Sweeper, tenantId: string, pages: number): Promise<void> {
  await sweeper.tenants.markSandboxesDeleting(tenantId);
  for (let page = 0; page < pages; page++) {
    const left = await sweeper.directory.leftovers(noCreations, limits.sandboxesSwept, tenantId);
    const snapshots = await sweeper.snapshots.leftovers(noCreations, 1, tenantId);
    if (left.length + snapshots.length === 0) break;
    await finishLeftovers(sweeper, tenantId);
    await reportDeletedSandboxes(sweeper, tenantId, await deletedOf(sweeper, left));
    await finishSnapshotLeftovers(sweeper, tenantId);
  }
  const left = await sweeper.directory.leftovers(noCreations, 1, tenantId);
  if (left.length > 0) return;
  // Destroy the tenant's Durable Object: no sandbox is left that reports to it.
  await sweeper.tenant(tenantId).destroy();
  for (const file of await sweeper.templates.files(tenantId, limits.templates)) {
    await sweeper.files.remove(fileKey(file));
    await sweeper.templates.remove(file);
  }
  if (await sweeper.tenants.removeIfEmpty(tenantId)) await endDeletionReport(sweeper, tenantId);
}

/** The ids of one query, which D1 bounds. */
const idsAtOnce = 90;

/** Returns the sandboxes whose rows are gone. */
async function deletedOf({ directory }: Sweeper, rows: readonly { readonly id: string }[]): Promise<string[]> {
  const ids = rows.map(({ id }) => id);
  const existing = new Set<string>();
  for (let at = 0; at < ids.length; at += idsAtOnce)
    for (const id of await directory.existingIds(ids.slice(at, at + idsAtOnce))) existing.add(id);
  return ids.filter((id) => !existing.has(id));
}

export async function finishTenants(sweeper: Sweeper): Promise<void> {
  for (const id of await sweeper.tenants.deleting(limits.tenantsSwept)) {
    try {
      await finishTenant(sweeper, id, limits.tenantPages);
    } catch (error) {
      sweeper.report(error, `what is left of tenant ${id}`);
    }
  }
}

function gone(): ControlError {
  return new ControlError(404, "not_found", "there is no such organisation");
}
