// What reaches a container's first process from outside: lines for its log, and its end. Both are edits of paths that are no files.
import type { Task } from "../../../shared/shell/task.ts";
import type { Edit } from "./files.ts";
import type { Chunk, Process } from "./process.ts";
import { sleepUntil } from "./system-call.ts";

/** What is appended there is printed by the container. */
export const logPath = "/proc/1/fd/2";
/** What is appended there is printed on its stdout. */
export const outPath = "/proc/1/fd/1";
/** Whose text is the code with which the container ends. */
export const endPath = "/proc/1/end";

/** Lines for the container's log. */
export function logged(text: string): Omit<Edit, "atMs"> {
  return { path: logPath, text, appends: true };
}

export function ending(code: number): Omit<Edit, "atMs"> {
  return { path: endPath, text: String(code) };
}

/** The path by which others print what the container prints; undefined if it is another file's. */
export function streamOf(path: string): Chunk["stream"] | undefined {
  return path === logPath ? "stderr" : path === outPath ? "stdout" : undefined;
}

/** What others made a run print that lasted until then. */
export function printedOutside(outside: readonly Edit[], startMs: number, endMs: number): Chunk[] {
  return outside.flatMap(({ atMs, path, text = "" }) => {
    const stream = streamOf(path);
    return stream !== undefined && atMs >= startMs && atMs <= endMs
      ? [{ atMs, stream, text, isFromOutside: true as const }]
      : [];
  });
}

/** Serves until somebody ends it from outside; returns the exit code. */
export function* serve(process: Process): Task<number> {
  const fromMs = process.clockMs;
  const first = process.outsideAt;
  const end = () => process.outside.find((one, at) => at >= first && one.atMs >= fromMs && one.path === endPath);
  yield* sleepUntil(process, () => end()?.atMs ?? Number.POSITIVE_INFINITY);
  return process.paused ? 0 : Number(end()?.text ?? 0);
}
