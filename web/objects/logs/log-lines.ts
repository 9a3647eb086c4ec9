// The lines of several logs as one text, bounded, and what of it is searched for. Knows no page.

export interface LogLine {
  /** `web-x/main`; "" where there is one log alone. */
  readonly from: string;
  readonly text: string;
}

export const mostLines = 5000;

/** Of a line more is not shown; of all lines so many characters are kept. */
const lineCharacters = 16_384;
const mostCharacters = 8_000_000;

/** Keeps the newest lines. */
export class LogLines {
  #lines: LogLine[] = [];
  #characters = 0;
  #dropped = 0;
  /** Of each log what has come of a line that is not whole. */
  readonly #rest = new Map<string, string>();

  add(from: string, text: string): void {
    const parts = ((this.#rest.get(from) ?? "") + text).split("\n");
    this.#rest.set(from, (parts.pop() ?? "").slice(0, lineCharacters));
    for (const part of parts) {
      const line = part.slice(0, lineCharacters);
      this.#characters += line.length;
      this.#lines.push({ from, text: line });
    }
    let over = 0;
    while (this.#lines.length - over > mostLines || this.#characters > mostCharacters) {
      this.#characters -= this.#lines[over]?.text.length ?? 0;
      over += 1;
    }
    if (over > 0) this.#lines.splice(0, over);
    this.#dropped += over;
  }

  /** A log has ended: what is left is a line. */
  end(from: string): void {
    const rest = this.#rest.get(from);
    if (rest) this.add(from, "\n");
  }

  get dropped(): number {
    return this.#dropped;
  }

  list(): readonly LogLine[] {
    return this.#lines;
  }
}

export function textOfLines(lines: readonly LogLine[], withSource: boolean): string {
  return lines.map(({ from, text }) => (withSource ? `[${from}] ${text}\n` : `${text}\n`)).join("");
}

export function linesWith(lines: readonly LogLine[], search: string): readonly LogLine[] {
  const wanted = search.toLowerCase();
  return wanted === ""
    ? lines
    : lines.filter(({ text, from }) => text.toLowerCase().includes(wanted) || from.includes(wanted));
}
