// The state of a shell: its variables, its output, its pending flow, and the host that runs it, which is a container or the console's page.
import type { Dialect } from "../language/problem.ts";
import type { Command, List } from "../language/syntax.ts";
import type { Metered } from "../meter.ts";
import { Names } from "../names.ts";
import type { Deferred, Task } from "../task.ts";

/** A change of flow. `abandon`: drops the rest of the typed line. */
export type Flow =
  | { readonly kind: "exit" | "return" | "abandon" }
  | { readonly kind: "break" | "continue"; readonly levels: number };

/** Options that `set` and `shopt` switch, beside errexit and xtrace. */
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

/** An input that only its host reads. */
export type Input = object;

export type Sink = (text: string) => void;

export interface Streams {
  input: Input | undefined;
  out: Sink;
  err: Sink;
}

/** The payer of a shell. While it is `paused`, no command starts. */
export interface ShellProcess extends Metered {
  /** Grows with every change of a variable: two rounds of a loop that leave it alike are the same. */
  version: number;
}

export interface Shell extends Streams {
  readonly host: Host;
  readonly process: ShellProcess;
  readonly variables: Names<string>;
  readonly functions: Names<Command>;
  /** The parameters `$0`, `$1` and so on. */
  parameters: readonly string[];
  folder: string;
  exitCode: number;
  /** The reason why the commands that follow are not run. */
  flow: Flow | undefined;
  /** Whether `set -e` is on. */
  stopsOnFailure: boolean;
  /** Whether `set -x` is on. */
  traces: boolean;
  options: ShellOptions;
  readonly dialect: Dialect;
  /** A shell that refuses what its dialect does not have. */
  readonly isStrict: boolean;
  /** The origin of the script: typed, after `-c`, after `-c` with a name of its own, or a file. */
  readonly source: "typed" | "command" | "named" | "file";
  readonly startMs: number;
  /** The line of the command that runs. */
  line: number;
  /** Variables of the function that runs, with what they were before; undefined outside of functions. */
  locals: Map<string, string | undefined> | undefined;
  /** The number of functions that are being called. */
  calls: number;
  readonly aliases: Names<string>;
  /** Lines that were typed, the newest last. */
  readonly history: string[];
  /** Attributes by variable, as letters of `declare`. `-`: programs do not receive the variable. */
  readonly attributes: Names<string>;
  /** Whether a condition runs, whose failure stops nothing. */
  isCondition: boolean;
  /** The number of loops around the command that runs. */
  loops: number;
  /** The number of files that `.` is reading. */
  sources: number;
  /** The command that the shell's complaints name: `eval`. */
  speaker: string | undefined;
  /** Traps by signal, including `EXIT` and `ERR`. Subshells share them. */
  readonly traps: Map<string, string>;
  /** Whether the next command is the last of the process. */
  last: boolean;
  /** Whether the next command replaces the process, so that signals reach it. */
  takesProcess: boolean;
  /** Whether a script reads the output. */
  readonly captured: boolean;
  /** Runs words as a command, and a script. Passed in, since programs run programs. */
  readonly run: (shell: Shell, words: readonly string[]) => Task<void>;
  readonly runText: (shell: Shell, text: string) => Task<void>;
}

/** Output that a script reads. */
export interface Collector {
  readonly text: string;
  readonly out: Sink;
}

export interface TakenLine {
  readonly line: string;
  /** False if the input ended before the delimiter. */
  readonly isComplete: boolean;
}

/** The rounds of one loop, for a host that skips rounds which have the same effect. */
export interface Rounds {
  begin(): void;
  /** Called after a round that ran completely. */
  end(): Deferred<void>;
  /** Called once, when the loop is over. */
  leave(): void;
}

