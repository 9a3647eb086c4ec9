// Counts what the service stores of an organisation, and proves its deletion: a report has the counts before it, and those that were read
// after it.
import { copyLimits } from "../../../../shared/base/share-limits.ts";
import { type DeletionReport, deletionReport, type StoredData } from "../../../../shared/contract/hosted/copy.ts";
import { deletionReportKey } from "../../files.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";

type Reading = Pick<ControlApiServer, "databases" | "files" | "tenant" | "cluster" | "nowMs">;

/** Reads every store. The objects of sandboxes are counted as they are deleted. */
export async function storedData(
  { databases, files, tenant }: Pick<Reading, "databases" | "files" | "tenant">,
  tenantId: string,
): Promise<StoredData> {
  const counts = (await Promise.all(databases.map((database) => database.counts(tenantId)))).flat();
  const rows = new Map<string, number>();
  for (const { table, rows: more } of counts) if (more > 0) rows.set(table, (rows.get(table) ?? 0) + more);
  let fileCount = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await files.list(copyLimits.files, cursor, `${tenantId}/`);
    fileCount += page.files.length;
    if (page.cursor === undefined) break;
    cursor = page.cursor;
  }
  return { rows: Object.fromEntries(rows), files: fileCount, objectRows: await tenant(tenantId).countStoredRows() };
}

/** Begins the report of a deletion with what is stored. */
export async function beginDeletionReport(controlApi: Reading, tenantId: string): Promise<void> {
  const requestedAt = new Date(controlApi.nowMs()).toISOString();
  const before = await storedData(controlApi, tenantId);
  await write(controlApi, { tenant: tenantId, requestedAt, before, sandboxesRead: 0, sandboxRowsLeft: 0 });
}

/** Reads the objects of deleted sandboxes, and adds what they store. */
export async function reportDeletedSandboxes(
  controlApi: Reading,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const report = await read(controlApi, tenantId);
  if (!report || ids.length === 0) return;
  let rowsLeft = 0;
  for (const id of ids) rowsLeft += await controlApi.cluster(id).countStoredRows();
  const { sandboxesRead, sandboxRowsLeft } = report;
  await write(controlApi, {
    ...report,
    sandboxesRead: sandboxesRead + ids.length,
    sandboxRowsLeft: sandboxRowsLeft + rowsLeft,
  });
}

/** Completes the report with what is stored after the deletion. */
export async function endDeletionReport(controlApi: Reading, tenantId: string): Promise<void> {
  const report = await read(controlApi, tenantId);
  if (!report) return;
  const after = await storedData(controlApi, tenantId);
  await write(controlApi, { ...report, finishedAt: new Date(controlApi.nowMs()).toISOString(), after });
}

export async function getDeletionReport(controlApi: Reading, tenantId: string): Promise<DeletionReport> {
  const report = await read(controlApi, tenantId);
  if (!report) throw new ControlError(404, "not_found", "no organisation with this id was deleted");
  return report;
}

async function read({ files }: Pick<Reading, "files">, tenantId: string): Promise<DeletionReport | undefined> {
  const bytes = await files.get(deletionReportKey(tenantId));
  return bytes && deletionReport.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

async function write({ files }: Pick<Reading, "files">, report: DeletionReport): Promise<void> {
  await files.put(deletionReportKey(report.tenant), new TextEncoder().encode(JSON.stringify(report)));
}
