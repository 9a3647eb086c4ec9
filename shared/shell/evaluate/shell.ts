// A shell: its variables, where its output goes, what it is about to do, and the host that runs it: a container, or the console's page.
import type { Dialect } from "../language/problem.ts";
import type { Command, List } from "../language/syntax.ts";
import type { Metered } from "../meter.ts";
import { Names } from "../names.ts";
import type { Deferred, Task } from "../task.ts";

/** `abandon`: the rest of the line that was typed. */
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
  /** `$0`, `$1` and so on. */
  parameters: readonly string[];
  folder: string;
  exitCode: number;
  /** The reason why the commands that follow are not run. */
  flow: Flow | undefined;
  /** `set -e`. */
  stopsOnFailure: boolean;
  /** `set -x`. */
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
  /** By variable, letters as `declare` has them; `-`: it is the shell's own, and programs do not get it. */
  readonly attributes: Names<string>;
  /** A condition runs, and its failure stops nothing. */
  isCondition: boolean;
  /** The number of loops around the command that runs. */
  loops: number;
  /** The number of files that `.` is reading. */
  sources: number;
  /** The command that the shell's complaints name: `eval`. */
  speaker: string | undefined;
  /** By signal, `EXIT` and `ERR` among them; shared with the shells inside. */
  readonly traps: Map<string, string>;
  /** The next command is the last that the process does. */
  last: boolean;
  /** The next command takes the process over: signals reach it. */
  own: boolean;
  /** The script reads what is printed. */
  readonly captured: boolean;
  /** Runs words as a command; a script. Handed in, since programs run programs. */
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
  /** False: the input ended before its mark. */
  readonly isComplete: boolean;
}

/** The rounds of one loop, for a host that leaves out rounds which are alike. */
export interface Rounds {
  begin(): void;
  /** Called after a round that took its whole way. */
  end(): Deferred<void>;
  /** Called once, when the loop is over. */
  leave(): void;
}

/** The surroundings of a shell. Names of files are as the script has them. */
export interface Host {
  /** Pays for one more command and gives others their turn; false: it is not run. */
  step(shell: Shell): Deferred<boolean>;
  /** Runs the program of that name. Its exit code becomes the shell's. */
  start(shell: Shell, name: string, args: readonly string[]): Deferred<void>;
  /** Runs the commands of a pipeline, each in a shell of its own; returns their exit codes. */
  pipe(
    shell: Shell,
    commands: readonly Command[],
    run: (inner: Shell, command: Command) => Deferred<void>,
  ): Task<readonly number[]>;
  /** Starts a job beside the shell. `text`: the job as it was written. */
  background(shell: Shell, text: string, run: (inner: Shell) => Task<void>): Task<void>;
  /** Makes an output for commands that are substituted. */
  collect(shell: Shell): Collector;
  /** Runs what leaves nothing behind but files and output, and gives back what it held besides. */
  scoped<Result>(shell: Shell, run: () => Deferred<Result>): Deferred<Result>;
  textInput(text: string): Input;
  /** A text: why it cannot be opened. */
  openInput(shell: Shell, name: string): Deferred<Input | "missing" | "folder">;
  /** A text: why it cannot be opened, `nonexistent directory` for a file in no folder. */
  openOutput(shell: Shell, name: string, appends: boolean): Deferred<Sink | string>;
  readonly nowhere: Sink;
  /** Writes what opened files still keep back. */
  close(streams: Streams): void;
  /** Makes a file of a text, for as long as a command reads it; returns its name. */
  substituteFile(shell: Shell, text: string): string;
  /** The text of a file that `.` reads. */
  readFile(shell: Shell, name: string): string | undefined;
  /** Whether a folder can be entered. */
  findFolder(shell: Shell, path: string): "folder" | "file" | "missing";
  /** The names in a folder, sorted. `folder` is an absolute path. */
  namesIn(shell: Shell, folder: string): readonly string[];
  /** The value of `$!`, `$RANDOM`, `$SECONDS`; undefined: a variable like others. */
  special(shell: Shell, name: string): string | undefined;
  /** Takes a signal that is due and trapped. */
  takeSignal(shell: Shell): string | undefined;
  rounds(shell: Shell, condition: List, list: List, until: boolean): Rounds | undefined;
  /** Lets time pass in a loop whose round did nothing. */
  idle(shell: Shell): Deferred<void>;
  isTerminal(input: Input | undefined): boolean;
  /** Waits for an input that may come; false if there is none in time. */
  awaitInput(shell: Shell, input: Input | undefined, waitMs: number | undefined): Task<boolean>;
  /** Reads so many letters, or up to a mark. */
  takeSome(
    shell: Shell,
    input: Input,
    count: number | undefined,
    mark: string | undefined,
  ): Task<TakenLine | undefined>;
  /** Reads a line with its end; undefined at the end of the input. */
  takeLine(shell: Shell, input: Input): Task<string | undefined>;
  /** Reads all that is left. */
  takeAll(shell: Shell, input: Input | undefined): Task<string | undefined>;
  /** Whether `exec` finds a program of that name. */
  canStart(shell: Shell, name: string): boolean;
  /** Where a program lies; undefined for a name of none. */
  pathOf(shell: Shell, name: string): string | undefined;
}

/** Whether the commands that follow are not run. */
export function halted(shell: Shell): boolean {
  return shell.process.paused || shell.flow !== undefined;
}

/** The same shell with other streams. */
export function redirected<S extends Shell>(shell: S, streams: Partial<Streams>): S {
  return { ...shell, ...streams };
}

/** Copies what a shell inside leaves behind to the one around it. */
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
  if (!shell.variables.has(name) && !shell.options.allexport) own(shell, name);
  shell.variables.set(name, value);
}

/** Keeps a variable from programs until it is exported. */
function own({ attributes }: Shell, name: string): void {
  const letters = attributes.get(name) ?? "";
  if (!/[-x]/.test(letters)) attributes.set(name, `${letters}-`);
}

/** Whether the shell is that of Debian's images, in which `echo` reads backslashes and calls of functions are counted. */
export function isDash({ dialect }: Pick<Shell, "dialect">): boolean {
  return dialect === "dash";
}

/** A shell that has done nothing yet. */
export function newShell(
  process: ShellProcess,
  given: Pick<Shell, "host" | "variables" | "out" | "err" | "run" | "runText" | "startMs"> & Partial<Shell>,
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
    own: true,
    captured: false,
    ...given,
  };
}
