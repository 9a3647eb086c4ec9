// What may kill the process is named on disk before it is begun: an intent. The platform ends a run for its CPU or memory without a
// word, and a kill or a power cut does the same; an intent that is there when the cluster is opened again tells what did it.
import { limits } from "../../shared/base/limits.ts";
import type { Sql } from "../store/sql.ts";
import { deleteMeta, readMeta, writeMeta } from "../store/tables.ts";

interface SetAside {
  /** How often it killed a process since it last came to an end. */
  readonly times: number;
  readonly untilMs: number;
}

/** One thing at a time, called by a text of the caller's. Two rows of `meta` at most: the intent, and what is set aside. */
export class PoisonGuard {
  readonly #sql: Sql;
  readonly #intentKey: string;
  readonly #setAsideKey: string;
  readonly #setAside: Map<string, SetAside>;
  #found: string | undefined;
  #isBegun = false;

  /** `name`: guards of one cluster have different ones. Writes nothing. */
  constructor(sql: Sql, name: string) {
    this.#sql = sql;
    this.#intentKey = `intent:${name}`;
    this.#setAsideKey = `set-aside:${name}`;
    this.#found = readMeta(sql, this.#intentKey);
    // #save wrote it.
    this.#setAside = new Map(JSON.parse(readMeta(sql, this.#setAsideKey) ?? "[]") as [string, SetAside][]);
  }

  /** What had begun and not ended when the last process died, until it is set aside. */
  get found(): string | undefined {
    return this.#found;
  }

  /** What was set aside and has not come to an end since, whether its time is over or not. */
  all(): readonly string[] {
    return [...this.#setAside.keys()];
  }

  /** Until when it is set aside; undefined if it is not. */
  untilMs(what: string, nowMs: number): number | undefined {
    const untilMs = this.#setAside.get(what)?.untilMs ?? 0;
    return untilMs > nowMs ? untilMs : undefined;
  }

  /** The caller waits until this is on disk before it begins. Overwrites the intent before it. */
  begin(what: string): void {
    writeMeta(this.#sql, this.#intentKey, what);
    this.#isBegun = true;
  }

  /** Nothing is under way any more; to be written together with what came of it. */
  end(): void {
    if (!this.#isBegun) return;
    deleteMeta(this.#sql, this.#intentKey);
    this.#isBegun = false;
  }

  /** Sets aside what was found: for a minute, from the second time on for an hour. Returns until when. */
  setAsideFound(nowMs: number): number {
    const what = this.#found;
    if (what === undefined) return nowMs;
    const times = (this.#setAside.get(what)?.times ?? 0) + 1;
    const untilMs = nowMs + (times === 1 ? limits.setAsideFirstMs : limits.setAsideMs);
    this.#setAside.delete(what);
    this.#setAside.set(what, { times, untilMs });
    // Those that have waited longest are forgotten: they are found again.
    for (const one of this.#setAside.keys()) if (this.#setAside.size > limits.setAsideMost) this.#setAside.delete(one);
    deleteMeta(this.#sql, this.#intentKey);
    this.#save();
    this.#found = undefined;
    return untilMs;
  }

  /** It came to an end. */
  clear(what: string): void {
    if (this.#setAside.delete(what)) this.#save();
  }

  #save(): void {
    if (this.#setAside.size === 0) deleteMeta(this.#sql, this.#setAsideKey);
    else writeMeta(this.#sql, this.#setAsideKey, JSON.stringify([...this.#setAside]));
  }
}
