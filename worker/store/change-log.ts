// How far back the change log reaches, for the API and for what tells history: bounded in revisions, in bytes of what was replaced, and in
// age; cut in portions.
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Sql } from "./sql.ts";
import { first } from "./sql.ts";
import { logKeys, readMeta, writeMeta } from "./tables.ts";

/** A revision that was the newest at a moment, and the bytes that the log had taken by then since it began. */
interface Mark {
  readonly revision: number;
  readonly ms: number;
  readonly bytes: number;
}

/** Bytes that a row of the log takes beside its value. */
const rowBytes = 200;

/**
 * Bytes and times are known at marks: one is made at a write that comes long enough after the one before it, in time, bytes or
 * revisions, and all of them are a row. The log is cut at marks, so that it reaches somewhat further back than its bounds say.
 *
 * Two bounds: what the API may read ends at `compacted`, and what tells history at `forgotten`, which is earlier; rows are there until then.
 */
export class ChangeLog {
  readonly #sql: Sql;
  readonly #clock: Clock;
  /** Revisions at which a long list is being read. */
  readonly #held = new Map<symbol, number>();
  #compacted: number;
  #forgotten: number;
  /** Where they are to be, as far as that has not been done. */
  #toCompact = 0;
  #toForget = 0;
  /** Read at the first write. */
  #marks: Mark[] | undefined;
  #bytes = 0;

  /** `began`: the revision of the cluster's base, after which there is a log. */
  constructor(sql: Sql, clock: Clock, began: number) {
    this.#sql = sql;
    this.#clock = clock;
    // Older versions wrote one number, since they knew one bound.
    const [compacted = began, forgotten = compacted] = (readMeta(sql, logKeys.compacted)?.split(" ") ?? []).map(Number);
    this.#compacted = compacted;
    this.#forgotten = forgotten;
  }

  /** Changes up to this revision may not be read by the API any more. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Changes up to this revision are not there any more. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Keeps a revision readable until the returned function is called. */
  hold(revision: number): () => void {
    const key = Symbol();
    this.#held.set(key, revision);
    return () => this.#held.delete(key);
  }

