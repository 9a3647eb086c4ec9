// The line editor of the prompt. Takes keys, renders the line, which may span several rows, and returns it when it is complete.
import type { Completion } from "./complete.ts";
import { inColumns } from "./columns.ts";
import type { History } from "./history.ts";
import type { Key } from "./keys.ts";
import { plainWidth, widthOf } from "./width.ts";

export interface EditorScreen {
  write(text: string): void;
  columns(): number;
}

export interface EditorOptions {
  readonly screen: EditorScreen;
  readonly history: History;
  complete(before: string): Promise<Completion>;
  /** Reports whether more lines must follow before the text can be run. */
  isUnfinished(text: string): boolean;
}

export type Outcome =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "interrupted" }
  | { readonly kind: "end" };

/** The maximum number of characters of a line. Further ones are ignored. */
const maxLine = 64 * 1024;
const continued = "> ";

export class LineEditor {
  readonly #options: EditorOptions;
  #prompt = "";
  #text = "";
  #at = 0;
  /** The row of the cursor, counted from the prompt's row. */
  #row = 0;
  /** The index in the history. If it is the history's length, the line is a new one, stored in `#draft`. */
  #place = 0;
  #draft = "";
  #killed = "";
  #search: { query: string; match: string | undefined; from: number } | undefined;
  #wasTab = false;

  constructor(options: EditorOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#text;
  }

  /** Begins a new line. */
  begin(prompt: string): void {
    this.#prompt = prompt;
    this.#text = "";
    this.#at = 0;
    this.#row = 0;
    this.#place = this.#options.history.all().length;
    this.#draft = "";
    this.#search = undefined;
    this.#options.screen.write("\x1b[?2004h");
    this.#show();
  }

  /** Prints the output of a background job above the line. */
  aside(text: string): void {
    const up = this.#row > 0 ? `\x1b[${this.#row}A` : "";
    this.#options.screen.write(`${up}\r\x1b[J${text}${text.endsWith("\n") ? "" : "\n"}`);
    this.again();
  }

  /** Renders the line again after the screen was cleared or written to. */
  again(): void {
    this.#row = 0;
    this.#show();
  }

  /** Renders the line again after the screen's width has changed, when the old cursor position is uncertain. */
  resized(): void {
    this.#show();
  }

