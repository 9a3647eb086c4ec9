// The list of programs, and how one is started.
import { builtins } from "../../../shared/shell/builtins/catalogue.ts";
import { isBuiltin } from "../../../shared/shell/builtins/names.ts";
import { readOptions } from "../../../shared/shell/builtins/options.ts";
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import type { ProgramCall as SharedCall, Program as SharedProgram } from "../../../shared/shell/evaluate/program.ts";
import { flagsOf, runScript } from "../../../shared/shell/evaluate/script.ts";
import { subshell } from "../../../shared/shell/evaluate/shell.ts";
import { absolute } from "../../../shared/shell/paths.ts";
import { leaveLevel, enterLevel } from "../../../shared/shell/meter.ts";
import { isTask, type Task } from "../../../shared/shell/task.ts";
import { TerminalProcess } from "./budget.ts";
import { awaited } from "./drive.ts";
import { Failure, failureOf } from "./failure.ts";
import { interruptedCode, newHost } from "./host.ts";
import type { Program } from "./program.ts";
import { curlPrograms } from "./programs/curl.ts";
import { filePrograms } from "./programs/files.ts";
import { helpPrograms } from "./programs/help.ts";
import { jobPrograms } from "./programs/job-control.ts";
import { kubectlPrograms } from "./programs/kubectl.ts";
import { networkPrograms } from "./programs/network.ts";
import { pagerPrograms } from "./programs/pager.ts";
import { printPrograms } from "./programs/print.ts";
import { runningPrograms } from "./programs/running.ts";
import { sshPrograms } from "./programs/ssh.ts";
import { testPrograms } from "./programs/test.ts";
import { textPrograms } from "./programs/text.ts";
import { manifestPrograms } from "./programs/manifests.ts";
import { timePrograms } from "./programs/time.ts";
import type { Shell } from "./shell.ts";
import { Interrupted, readAll, TooMuch } from "./streams.ts";

/** The programs of the terminal only. */
const terminalPrograms: ReadonlyMap<string, Program> = new Map(
  Object.entries({
    ...kubectlPrograms,
    ...runningPrograms,
    ...jobPrograms,
    ...testPrograms,
    ...printPrograms,
    ...textPrograms,
    ...filePrograms,
    ...timePrograms,
    ...pagerPrograms,
    ...curlPrograms,
    ...networkPrograms,
    ...sshPrograms,
    ...manifestPrograms,
    ...helpPrograms,
  }),
);

/** Programs that containers and the terminal share. */
const shared: ReadonlyMap<string, SharedProgram> = new Map(
  Object.entries({
    ...builtins,
    bash: (call: SharedCall) => interpret(call),
    sh: (call: SharedCall) => interpret(call),
  }),
);

export const programNames: readonly string[] = [...new Set([...terminalPrograms.keys(), ...shared.keys()])];

export const host = newHost({ start, has: (name) => terminalPrograms.has(name) || shared.has(name) });

function* start(shell: Shell, path: string, args: readonly string[]): Task<void> {
  const { process } = shell;
  const name = /^\/(?:usr\/)?(?:local\/)?bin\/([^/]+)$/.exec(path)?.[1] ?? path;
  const { depth } = process.meter;
  try {
    enterLevel(process);
    shell.exitCode = yield* started(shell, path, name, args);
    leaveLevel(process);
  } catch (error) {
    process.meter.depth = depth;
    if (process.paused || error instanceof Interrupted) shell.exitCode = interruptedCode;
    else tell(shell, name, error);
  }
}

/** The limit of Linux for the arguments and environment of a program. */
const mostArgumentBytes = 2 * 1024 * 1024;

function* started(shell: Shell, path: string, name: string, args: readonly string[]): Task<number> {
  const { files } = shell.machine.kubectl.surroundings;
  const program = terminalPrograms.get(name);
  if (program) {
    if (!isBuiltin(shell, name) && args.reduce((sum, arg) => sum + arg.length + 1, 0) > mostArgumentBytes)
      throw new Failure("Argument list too long", 126);
    files.folder = shell.folder;
    const { input, out, err } = shell;
    const process = new TerminalProcess(shell.process.signal);
    const code = program({ name, args, shell, process, input, out: out.sink, err: err.sink, signal: process.signal });
    return typeof code === "number" ? code : yield* awaited(code);
  }
  const builtin = shared.get(name);
  if (builtin && (isBuiltin(shell, name) || !(name in builtins))) {
    const { process, input, out, err } = shell;
    const code = builtin({ shell, process, name, path, args, input, out, err });
    return isTask(code) ? yield* code : code;
  }
  if (name.includes("/")) return yield* runFile(shell, path, args);
  complain(shell, `${name}: command not found`);
  return 127;
}

function tell(shell: Shell, name: string, error: unknown): void {
  const failure = failureOf(error);
  const { message } = failure ?? (error instanceof Error ? error : new Error(String(error)));
  shell.err(`${error instanceof TooMuch ? `bash: ${name}` : name}: ${message}\n`);
  shell.exitCode = failure?.code ?? 1;
}

function* runFile(shell: Shell, path: string, args: readonly string[]): Task<number> {
  const { files } = shell.machine.kubectl.surroundings;
  const file = absolute(path, shell.folder);
  const text = files.read(file);
  if (text !== undefined) return yield* runScript({ ...nested(shell), parameters: [path, ...args] }, text);
  const isFolder = files.list(file) !== undefined;
  complain(shell, `${path}: ${isFolder ? "Is a directory" : "No such file or directory"}`);
  return isFolder ? 126 : 127;
}

/** Creates a shell that inherits only exported variables. */
function nested(shell: Shell): Shell {
  const inner: Shell = {
    ...subshell(shell),
    source: "typed",
    options: {},
    stopsOnFailure: false,
    traces: false,
    locals: undefined,
    isCondition: false,
    loops: 0,
    traps: new Map(),
  };
  for (const [variable, letters] of [...inner.attributes]) {
    if (!letters.includes("-") || variable === "FUNCNEST") continue;
    inner.variables.delete(variable);
    inner.attributes.delete(variable);
  }
  return inner;
}

/** Interprets `bash file`, `bash -c text`, `bash < file`. */
function* interpret(call: SharedCall): Task<number> {
  // Only shells of the terminal run here.
  const shell = call.shell as Shell;
  const inner = nested(shell);
  const { flags, isCommand, rest } = flagsOf(call.args);
  if (readOptions(inner, flags) === undefined) return inner.exitCode;
  const [file, ...parameters] = rest;
  if (isCommand) {
    if (file === undefined) throw new Failure("-c: option requires an argument", 2);
    return yield* runScript({ ...inner, parameters: parameters.length > 0 ? parameters : ["bash"] }, file);
  }
  if (file === undefined || flags.includes("-s")) {
    const text = yield* awaited(readAll(inner.input, inner.process.signal));
    return yield* runScript({ ...inner, parameters: ["bash", ...rest] }, text);
  }
  const text = shell.machine.kubectl.surroundings.files.read(absolute(file, shell.folder));
  if (text === undefined) throw new Failure(`${file}: No such file or directory`, 127);
  return yield* runScript({ ...inner, parameters: rest }, text);
}
