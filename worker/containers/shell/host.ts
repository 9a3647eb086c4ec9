// The surroundings of a shell in a container: its process, its files and its clock.
import { deviceText } from "./programs/machine/devices.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import type { Collector, Host, TakenLine } from "../../../shared/shell/evaluate/shell.ts";
import type { Command } from "../../../shared/shell/language/syntax.ts";
import { charge, heapBytes, hold, Stopped } from "../../../shared/shell/meter.ts";
import { after, type Deferred, finished, type Task } from "../../../shared/shell/task.ts";
import { assumeFile } from "./assumptions.ts";
import { absolute, exists, isFolder, namesIn } from "./files.ts";
import { inBackground } from "./fork.ts";
import { isTyped, takeAll, takeLine } from "./input.ts";
import { edit, type OpenPipe, step } from "./process.ts";
import { openInput, openOutput } from "./redirect.ts";
import { isSocket, openSocket, openSocketInput } from "./programs/socket-files.ts";
import { LoopRounds, roundMs } from "./rounds.ts";
import { halted, type Input, scoped, type Shell, subshell } from "./shell.ts";
import { readMore, sleep } from "./system-call.ts";
import { isThere } from "./program-lookup.ts";

/** Creates the host of a shell. `start` runs a program; it is a parameter because programs run shells. */
export function newHost(
  start: (shell: Shell, name: string, args: readonly string[]) => Deferred<void>,
  placeOf: (process: Shell["process"], name: string) => string | undefined,
): Host {
  return {
    step: ({ process }: Shell) => step(process),
    start,
    pipe,
    background: (shell: Shell, _text, run) => inBackground(shell, run),
    collect,
    scoped,
    textInput: (text): Input => ({ rest: text }),
    openInput: (shell: Shell, name) => (isSocket(shell, name) ? openSocketInput(shell, name) : openInput(shell, name)),
    openOutput: (shell: Shell, name, appends) =>
      isSocket(shell, name) ? openSocket(shell, name) : openOutput(shell, name, appends),
    nowhere: () => undefined,
    // Files are written at once.
    close: () => undefined,
    substituteFile,
    readFile,
    findFolder,
    namesIn: ({ process }: Shell, folder) => namesIn(process.files, folder),
    special,
    takeSignal,
    rounds: (shell: Shell, condition, list, until) => new LoopRounds(shell, { condition, list, until }),
    idle: ({ process }: Shell) => sleep(process, roundMs),
    isTerminal: (input: Input | undefined) => isTyped(input) && input.isTerminal,
    awaitInput,
    takeSome,
    takeLine: ({ process }: Shell, input: Input) => takeLine(process, input),
    takeAll: ({ process }: Shell, input: Input | undefined) => takeAll(process, input),
    canStart: (shell: Shell, name) =>
      isThere(shell, name, true) || shell.process.files.get(absolute(name, shell.folder)) !== undefined,
    pathOf: ({ process }: Shell, name) => {
      if (name.includes("/")) return process.files.get(name)?.text === undefined ? undefined : name;
      const isHere = (process.programs?.has(name) ?? true) || process.files.has(`/usr/bin/${name}`);
      return isHere ? placeOf(process, name) : undefined;
    },
  };
}

/** Runs each command of a pipeline when the one before it has ended. */
function* pipe(
  shell: Shell,
  commands: readonly Command[],
  run: (inner: Shell, command: Command) => Deferred<void>,
): Task<readonly number[]> {
  let text: string | undefined;
  const codes: number[] = [];
  for (const [at, command] of commands.entries()) {
    const final = at === commands.length - 1;
    const input = text === undefined ? shell.input : { rest: text };
    const collector = final ? undefined : collect(shell);
    const open = collector && newOpenPipe(collector, shell.out);
    const { pipes } = shell.process.horizon;
    if (open) pipes.add(open);
    codes.push(yield* finished(scoped(shell, () => runStage(shell, command, input, collector, run))));
    if (open) pipes.delete(open);
    hold(shell.process, heapBytes(collector?.text ?? "") - heapBytes(text ?? ""));
    // After a command that never ends, no other command runs.
    if (shell.process.paused && collector) shell.out(collector.text);
    text = collector?.text;
  }
  return codes;
}

