// Keyboard input while a command runs: for an attached container, for a pager, as lines, or kept for the next prompt.
import type { Keyboard } from "../../kubectl/surroundings.ts";
import { keysOf } from "./line/keys.ts";
import { Interrupted, type Source } from "./streams.ts";

export interface InputScreen {
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
}

type Listener = Parameters<Keyboard["listen"]>[0];

/** The maximum number of unread characters. */
const maxAhead = 16 * 1024;

export class TerminalInput implements Source, Keyboard {
  readonly isTerminal = true;
  readonly #screen: InputScreen;
  readonly #interrupt: () => void;
  #ahead = "";
  #line = "";
  /** The complete lines. Undefined is the end of input by Ctrl-D. */
  readonly #lines: (string | undefined)[] = [];
  #reader: (() => void) | undefined;
  #keyReader: ((key: string) => void) | undefined;
  #raw: Listener | undefined;

  /** `interrupt` handles Ctrl-C. */
  constructor(screen: InputScreen, interrupt: () => void) {
    this.#screen = screen;
    this.#interrupt = interrupt;
  }

  feed(data: string): void {
    if (this.#raw) return this.#raw.keys(new TextEncoder().encode(data));
    for (const { raw } of keysOf(data)) {
      const reader = this.#keyReader;
      if (reader) {
        this.#keyReader = undefined;
        reader(raw);
      } else if (raw === "\x03") {
        this.#ahead = "";
        this.#line = "";
        this.#screen.write("^C\n");
        this.#interrupt();
      } else if (this.#reader) this.#type(raw);
      else if (this.#ahead.length < maxAhead) this.#ahead += raw;
    }
  }

  resized(): void {
    const { columns, rows } = this.#screen.size();
    this.#raw?.size(columns, rows);
  }

  /** Returns the text that was typed but not read. */
  takeAhead(): string {
    const typed =
      this.#lines
        .map((line) => line ?? "")
        .join("")
        .replaceAll("\n", "\r") +
      this.#line +
      this.#ahead;
    this.#lines.length = 0;
    this.#line = "";
    this.#ahead = "";
    return typed;
  }

  async read(signal: AbortSignal): Promise<string | undefined> {
    if (this.#lines.length === 0) {
      await new Promise<void>((done) => {
        const wake = () => {
          this.#reader = undefined;
          signal.removeEventListener("abort", wake);
          done();
        };
        if (signal.aborted) return done();
        this.#reader = wake;
        signal.addEventListener("abort", wake, { once: true });
        const ahead = this.#ahead;
        this.#ahead = "";
        if (ahead !== "") this.feed(ahead);
      });
    }
    if (signal.aborted) throw new Interrupted();
    return this.#lines.shift();
  }

  close(): void {
    // The keyboard stays usable for the next program.
  }

  /** Returns the next key as it was sent. */
  key(signal: AbortSignal): Promise<string> {
    if (signal.aborted) return Promise.reject(new Interrupted());
    const [first] = keysOf(this.#ahead);
    if (first) {
      this.#ahead = this.#ahead.slice(first.raw.length);
      return Promise.resolve(first.raw);
    }
    return new Promise((done, failed) => {
      const abort = () => failed(new Interrupted());
      signal.addEventListener("abort", abort, { once: true });
      this.#keyReader = (key) => {
        signal.removeEventListener("abort", abort);
        done(key);
      };
    });
  }

  listen(on: Listener, until: AbortSignal, isRaw: boolean): void {
    if (!isRaw) return void this.#forwardLines(on, until);
    this.#raw = on;
    until.addEventListener("abort", () => {
      if (this.#raw === on) this.#raw = undefined;
    });
    this.resized();
    const ahead = this.#ahead;
    this.#ahead = "";
    if (ahead !== "") this.feed(ahead);
  }

  async #forwardLines(on: Listener, until: AbortSignal): Promise<void> {
    const encoder = new TextEncoder();
    try {
      for (let line; (line = await this.read(until)) !== undefined; ) on.keys(encoder.encode(line));
      on.end();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
  }

  /** Edits a line like a terminal in canonical mode. */
  #type(raw: string): void {
    if (raw === "\r" || raw === "\n") {
      this.#screen.write("\n");
      this.#push(`${this.#line}\n`);
    } else if (raw === "\x04") this.#push(this.#line === "" ? undefined : this.#line);
    else if (raw === "\x7f") {
      if (this.#line === "") return;
      this.#line = [...this.#line].slice(0, -1).join("");
      this.#screen.write("\b \b");
    } else if (raw === "\x15") {
      this.#screen.write("\b \b".repeat(this.#line.length));
      this.#line = "";
    } else if (raw === "\t" || raw >= " ") {
      if (this.#line.length >= maxAhead) return;
      this.#line += raw;
      this.#screen.write(raw);
    }
  }

  #push(line: string | undefined): void {
    this.#line = "";
    this.#lines.push(line);
    this.#reader?.();
  }
}
