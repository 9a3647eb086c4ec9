// The lines of a learner's terminals, put together from the entries of the record.
import type { CommandList } from "../../../shared/contract/hosted/teaching.ts";

export type RecordEntry = CommandList["commands"][number];

/** A line with the output up to a moment. */
export interface RecordLine {
  /** The number of the line's first entry. */
  readonly seq: number;
  readonly atMs: number;
  /** The line, or empty if the entry that has it was lost. */
  readonly line: string;
  readonly output: string;
  /** Undefined while the line runs, or if its page ended without a last request. */
  readonly exitCode: number | undefined;
}

/** Returns the lines in the order in which they were entered. Terminals of one run may have lines that run at the same time. */
export function recordLines(entries: readonly RecordEntry[]): RecordLine[] {
  const lines = new Map<string, RecordLine>();
  for (const { seq, page, number, at, line, output, exitCode } of entries) {
    const key = page === "" ? `entry ${seq}` : `${page} ${number}`;
    const before = lines.get(key) ?? { seq, atMs: Date.parse(at), line: "", output: "" };
    lines.set(key, { ...before, line: before.line || line, output: before.output + output, exitCode });
  }
  return [...lines.values()].sort((a, b) => a.atMs - b.atMs || a.seq - b.seq);
}

/** Returns the time at which the output of an entry ended. */
export function endMs({ at, tookMs }: RecordEntry): number {
  return Date.parse(at) + tookMs;
}