  /** Handles a key. Returns undefined until the line is complete. */
  async key(key: Key): Promise<Outcome | undefined> {
    const wasTab = this.#wasTab;
    this.#wasTab = false;
    if (this.#search) return this.#searching(key);
    if (key.kind === "text") {
      this.#insert(key.text);
      return undefined;
    }
    switch (key.name) {
      case "enter":
        return this.#enter();
      case "ctrl-c":
        this.#end();
        this.#options.screen.write("^C\n");
        return { kind: "interrupted" };
      case "ctrl-d":
        if (this.#text !== "") this.#delete(this.#at, this.#at + this.#letterAfter());
        else {
          this.#end();
          return { kind: "end" };
        }
        break;
      case "tab":
        await this.#complete(wasTab);
        break;
      case "ctrl-r":
        this.#search = { query: "", match: undefined, from: this.#options.history.all().length };
        this.#show();
        break;
      case "ctrl-l":
        this.#options.screen.write("\x1b[H\x1b[2J");
        this.again();
        break;
      default:
        this.#edit(key.name);
    }
    return undefined;
  }

  #edit(name: string): void {
    switch (name) {
      case "left":
      case "ctrl-b":
        return this.#move(this.#at - this.#letterBefore());
      case "right":
      case "ctrl-f":
        return this.#move(this.#at + this.#letterAfter());
      case "home":
      case "ctrl-a":
        return this.#move(this.#text.lastIndexOf("\n", this.#at - 1) + 1);
      case "end":
      case "ctrl-e":
        return this.#move(this.#lineEnd());
      case "alt-b":
        return this.#move(this.#wordBefore());
      case "alt-f":
        return this.#move(this.#wordAfter());
      case "up":
      case "ctrl-p":
        return this.#recall(-1);
      case "down":
      case "ctrl-n":
        return this.#recall(1);
      case "backspace":
      case "ctrl-h":
        return this.#delete(this.#at - this.#letterBefore(), this.#at);
      case "delete":
        return this.#delete(this.#at, this.#at + this.#letterAfter());
      case "ctrl-u":
        return this.#kill(this.#text.lastIndexOf("\n", this.#at - 1) + 1, this.#at);
      case "ctrl-k":
        return this.#kill(this.#at, this.#lineEnd());
      case "ctrl-w":
        return this.#kill(this.#blankBefore(), this.#at);
      case "alt-backspace":
        return this.#kill(this.#wordBefore(), this.#at);
      case "alt-d":
        return this.#kill(this.#at, this.#wordAfter());
      case "ctrl-y":
        return this.#insert(this.#killed);
      case "alt-.":
        return this.#insert(this.#options.history.all().at(-1)?.split(/\s+/).at(-1) ?? "");
      case "ctrl-t":
        return this.#transpose();
      default:
        return undefined;
    }
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #letterBefore(): number {
    return [...this.#text.slice(Math.max(0, this.#at - 2), this.#at)].at(-1)?.length ?? 0;
  }

  #letterAfter(): number {
    return [...this.#text.slice(this.#at, this.#at + 2)][0]?.length ?? 0;
  }

  #wordBefore(): number {
    let at = this.#at;
    while (at > 0 && !/\w/.test(this.#text.charAt(at - 1))) at--;
    while (at > 0 && /\w/.test(this.#text.charAt(at - 1))) at--;
    return at;
  }

  #wordAfter(): number {
    const [wordText = ""] = /^\W*\w*/.exec(this.#text.slice(this.#at)) ?? [];
    return this.#at + wordText.length;
  }

  #blankBefore(): number {
    let at = this.#at;
    while (at > 0 && /\s/.test(this.#text.charAt(at - 1))) at--;
    while (at > 0 && !/\s/.test(this.#text.charAt(at - 1))) at--;
    return at;
  }

  #move(to: number): void {
    this.#at = Math.min(Math.max(to, 0), this.#text.length);
    this.#show();
  }

  #insert(text: string): void {
    const fitting = text
      .replace(/[\0-\x08\x0b-\x1f\x7f]/g, "")
      .replaceAll("\t", "  ")
      .slice(0, Math.max(0, maxLine - this.#text.length));
    const isAtEnd = this.#at === this.#text.length;
    this.#text = this.#text.slice(0, this.#at) + fitting + this.#text.slice(this.#at);
    this.#at += fitting.length;
    // Typing at the end of a line that does not wrap prints only the letter.
    const { row, column } = this.#position(this.#at);
    if (isAtEnd && !fitting.includes("\n") && row === this.#row && column > plainWidth(fitting))
      this.#options.screen.write(fitting);
    else this.#show();
  }

  #delete(from: number, to: number): void {
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.#move(from);
  }

  #kill(from: number, to: number): void {
    if (to > from) this.#killed = this.#text.slice(from, to);
    this.#delete(from, to);
  }

  #transpose(): void {
    const at = Math.min(this.#at, this.#text.length - 1);
    if (at < 1) return;
    this.#text =
      this.#text.slice(0, at - 1) + this.#text.charAt(at) + this.#text.charAt(at - 1) + this.#text.slice(at + 1);
    this.#move(at + 1);
  }

  #recall(by: 1 | -1): void {
    const all = this.#options.history.all();
    const to = this.#place + by;
    if (to < 0 || to > all.length) return;
    if (this.#place === all.length) this.#draft = this.#text;
    this.#place = to;
    this.#text = all[to] ?? this.#draft;
    this.#move(this.#text.length);
  }

  #enter(): Outcome | undefined {
    if (this.#text.trim() !== "" && this.#options.isUnfinished(this.#text)) {
      this.#at = this.#text.length;
      this.#insert("\n");
      return undefined;
    }
    this.#end();
    this.#options.screen.write("\n");
    return { kind: "line", text: this.#text };
  }

  /** Moves the cursor behind the line. */
  #end(): void {
    this.#move(this.#text.length);
    this.#options.screen.write("\x1b[?2004l");
  }

  async #complete(isAgain: boolean): Promise<void> {
    const before = this.#text.slice(0, this.#at);
    const { from, words } = await this.#options.complete(before);
    const [only] = words;
    if (only === undefined) return;
    const typed = before.slice(from);
    const shared = sharedStart(words);
    const isOne = words.length === 1;
    const put = isOne && !/[/=]$/.test(only) && this.#text[this.#at] !== " " ? `${shared} ` : shared;
    if (put.length > typed.length || isOne) {
      this.#text = before.slice(0, from) + put + this.#text.slice(this.#at);
      this.#move(from + put.length);
      this.#wasTab = !isOne;
    } else if (isAgain) {
      const at = this.#at;
      this.#move(this.#text.length);
      const cells = words.map((text) => ({
        text: text.slice(Math.max(text.lastIndexOf("/", text.length - 2) + 1, 0)),
      }));
      this.#options.screen.write(`\n${inColumns(cells, this.#options.screen.columns())}`);
      this.#at = at;
      this.again();
    } else this.#wasTab = true;
  }

  #searching(key: Key): Outcome | undefined {
    const search = this.#search;
    if (!search) return undefined;
    const all = this.#options.history.all();
    const look = (from: number) => {
      const at = all.findLastIndex((line, place) => place < from && line.includes(search.query));
      if (at < 0) return;
      search.match = all[at];
      search.from = at;
    };
    if (key.kind === "text") {
      search.query += key.text;
      look(search.from + 1);
    } else if (key.name === "backspace") {
      search.query = search.query.slice(0, -1);
      look(all.length);
    } else if (key.name === "ctrl-r") look(search.from);
    else {
      const isLeft = key.name === "ctrl-c" || key.name === "ctrl-g";
      this.#search = undefined;
      if (!isLeft && search.match !== undefined) this.#text = search.match;
      this.#move(this.#text.length);
      return key.name === "enter" ? this.#enter() : undefined;
    }
    this.#show();
    return undefined;
  }

  /** Returns the position of the cursor before the letter at `index`, relative to the prompt's beginning. */
  #position(index: number): { row: number; column: number } {
    const columns = this.#options.screen.columns();
    let row = 0;
    let column = plainWidth(this.#prompt);
    row += Math.floor(column / columns);
    column %= columns;
    for (const letter of this.#text.slice(0, index)) {
      if (letter === "\n") {
        row++;
        column = continued.length;
        continue;
      }
      const width = widthOf(letter);
      if (column + width > columns) {
        row++;
        column = 0;
      }
      column += width;
      if (column >= columns) {
        row++;
        column = 0;
      }
    }
    return { row, column };
  }

  #show(): void {
    const up = this.#row > 0 ? `\x1b[${this.#row}A` : "";
    if (this.#search) {
      const { query, match = "" } = this.#search;
      this.#options.screen.write(`${up}\r\x1b[J(reverse-i-search)\`${query}': ${match.split("\n")[0] ?? ""}`);
      this.#row = 0;
      return;
    }
    const end = this.#position(this.#text.length);
    const cursor = this.#position(this.#at);
    // If a line ends at the last column, the cursor moves to the next row only after a character is written there.
    const wraps = end.column === 0 && end.row > 0 && !this.#text.endsWith("\n") ? " \r" : "";
    const rendered = this.#prompt + this.#text.replaceAll("\n", `\n${continued}`) + wraps;
    const back = end.row > cursor.row ? `\x1b[${end.row - cursor.row}A` : "";
    const right = cursor.column > 0 ? `\x1b[${cursor.column}C` : "";
    this.#options.screen.write(`${up}\r\x1b[J${rendered}${back}\r${right}`);
    this.#row = cursor.row;
  }
}

function sharedStart(words: readonly string[]): string {
  let shared = words[0] ?? "";
  for (const word of words) while (!word.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}
