// The files of a container at a moment of its run.
import { applyEdit, type Edit, type Files } from "../shell/files.ts";
import type { Trace } from "../shell/trace.ts";

/** The files of a run at the moment for which they were computed last. */
interface Moment {
  /** The changes of the run, of other containers and of visitors. Each list is in the order of time. */
  readonly lists: readonly (readonly Edit[])[];
  /** The number of edits of each list that have been applied. */
  readonly applied: readonly number[];
  readonly nowMs: number;
  readonly files: Files;
}

/** The last moment of each run. Moments are usually requested in the order of time, so that each continues from the last. */
const moments = new WeakMap<Trace, Moment>();

/** Returns the files of a container at a moment of its run. `visits`: changes that its run does not include yet, each list in the order of time. */
export function filesAt(run: Trace, nowMs: number, visits: readonly (readonly Edit[])[] = []): Files {
  const last = moments.get(run);
  const [ownEdits = [...run.outside, ...run.edits].sort((a, b) => a.atMs - b.atMs)] = last?.lists ?? [];
  const lists = [ownEdits, ...visits];
  const isLater = last !== undefined && last.nowMs <= nowMs && isSame(last.lists, lists);
  const files = (isLater ? last.files : run.initial).copy();
  const applied = isLater ? [...last.applied] : lists.map(() => 0);
  for (;;) {
    const next = earliest(lists, applied);
    const edit = lists[next]?.[applied[next] ?? 0];
    if (!edit || edit.atMs > nowMs) break;
    applyEdit(files, edit);
    applied[next] = (applied[next] ?? 0) + 1;
  }
  moments.set(run, { lists, applied, nowMs, files: files.copy() });
  return files;
}

function isSame(left: Moment["lists"], right: Moment["lists"]): boolean {
  return left.length === right.length && left.every((list, at) => list === right[at]);
}

/** Returns the list whose next edit comes first. */
function earliest(lists: Moment["lists"], applied: readonly number[]): number {
  let best = 0;
  let bestMs = Number.POSITIVE_INFINITY;
  lists.forEach((list, at) => {
    const atMs = list[applied[at] ?? 0]?.atMs ?? Number.POSITIVE_INFINITY;
    if (atMs < bestMs) [best, bestMs] = [at, atMs];
  });
  return best;
}
