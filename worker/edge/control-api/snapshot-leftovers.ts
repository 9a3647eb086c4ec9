// Snapshots whose making or deletion was cut off, expired ones, and files that no row names: whoever comes next finishes them.
import { limits } from "../../../shared/base/limits.ts";
import type { SnapshotRow } from "../db/schema.ts";
import type { SnapshotDirectory } from "../db/snapshots.ts";
import type { Directory } from "../db/directory.ts";
import type { TemplateDirectory } from "../db/templates.ts";
import { fileKey, type Files, sandboxOfBeginning } from "../files.ts";

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

export interface FileSweeper extends SnapshotSweeper {
  readonly templates: Pick<TemplateDirectory, "known">;
  readonly directory: Pick<Directory, "known">;
}

/** Those whose row went while the file was on its way, and those of built-in templates, which are made anew. */
export async function removeUnknownFiles(sweeper: FileSweeper): Promise<void> {
  const { files, nowMs, report } = sweeper;
  const storedBeforeMs = nowMs() - limits.sandboxMakingMs;
  let cursor: string | undefined;
  for (let page = 0; page < limits.filePages; page++) {
    const found = await files.list(limits.filePage, cursor);
    const known = await knownIds(
      sweeper,
      found.files.map(({ key }) => idOf(key)),
    );
    for (const { key, storedAtMs } of found.files) {
      if (known.has(idOf(key)) || storedAtMs >= storedBeforeMs) continue;
      await files.remove(key).catch((error: unknown) => report(error, `the file ${key}`));
    }
    if (found.cursor === undefined) return;
    cursor = found.cursor;
  }
}

/** What files are called of which there is a row: snapshots, versions of templates, and sandboxes whose beginning is kept. */
async function knownIds(
  { snapshots, templates, directory }: FileSweeper,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const begun = new Map(ids.map((id) => [sandboxOfBeginning(id) ?? "", id]));
  begun.delete("");
  const sandboxes = begun.size === 0 ? [] : await directory.known([...begun.keys()]);
  return new Set([
    ...(await snapshots.known(ids)),
    ...(await templates.known(ids)),
    ...sandboxes.map((id) => begun.get(id) ?? ""),
  ]);
}

function idOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
