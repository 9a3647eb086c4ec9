// The lines that were typed, bounded, and `!!` and its kin.

const maxLines = 1000;
const maxCharacters = 128 * 1024;

export class History {
  #lines: string[];
  readonly #changed: (lines: readonly string[]) => void;

  constructor(lines: readonly string[] = [], changed: (lines: readonly string[]) => void = () => undefined) {
    this.#lines = [...lines];
    this.#changed = changed;
  }

  all(): readonly string[] {
    return this.#lines;
  }

  /** What begins with a blank, and what was typed the last time too, is left out. */
  add(line: string): void {
    if (line.trim() === "" || line.startsWith(" ") || line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    let size = this.#lines.reduce((sum, one) => sum + one.length, 0);
    while (this.#lines.length > maxLines || (size > maxCharacters && this.#lines.length > 0))
      size -= (this.#lines.shift() ?? "").length;
    this.#changed(this.#lines);
  }

  clear(): void {
    this.#lines = [];
    this.#changed(this.#lines);
  }

  /** `!!`, `!$`, `!-2`, `!12`, `!kubectl`, outside of single quotes. Undefined where nothing stands for one; throws where it is not found. */
  expanded(line: string): string | undefined {
    if (!line.includes("!")) return undefined;
    let isChanged = false;
    const made = line.replace(
      /'[^']*'|\\!|!(!|\$|-?\d+|[A-Za-z][\w.-]*)(?!=)/g,
      (whole: string, event: string | undefined, at: number) => {
        // `[ ! -f x ]`, `$!` and `!=` are none.
        if (event === undefined || line[at - 1] === "$" || line[at - 1] === "{") return whole;
        isChanged = true;
        if (event === "$") return this.#lines.at(-1)?.split(/\s+/).at(-1) ?? "";
        const found = this.#find(event);
        if (found === undefined) throw new Error(`${whole}: event not found`);
        return found;
      },
    );
    return isChanged ? made : undefined;
  }

  #find(event: string): string | undefined {
    if (event === "!") return this.#lines.at(-1);
    if (/^-\d+$/.test(event)) return this.#lines.at(Number(event));
    if (/^\d+$/.test(event)) return this.#lines[Number(event) - 1];
    return this.#lines.findLast((line) => line.startsWith(event));
  }
}
