// Combines the lines of several logs into one bounded text, and searches it. Independent of the page.

export interface LogLine {
  /** The source `web-x/main`, or empty if there is only one log. */
  readonly from: string;
  readonly text: string;
}

export const mostLines = 5000;

/** The maximum number of characters of a line. */
const lineCharacters = 16_384;
const mostCharacters = 8_000_000;

/** Keeps the newest lines. */
export class LogLines {
  #lines: LogLine[] = [];
  #characters = 0;
  #dropped = 0;
  /** The incomplete last line of each log. */
  readonly #rest = new Map<string, string>();

  add(from: string, text: string): void {
    const lines = ((this.#rest.get(from) ?? "") + text).split("\n");
    this.#rest.set(from, (lines.pop() ?? "").slice(0, lineCharacters));
    for (const lineText of lines) {
      const line = lineText.slice(0, lineCharacters);
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

  /** Ends a log: the incomplete line becomes a line. */
  end(from: string): void {
    const rest = this.#rest.get(from);
    if (rest) this.add(from, "\n");
  }

  /** Removes the lines of a log that is read again. */
  restart(from: string): void {
    this.#rest.delete(from);
    this.#lines = this.#lines.filter((line) => line.from !== from);
    this.#characters = this.#lines.reduce((sum, { text }) => sum + text.length, 0);
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
  const pattern = search.toLowerCase();
  return pattern === ""
    ? lines
    : lines.filter(({ text, from }) => text.toLowerCase().includes(pattern) || from.includes(pattern));
}
