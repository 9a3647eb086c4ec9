// A terminal's session: the prompt, the lines that are typed, the foreground command, and its keyboard input.
import { type Kubectl, newKubectl } from "../../kubectl/kubectl.ts";
import type { Surroundings } from "../../kubectl/surroundings.ts";
import { forward } from "./forward.ts";
import { jobLine, Jobs } from "./jobs.ts";
import { TerminalProcess } from "./budget.ts";
import { interruptedCode, processFolder } from "./host.ts";
import { completeLine } from "./line/complete.ts";
import { LineEditor } from "./line/editor.ts";
import type { History } from "./line/history.ts";
import { keysOf } from "./line/keys.ts";
import { isUnfinished, runLine } from "./line/run-line.ts";
import { host, programNames } from "./programs.ts";
import { type Device, type TerminalState, newShell, type Shell } from "./shell.ts";
import { Interrupted, newReader, type Sink } from "./streams.ts";
import { TerminalInput } from "./terminal-input.ts";

/** The screen of a terminal. Lines of texts end with `\n`. */
export interface Screen {
  /** Writes a text. `done` is called when it is visible. */
  write(text: string, done?: () => void): void;
  size(): { readonly columns: number; readonly rows: number };
  /** Returns the column of the cursor, from 0. */
  column(): number;
  /** Restores what a program may have changed: the alternate screen, a hidden cursor. */
  restore(): void;
}

export interface SessionOptions {
  readonly surroundings: Omit<Surroundings, "edit" | "forward">;
  readonly screen: Screen;
  readonly history: History;
  edit: Device["edit"];
  /** Called before each line is run. */
  onStart?(line: string): void;
  /** Called after each line that was run. */
  onCommand?(line: string, exitCode: number): void;
}

export interface Session {
  /** Handles the input of the keyboard. */
  keys(data: string): void;
  /** Called when the size of the screen has changed. */
  resized(): void;
  /** Types and runs a line after the pending ones. Resolves with its exit code, or 130 if the session ends first. */
  run(line: string): Promise<number>;
  /** Ends the running command. */
  dispose(): void;
}

/** The number of characters on their way to the screen above which a program waits. */
const highWater = 256 * 1024;
/** The time in milliseconds after which a command yields to the page. */
const turnMs = 12;
const completionMs = 5000;

export function newSession(options: SessionOptions): Session {
  return new TerminalSession(options);
}

