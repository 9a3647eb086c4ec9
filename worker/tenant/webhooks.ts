// A tenant's webhooks, and the queue of what is on its way to them: which event, to whom, how often it was tried, and when it is tried next.
import { limits } from "../../shared/base/limits.ts";
import type { Random } from "../../shared/base/random.ts";
import {
  type Delivery,
  type EventType,
  type NewWebhook,
  type PatchWebhook,
  type Webhook,
  type WebhookEvent,
  eventTypes,
} from "../../shared/contract/hosted/webhook.ts";
import { first, type Sql } from "../store/sql.ts";

/** What is to be sent now. */
export interface Sending {
  readonly id: string;
  /** The id of a webhook, or of another receiver. */
  readonly webhook: string;
  /** Of a webhook; else empty. */
  readonly url: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: number;
}

/** What came of an attempt. `status`: absent where there was no answer. */
export interface Sent {
  readonly status?: number;
  readonly error?: string;
}

interface WebhookRow {
  id: string;
  url: string;
  events: string;
  enabled: number;
  created_ms: number;
}

interface DeliveryRow {
  id: string;
  type: string;
  state: Delivery["state"];
  attempts: number;
  created_ms: number;
  next_ms: number | null;
  status: number | null;
  error: string | null;
}

/** By which a receiver says that it wants no more. */
const gone = 410;

export class Webhooks {
  readonly #sql: Sql;
  readonly #random: Random;

  constructor(sql: Sql, random: Random) {
    this.#sql = sql;
    this.#random = random;
  }

  add({ url, events }: NewWebhook, nowMs: number): Webhook {
    const id = `wh_${this.#random.uuid().replaceAll("-", "")}`;
    const query = "INSERT INTO webhooks (id, url, events, enabled, created_ms) VALUES (?, ?, ?, 1, ?)";
    this.#sql.run(query, id, url, JSON.stringify(events), nowMs);
    return { id, url, events, enabled: true, createdAt: new Date(nowMs).toISOString() };
  }

  list(): Webhook[] {
    return this.#sql.all<WebhookRow>("SELECT * FROM webhooks ORDER BY created_ms, id").map(shownWebhook);
  }

