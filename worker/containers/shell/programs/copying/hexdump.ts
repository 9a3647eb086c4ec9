// hexdump, in its canonical format (`-C`) and in its default format of words.
import type { Task } from "../../../../../shared/shell/task.ts";
import { textCall } from "../../text-call.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";
import { chargeForBuilding, charge } from "../../../../../shared/shell/meter.ts";
import { type ProgramCall } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { printedLines } from "../../../../../shared/shell/lines.ts";
import { perFile } from "../../../../../shared/shell/text/per-file.ts";

const perLine = 16;

export function* hexdump(call: ProgramCall): Task<number> {
  const { flags, values } = options(call.args, "ns");
  const isCanonical = flags.has("C");
  const most = Number(values.get("n") ?? Number.POSITIVE_INFINITY);
  return yield* perFile(
    textCall(call),
    (text) => {
      chargeForBuilding(call.process, text.length * 5);
      charge(call.process, text.length / 5);
      const bytes = bytesOfText(text).subarray(0, most);
      call.out(printedLines(call.process, linesOf(bytes, isCanonical)));
    },
    "ns",
  );
}

/** Yields the lines of a dump. Equal lines are printed once, followed by a star. */
function* linesOf(bytes: Uint8Array, isCanonical: boolean): Generator<string> {
  let last = "";
  let isStarred = false;
  for (let at = 0; at < bytes.length; at += perLine) {
    const row = bytes.subarray(at, at + perLine);
    const line = isCanonical ? canonical(row) : words(row);
    if (line === last && row.length === perLine) {
      if (!isStarred) yield "*";
      isStarred = true;
      continue;
    }
    [last, isStarred] = [line, false];
    yield `${offset(at, isCanonical)}${line}`;
  }
  if (bytes.length > 0) yield offset(bytes.length, isCanonical);
}

function offset(at: number, isCanonical: boolean): string {
  return at.toString(16).padStart(isCanonical ? 8 : 7, "0");
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function canonical(row: Uint8Array): string {
  const half = (from: number) =>
    Array.from(row.subarray(from, from + 8), hex)
      .join(" ")
      .padEnd(23);
  const letters = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
  return `  ${half(0)}  ${half(8)}  |${letters}|`;
}

/** Formats pairs of bytes, the second byte first. */
function words(row: Uint8Array): string {
  const all: string[] = [];
  for (let at = 0; at < row.length; at += 2) all.push(hex(row[at + 1] ?? 0) + hex(row[at] ?? 0));
  return all.map((word) => ` ${word}`).join("");
}
