// Records the newest events of a tenant, so that a client of the event stream can continue where it stopped.
import { eventLimits } from "../../shared/base/share-limits.ts";
import type { WebhookEvent } from "../../shared/contract/hosted/webhook.ts";
import type { EventStep } from "../../shared/contract/tenant-object.ts";
import { first, type Sql } from "../store/sql.ts";

interface Row {
  seq: number;
  body: string;
}

export class TenantEvents {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(event: WebhookEvent, nowMs: number): void {
    const seq = this.#newest() + 1;
    this.#sql.run("INSERT INTO events (seq, at_ms, body) VALUES (?, ?, ?)", seq, nowMs, JSON.stringify(event));
    this.#sql.run("DELETE FROM events WHERE seq <= ?", seq - eventLimits.recorded);
  }

  /** Returns the events after a position; without one, only the newest position. A position that was never given counts as 0. */
  after(position: number | undefined): EventStep {
    const newest = this.#newest();
    if (position === undefined) return { events: [], last: newest, hasMore: false, isTruncated: false };
    const from = position > newest ? 0 : position;
    const query = "SELECT seq, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?";
    const rows = this.#sql.all<Row & Record<string, string | number>>(query, from, eventLimits.step);
    // `add` wrote the JSON.
    const events = rows.map(({ seq, body }) => ({ seq, event: JSON.parse(body) as WebhookEvent }));
    const last = rows.at(-1)?.seq ?? newest;
    const isTruncated = position > newest || (rows[0]?.seq ?? newest + 1) > from + 1;
    return { events, last, hasMore: last < newest, isTruncated };
  }

  /** Deletes old events, except for the newest one, whose number is the position. */
  forget(nowMs: number): void {
    const before = nowMs - eventLimits.recordedDays * 86_400_000;
    this.#sql.run("DELETE FROM events WHERE at_ms < ? AND seq < ?", before, this.#newest());
  }

  #newest(): number {
    return first<{ seq: number | null }>(this.#sql, "SELECT MAX(seq) AS seq FROM events")?.seq ?? 0;
  }
}
