// The host of the terminal's shell: the page's files, cooperative scheduling, and concurrent pipelines.
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import type { Collector, Host, TakenLine } from "../../../shared/shell/evaluate/shell.ts";
import type { Command } from "../../../shared/shell/language/syntax.ts";
import { absolute } from "../../../shared/shell/paths.ts";
import { after, type Deferred, finished, type Task } from "../../../shared/shell/task.ts";
import { renew, TerminalProcess } from "./budget.ts";
import { awaited, drive } from "./drive.ts";
import { failureOf } from "./failure.ts";
import { openInput, openOutput } from "./redirect.ts";
import type { Shell } from "./shell.ts";
import {
  type Reader,
  Collected,
  Interrupted,
  newReader,
  emptyInput,
  discardedOutput,
  Pipe,
  readAll,
  textSource,
  writerTo,
} from "./streams.ts";

/** The exit code of a command that Ctrl-C ended. */
export const interruptedCode = 130;
/** The exit code of a command whose reader has ended: 128 and SIGPIPE's number. */
const brokenPipeCode = 141;
/** The exit code of bash for a job that cannot be started. */
const noForkCode = 254;
/** The process id of the job with id 0, above those of a system's own processes. */
const firstJobPid = 1000;
/** The highest file descriptor, which bash uses first for `<(commands)`. */
const lastDescriptor = 63;

/** Starts the programs of a host, which in turn run shells. */
export interface Starter {
  start(shell: Shell, path: string, args: readonly string[]): Deferred<void>;
  has(name: string): boolean;
}

export function newHost({ start, has }: Starter): Host {
  const isProgram = ({ machine, folder }: Shell, name: string) =>
    name.includes("/") ? machine.kubectl.surroundings.files.read(absolute(name, folder)) !== undefined : has(name);
  return {
    step: yieldIfTurnIsOver,
    start,
    pipe,
    background,
    collect,
    scoped: releaseMemoryAfter,
    textInput: (text) => newReader(textSource(text)),
    openInput,
    openOutput,
    nowhere: writerTo(discardedOutput),
    close: ({ out, err }: Pick<Shell, "input" | "out" | "err">) => {
      out.sink.flush?.();
      err.sink.flush?.();
    },
    substituteFile,
    readFile: ({ machine, folder }: Shell, name) =>
      name === "/dev/null" ? "" : machine.kubectl.surroundings.files.read(absolute(name, folder)),
    findFolder: ({ machine }: Shell, path) => {
      const { files } = machine.kubectl.surroundings;
      return files.list(path) ? "folder" : files.read(path) === undefined ? "missing" : "file";
    },
    namesIn: ({ machine }: Shell, folder) => machine.kubectl.surroundings.files.list(folder) ?? [],
    special,
    // The terminal sends no signals to scripts, runs every round of a loop, and waits for input as long as the user likes.
    takeSignal: () => undefined,
    rounds: () => undefined,
    idle: (shell: Shell) => after(yieldIfTurnIsOver(shell), () => undefined),
    isTerminal: (input: Reader) => input.isTerminal,
    awaitInput,
    takeLine: (shell: Shell, input: Reader) => awaited(takeLine(shell, input)),
    takeSome,
    takeAll: ({ process }: Shell, input: Reader) => awaited(readAll(input, process.signal)),
    canStart: isProgram,
    pathOf: (shell: Shell, name) => {
      if (!isProgram(shell, name)) return undefined;
      return name.includes("/") ? name : `/usr/bin/${name}`;
    },
  };
}

/** Yields to the page if the shell's turn is over. Returns false if the process must end. */
function yieldIfTurnIsOver({ machine, process }: Shell): Deferred<boolean> {
  if (process.paused) return false;
  renew(process);
  return machine.isTurnOver() ? awaited(yieldToPage(machine, process.signal)) : true;
}

