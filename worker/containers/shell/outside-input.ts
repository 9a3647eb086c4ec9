// The input of a container's first process from outside: lines for its log, and its end. Both are edits of special paths.
import type { Task } from "../../../shared/shell/task.ts";
import type { Edit } from "./files.ts";
import type { Chunk, Process } from "./process.ts";
import { sleepUntil } from "./system-call.ts";

/** Text that is appended to this path is printed on the container's stderr. */
export const logPath = "/proc/1/fd/2";
/** Text that is appended to this path is printed on the container's stdout. */
export const outPath = "/proc/1/fd/1";
/** The text of this path is the exit code of the container. */
export const endPath = "/proc/1/end";

/** Returns an edit that adds lines to the container's log. */
export function logged(text: string): Omit<Edit, "atMs"> {
  return { path: logPath, text, appends: true };
}

export function ending(code: number): Omit<Edit, "atMs"> {
  return { path: endPath, text: String(code) };
}

/** Returns the stream to which a path belongs; undefined for other paths. */
export function streamOf(path: string): Chunk["stream"] | undefined {
  return path === logPath ? "stderr" : path === outPath ? "stdout" : undefined;
}

/** Returns the output that others caused during a run. */
export function printedOutside(outside: readonly Edit[], startMs: number, endMs: number): Chunk[] {
  return outside.flatMap(({ atMs, path, text = "" }) => {
    const stream = streamOf(path);
    return stream !== undefined && atMs >= startMs && atMs <= endMs
      ? [{ atMs, stream, text, isFromOutside: true as const }]
      : [];
  });
}

/** Serves until the program is ended from outside. Returns the exit code. */
export function* serve(process: Process): Task<number> {
  const fromMs = process.clockMs;
  const first = process.outsideAt;
  const end = () => process.outside.find((edit, at) => at >= first && edit.atMs >= fromMs && edit.path === endPath);
  yield* sleepUntil(process, () => end()?.atMs ?? Number.POSITIVE_INFINITY);
  return process.paused ? 0 : Number(end()?.text ?? 0);
}
