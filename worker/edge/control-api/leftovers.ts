// Finishes sandboxes whose creation or deletion was interrupted. A row records the intent before anything is done.
import { limits } from "../../../shared/base/limits.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { TenantRpc } from "../../../shared/contract/tenant-object.ts";
import type { Directory } from "../db/directory.ts";
import type { SandboxRow } from "../db/schema.ts";
import { type Files, initialStateKey, isInitialStateStored } from "../files.ts";

export interface Sweeper {
  readonly directory: Directory;
  /** The files that sandboxes were created from. */
  readonly files: Pick<Files, "remove">;
  cluster(id: string): Pick<ClusterRpc, "destroy">;
  /** Removes the file of a damaged object, and reports whether it was damaged. Undefined if the platform does not expose the files. */
  removeDamaged?(id: string): Promise<boolean>;
  tenant(id: string): Pick<TenantRpc, "recordEnd" | "filterAbandoned">;
  nowMs(): number;
  report(error: unknown, where: string): void;
}

type Finished = Pick<SandboxRow, "tenantId" | "id" | "madeOf">;

/** Deletes the cluster before its row: a row without a cluster can be cleaned up later, a cluster without a row cannot. */
export async function finish(sweeper: Omit<Sweeper, "nowMs">, row: Finished): Promise<void> {
  const { directory, files, tenant, report } = sweeper;
  const { tenantId, id, madeOf } = row;
  await destroy(sweeper, id);
  if (isInitialStateStored(madeOf)) await files.remove(initialStateKey(row));
  await directory.remove(tenantId, id);
  // If this fails, the scheduled reconciliation corrects the count.
  await tenant(tenantId)
    .recordEnd(id)
    .catch((error: unknown) => report(error, `the count of tenant ${tenantId}`));
}

async function destroy(
  { cluster, removeDamaged, report }: Pick<Sweeper, "cluster" | "removeDamaged" | "report">,
  id: string,
) {
  try {
    await cluster(id).destroy();
  } catch (error) {
    // The platform opens an object to delete its storage, which fails if the file is damaged.
    if (!(await removeDamaged?.(id))) throw error;
    report(error, `sandbox ${id}, whose damaged file was removed`);
  }
}

/** Reports whether the lease of the request that works on the sandbox has expired. */
export function isLeftOver({ state, createdAtMs }: SandboxRow, nowMs: number): boolean {
  return state === "deleting" || (state === "making" && createdAtMs < nowMs - limits.sandboxMakingMs);
}

/** Finishes the leftovers of one tenant or of all. Failures are reported and left to the next sweep. */
export async function finishLeftovers(sweeper: Sweeper, tenantId?: string): Promise<void> {
  const { directory, nowMs } = sweeper;
  // A tenant's object holds the leases of its requests. For all tenants, the age alone decides, so that no object is called.
  const creationTimeoutMs = tenantId === undefined ? limits.sandboxMakingMs : limits.requestLeaseMs;
  const rows = await directory.leftovers(nowMs() - creationTimeoutMs, limits.sandboxesSwept, tenantId);
  const [sure, young] = [
    rows.filter((row) => isLeftOver(row, nowMs())),
    rows.filter((row) => !isLeftOver(row, nowMs())),
  ];
  const ids = young.map(({ id }) => id);
  const abandoned =
    tenantId === undefined || ids.length === 0 ? [] : await sweeper.tenant(tenantId).filterAbandoned(ids);
  for (const row of [...sure, ...young.filter(({ id }) => abandoned.includes(id))]) await tryToFinish(sweeper, row);
}

/** Deletes sandboxes that expired before a time, with any data that their own alarms left. */
export async function forgetExpired(sweeper: Sweeper, beforeMs: number): Promise<void> {
  for (const row of await sweeper.directory.expired(beforeMs, limits.sandboxesSwept)) await tryToFinish(sweeper, row);
}

/** Reports errors instead of throwing them. */
export async function tryToFinish(sweeper: Sweeper, row: Finished): Promise<void> {
  try {
    await finish(sweeper, row);
  } catch (error) {
    sweeper.report(error, `what is left of sandbox ${row.id}`);
  }
}