/** The environment of a shell. Names of files are as written in the script. */
export interface Host {
  /** Charges for one more command, and lets others run. Returns false if the command must not run. */
  step(shell: Shell): Deferred<boolean>;
  /** Runs a program by its name. Its exit code becomes the shell's. */
  start(shell: Shell, name: string, args: readonly string[]): Deferred<void>;
  /** Runs the commands of a pipeline, each in a subshell. Returns their exit codes. */
  pipe(
    shell: Shell,
    commands: readonly Command[],
    run: (inner: Shell, command: Command) => Deferred<void>,
  ): Task<readonly number[]>;
  /** Starts a job in the background. `text`: the job as written in the script. */
  background(shell: Shell, text: string, run: (inner: Shell) => Task<void>): Task<void>;
  /** Creates the output of a command substitution. */
  collect(shell: Shell): Collector;
  /** Runs a function that keeps nothing but files and output, and frees the other memory that it held. */
  scoped<Result>(shell: Shell, run: () => Deferred<Result>): Deferred<Result>;
  textInput(text: string): Input;
  /** Opens an input. A text is the reason why it cannot be opened. */
  openInput(shell: Shell, name: string): Deferred<Input | "missing" | "folder">;
  /** Opens an output. A text is the reason why it cannot be opened; `nonexistent directory` if its folder does not exist. */
  openOutput(shell: Shell, name: string, appends: boolean): Deferred<Sink | string>;
  readonly nowhere: Sink;
  /** Writes buffered output of open files. */
  close(streams: Streams): void;
  /** Creates a file with a text for the duration of a command. Returns its name. */
  substituteFile(shell: Shell, text: string): string;
  /** Returns the text of a file for `.`. */
  readFile(shell: Shell, name: string): string | undefined;
  /** Reports whether a folder can be entered. */
  findFolder(shell: Shell, path: string): "folder" | "file" | "missing";
  /** Returns the names in a folder, sorted. `folder` is an absolute path. */
  namesIn(shell: Shell, folder: string): readonly string[];
  /** Returns the value of `$!`, `$RANDOM` or `$SECONDS`; undefined for any other variable. */
  special(shell: Shell, name: string): string | undefined;
  /** Takes a pending signal that has a trap. */
  takeSignal(shell: Shell): string | undefined;
  rounds(shell: Shell, condition: List, list: List, until: boolean): Rounds | undefined;
  /** Lets time pass in a loop whose round did nothing. */
  idle(shell: Shell): Deferred<void>;
  isTerminal(input: Input | undefined): boolean;
  /** Waits for input. Returns false if there is none in time. */
  awaitInput(shell: Shell, input: Input | undefined, waitMs: number | undefined): Task<boolean>;
  /** Reads a number of characters, or up to a delimiter. */
  takeSome(
    shell: Shell,
    input: Input,
    count: number | undefined,
    mark: string | undefined,
  ): Task<TakenLine | undefined>;
  /** Reads a line including its end; undefined at the end of the input. */
  takeLine(shell: Shell, input: Input): Task<string | undefined>;
  /** Reads the rest of the input. */
  takeAll(shell: Shell, input: Input | undefined): Task<string | undefined>;
  /** Reports whether `exec` finds a program of that name. */
  canStart(shell: Shell, name: string): boolean;
  /** Returns the path of a program; undefined if there is none of that name. */
  pathOf(shell: Shell, name: string): string | undefined;
}

/** Reports whether the following commands must not run. */
export function halted(shell: Shell): boolean {
  return shell.process.paused || shell.flow !== undefined;
}

/** Returns the same shell with other streams. */
export function redirected<S extends Shell>(shell: S, streams: Partial<Streams>): S {
  return { ...shell, ...streams };
}

/** Copies the state that survives a subshell to the outer shell. */
export function leave(inner: Shell, outer: Shell): void {
  outer.exitCode = inner.exitCode;
  outer.flow = inner.flow;
  outer.folder = inner.folder;
  outer.parameters = inner.parameters;
  outer.stopsOnFailure = inner.stopsOnFailure;
  outer.traces = inner.traces;
  outer.options = inner.options;
}

/** Returns a copy with its own variables. */
export function subshell<S extends Shell>(shell: S): S {
  return {
    ...shell,
    variables: shell.variables.inside(),
    functions: shell.functions.inside(),
    attributes: shell.attributes.inside(),
  };
}

export function setVariable(shell: Shell, name: string, value: string): void {
  if (shell.variables.get(name) === value) return;
  shell.process.version++;
  if (!shell.variables.has(name) && !shell.options.allexport) hideFromPrograms(shell, name);
  shell.variables.set(name, value);
}

/** Marks a variable that programs do not receive until it is exported. */
function hideFromPrograms({ attributes }: Shell, name: string): void {
  const letters = attributes.get(name) ?? "";
  if (!/[-x]/.test(letters)) attributes.set(name, `${letters}-`);
}

/** Reports whether the shell is dash, the shell of Debian's images: its `echo` resolves backslashes, and it counts calls of functions. */
export function isDash({ dialect }: Pick<Shell, "dialect">): boolean {
  return dialect === "dash";
}

/** Creates a shell in its initial state. */
export function newShell(
  process: ShellProcess,
  initial: Pick<Shell, "host" | "variables" | "out" | "err" | "run" | "runText" | "startMs"> & Partial<Shell>,
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
    line: 0,
    locals: undefined,
    calls: 0,
    aliases: new Names(process),
    history: [],
    attributes: new Names(process),
    isCondition: false,
    loops: 0,
    sources: 0,
    speaker: undefined,
    traps: new Map(),
    last: true,
    takesProcess: true,
    captured: false,
    ...initial,
  };
}