  /**
   * Told of each write, before its rows: the characters of the value that it replaces, and of what is said of it. What the log holds
   * too much of is cut with the writes that follow.
   */
  writes(revision: number, replaced: number, cause: number): void {
    const marks = (this.#marks ??= this.#read());
    const nowMs = this.#clock.nowMs();
    const newest = marks.at(-1);
    if (newest && this.#isFar(newest, revision, nowMs)) {
      marks.push({ revision: revision - 1, ms: nowMs, bytes: this.#bytes });
      for (const mark of marks) {
        if (this.#isPast(mark, revision, nowMs)) this.#toCompact = mark.revision;
        if (this.#isHistory(mark, nowMs)) this.#toForget = mark.revision;
      }
      this.#marks = thinned(marks, this.#toCompact);
      writeMeta(this.#sql, logKeys.marks, JSON.stringify(this.#marks));
    }
    this.#bytes += replaced + cause + rowBytes;
  }

  /** Cuts a portion of what is to be cut. */
  cut(revision: number): void {
    if (this.#toCompact > this.#compacted) this.compact(this.#toCompact, revision);
    if (this.#toForget > this.#forgotten) this.forget(this.#toForget, revision);
  }

  /** Takes what is up to a revision from the API. */
  compact(upTo: number, revision: number): void {
    // A reader that never gets on does not keep the log for ever: it is told `Expired`.
    const held = [...this.#held.values()].filter((one) => this.#mayHold(one, revision));
    const end = Math.min(upTo, revision, ...held);
    if (end <= this.#compacted) return;
    this.#write(end, this.#forgotten);
    this.#compacted = end;
  }

  /** Forgets, of what is compacted, what is up to a revision, or a portion of it; false where there is nothing left to forget. */
  forget(upTo: number, revision: number): boolean {
    const end = Math.min(upTo, this.#compacted);
    if (end <= this.#forgotten) return false;
    const target = this.#portion(end);
    this.#sql.transaction(() => {
      const replaced = "SELECT previous FROM changes WHERE revision > ? AND revision <= ? AND previous IS NOT NULL";
      this.#sql.run(`DELETE FROM changes WHERE revision IN (${replaced})`, this.#forgotten, target);
      // The newest row stays whatever it is: it carries the revision over a restart.
      this.#sql.run(
        "DELETE FROM changes WHERE revision > ? AND revision <= ? AND value IS NULL AND revision < ?",
        Math.max(0, this.#forgotten - 1),
        target,
        revision,
      );
      this.#write(this.#compacted, target);
    });
    this.#forgotten = target;
    // The last of those before it tells what was there.
    const kept = this.#marks?.findLastIndex((mark) => mark.revision <= target) ?? 0;
    if (kept > 0) this.#marks?.splice(0, kept);
    return true;
  }

  #write(compacted: number, forgotten: number): void {
    writeMeta(this.#sql, logKeys.compacted, `${compacted} ${forgotten}`);
  }

  #isFar(mark: Mark, revision: number, nowMs: number): boolean {
    return (
      nowMs - mark.ms >= limits.changeLogMarkMs ||
      this.#bytes - mark.bytes >= limits.changeLogMarkBytes ||
      revision - mark.revision >= limits.changeLogMarkRevisions
    );
  }

  #isPast(mark: Mark, revision: number, nowMs: number): boolean {
    return (
      nowMs - mark.ms >= limits.changeLogMs ||
      this.#bytes - mark.bytes >= limits.changeLogBytes ||
      revision - mark.revision >= limits.changeLogRevisions
    );
  }

  #isHistory(mark: Mark, nowMs: number): boolean {
    return nowMs - mark.ms >= limits.historyMs || this.#bytes - mark.bytes >= limits.historyBytes;
  }

  #mayHold(held: number, revision: number): boolean {
    if (revision - held > limits.heldRevisions) return false;
    const mark = this.#marks?.findLast((one) => one.revision <= held);
    return !mark || this.#bytes - mark.bytes <= limits.heldBytes;
  }

  /** How far one cut goes: at least one revision. */
  #portion(end: number): number {
    const rows = this.#sql.all<{ revision: number; bytes: number }>(
      `SELECT c.revision AS revision, IFNULL(OCTET_LENGTH(p.value), 0) AS bytes
       FROM changes c LEFT JOIN changes p ON p.revision = c.previous
       WHERE c.revision > ? AND c.revision <= ? ORDER BY c.revision LIMIT ?`,
      this.#forgotten,
      end,
      limits.compactionRevisions,
    );
    let bytes = 0;
    for (const [at, row] of rows.entries()) {
      bytes += row.bytes;
      if (bytes >= limits.compactionBytes && at < rows.length - 1) return row.revision;
    }
    const isAll = rows.length < limits.compactionRevisions;
    return isAll ? end : (rows.at(-1)?.revision ?? end);
  }

  /** The marks, and what was written since the last of them: as much as lies between two, unless an older version wrote it. */
  #read(): Mark[] {
    // `writes` wrote them.
    const marks = JSON.parse(readMeta(this.#sql, logKeys.marks) ?? "[]") as Mark[];
    const last = marks.at(-1) ?? { revision: this.#compacted, bytes: 0 };
    const since = first<{ bytes: number }>(
      this.#sql,
      `SELECT IFNULL(SUM(IFNULL(OCTET_LENGTH(p.value), 0) + LENGTH(c.cause) + ?), 0) AS bytes
       FROM changes c LEFT JOIN changes p ON p.revision = c.previous WHERE c.revision > ?`,
      rowBytes,
      last.revision,
    );
    this.#bytes = last.bytes + (since?.bytes ?? 0);
    if (marks.length > 0) return marks;
    // Before the first: what there is has its bytes, and its age from now on.
    return [{ revision: last.revision, ms: this.#clock.nowMs(), bytes: 0 }];
  }
}

/** Those at which only history is to be cut any more are further apart. */
function thinned(marks: readonly Mark[], compacted: number): Mark[] {
  const kept: Mark[] = [];
  for (const [at, mark] of marks.entries()) {
    const [last, next] = [kept.at(-1), marks[at + 1]];
    const isNeeded = !last || !next || next.revision > compacted;
    if (isNeeded || next.ms - last.ms > limits.historyMarkMs || next.bytes - last.bytes > limits.historyMarkBytes)
      kept.push(mark);
  }
  return kept;
}
