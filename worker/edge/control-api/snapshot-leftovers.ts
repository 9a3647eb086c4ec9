// Snapshots whose making or deletion was cut off, expired ones, and files that no row names: whoever comes next finishes them.
import { limits } from "../../../shared/base/limits.ts";
import type { SnapshotRow } from "../db/schema.ts";
import type { SnapshotDirectory } from "../db/snapshots.ts";
import { fileKey, type Files } from "../files.ts";

export interface SnapshotSweeper {
  readonly snapshots: SnapshotDirectory;
  readonly files: Files;
  nowMs(): number;
  report(error: unknown, where: string): void;
}

type Named = Pick<SnapshotRow, "tenantId" | "id">;

/** The file first: a row without a file is found again. */
export async function finishSnapshot({ snapshots, files }: SnapshotSweeper, row: Named): Promise<void> {
  await files.remove(fileKey(row));
  await snapshots.remove(row.tenantId, row.id);
}

/** What goes wrong is reported. */
export async function tryToFinishSnapshot(sweeper: SnapshotSweeper, row: Named): Promise<void> {
  try {
    await finishSnapshot(sweeper, row);
  } catch (error) {
    sweeper.report(error, `what is left of snapshot ${row.id}`);
  }
}

/** Whether nobody is at work on it any more. */
export function isLeftOver({ state, createdAtMs }: Pick<SnapshotRow, "state" | "createdAtMs">, nowMs: number): boolean {
  return state === "deleting" || (state === "making" && createdAtMs < nowMs - limits.sandboxMakingMs);
}

/** A tenant's leftovers, or everyone's. */
export async function finishSnapshotLeftovers(sweeper: SnapshotSweeper, tenantId?: string): Promise<void> {
  const madeBeforeMs = sweeper.nowMs() - limits.sandboxMakingMs;
  const rows = await sweeper.snapshots.leftovers(madeBeforeMs, limits.sandboxesSwept, tenantId);
  for (const row of rows) await tryToFinishSnapshot(sweeper, row);
}

/** The files of those that have expired go at once, their rows when nobody needs to be told that they have. */
export async function forgetExpiredSnapshots(sweeper: SnapshotSweeper, rememberMs: number): Promise<void> {
  const { snapshots, files, report } = sweeper;
  const nowMs = sweeper.nowMs();
  for (const row of await snapshots.expired(nowMs, limits.sandboxesSwept, true)) {
    try {
      await files.remove(fileKey(row));
      await snapshots.markEmpty(row.tenantId, row.id);
    } catch (error) {
      report(error, `the file of snapshot ${row.id}`);
    }
  }
  const forgotten = await snapshots.expired(nowMs - rememberMs, limits.sandboxesSwept, false);
  for (const row of forgotten) await tryToFinishSnapshot(sweeper, row);
}

/** Those of a snapshot whose row went while its file was on its way. */
export async function removeUnknownFiles({ snapshots, files, nowMs, report }: SnapshotSweeper): Promise<void> {
  const storedBeforeMs = nowMs() - limits.sandboxMakingMs;
  let cursor: string | undefined;
  for (let page = 0; page < limits.filePages; page++) {
    const found = await files.list(limits.filePage, cursor);
    const known = new Set(await snapshots.known(found.files.map(({ key }) => idOf(key))));
    for (const { key, storedAtMs } of found.files) {
      if (known.has(idOf(key)) || storedAtMs >= storedBeforeMs) continue;
      await files.remove(key).catch((error: unknown) => report(error, `the file ${key}`));
    }
    if (found.cursor === undefined) return;
    cursor = found.cursor;
  }
}

function idOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
