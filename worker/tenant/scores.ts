// Queues scores for LTI platforms: the newest of each learner in one place, in the queue of the tenant's deliveries.
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import type { Delivery } from "../../shared/contract/hosted/webhook.ts";
import type { SentScore } from "../../shared/contract/tenant-object.ts";
import { first, type Sql } from "../store/sql.ts";
import type { Webhooks } from "./webhooks.ts";

/** The type of their deliveries. */
export const scoreType = "lti.score";

interface Row {
  mark: string;
  delivery: string;
  /** The state of the delivery; null if the completed delivery was deleted. */
  state: Delivery["state"] | null;
}

export class Scores {
  readonly #sql: Sql;
  readonly #queue: Webhooks;

  constructor(sql: Sql, queue: Webhooks) {
    this.#sql = sql;
    this.#queue = queue;
  }

  /** Replaces a waiting score of the same learner. A score that was sent or waits already is not sent again. */
  send(platform: string, { subject, mark, score }: SentScore, nowMs: number): void {
    const query = `SELECT s.mark, s.delivery, d.state FROM scores s LEFT JOIN deliveries d ON d.id = s.delivery
      WHERE s.platform = ? AND s.subject = ?`;
    const before = first<Row & Record<string, string | null>>(this.#sql, query, platform, subject);
    if (before?.mark === mark && before.state !== "failed") return;
    if (before?.state === "waiting") this.#sql.run("DELETE FROM deliveries WHERE id = ?", before.delivery);
    const delivery = this.#queue.queue(platform, scoreType, score, nowMs);
    this.#sql.run(
      "INSERT OR REPLACE INTO scores (platform, subject, mark, delivery, at_ms) VALUES (?, ?, ?, ?, ?)",
      ...[platform, subject, mark, delivery, nowMs],
    );
  }

  /** Lists deliveries, the newest first. */
  list(platform: string): Delivery[] {
    return this.#queue.sentTo(platform);
  }

  /** Deletes the scores of a platform. */
  drop(platform: string): void {
    this.#sql.run("DELETE FROM deliveries WHERE webhook = ?", platform);
    this.#sql.run("DELETE FROM scores WHERE platform = ?", platform);
  }

  /** Deletes the scores of forgotten learners. */
  forget(nowMs: number): void {
    this.#sql.run("DELETE FROM scores WHERE at_ms < ?", nowMs - ltiLimits.learnerDays * 86_400_000);
  }
}