async function yieldToPage(machine: Shell["machine"], signal: AbortSignal): Promise<boolean> {
  try {
    await machine.yieldToPage(signal);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return !signal.aborted;
}

/** Runs all commands concurrently. A command ends when no other command reads its output any more. */
function* pipe(
  shell: Shell,
  commands: readonly Command[],
  run: (inner: Shell, command: Command) => Deferred<void>,
): Task<readonly number[]> {
  let { input } = shell;
  const { signal } = shell.process;
  const codes = commands.map(async (command, at) => {
    const broken = new AbortController();
    const between = at === commands.length - 1 ? undefined : new Pipe(() => broken.abort());
    const source = input;
    input = newReader(between ?? emptyInput);
    const inner = besideShell(shell, between ? AbortSignal.any([signal, broken.signal]) : signal);
    inner.input = source;
    if (between) inner.out = writerTo(between);
    await runToEnd(inner, finished(run(inner, command)));
    between?.end();
    if (at > 0) source.close();
    return broken.signal.aborted ? brokenPipeCode : inner.exitCode;
  });
  return yield* awaited(Promise.all(codes));
}

/** Creates a shell that runs concurrently with another. */
function besideShell(shell: Shell, signal: AbortSignal): Shell {
  const process = new TerminalProcess(signal);
  return {
    ...shell,
    process,
    variables: shell.variables.copy(process),
    functions: shell.functions.copy(process),
    attributes: shell.attributes.copy(process),
  };
}

/** Runs a task to its end. An expected error is printed and sets the shell's exit code. */
export async function runToEnd(shell: Shell, task: Task<void>): Promise<void> {
  try {
    await drive(task);
  } catch (error) {
    report(shell, error);
  }
  if (shell.process.signal.aborted) shell.exitCode = interruptedCode;
}

function report(shell: Shell, error: unknown): void {
  if (error instanceof Interrupted) return void (shell.exitCode = interruptedCode);
  const failure = failureOf(error);
  if (!failure) throw error;
  shell.exitCode = failure.code;
  complain(shell, failure.message);
}

function* background(shell: Shell, text: string, run: (inner: Shell) => Task<void>): Task<void> {
  const { jobs } = shell.machine;
  shell.exitCode = 0;
  if (jobs.isFull()) {
    complain(shell, "fork: Resource temporarily unavailable");
    shell.exitCode = noForkCode;
    return;
  }
  const { id } = jobs.start(text, async (signal) => {
    const inner = besideShell(shell, signal);
    inner.input = newReader(emptyInput);
    await runToEnd(inner, run(inner));
    return inner.exitCode;
  });
  if (shell.err.sink.isTerminal) shell.err(`[${id}] ${firstJobPid + id}\n`);
}

function collect(): Collector {
  const all = new Collected();
  return {
    get text() {
      return all.take();
    },
    out: writerTo(all),
  };
}

/** Runs a task, then releases the memory that it held. */
function releaseMemoryAfter<Result>({ process: { meter } }: Shell, run: () => Deferred<Result>): Deferred<Result> {
  const { bytes } = meter;
  return after(run(), (result) => {
    meter.bytes = bytes;
    return result;
  });
}

/** The folder of the files of `<(commands)`, until the line has run. */
export const processFolder = "/dev/fd";

function substituteFile({ machine }: Shell, text: string): string {
  const { files } = machine.kubectl.surroundings;
  const path = `${processFolder}/${lastDescriptor - (files.list(processFolder)?.length ?? 0)}`;
  files.write(path, text);
  return path;
}

function special({ machine, startMs }: Shell, name: string): string | undefined {
  const { clock, random } = machine.kubectl.surroundings;
  switch (name) {
    case "$":
      return "1";
    case "!":
      return String(machine.jobs.find(undefined)?.id ?? "");
    case "RANDOM":
      return String(Math.floor(random.next() * 32768));
    case "SECONDS":
      return String(Math.floor((clock.nowMs() - startMs) / 1000));
    case "EPOCHSECONDS":
      return String(Math.floor(clock.nowMs() / 1000));
    case "COLUMNS":
      return String(machine.device.size().columns);
    case "LINES":
      return String(machine.device.size().rows);
    default:
      return undefined;
  }
}

function* awaitInput(): Task<boolean> {
  return true;
}

/** Returns a line with its newline, or undefined at the end of the input. */
async function takeLine({ process }: Shell, input: Reader): Promise<string | undefined> {
  let text = "";
  while (!text.includes("\n")) {
    const piece = await input.read(process.signal);
    if (piece === undefined) break;
    text += piece;
  }
  const end = text.indexOf("\n") + 1;
  if (end > 0) input.unread(text.slice(end));
  return text === "" ? undefined : end > 0 ? text.slice(0, end) : text;
}

function* takeSome(
  { process }: Shell,
  input: Reader,
  count: number | undefined,
  mark: string | undefined,
): Task<TakenLine | undefined> {
  const placeOf = (text: string) => (mark === undefined ? -1 : text.indexOf(mark));
  let text = "";
  for (let piece; placeOf(text) < 0 && !(text.length >= (count ?? Number.POSITIVE_INFINITY)); text += piece) {
    piece = yield* awaited(input.read(process.signal));
    if (piece === undefined) break;
  }
  if (text === "") return undefined;
  const place = placeOf(text);
  const end = Math.min(count ?? Number.POSITIVE_INFINITY, place < 0 ? text.length : place);
  input.unread(text.slice(place === end ? end + 1 : end));
  return { line: text.slice(0, end), isComplete: place >= 0 || count !== undefined };
}
