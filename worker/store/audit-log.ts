// The last audit events that say more than that something was written: what policies and webhooks noted. Bounded in number and bytes.
import { limits } from "../../shared/base/limits.ts";
import type { AuditEvent } from "../../shared/k8s/audit.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { first, type Sql } from "./sql.ts";

interface Totals {
  readonly newest: number;
  readonly oldest: number;
  readonly bytes: number;
}

export class AuditLog {
  readonly #sql: Sql;
  /** Read when the first event comes. */
  #totals: Totals | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** One that is longer than all may be together is not kept. */
  keep(event: AuditEvent): void {
    const value = JSON.stringify(event);
    if (value.length > limits.auditBytes) return;
    try {
      this.#add(value);
    } catch (error) {
      this.#totals = undefined;
      // There is no room for it: what it notes is done, or refused, all the same.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #add(value: string): void {
    let { newest, oldest, bytes } = this.#known();
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

  /** The oldest first. */
  list(): readonly AuditEvent[] {
    const rows = this.#sql.all<{ value: string }>("SELECT value FROM audit ORDER BY id");
    // `keep` wrote them.
    return rows.map(({ value }) => JSON.parse(value) as AuditEvent);
  }

  #known(): Totals {
    if (this.#totals) return this.#totals;
    const query = "SELECT max(id) AS newest, min(id) AS oldest, sum(bytes) AS bytes FROM audit";
    const found = first<{ newest: number | null; oldest: number | null; bytes: number | null }>(this.#sql, query);
    return { newest: found?.newest ?? 0, oldest: found?.oldest ?? 1, bytes: found?.bytes ?? 0 };
  }
}
