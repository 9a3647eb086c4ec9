// The bounds of the change log, for the API and for history: in revisions, in bytes of replaced values, and in age. The log is cut in
// portions.
import type { Clock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { type Sql, first } from "./sql.ts";
import { logKeys, readMeta, writeMeta } from "./tables.ts";

/** A revision with the time at which it was the newest, and the bytes that were written to the log until then. */
interface Mark {
  readonly revision: number;
  readonly ms: number;
  readonly bytes: number;
}

/** The bytes that a row of the log takes in addition to its value. */
const rowBytes = 200;

/**
 * Computes how far back the log reaches. Bytes and times are recorded at marks. A write adds a mark if enough time, bytes or revisions have
 * passed since the last mark. All marks are stored in one row. The log is cut at marks, so it may reach a little further back than its
 * bounds.
 *
 * There are two bounds. The API reads back to `compacted`; history reads back to `forgotten`, which is earlier. Rows older than `forgotten`
 * are deleted.
 */
export class ChangeLog {
  readonly #sql: Sql;
  readonly #clock: Clock;
  /** The revisions that readers of long lists hold. */
  readonly #holds = new Map<symbol, number>();
  #compacted: number;
  #forgotten: number;
  /** The revisions that the next `cut` advances `compacted` and `forgotten` to. */
  #toCompact = 0;
  #toForget = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Undefined until the first write. */
  #marks: Mark[] | undefined;
  #bytes = 0;

  /** `began` is the revision of the cluster's base, after which the log starts. */
  constructor(sql: Sql, clock: Clock, began: number) {
    this.#sql = sql;
    this.#clock = clock;
    // Older versions wrote one number, because they had one bound.
    const [compacted = began, forgotten = compacted] = (readMeta(sql, logKeys.compacted)?.split(" ") ?? []).map(Number);
    this.#compacted = compacted;
    this.#forgotten = forgotten;
  }

  /** The revision up to which, inclusive, the API can no longer read changes. */
  get compacted(): number {
    return this.#compacted;
  }

  /** The revision up to which, inclusive, changes are deleted. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Keeps a revision readable until the returned function is called. */
  hold(revision: number): () => void {
    const key = Symbol();
    this.#holds.set(key, revision);
    return () => this.#holds.delete(key);
  }

  /**
   * Accounts for a write before its rows are inserted. `previousLength` (of the replaced value) and `causeLength` are in characters. If the
   * log has exceeded a bound, the following writes cut it.
   */
  recordWrite(revision: number, previousLength: number, causeLength: number): void {
    const marks = (this.#marks ??= this.#readMarks());
    const nowMs = this.#clock.nowMs();
    const newest = marks.at(-1);
    if (newest && this.#needsMark(newest, revision, nowMs)) {
      marks.push({ revision: revision - 1, ms: nowMs, bytes: this.#bytes });
      for (const mark of marks) {
        if (this.#canCompact(mark, revision, nowMs)) this.#toCompact = mark.revision;
        if (this.#canForget(mark, nowMs)) this.#toForget = mark.revision;
      }
      this.#marks = thinned(marks, this.#toCompact);
      writeMeta(this.#sql, logKeys.marks, JSON.stringify(this.#marks));
    }
    this.#bytes += previousLength + causeLength + rowBytes;
  }

  /** Stops compaction until a time, while the log is being copied. */
  pauseUntil(ms: number): void {
    this.#pausedUntilMs = ms;
  }

  /** Compacts the log and deletes a portion of the forgotten changes, where either is due. */
  cut(revision: number): void {
    if (this.#clock.nowMs() < this.#pausedUntilMs) return;
    if (this.#toCompact > this.#compacted) this.compact(this.#toCompact, revision);
    if (this.#toForget > this.#forgotten) this.forget(this.#toForget, revision);
  }

  /** Makes changes up to a revision unreadable for the API. */
  compact(upTo: number, revision: number): void {
    // A reader that makes no progress loses its hold, and gets `Expired`.
    const heldRevisions = [...this.#holds.values()].filter((hold) => this.#canHold(hold, revision));
    const end = Math.min(upTo, revision, ...heldRevisions);
    if (end <= this.#compacted) return;
    this.#writeBounds(end, this.#forgotten);
    this.#compacted = end;
  }

  /** Deletes compacted changes up to a revision, or a portion of them. Returns false if there is nothing to delete. */
  forget(upTo: number, revision: number): boolean {
    const end = Math.min(upTo, this.#compacted);
    if (end <= this.#forgotten) return false;
    const target = this.#portionEnd(end);
    this.#sql.transaction(() => {
      const replaced = "SELECT previous FROM changes WHERE revision > ? AND revision <= ? AND previous IS NOT NULL";
      this.#sql.run(`DELETE FROM changes WHERE revision IN (${replaced})`, this.#forgotten, target);
      // The newest row is never deleted, because the revision is read from it after a restart.
      this.#sql.run(
        "DELETE FROM changes WHERE revision > ? AND revision <= ? AND value IS NULL AND revision < ?",
        Math.max(0, this.#forgotten - 1),
        target,
        revision,
      );
      this.#writeBounds(this.#compacted, target);
    });
    this.#forgotten = target;
    // The last mark before the cut stays: it holds the bytes at that point.
    const firstKept = this.#marks?.findLastIndex((mark) => mark.revision <= target) ?? 0;
    if (firstKept > 0) this.#marks?.splice(0, firstKept);
    return true;
  }

  #writeBounds(compacted: number, forgotten: number): void {
    writeMeta(this.#sql, logKeys.compacted, `${compacted} ${forgotten}`);
  }

  #needsMark(mark: Mark, revision: number, nowMs: number): boolean {
    return (
      nowMs - mark.ms >= limits.changeLogMarkMs ||
      this.#bytes - mark.bytes >= limits.changeLogMarkBytes ||
      revision - mark.revision >= limits.changeLogMarkRevisions
    );
  }

  #canCompact(mark: Mark, revision: number, nowMs: number): boolean {
    return (
      nowMs - mark.ms >= limits.changeLogMs ||
      this.#bytes - mark.bytes >= limits.changeLogBytes ||
      revision - mark.revision >= limits.changeLogRevisions
    );
  }

  #canForget(mark: Mark, nowMs: number): boolean {
    return nowMs - mark.ms >= limits.historyMs || this.#bytes - mark.bytes >= limits.historyBytes;
  }

  #canHold(heldRevision: number, revision: number): boolean {
    if (revision - heldRevision > limits.heldRevisions) return false;
    const mark = this.#marks?.findLast((candidate) => candidate.revision <= heldRevision);
    return !mark || this.#bytes - mark.bytes <= limits.heldBytes;
  }

  /** Returns the revision up to which one call of `forget` deletes. It advances by at least one revision. */
  #portionEnd(end: number): number {
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

  /**
   * Reads the marks and counts the bytes written since the last one. The query reads at most the rows between two marks, except in a log
   * that an older version wrote.
   */
  #readMarks(): Mark[] {
    // Only `writes` writes this value.
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
    // A log without marks gets one at its end: the age of its rows counts from now.
    return [{ revision: last.revision, ms: this.#clock.nowMs(), bytes: 0 }];
  }
}

/** Thins out the marks that are older than the compacted revision, since only history is cut there. */
function thinned(marks: readonly Mark[], compacted: number): Mark[] {
  const thinnedMarks: Mark[] = [];
  for (const [at, mark] of marks.entries()) {
    const [last, next] = [thinnedMarks.at(-1), marks[at + 1]];
    const isNeeded = !last || !next || next.revision > compacted;
    if (isNeeded || next.ms - last.ms > limits.historyMarkMs || next.bytes - last.bytes > limits.historyMarkBytes)
      thinnedMarks.push(mark);
  }
  return thinnedMarks;
}
