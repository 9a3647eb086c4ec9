// A text of the shell's language, and how far it was read.
import type { Word } from "./syntax.ts";

/** The text ends where more must come: an open quote, a `do` without its `done`. */
export class Unfinished extends Error {
  override name = "Unfinished";
}

export class BadSyntax extends Error {
  override name = "BadSyntax";
}

/** Commands, substitutions and quotes within one another; more are refused. */
const maxDepth = 100;

interface HereDocument {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly isRaw: boolean;
  set(text: Word): void;
}

export class Reader {
  readonly text: string;
  at = 0;
  /** Here-documents whose text begins after the line's end. */
  readonly pending: HereDocument[] = [];
  #depth: number;

  constructor(text: string, depth = 0) {
    this.text = text;
    this.#depth = depth;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  get depth(): number {
    return this.#depth;
  }

  /** Reads what is within; throws `BadSyntax` past the greatest depth. */
  deeper<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new BadSyntax("syntax error: nested too deeply");
    const found = read();
    this.#depth--;
    return found;
  }

  sees(expected: string): boolean {
    return this.text.startsWith(expected, this.at);
  }

  take(expected: string): boolean {
    if (!this.sees(expected)) return false;
    this.at += expected.length;
    return true;
  }

  /** What a sticky pattern finds right here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Blanks, continued lines and a comment. */
  skipBlanks(): void {
    this.match(/(?:[ \t\r]|\\\r?\n)*(?:#[^\n]*)?/y);
  }

  unexpected(): never {
    if (this.isAtEnd) throw new Unfinished("syntax error: unexpected end of file");
    const token = this.match(/&&|\|\||;;|[;|&()<>]|\n|[^\s;|&()<>]+/y) ?? "";
    throw new BadSyntax(`syntax error near unexpected token \`${token === "\n" ? "newline" : token}'`);
  }
}
