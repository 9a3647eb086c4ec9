// Stores the newest audit events. The caller appends only those on which policies or webhooks left annotations. Bounded in number and in
// characters: all `bytes` here are UTF-16 code units of the JSON, which are its bytes as long as the text is ASCII.
import { limits } from "../../shared/base/limits.ts";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { first, type Sql } from "./sql.ts";

interface Totals {
  readonly newest: number;
  readonly oldest: number;
  readonly bytes: number;
}

export class AuditLog {
  readonly #sql: Sql;
  /** The totals of the table. Undefined until the first event is added. */
  #totals: Totals | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  append(event: AuditEvent): void {
    const value = JSON.stringify(event);
    // An event that alone exceeds the bound of the log is dropped.
    if (value.length > limits.auditBytes) return;
    try {
      this.#add(value);
    } catch (error) {
      this.#totals = undefined;
      // The disk is full. The request that the event describes succeeds or fails regardless.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #add(value: string): void {
    let { newest, oldest, bytes } = this.#readTotals();
    newest += 1;
    bytes += value.length;
    this.#sql.run("INSERT INTO audit (id, bytes, value) VALUES (?, ?, ?)", newest, value.length, value);
    while (newest - oldest >= limits.auditEvents || bytes > limits.auditBytes) {
      const row = first<{ bytes: number }>(this.#sql, "SELECT bytes FROM audit WHERE id = ?", oldest);
      this.#sql.run("DELETE FROM audit WHERE id = ?", oldest);
      bytes -= row?.bytes ?? 0;
      oldest += 1;
    }
    this.#totals = { newest, oldest, bytes };
  }

  /** Returns the events, oldest first. */
  list(): readonly AuditEvent[] {
    const rows = this.#sql.all<{ value: string }>("SELECT value FROM audit ORDER BY id");
    // Only `append` writes this table.
    return rows.map(({ value }) => JSON.parse(value) as AuditEvent);
  }

  #readTotals(): Totals {
    if (this.#totals) return this.#totals;
    const query = "SELECT max(id) AS newest, min(id) AS oldest, sum(bytes) AS bytes FROM audit";
    const row = first<{ newest: number | null; oldest: number | null; bytes: number | null }>(this.#sql, query);
    return { newest: row?.newest ?? 0, oldest: row?.oldest ?? 1, bytes: row?.bytes ?? 0 };
  }
}
