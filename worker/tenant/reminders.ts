// Reminders of the ends of exams, at which the edge grades those that their learners left.
import { first, type Sql } from "../store/sql.ts";

/** Grades exams of a tenant whose time is over. `env`: the bindings of the Worker. Returns the milliseconds after which it must be called again, if exams are left. */
export type ExamGrader = (env: object, tenant: string) => Promise<number | undefined>;

let grader: ExamGrader | undefined;

/** Sets the grader. The entry of the Worker does, because a tenant's object knows nothing of the edge. */
export function gradeExamsBy(next: ExamGrader): void {
  grader = next;
}

export class Reminders {
  readonly #sql: Sql;
  /** The newest reminder that a grading has followed, or follows and deletes afterwards. */
  #followedMs = Number.NEGATIVE_INFINITY;

  /** The table must exist. */
  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Adds a reminder in the next whole second, so that exams of a class share one. */
  add(tenant: string, atMs: number): void {
    this.#sql.run(
      "INSERT OR REPLACE INTO reminders (at_ms, tenant) VALUES (?, ?)",
      Math.ceil(Math.max(atMs, this.#followedMs + 1) / 1000) * 1000,
      tenant,
    );
  }

  /** Returns the time of the earliest one; infinity if there is none. */
  nextDueMs(): number {
    return (
      first<{ at: number | null }>(this.#sql, "SELECT min(at_ms) AS at FROM reminders")?.at ?? Number.POSITIVE_INFINITY
    );
  }

  /** Has the exams graded whose end is over. If some are left, or grading fails, a later reminder is added. */
  async followDue(env: object, nowMs: () => number, report: (error: unknown) => void): Promise<void> {
    const untilMs = nowMs();
    const due = first<{ tenant: string }>(this.#sql, "SELECT tenant FROM reminders WHERE at_ms <= ? LIMIT 1", untilMs);
    if (!due || !grader) return;
    this.#followedMs = untilMs;
    const waitMs = await grader(env, due.tenant).catch((error: unknown) => {
      report(error);
      return failedWaitMs;
    });
    this.#sql.run("DELETE FROM reminders WHERE at_ms <= ?", untilMs);
    if (waitMs !== undefined) this.add(due.tenant, nowMs() + waitMs);
  }
}

const failedWaitMs = 60_000;