class TerminalSession implements Session {
  readonly #options: SessionOptions;
  readonly #shell: Shell;
  readonly #kubectl: Kubectl;
  readonly #editor: LineEditor;
  readonly #input: TerminalInput;
  readonly #screen: ScreenSink;
  readonly #gone = new AbortController();
  #front: AbortController | undefined;
  #queue = "";
  readonly #waiting: { readonly line: string; done(code: number): void }[] = [];
  #isPumping = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { surroundings, screen, history } = options;
    this.#screen = new ScreenSink(screen);
    const size = () => screen.size();
    const write = (text: string) => this.#screen.write(text);
    this.#input = new TerminalInput({ write, size }, () => this.#front?.abort());
    const forwarded = new Map<number, string>();
    const device: Device = {
      size,
      key: (signal) => this.#input.key(signal),
      edit: (text, place) => options.edit(text, place),
    };
    this.#kubectl = newKubectl({
      ...surroundings,
      edit: async (text, name) => (await options.edit(text, { name, program: this.#editorProgram() })) ?? text,
      forward: (port, signal) => forward(forwarded, port, signal),
    });
    const machine: TerminalState = {
      kubectl: this.#kubectl,
      device,
      keyboard: this.#input,
      history,
      jobs: new Jobs(),
      forwarded,
      ...this.#turns(),
    };
    this.#shell = newShell(machine, new TerminalProcess(this.#gone.signal), host);
    this.#editor = new LineEditor({
      screen: { write, columns: () => size().columns },
      history,
      complete: (before) => this.#complete(before),
      isUnfinished,
    });
    this.#editor.begin(this.#prompt());
  }

  keys(data: string): void {
    if (this.#front) return this.#input.feed(data);
    this.#queue += data;
    void this.#pump();
  }

  resized(): void {
    if (this.#front) this.#input.resized();
    else this.#editor.resized();
  }

  run(line: string): Promise<number> {
    if (this.#gone.signal.aborted) return Promise.resolve(interruptedCode);
    return new Promise((done) => {
      this.#waiting.push({ line, done });
      void this.#pump();
    });
  }

  dispose(): void {
    this.#gone.abort();
    this.#front?.abort();
    this.#shell.machine.jobs.stopAll();
    for (const { done } of this.#waiting.splice(0)) done(interruptedCode);
  }

  #editorProgram(): string {
    const { variables } = this.#shell;
    return (variables.get("KUBE_EDITOR") ?? variables.get("EDITOR") ?? "vi").split(/\s+/)[0] ?? "vi";
  }

  /** Processes lines of `run` and keys in order, until there are none left. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (!this.#gone.signal.aborted) {
        const next = this.#waiting.shift();
        if (next) {
          await this.#typed(next.line);
          next.done(await this.#runLine(next.line));
        } else if (this.#queue !== "") await this.#pressed();
        else break;
      }
    } finally {
      this.#isPumping = false;
    }
  }

  async #typed(line: string): Promise<void> {
    for (const name of ["end", "ctrl-u"]) await this.#editor.key({ kind: "key", name, raw: "" });
    await this.#editor.key({ kind: "text", text: line, raw: "" });
    this.#screen.write("\x1b[?2004l\n");
  }

  async #pressed(): Promise<void> {
    const [key] = keysOf(this.#queue);
    if (!key) return;
    this.#queue = this.#queue.slice(key.raw.length);
    const outcome = await this.#editor.key(key);
    if (!outcome) return;
    if (outcome.kind === "line") await this.#runLine(outcome.text);
    else {
      if (outcome.kind === "interrupted") this.#shell.exitCode = interruptedCode;
      else this.#screen.write("exit\nThis shell has no other behind it: close the terminal to leave.\n");
      this.#editor.begin(this.#prompt());
    }
  }

  /** Runs a line in the foreground and shows the next prompt. Returns the exit code. */
  async #runLine(typed: string): Promise<number> {
    const line = this.#expanded(typed);
    if (line !== undefined && line.trim() !== "") {
      this.#options.history.add(line);
      this.#options.onStart?.(line);
      const front = new AbortController();
      this.#front = front;
      // Text typed after the line is its input.
      const ahead = this.#queue;
      this.#queue = "";
      if (ahead !== "") this.#input.feed(ahead);
      const signal = AbortSignal.any([front.signal, this.#gone.signal]);
      const out = this.#output();
      await runLine(this.#shell, line, { input: newReader(this.#input), out, err: out, signal });
      this.#front = undefined;
      this.#queue = this.#input.takeAhead();
      this.#kubectl.surroundings.files.remove(processFolder);
    }
    const { exitCode } = this.#shell;
    if (this.#gone.signal.aborted) return exitCode;
    if (line !== undefined && line.trim() !== "") this.#options.onCommand?.(line, exitCode);
    await this.#screen.flushed();
    this.#options.screen.restore();
    if (this.#options.screen.column() > 0) this.#screen.write("\n");
    for (const job of this.#shell.machine.jobs.takeEnded()) this.#screen.write(jobLine(job, true));
    this.#editor.begin(this.#prompt());
    return exitCode;
  }

  /** Returns the output of programs. Background jobs write above the prompt. */
  #output(): Sink {
    return {
      isTerminal: true,
      write: (text) => {
        if (this.#front || this.#gone.signal.aborted) this.#screen.write(text);
        else if (text !== "") this.#editor.aside(text);
      },
      settled: (signal) => this.#screen.settled(signal),
    };
  }

  /** Expands history references such as `!!`. Returns undefined if that fails. */
  #expanded(typed: string): string | undefined {
    try {
      const line = this.#options.history.expanded(typed);
      if (line !== undefined) this.#screen.write(`${line}\n`);
      return line ?? typed;
    } catch (error) {
      this.#screen.write(`bash: ${error instanceof Error ? error.message : String(error)}\n`);
      this.#shell.exitCode = 1;
      return undefined;
    }
  }

  #prompt(): string {
    const { folder } = this.#shell;
    const home = this.#shell.variables.get("HOME") ?? "";
    const folderName = folder === home ? "~" : folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
    const sign = this.#shell.exitCode === 0 ? "$" : "\x1b[31m$\x1b[0m";
    return `\x1b[1;34m${folderName}\x1b[0m ${sign} `;
  }

  #complete(before: string) {
    const signal = AbortSignal.any([this.#gone.signal, AbortSignal.timeout(completionMs)]);
    return completeLine(before, this.#shell, programNames, signal);
  }

  #turns(): Pick<TerminalState, "isTurnOver" | "yieldToPage"> {
    const { clock, wait } = this.#options.surroundings;
    let last = clock.nowMs();
    const isTurnOver = () => clock.nowMs() - last >= turnMs;
    return {
      isTurnOver: () => isTurnOver() || this.#screen.isBehind,
      yieldToPage: async (signal) => {
        if (signal.aborted) throw new Interrupted();
        await this.#screen.settled(signal);
        if (!isTurnOver()) return;
        await wait(0, signal);
        last = clock.nowMs();
        if (signal.aborted) throw new Interrupted();
      },
    };
  }
}

/** Writes to the screen, and reports when it lags behind. */
class ScreenSink implements Sink {
  readonly isTerminal = true;
  readonly #screen: Screen;
  #pending = 0;
  #wake: (() => void)[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  write(text: string): void {
    if (text === "") return;
    this.#pending += text.length;
    this.#screen.write(text.replace(/\r?\n/g, "\r\n"), () => {
      this.#pending -= text.length;
      if (this.#pending <= highWater) for (const wake of this.#wake.splice(0)) wake();
    });
  }

  get isBehind(): boolean {
    return this.#pending > highWater;
  }

  async settled(signal: AbortSignal): Promise<void> {
    while (this.#pending > highWater && !signal.aborted) await new Promise<void>((done) => this.#wake.push(done));
  }

  /** Resolves when all output is on the screen. */
  flushed(): Promise<void> {
    return new Promise((done) => this.#screen.write("", done));
  }
}
