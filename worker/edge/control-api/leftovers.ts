// Sandboxes whose making or deletion was cut off: a row says so before anything is done, and whoever comes next finishes them.
import { limits } from "../../../shared/base/limits.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { TenantRpc } from "../../../shared/contract/tenant-object.ts";
import type { Directory } from "../db/directory.ts";
import type { SandboxRow } from "../db/schema.ts";
import { type Files, beginningKey, keptBeginning } from "../files.ts";

export interface Sweeper {
  readonly directory: Directory;
  /** What sandboxes began with. */
  readonly files: Pick<Files, "remove">;
  cluster(id: string): Pick<ClusterRpc, "destroy">;
  /** Removes the file of an object that is damaged; reports whether it was. Undefined if the platform keeps the files to itself. */
  removeDamaged?(id: string): Promise<boolean>;
  tenant(id: string): Pick<TenantRpc, "gone" | "abandoned">;
  nowMs(): number;
  report(error: unknown, where: string): void;
}

type Finished = Pick<SandboxRow, "tenantId" | "id" | "madeOf">;

/** The cluster first: a row without a cluster is found again, a cluster without a row is not. */
export async function finish(sweeper: Omit<Sweeper, "nowMs">, row: Finished): Promise<void> {
  const { directory, files, tenant, report } = sweeper;
  const { tenantId, id, madeOf } = row;
  await destroy(sweeper, id);
  if (madeOf === keptBeginning) await files.remove(beginningKey(row));
  await directory.remove(tenantId, id);
  // Counted wrongly, it is counted anew by the scheduled run.
  await tenant(tenantId)
    .gone(id)
    .catch((error: unknown) => report(error, `the count of tenant ${tenantId}`));
}

async function destroy(
  { cluster, removeDamaged, report }: Pick<Sweeper, "cluster" | "removeDamaged" | "report">,
  id: string,
) {
  try {
    await cluster(id).destroy();
  } catch (error) {
    // The platform opens an object to delete what it stores, which it cannot if the file is damaged.
    if (!(await removeDamaged?.(id))) throw error;
    report(error, `sandbox ${id}, whose damaged file was removed`);
  }
}

/** Whether nobody is at work on it any more. */
export function isLeftOver({ state, createdAtMs }: SandboxRow, nowMs: number): boolean {
  return state === "deleting" || (state === "making" && createdAtMs < nowMs - limits.sandboxMakingMs);
}

/** A tenant's leftovers, or everyone's. What cannot be finished now is reported, and left to who comes later. */
export async function finishLeftovers(sweeper: Sweeper, tenantId?: string): Promise<void> {
  const { directory, nowMs } = sweeper;
  // The object of a tenant has the leases of its makers. Of all tenants none is asked: there the time alone tells.
  const madeForMs = tenantId === undefined ? limits.sandboxMakingMs : limits.requestLeaseMs;
  const rows = await directory.leftovers(nowMs() - madeForMs, limits.sandboxesSwept, tenantId);
  const [sure, young] = [
    rows.filter((row) => isLeftOver(row, nowMs())),
    rows.filter((row) => !isLeftOver(row, nowMs())),
  ];
  const ids = young.map(({ id }) => id);
  const abandoned = tenantId === undefined || ids.length === 0 ? [] : await sweeper.tenant(tenantId).abandoned(ids);
  for (const row of [...sure, ...young.filter(({ id }) => abandoned.includes(id))]) await tryToFinish(sweeper, row);
}

/** Forgets sandboxes that expired before a moment, with whatever their own alarms may have left of them. */
export async function forgetExpired(sweeper: Sweeper, beforeMs: number): Promise<void> {
  for (const row of await sweeper.directory.expired(beforeMs, limits.sandboxesSwept)) await tryToFinish(sweeper, row);
}

/** What goes wrong is reported. */
export async function tryToFinish(sweeper: Sweeper, row: Finished): Promise<void> {
  try {
    await finish(sweeper, row);
  } catch (error) {
    sweeper.report(error, `what is left of sandbox ${row.id}`);
  }
}
