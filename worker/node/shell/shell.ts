// A shell in a process: its variables, where its output goes, and what it is about to do.
import type { Process } from "./process.ts";
import type { Command } from "./syntax.ts";

/** Text that was not read yet. */
export interface Input {
  rest: string;
  /** Waits for more and adds it to `rest`; false if there is none, or none yet. Absent: all is there. */
  readonly more?: (process: Process) => boolean;
}

export type Flow =
  | { readonly kind: "exit" | "return" }
  | { readonly kind: "break" | "continue"; readonly levels: number };

export interface Shell {
  readonly process: Process;
  readonly variables: Map<string, string>;
  readonly functions: Map<string, Command>;
  /** `$0`, `$1` and so on. */
  parameters: readonly string[];
  folder: string;
  exitCode: number;
  /** Why the commands that follow are not run. */
  flow: Flow | undefined;
  readonly input: Input | undefined;
  readonly out: Sink;
  readonly err: Sink;
  /** `set -e`. */
  stopsOnFailure: boolean;
  /** `set -x`. */
  traces: boolean;
  /** `echo` reads backslashes, as dash has it. */
  escapes: boolean;
  /** `trap ... TERM` and `trap ... EXIT`; shared with the shells inside. */
  readonly traps: Map<string, string>;
  /** What comes next is the last thing that the process does. */
  last: boolean;
  /** What comes next takes the process over: signals reach it. */
  own: boolean;
  /** What is printed is read by the script. */
  readonly captured: boolean;
  /** Runs words as a command; a script. Handed in, since programs run programs. */
  readonly run: (shell: Shell, words: readonly string[]) => void;
  readonly runText: (shell: Shell, text: string) => void;
}

export type Sink = (text: string) => void;

/** Whether the commands that follow are not run. */
export function halted(shell: Shell): boolean {
  return shell.process.paused || shell.flow !== undefined;
}

export function toChunks(process: Process, stream: "stdout" | "stderr"): Sink {
  return (text) => {
    if (text !== "") process.chunks.push({ atMs: process.clockMs, stream, text });
  };
}

/** The same shell with other streams. */
export function redirected(
  shell: Shell,
  streams: { readonly input?: Input | undefined; readonly out?: Sink; readonly err?: Sink },
): Shell {
  return { ...shell, ...streams };
}

/** What a shell inside leaves behind in the one around it. */
export function leave(inner: Shell, outer: Shell): void {
  outer.exitCode = inner.exitCode;
  outer.flow = inner.flow;
  outer.folder = inner.folder;
  outer.parameters = inner.parameters;
  outer.stopsOnFailure = inner.stopsOnFailure;
  outer.traces = inner.traces;
}

/** A copy whose variables are its own. */
export function subshell(shell: Shell): Shell {
  return { ...shell, variables: new Map(shell.variables), functions: new Map(shell.functions) };
}

export function setVariable(shell: Shell, name: string, value: string): void {
  if (shell.variables.get(name) === value) return;
  shell.process.version++;
  shell.variables.set(name, value);
}