  find(id: string): Webhook | undefined {
    const row = first<WebhookRow>(this.#sql, "SELECT * FROM webhooks WHERE id = ?", id);
    return row && shownWebhook(row);
  }

  change(id: string, to: PatchWebhook): Webhook | undefined {
    const before = this.find(id);
    if (!before) return undefined;
    const { url = before.url, events = before.events, enabled = before.enabled } = to;
    const query = "UPDATE webhooks SET url = ?, events = ?, enabled = ? WHERE id = ?";
    this.#sql.run(query, url, JSON.stringify(events), enabled ? 1 : 0, id);
    if (!enabled) this.#giveUp(id, "the webhook was switched off");
    return { ...before, url, events, enabled };
  }

  remove(id: string): boolean {
    if (!this.find(id)) return false;
    this.#sql.run("DELETE FROM webhooks WHERE id = ?", id);
    this.#sql.run("DELETE FROM deliveries WHERE webhook = ?", id);
    return true;
  }

  /** Whether anyone is told of such events. */
  wants(type: EventType): boolean {
    return this.list().some(({ enabled, events }) => enabled && events.includes(type));
  }

  /** Queues an event for each that is told of its kind; `only`: for that one, whatever it is told of. Returns the deliveries' ids. */
  tell(event: WebhookEvent, nowMs: number, only?: string): string[] {
    const { type } = event;
    const to = this.list().filter(({ id, enabled, events }) =>
      only === undefined ? enabled && type !== "test" && events.includes(type) : id === only,
    );
    return to.map(({ id }) => this.queue(id, type, JSON.stringify(event), nowMs));
  }

  /** Those whose time has come, the oldest first. */
  due(nowMs: number): Sending[] {
    const query = `SELECT d.id, d.webhook, coalesce(w.url, '') AS url, d.type, d.body, d.attempts
      FROM deliveries d LEFT JOIN webhooks w ON w.id = d.webhook
      WHERE d.next_ms IS NOT NULL AND d.next_ms <= ? ORDER BY d.next_ms LIMIT ?`;
    return this.#sql.all<Sending & Record<string, never>>(query, nowMs, limits.deliveriesAtOnce);
  }

  nextDueMs(): number {
    const query = "SELECT MIN(next_ms) AS ms FROM deliveries WHERE next_ms IS NOT NULL";
    return first<{ ms: number | null }>(this.#sql, query)?.ms ?? Number.POSITIVE_INFINITY;
  }

  get waiting(): number {
    return first<{ n: number }>(this.#sql, "SELECT COUNT(*) AS n FROM deliveries WHERE next_ms IS NOT NULL")?.n ?? 0;
  }

  sent({ id, webhook, attempts: before }: Sending, { status, error }: Sent, nowMs: number): void {
    const attempts = before + 1;
    const isDelivered = status !== undefined && status >= 200 && status < 300;
    const pause = limits.deliveryPauseSeconds[before];
    const isLast = isDelivered || status === gone || pause === undefined;
    const state = isDelivered ? "delivered" : isLast ? "failed" : "waiting";
    // So that what failed together does not come again together.
    const nextMs = isLast || pause === undefined ? null : nowMs + pause * 1000 * (0.9 + 0.2 * this.#random.next());
    const why = isDelivered ? null : (error ?? `it answered ${status}`).slice(0, limits.deliveryErrorCharacters);
    this.#sql.run(
      `UPDATE deliveries SET state = ?, attempts = ?, next_ms = ?, status = ?, error = ?,
       body = CASE WHEN ? THEN '' ELSE body END WHERE id = ?`,
      ...[state, attempts, nextMs === null ? null : Math.ceil(nextMs), status ?? null, why, isLast ? 1 : 0, id],
    );
    if (status === gone) this.change(webhook, { enabled: false });
  }

  deliveries(webhook: string): Delivery[] | undefined {
    return this.find(webhook) && this.sentTo(webhook);
  }

  /** To a webhook or another receiver. */
  sentTo(webhook: string): Delivery[] {
    const query = "SELECT * FROM deliveries WHERE webhook = ? ORDER BY created_ms DESC, id DESC LIMIT ?";
    return this.#sql.all<DeliveryRow>(query, webhook, limits.toldDeliveries).map(shownDelivery);
  }

  /** What is told no longer. */
  forget(nowMs: number): void {
    const before = nowMs - limits.deliveryDays * 86_400_000;
    this.#sql.run("DELETE FROM deliveries WHERE next_ms IS NULL AND created_ms < ?", before);
  }

  /** Sends something to a receiver that need not be a webhook. Returns the delivery's id. */
  queue(webhook: string, type: string, body: string, nowMs: number): string {
    const id = `msg_${this.#random.uuid().replaceAll("-", "")}`;
    const isTooMany = this.waiting >= limits.waitingDeliveries;
    this.#sql.run(
      `INSERT INTO deliveries (id, webhook, type, body, state, attempts, created_ms, next_ms, status, error)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?, NULL, ?)`,
      ...[id, webhook, type, isTooMany ? "" : body, isTooMany ? "failed" : "waiting", nowMs, isTooMany ? null : nowMs],
      isTooMany ? `${limits.waitingDeliveries} deliveries were waiting, as many as may` : null,
    );
    this.#forgetUntold(webhook);
    return id;
  }

  /** Of those that are done, the oldest beyond what is told. */
  #forgetUntold(webhook: string): void {
    this.#sql.run(
      `DELETE FROM deliveries WHERE next_ms IS NULL AND id IN
       (SELECT id FROM deliveries WHERE webhook = ? ORDER BY created_ms DESC, id DESC LIMIT 100 OFFSET ?)`,
      webhook,
      limits.toldDeliveries,
    );
  }

  #giveUp(webhook: string, why: string): void {
    this.#sql.run(
      "UPDATE deliveries SET state = 'failed', next_ms = NULL, body = '', error = ? WHERE webhook = ? AND next_ms IS NOT NULL",
      why,
      webhook,
    );
  }
}

function shownWebhook({ id, url, events, enabled, created_ms }: WebhookRow): Webhook {
  // As `add` and `change` wrote it.
  const all = JSON.parse(events) as readonly string[];
  const known = eventTypes.filter((one) => all.includes(one));
  return { id, url, events: known, enabled: enabled === 1, createdAt: new Date(created_ms).toISOString() };
}

function shownDelivery({ id, type, state, attempts, created_ms, next_ms, status, error }: DeliveryRow): Delivery {
  return {
    id,
    type,
    state,
    attempts,
    createdAt: new Date(created_ms).toISOString(),
    ...(next_ms === null ? {} : { nextAttemptAt: new Date(next_ms).toISOString() }),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
  };
}
