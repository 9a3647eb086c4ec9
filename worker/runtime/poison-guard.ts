// Detects work that kills the process. Before such work starts, its name is stored as an intent. The platform ends a process for its CPU or
// memory without an error, as a kill or a power cut does. If an intent exists when the cluster is opened, that work killed the process.
import { limits } from "../../shared/base/limits.ts";
import type { Sql } from "../store/sql.ts";
import { deleteMeta, readMeta, writeMeta } from "../store/tables.ts";

interface SetAside {
  /** The number of times that it killed a process since it last completed. */
  readonly times: number;
  readonly untilMs: number;
}

/**
 * A guard of one piece of work at a time, identified by a text. Uses at most two rows of `meta`: the intent, and the list of work that is
 * set aside.
 */
export class PoisonGuard {
  readonly #sql: Sql;
  readonly #intentKey: string;
  readonly #setAsideKey: string;
  readonly #setAside: Map<string, SetAside>;
  #crashedIntent: string | undefined;
  #isBegun = false;

  /** `name` distinguishes the guards of one cluster. Writes nothing. */
  constructor(sql: Sql, name: string) {
    this.#sql = sql;
    this.#intentKey = `intent:${name}`;
    this.#setAsideKey = `set-aside:${name}`;
    this.#crashedIntent = readMeta(sql, this.#intentKey);
    // Only `#save` writes this value.
    this.#setAside = new Map(JSON.parse(readMeta(sql, this.#setAsideKey) ?? "[]") as [string, SetAside][]);
  }

  /** The work that had started but not completed when the last process died. Undefined after it was set aside. */
  get crashedIntent(): string | undefined {
    return this.#crashedIntent;
  }

  /** Returns the work that was set aside and has not completed since, whether its delay has passed or not. */
  all(): readonly string[] {
    return [...this.#setAside.keys()];
  }

  /** Returns the time until which the work is set aside; undefined if it is not. */
  untilMs(what: string, nowMs: number): number | undefined {
    const untilMs = this.#setAside.get(what)?.untilMs ?? 0;
    return untilMs > nowMs ? untilMs : undefined;
  }

  /** Stores the intent and replaces the one before. The caller starts the work after the write is on disk. */
  begin(what: string): void {
    writeMeta(this.#sql, this.#intentKey, what);
    this.#isBegun = true;
  }

  /** Removes the intent. The caller writes the results of the work in the same transaction. */
  end(): void {
    if (!this.#isBegun) return;
    deleteMeta(this.#sql, this.#intentKey);
    this.#isBegun = false;
  }

  /** Sets the crashed work aside: for a minute, from the second time on for an hour. Returns the end of that time. */
  setAsideCrashed(nowMs: number): number {
    const what = this.#crashedIntent;
    if (what === undefined) return nowMs;
    const times = (this.#setAside.get(what)?.times ?? 0) + 1;
    const untilMs = nowMs + (times === 1 ? limits.setAsideFirstMs : limits.setAsideMs);
    this.#setAside.delete(what);
    this.#setAside.set(what, { times, untilMs });
    // The oldest entries are dropped. If they kill the process again, they are detected again.
    for (const oldest of this.#setAside.keys())
      if (this.#setAside.size > limits.setAsideMost) this.#setAside.delete(oldest);
    deleteMeta(this.#sql, this.#intentKey);
    this.#save();
    this.#crashedIntent = undefined;
    return untilMs;
  }

  /** Records that the work completed. */
  clear(what: string): void {
    if (this.#setAside.delete(what)) this.#save();
  }

  #save(): void {
    if (this.#setAside.size === 0) deleteMeta(this.#sql, this.#setAsideKey);
    else writeMeta(this.#sql, this.#setAsideKey, JSON.stringify([...this.#setAside]));
  }
}
