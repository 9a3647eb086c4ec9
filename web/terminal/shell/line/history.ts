// The bounded history of lines, and history expansion such as `!!`.

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

  /** Adds a line, unless it begins with a blank or repeats the last one. */
  add(line: string): void {
    if (line.trim() === "" || line.startsWith(" ") || line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    let size = this.#lines.reduce((sum, entry) => sum + entry.length, 0);
    while (this.#lines.length > maxLines || (size > maxCharacters && this.#lines.length > 0))
      size -= (this.#lines.shift() ?? "").length;
    this.#changed(this.#lines);
  }

  clear(): void {
    this.#lines = [];
    this.#changed(this.#lines);
  }

  /**
   * Expands `!!`, `!$`, `!-2`, `!12`, `!kubectl` outside single quotes. Returns undefined without expansions; throws if an event is
   * missing.
   */
  expanded(line: string): string | undefined {
    if (!line.includes("!")) return undefined;
    let isChanged = false;
    const expandedLine = line.replace(
      /'[^']*'|\\!|!(!|\$|-?\d+|[A-Za-z][\w.-]*)(?!=)/g,
      (match: string, event: string | undefined, at: number) => {
        // `[ ! -f x ]`, `$!` and `!=` are not expansions.
        if (event === undefined || line[at - 1] === "$" || line[at - 1] === "{") return match;
        isChanged = true;
        if (event === "$") return this.#lines.at(-1)?.split(/\s+/).at(-1) ?? "";
        const expansion = this.#find(event);
        if (expansion === undefined) throw new Error(`${match}: event not found`);
        return expansion;
      },
    );
    return isChanged ? expandedLine : undefined;
  }

  #find(event: string): string | undefined {
    if (event === "!") return this.#lines.at(-1);
    if (/^-\d+$/.test(event)) return this.#lines.at(Number(event));
    if (/^\d+$/.test(event)) return this.#lines[Number(event) - 1];
    return this.#lines.findLast((line) => line.startsWith(event));
  }
}
