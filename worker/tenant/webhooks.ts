// The webhooks of a tenant, and the queue of their deliveries with the number of attempts and the time of the next one.
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

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string;
  /** The id of the receiver: a webhook, or the score service of a learning platform (`scores.ts`). The column is named `webhook`. */
  readonly receiver: string;
  /** The URL of a webhook, or empty. */
  readonly url: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: number;
}

/** The result of an attempt: the status of a response, or the error if there was none. */
export interface AttemptResult {
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

/** Each delivery adds one row, so a few deletions at a time keep up. */
const maxDeletedAtOnce = 100;

/** The status with which a receiver unsubscribes. */
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

  /** Reports whether any webhook subscribes to the event type. */
  wants(type: EventType): boolean {
    return this.list().some(({ enabled, events }) => enabled && events.includes(type));
  }

  /** Queues an event for each subscribed webhook, or only for `only`, whatever it subscribes to. Returns the ids of the deliveries. */
  enqueueEvent(event: WebhookEvent, nowMs: number, only?: string): string[] {
    const { type } = event;
    const to = this.list().filter(({ id, enabled, events }) =>
      only === undefined ? enabled && type !== "test" && events.includes(type) : id === only,
    );
    return to.map(({ id }) => this.queue(id, type, JSON.stringify(event), nowMs));
  }

  /** Returns due deliveries, the oldest first. */
  due(nowMs: number): DueDelivery[] {
    const query = `SELECT d.id, d.webhook AS receiver, coalesce(w.url, '') AS url, d.type, d.body, d.attempts
      FROM deliveries d LEFT JOIN webhooks w ON w.id = d.webhook
      WHERE d.next_ms IS NOT NULL AND d.next_ms <= ? ORDER BY d.next_ms LIMIT ?`;
    return this.#sql.all<DueDelivery & Record<string, never>>(query, nowMs, limits.deliveriesAtOnce);
  }

  nextDueMs(): number {
    const query = "SELECT MIN(next_ms) AS ms FROM deliveries WHERE next_ms IS NOT NULL";
    return first<{ ms: number | null }>(this.#sql, query)?.ms ?? Number.POSITIVE_INFINITY;
  }

  get waiting(): number {
    return first<{ n: number }>(this.#sql, "SELECT COUNT(*) AS n FROM deliveries WHERE next_ms IS NOT NULL")?.n ?? 0;
  }

  /** Records an attempt, and plans the next one if it failed. A receiver that answers 410 is switched off. */
  recordAttempt(delivery: DueDelivery, result: AttemptResult, nowMs: number): void {
    const { id, receiver, attempts: previousAttempts } = delivery;
    const { state, nextMs, error } = this.#outcome(previousAttempts, result, nowMs);
    this.#sql.run(
      `UPDATE deliveries SET state = ?, attempts = ?, next_ms = ?, status = ?, error = ?,
       body = CASE WHEN ? THEN '' ELSE body END WHERE id = ?`,
      ...[state, previousAttempts + 1, nextMs, result.status ?? null, error, state === "waiting" ? 0 : 1, id],
    );
    if (result.status === gone) this.change(receiver, { enabled: false });
  }

  /** Returns the state of a delivery after an attempt, and the time of the next attempt while it waits. */
  #outcome(
    previousAttempts: number,
    { status, error }: AttemptResult,
    nowMs: number,
  ): { readonly state: Delivery["state"]; readonly nextMs: number | null; readonly error: string | null } {
    if (status !== undefined && status >= 200 && status < 300) return { state: "delivered", nextMs: null, error: null };
    const why = (error ?? `it answered ${status}`).slice(0, limits.deliveryErrorCharacters);
    const pauseSeconds = limits.deliveryPauseSeconds[previousAttempts];
    if (status === gone || pauseSeconds === undefined) return { state: "failed", nextMs: null, error: why };
    // Jitter, so that deliveries that failed together are not retried together.
    const nextMs = nowMs + pauseSeconds * 1000 * (0.9 + 0.2 * this.#random.next());
    return { state: "waiting", nextMs: Math.ceil(nextMs), error: why };
  }

  deliveries(webhook: string): Delivery[] | undefined {
    return this.find(webhook) && this.sentTo(webhook);
  }

  /** Lists the newest deliveries to a receiver. */
  sentTo(receiver: string): Delivery[] {
    const query = "SELECT * FROM deliveries WHERE webhook = ? ORDER BY created_ms DESC, id DESC LIMIT ?";
    return this.#sql.all<DeliveryRow>(query, receiver, limits.listedDeliveries).map(shownDelivery);
  }

  /** Deletes old deliveries. */
  forget(nowMs: number): void {
    const before = nowMs - limits.deliveryDays * 86_400_000;
    this.#sql.run("DELETE FROM deliveries WHERE next_ms IS NULL AND created_ms < ?", before);
  }

  /** Queues a delivery to a receiver. Returns the delivery's id. */
  queue(receiver: string, type: string, body: string, nowMs: number): string {
    const id = `msg_${this.#random.uuid().replaceAll("-", "")}`;
    const isTooMany = this.waiting >= limits.waitingDeliveries;
    this.#sql.run(
      `INSERT INTO deliveries (id, webhook, type, body, state, attempts, created_ms, next_ms, status, error)
       VALUES (?, ?, ?, ?, ?, 0, ?, ?, NULL, ?)`,
      ...[id, receiver, type, isTooMany ? "" : body, isTooMany ? "failed" : "waiting", nowMs, isTooMany ? null : nowMs],
      isTooMany ? `${limits.waitingDeliveries} deliveries were waiting, as many as may` : null,
    );
    this.#deleteUnlisted(receiver);
    return id;
  }

  /** Deletes completed deliveries beyond the listed number. */
  #deleteUnlisted(receiver: string): void {
    this.#sql.run(
      `DELETE FROM deliveries WHERE next_ms IS NULL AND id IN
       (SELECT id FROM deliveries WHERE webhook = ? ORDER BY created_ms DESC, id DESC LIMIT ? OFFSET ?)`,
      receiver,
      maxDeletedAtOnce,
      limits.listedDeliveries,
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
  // `add` and `change` wrote the JSON.
  const all = JSON.parse(events) as readonly string[];
  const knownTypes = eventTypes.filter((type) => all.includes(type));
  return { id, url, events: knownTypes, enabled: enabled === 1, createdAt: new Date(created_ms).toISOString() };
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
