// The usage of a tenant's sandboxes by day and sandbox. The lifetime follows from creation and end; sandboxes report the rest.
import { limits } from "../../shared/base/limits.ts";
import type { LiveSandbox, UsageBy, UsageReport, UsageRow } from "../../shared/contract/tenant-object.ts";
import { first, type Sql } from "../store/sql.ts";

export const dayMs = 86_400_000;

const ofSandboxes = "SELECT * FROM usage WHERE day >= ? AND day <= ? ORDER BY day, id LIMIT ?";
const ofDays = `SELECT day, '' AS id, '' AS name, SUM(seconds) AS seconds, SUM(awake_seconds) AS awake_seconds, SUM(requests) AS requests,
  SUM(rows_read) AS rows_read, SUM(rows_written) AS rows_written, SUM(bytes) AS bytes
  FROM usage WHERE day >= ? AND day <= ? GROUP BY day ORDER BY day LIMIT ?`;

type Amounts = Omit<UsageRow, "day" | "id" | "name">;

const none: Amounts = { seconds: 0, awakeSeconds: 0, requests: 0, rowsRead: 0, rowsWritten: 0, bytes: 0 };

interface Row {
  day: string;
  id: string;
  name: string;
  seconds: number;
  awake_seconds: number;
  requests: number;
  rows_read: number;
  rows_written: number;
  bytes: number;
}

/** Returns the day in UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export class Usage {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  report(
    { atMs, awakeMs, requests, rowsRead, rowsWritten, bytes }: UsageReport,
    sandbox: Pick<LiveSandbox, "id" | "name">,
  ) {
    this.#add(dayOf(atMs), sandbox, { ...none, awakeSeconds: awakeMs / 1000, requests, rowsRead, rowsWritten, bytes });
  }

  /** Adds the lifetime of a sandbox that ended. */
  addLifetime(sandbox: LiveSandbox, atMs: number): void {
    for (const [day, seconds] of daysBetween(sandbox.createdAtMs, atMs)) this.#add(day, sandbox, { ...none, seconds });
  }

  /**
   * Returns the usage of a period. `live` are the sandboxes that still exist. Returns undefined if there are more rows than one response
   * can have.
   */
  rowsBetween(
    { from, to, by }: { readonly from: string; readonly to: string; readonly by: UsageBy },
    live: readonly LiveSandbox[],
    nowMs: number,
  ): UsageRow[] | undefined {
    const query = by === "day" ? ofDays : ofSandboxes;
    const rows = new Map<string, UsageRow>();
    for (const row of this.#sql.all<Row>(query, from, to, limits.usageRows + 1)) rows.set(keyOf(row), usageRowOf(row));
    for (const sandbox of live) {
      const { id, name } = by === "day" ? { id: "", name: "" } : sandbox;
      for (const [day, seconds] of daysBetween(sandbox.createdAtMs, nowMs)) {
        if (day < from || day > to) continue;
        const before = rows.get(keyOf({ day, id })) ?? { day, id, name, ...none };
        rows.set(keyOf({ day, id }), { ...before, seconds: before.seconds + seconds });
      }
    }
    if (rows.size > limits.usageRows) return undefined;
    return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  /** Deletes rows that are too old. */
  forget(nowMs: number): void {
    const before = dayOf(nowMs - limits.usageDays * dayMs);
    if (!first(this.#sql, "SELECT day FROM usage WHERE day < ? LIMIT 1", before)) return;
    this.#sql.run("DELETE FROM usage WHERE day < ?", before);
  }

  #add(day: string, { id, name }: Pick<LiveSandbox, "id" | "name">, more: Amounts): void {
    this.#sql.run(
      `INSERT INTO usage (day, id, name, seconds, awake_seconds, requests, rows_read, rows_written, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, id) DO UPDATE SET
       name = CASE excluded.name WHEN '' THEN name ELSE excluded.name END, seconds = seconds + excluded.seconds, awake_seconds = awake_seconds + excluded.awake_seconds,
       requests = requests + excluded.requests, rows_read = rows_read + excluded.rows_read,
       rows_written = rows_written + excluded.rows_written, bytes = max(bytes, excluded.bytes)`,
      day,
      id,
      name,
      more.seconds,
      more.awakeSeconds,
      more.requests,
      more.rowsRead,
      more.rowsWritten,
      more.bytes,
    );
  }
}

function* daysBetween(fromMs: number, toMs: number): Generator<[day: string, seconds: number]> {
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min((Math.floor(at / dayMs) + 1) * dayMs, toMs);
    yield [dayOf(at), (end - at) / 1000];
    at = end;
  }
}

function keyOf({ day, id }: { readonly day: string; readonly id: string }): string {
  return `${day} ${id}`;
}

function usageRowOf({ day, id, name, seconds, requests, bytes, ...row }: Row): UsageRow {
  return {
    day,
    id,
    name,
    seconds,
    awakeSeconds: row.awake_seconds,
    requests,
    rowsRead: row.rows_read,
    rowsWritten: row.rows_written,
    bytes,
  };
}
