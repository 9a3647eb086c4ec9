// Estimates the memory of a computed run. Each character of a text counts as two bytes.
import type { Line } from "../../containers/output.ts";
import type { Trace } from "../../containers/shell/trace.ts";

/** The size of an object with a few fields. */
const objectBytes = 100;

export function runBytes({ chunks, edits, outside, initial }: Trace): number {
  let bytes = objectBytes;
  for (const { text } of chunks) bytes += objectBytes + 2 * text.length;
  for (const list of [edits, outside]) for (const { text = "" } of list) bytes += objectBytes + 2 * text.length;
  return bytes + initial.bytes;
}

export function lineBytes(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + objectBytes + 2 * text.length, 0);
}
