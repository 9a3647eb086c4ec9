// Splits texts into lines, and builds texts piece by piece, with their memory charged in advance.
import { charge, hold, type Metered } from "./meter.ts";

/** Returns lines without their ends. A text that ends with a newline has no empty last line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The number of lines that are charged at once. */
const linesAtOnce = 256;
const lineWork = 0.15;
const lineBytes = 32;

/** Like `linesOf`, for a text of any size: the memory of the lines is held until `use` returns. */
export function withLines<Result>(payer: Metered, text: string, use: (lines: string[]) => Result): Result {
  const lines: string[] = [];
  let bytes = 0;
  charge(payer, text.length / 512);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    lines.push(text.slice(at, end < 0 ? undefined : end));
    at = end < 0 ? text.length : end + 1;
    if (lines.length % linesAtOnce !== 1) continue;
    charge(payer, linesAtOnce * lineWork);
    hold(payer, linesAtOnce * lineBytes);
    bytes += linesAtOnce * lineBytes;
  }
  const result = use(lines);
  hold(payer, -bytes);
  return result;
}

/** A text that grows piece by piece. Each piece is charged before it is added. */
export class Growing {
  readonly #payer: Metered;
  #parts: string[] = [];
  #bytes = 0;

  constructor(payer: Metered) {
    this.#payer = payer;
  }

  add(piece: string): void {
    const bytes = piece.length + 8;
    charge(this.#payer, 0.1 + bytes / 1024);
    hold(this.#payer, bytes);
    this.#bytes += bytes;
    this.#parts.push(piece);
  }

  /** Returns the text. The caller takes over its memory. */
  take(): string {
    hold(this.#payer, -this.#bytes);
    this.#bytes = 0;
    return this.#parts.splice(0).join("");
  }
}

/** Joins lines with their ends. */
export function printedLines(payer: Metered, lines: Iterable<string>): string {
  const text = new Growing(payer);
  for (const line of lines) text.add(`${line}\n`);
  return text.take();
}
