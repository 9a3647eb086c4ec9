// A shell in a process: its variables, where its output goes, and what it is about to do.
import { limits } from "../../../shared/base/limits.ts";
import { charge, heapBytes } from "./meter.ts";
import type { Names } from "./names.ts";
import type { Chunk, Process } from "./process.ts";
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
  readonly variables: Names<string>;
  readonly functions: Names<Command>;
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
    if (text !== "") print(process, { atMs: process.clockMs, stream, text });
  };
}

/** What a chunk takes beside its text. */
const chunkBytes = 64;

function print(process: Process, chunk: Chunk): void {
  const { chunks, meter } = process;
  const size = heapBytes(chunk.text);
  charge(process, 0.5 + size / 1024);
  chunks.push(
    size > limits.containerLogBytes ? { ...chunk, text: chunk.text.slice(-limits.containerLogBytes / 2) } : chunk,
  );
  meter.log += Math.min(size, limits.containerLogBytes) + chunkBytes;
  if (meter.log > limits.containerLogBytes) forgetOldest(process);
}

/** Half of what was printed, as a kubelet rotates a log. */
function forgetOldest(process: Process): void {
  const { chunks, meter } = process;
  charge(process, chunks.length / 20);
  chunks.sort((a, b) => a.atMs - b.atMs);
  let at = 0;
  for (; at < chunks.length - 1 && meter.log > limits.containerLogBytes / 2; at++) {
    meter.log -= heapBytes(chunks[at]?.text ?? "") + chunkBytes;
  }
  chunks.splice(0, at);
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
  return { ...shell, variables: shell.variables.inside(), functions: shell.functions.inside() };
}

/** Runs what leaves nothing behind but files and what it printed: what it held besides is given back. */
export function scoped<Result>({ process: { meter, files } }: Shell, run: () => Result): Result {
  const before = meter.bytes - files.bytes;
  const result = run();
  meter.bytes = before + files.bytes;
  return result;
}

export function setVariable(shell: Shell, name: string, value: string): void {
  if (shell.variables.get(name) === value) return;
  shell.process.version++;
  shell.variables.set(name, value);
}

/** As a shell calls itself where something goes wrong: as it was called. */
export function shellName({ parameters: [name = ""] }: Shell): string {
  return /(^|\/)(sh|ash|bash|dash|zsh)$/.test(name) ? name : "sh";
}
