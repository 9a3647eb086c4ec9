// Finishes snapshots whose creation or deletion was interrupted, and removes expired ones and files without a row.
import { limits } from "../../../shared/base/limits.ts";
import type { SnapshotRow } from "../db/schema.ts";
import type { SnapshotDirectory } from "../db/snapshots.ts";
import type { Directory } from "../db/directory.ts";
import type { TemplateDirectory } from "../db/templates.ts";
import { fileKey, type Files, isDeletionReport, sandboxOfInitialState } from "../files.ts";

export interface SnapshotSweeper {
  readonly snapshots: SnapshotDirectory;
  readonly files: Files;
  nowMs(): number;
  report(error: unknown, where: string): void;
}

type Named = Pick<SnapshotRow, "tenantId" | "id">;

/** Removes the file before its row: a row without a file can be cleaned up later. */
export async function finishSnapshot({ snapshots, files }: SnapshotSweeper, row: Named): Promise<void> {
  await files.remove(fileKey(row));
  await snapshots.remove(row.tenantId, row.id);
}

/** Reports errors instead of throwing them. */
export async function tryToFinishSnapshot(sweeper: SnapshotSweeper, row: Named): Promise<void> {
  try {
    await finishSnapshot(sweeper, row);
  } catch (error) {
    sweeper.report(error, `what is left of snapshot ${row.id}`);
  }
}

/** Reports whether the time of the request that works on the snapshot is over. */
export function isLeftOver({ state, createdAtMs }: Pick<SnapshotRow, "state" | "createdAtMs">, nowMs: number): boolean {
  return state === "deleting" || (state === "making" && createdAtMs < nowMs - limits.sandboxMakingMs);
}

/** Finishes the leftovers of one tenant or of all. */
export async function finishSnapshotLeftovers(sweeper: SnapshotSweeper, tenantId?: string): Promise<void> {
  const madeBeforeMs = sweeper.nowMs() - limits.sandboxMakingMs;
  const rows = await sweeper.snapshots.leftovers(madeBeforeMs, limits.sandboxesSwept, tenantId);
  for (const row of rows) await tryToFinishSnapshot(sweeper, row);
}

/** Removes the files of expired snapshots at once. Their rows stay for `rememberMs`, so that requests can be answered with 410. */
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

export interface FileSweeper extends SnapshotSweeper {
  readonly templates: Pick<TemplateDirectory, "existingIds">;
  readonly directory: Pick<Directory, "existingIds">;
}

/** Removes files whose row was deleted during the upload, and those of built-in templates, which are built again on demand. */
export async function removeUnknownFiles(sweeper: FileSweeper): Promise<void> {
  const { files, nowMs, report } = sweeper;
  const storedBeforeMs = nowMs() - limits.sandboxMakingMs;
  let cursor: string | undefined;
  for (let page = 0; page < limits.filePages; page++) {
    const filePage = await files.list(limits.filePage, cursor);
    const existingNames = await existingFileNames(
      sweeper,
      filePage.files.map(({ key }) => idOf(key)),
    );
    for (const { key, storedAtMs } of filePage.files) {
      if (existingNames.has(idOf(key)) || storedAtMs >= storedBeforeMs || isDeletionReport(key)) continue;
      await files.remove(key).catch((error: unknown) => report(error, `the file ${key}`));
    }
    if (filePage.cursor === undefined) return;
    cursor = filePage.cursor;
  }
}

/** Returns the names of the files that have a row: of snapshots, template versions, and initial states of sandboxes. */
async function existingFileNames(
  { snapshots, templates, directory }: FileSweeper,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const begun = new Map(ids.map((id) => [sandboxOfInitialState(id) ?? "", id]));
  begun.delete("");
  const sandboxes = begun.size === 0 ? [] : await directory.existingIds([...begun.keys()]);
  return new Set([
    ...(await snapshots.existingIds(ids)),
    ...(await templates.existingIds(ids)),
    ...sandboxes.map((id) => begun.get(id) ?? ""),
  ]);
}

function idOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
