// A shell in a process: its variables, where its output goes, and what it is about to do.
import { limits } from "../../../shared/base/limits.ts";
import type { Dialect } from "../../../shared/shell/language/problem.ts";
import { charge, heapBytes } from "../../../shared/shell/meter.ts";
import { Names } from "./names.ts";
import type { Chunk, Process } from "./process.ts";
import { after, type Deferred, type Task } from "../../../shared/shell/task.ts";
import type { Command } from "../../../shared/shell/language/syntax.ts";

/** Text that was not read yet. */
export interface Input {
  rest: string;
  /** Waits for more and adds it to `rest`; false if there is none, or none yet. Absent: all is there. */
  readonly more?: (process: Process) => boolean;
  /** When `more` can go on; Infinity if that is not known. Absent: at once. */
  readonly nextMs?: () => number;
}

/** `abandon`: the rest of the line that was typed. */
export type Flow =
  | { readonly kind: "exit" | "return" | "abandon" }
  | { readonly kind: "break" | "continue"; readonly levels: number };

/** What `set` and `shopt` switch, beside errexit and xtrace. */
export interface ShellOptions {
  /** `set -u`. */
  readonly nounset?: boolean;
  readonly pipefail?: boolean;
  /** `set -f`. */
  readonly noglob?: boolean;
  /** `set -C`. */
  readonly noclobber?: boolean;
  /** `set -n`. */
  readonly noexec?: boolean;
  /** `set -a`. */
  readonly allexport?: boolean;
  readonly verbose?: boolean;
  readonly nullglob?: boolean;
}

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
  input: Input | undefined;
  out: Sink;
  err: Sink;
  /** `set -e`. */
  stopsOnFailure: boolean;
  /** `set -x`. */
  traces: boolean;
  options: ShellOptions;
  readonly dialect: Dialect;
  /** What the dialect does not have is refused. */
  readonly isStrict: boolean;
  /** Where the script comes from: typed, after `-c`, after `-c` with a name of its own, or a file. */
  readonly source: "typed" | "command" | "named" | "file";
  readonly startMs: number;
  /** Of the command that runs. */
  line: number;
  /** Variables of the function that runs, with what they were before; undefined outside of functions. */
  locals: Map<string, string | undefined> | undefined;
  readonly aliases: Names<string>;
  /** Lines that were typed, the newest last. */
  readonly history: string[];
  /** By variable, letters as `declare` has them; `-`: it is the shell's own, and programs are not told of it. */
  readonly attributes: Names<string>;
  /** What runs is asked for whether it holds: its failure is none. */
  isCondition: boolean;
  /** So many loops are around what runs. */
  loops: number;
  /** So many files are read by `.`. */
  sources: number;
  /** What the shell's complaints are told by: `eval`. */
  speaker: string | undefined;
  /** By signal, `EXIT` and `ERR` among them; shared with the shells inside. */
  readonly traps: Map<string, string>;
  /** What comes next is the last thing that the process does. */
  last: boolean;
  /** What comes next takes the process over: signals reach it. */
  own: boolean;
  /** What is printed is read by the script. */
  readonly captured: boolean;
  /** Runs words as a command; a script. Handed in, since programs run programs. */
  readonly run: (shell: Shell, words: readonly string[]) => Task<void>;
  readonly runText: (shell: Shell, text: string) => Task<void>;
}

/** One that has done nothing yet. */
export function newShell(
  process: Process,
  given: Pick<Shell, "variables" | "out" | "err" | "run" | "runText"> & Partial<Shell>,
): Shell {
  return {
    process,
    functions: new Names(process),
    parameters: ["sh"],
    folder: "/",
    exitCode: 0,
    flow: undefined,
    input: undefined,
    stopsOnFailure: false,
    traces: false,
    options: {},
    dialect: "ash",
    isStrict: false,
    source: "command",
    startMs: process.clockMs,
    line: 0,
    locals: undefined,
    aliases: new Names(process),
    history: [],
    attributes: new Names(process),
    isCondition: false,
    loops: 0,
    sources: 0,
    speaker: undefined,
    traps: new Map(),
    last: true,
    own: true,
    captured: false,
    ...given,
  };
}

export type Sink = (text: string) => void;

/** Whether the commands that follow are not run. */
export function halted(shell: Shell): boolean {
  return shell.process.paused || shell.flow !== undefined;
}

export function toChunks(process: Process, stream: "stdout" | "stderr"): Sink {
  const sink: Sink = (text) => {
    if (text !== "") print(process, { atMs: process.clockMs, stream, text });
  };
  streams.set(sink, stream);
  return sink;
}

const streams = new WeakMap<Sink, Chunk["stream"]>();

/** What stages of pipelines that have not ended would have printed, had they been the last: shown while the run is suspended. */
export function openChunks({ horizon }: Process, atMs: number): Chunk[] {
  const all = [...horizon.pipes];
  return all.flatMap(({ text, target }) => {
    let to: Sink | undefined = target;
    while (to && !streams.has(to)) {
      const sink: Sink = to;
      to = all.find((one) => one.out === sink)?.target;
    }
    const stream = to && streams.get(to);
    return stream === undefined || text === "" ? [] : [{ atMs, stream, text }];
  });
}

/** What a chunk takes beside its text. */
const chunkBytes = 64;

function print(process: Process, chunk: Chunk): void {
  const { chunks, meter } = process;
  const size = heapBytes(chunk.text);
  charge(process, 0.5 + size / 1024);
  const kept =
    size > limits.containerLogBytes ? { ...chunk, text: chunk.text.slice(-limits.containerLogBytes / 2) } : chunk;
  chunks.push(kept);
  if (process.series.isOpen) process.series.chunks.push(kept);
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

/** Takes back what rounds of a loop printed before a moment: rounds like them have been skipped. */
export function forgetSeries({ chunks, meter, series }: Process, beforeMs: number): void {
  const forgotten = new Set(series.chunks.filter((one) => one.atMs < beforeMs));
  if (forgotten.size === 0) return;
  series.chunks = series.chunks.filter((one) => !forgotten.has(one));
  const left = chunks.filter((one) => !forgotten.has(one));
  chunks.length = 0;
  for (const one of left) chunks.push(one);
  for (const { text } of forgotten) meter.log -= heapBytes(text) + chunkBytes;
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
  outer.options = inner.options;
}

/** A copy whose variables are its own. */
export function subshell(shell: Shell): Shell {
  return {
    ...shell,
    variables: shell.variables.inside(),
    functions: shell.functions.inside(),
    attributes: shell.attributes.inside(),
  };
}

/** Runs what leaves nothing behind but files and what it printed: what it held besides is given back. */
export function scoped<Result>({ process: { meter, files } }: Shell, run: () => Deferred<Result>): Deferred<Result> {
  const before = meter.bytes - files.bytes;
  return after(run(), (result) => {
    meter.bytes = before + files.bytes;
    return result;
  });
}

export function setVariable(shell: Shell, name: string, value: string): void {
  if (shell.variables.get(name) === value) return;
  shell.process.version++;
  if (!shell.variables.has(name) && !shell.options.allexport) own(shell, name);
  shell.variables.set(name, value);
}

/** Programs are not told of a variable until it is exported. */
function own({ attributes }: Shell, name: string): void {
  const letters = attributes.get(name) ?? "";
  if (!/[-x]/.test(letters)) attributes.set(name, `${letters}-`);
}

/** In the images that are made of Debian `echo` reads backslashes, and functions that call each other are counted. */
export function isDash({ dialect }: Shell): boolean {
  return dialect === "dash";
}