function runStage(
  outer: Shell,
  command: Command,
  input: Input | undefined,
  collector: Collector | undefined,
  run: (inner: Shell, command: Command) => Deferred<void>,
): Deferred<number> {
  const inner = subshell(outer);
  inner.input = input;
  if (collector) Object.assign(inner, { captured: true, own: false, out: collector.out });
  const task = collector ? orPrinted(outer, collector, () => run(inner, command)) : run(inner, command);
  return after(task, () => {
    outer.exitCode = inner.exitCode;
    return inner.exitCode;
  });
}

function newOpenPipe(collector: Collector, target: Shell["out"]): OpenPipe {
  return {
    out: collector.out,
    target,
    get text() {
      return collector.text;
    },
  };
}

/** Creates an output that is held as long as the inner shell exists. */
function collect({ process }: Shell): Collector {
  const collector = {
    text: "",
    out: (text: string) => {
      const bytes = heapBytes(text);
      charge(process, 0.5 + bytes / 1024);
      hold(process, bytes);
      collector.text += text;
    },
  };
  return collector;
}

/** Runs a script and prints its output even if the script is stopped at a limit. */
function* orPrinted(shell: Shell, collector: Collector, run: () => Deferred<void>): Task<void> {
  try {
    yield* finished(run());
  } catch (error) {
    if (error instanceof Stopped && error.how === "spent") {
      const { meter } = shell.process;
      const left = meter.work;
      meter.work = Number.POSITIVE_INFINITY;
      shell.out(collector.text);
      meter.work = left;
    }
    throw error;
  }
}

/** The maximum number of substituted files that a script has at the same time. */
const mostFiles = 16;

function substituteFile({ process }: Shell, text: string): string {
  let number = 63;
  while (process.files.has(`/dev/fd/${number}`) && number > 63 - mostFiles) number--;
  const path = `/dev/fd/${process.files.has(`/dev/fd/${number}`) ? 63 : number}`;
  edit(process, { path, text });
  return path;
}

function readFile({ process, folder }: Shell, name: string): string | undefined {
  const path = absolute(name, folder);
  const text = process.files.get(path)?.text ?? deviceText(process, path);
  if (text !== undefined || process.knowsFiles) return text;
  // If the image is not known, it may have the file.
  assumeFile(process, path);
  return "";
}

function findFolder({ process }: Shell, path: string): "folder" | "file" | "missing" {
  if (!process.knowsFiles || isFolder(process.files, path)) return "folder";
  return exists(process.files, path) ? "file" : "missing";
}

function special(shell: Shell, name: string): string | undefined {
  const { process, dialect, isStrict } = shell;
  switch (name) {
    case "$":
      return String(process.isFirst ? 1 : (process.self.running.at(-1)?.pid ?? 1));
    case "!":
      return process.jobs.length > 0 ? "7" : "";
    case "RANDOM":
      if (isStrict && dialect === "dash") return undefined;
      process.version++;
      return String(stableHash(`random/${process.seed++}`) % 32768);
    case "SECONDS":
      // A loop that reads the time has no two equal rounds.
      process.version++;
      return dialect === "bash" || !isStrict ? String(Math.floor((process.clockMs - shell.startMs) / 1000)) : undefined;
    case "EUID":
    case "UID":
      return dialect === "bash" ? String(process.self.uid) : undefined;
    case "BASHPID":
      return dialect === "bash" ? "1" : undefined;
    default:
      return undefined;
  }
}

function takeSignal(shell: Shell): string | undefined {
  const { process, traps } = shell;
  if (!traps.has("TERM") || process.termSeen || process.clockMs < process.termMs || halted(shell)) return undefined;
  process.termSeen = true;
  return "TERM";
}

/** Waits for input. Without input, a non-interactive shell ends and an interactive one waits. */
function* awaitInput({ process }: Shell, input: Input | undefined, waitMs: number | undefined): Task<boolean> {
  if (input !== undefined && (waitMs === undefined || !isTyped(input))) return true;
  if (process.interactive) yield* sleep(process, waitMs ?? Number.POSITIVE_INFINITY);
  return false;
}

function* takeSome(
  { process }: Shell,
  input: Input,
  count: number | undefined,
  mark: string | undefined,
): Task<TakenLine | undefined> {
  while (yield* readMore(process, input));
  if (process.paused || input.rest === "") return undefined;
  const place = mark === undefined ? -1 : input.rest.indexOf(mark);
  const end = Math.min(count ?? Number.POSITIVE_INFINITY, place < 0 ? input.rest.length : place);
  const line = input.rest.slice(0, end);
  input.rest = input.rest.slice(place >= 0 && end === place ? end + 1 : end);
  return { line, isComplete: place >= 0 || count !== undefined };
}
