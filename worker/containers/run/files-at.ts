// The files of a container at a moment of its run.
import { applyEdit, type Edit, type Files } from "../shell/files.ts";
import type { Trace } from "../shell/trace.ts";

/** What a run's files were at the moment that was asked for last. */
interface Moment {
  readonly edits: readonly Edit[];
  /** Those before it have been applied. */
  readonly at: number;
  readonly nowMs: number;
  readonly files: Files;
}

/** Questions about a run go on in time: each begins where the last one was. */
const moments = new WeakMap<Trace, Moment>();

/** The files of a container at a moment of its run. */
export function filesAt(run: Trace, nowMs: number): Files {
  const known = moments.get(run);
  const isLater = known !== undefined && known.nowMs <= nowMs;
  const edits = known?.edits ?? [...run.outside, ...run.edits].sort((a, b) => a.atMs - b.atMs);
  const files = (isLater ? known.files : run.initial).copy();
  let at = isLater ? known.at : 0;
  for (let edit; (edit = edits[at]) && edit.atMs <= nowMs; at++) applyEdit(files, edit);
  moments.set(run, { edits, at, nowMs, files: files.copy() });
  return files;
}
