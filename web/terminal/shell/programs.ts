// Which programs there are, and how one is started.
import { resolvePath } from "../../kubectl/files.ts";
import { failureOf, newBudget } from "./budget.ts";
import type { Program, Programs } from "./program.ts";
import { awkPrograms } from "./programs/awk.ts";
import { curlPrograms } from "./programs/curl.ts";
import { filePrograms } from "./programs/files.ts";
import { helpPrograms } from "./programs/help.ts";
import { jobPrograms } from "./programs/job-control.ts";
import { kubectlPrograms } from "./programs/kubectl.ts";
import { linePrograms } from "./programs/lines.ts";
import { matchPrograms } from "./programs/match.ts";
import { ownPrograms } from "./programs/own.ts";
import { pagerPrograms } from "./programs/pager.ts";
import { printPrograms } from "./programs/print.ts";
import { runningPrograms } from "./programs/running.ts";
import { testPrograms } from "./programs/test.ts";
import { textPrograms } from "./programs/text.ts";
import { timePrograms } from "./programs/time.ts";
import { Runner, type Start } from "./run.ts";
import { Failure, folderOf, type Io, Leave, type Shell, subshell } from "./shell.ts";
import { Interrupted, readAll, TooMuch } from "./streams.ts";

export interface Catalogue {
  readonly programs: ReadonlyMap<string, Program>;
  readonly runner: Runner;
}

export function newCatalogue(): Catalogue {
  const start: Start = (name, args, shell, io) => startProgram(catalogue, name, args, shell, io);
  const runner = new Runner(start, (name) => catalogue.programs.has(name));
  const all: Programs = {
    ...kubectlPrograms,
    ...ownPrograms(runner),
    ...runningPrograms(runner, start),
    ...jobPrograms,
    ...testPrograms,
    ...printPrograms,
    ...linePrograms,
    ...matchPrograms,
    ...awkPrograms,
    ...textPrograms,
    ...filePrograms,
    ...timePrograms,
    ...pagerPrograms,
    ...curlPrograms,
    ...helpPrograms,
    bash: (call) => script(catalogue, call),
    sh: (call) => script(catalogue, call),
  };
  const catalogue: Catalogue = { programs: new Map(Object.entries(all)), runner };
  return catalogue;
}

async function startProgram(
  catalogue: Catalogue,
  name: string,
  args: readonly string[],
  shell: Shell,
  io: Io,
): Promise<number> {
  const bare = /^\/(?:usr\/)?(?:local\/)?bin\/([^/]+)$/.exec(name)?.[1] ?? name;
  const program = catalogue.programs.get(bare);
  if (!program) {
    if (name.includes("/")) return runFile(catalogue, name, args, shell, io);
    io.err.write(`bash: ${name}: command not found\n`);
    return 127;
  }
  try {
    return await program({ name: bare, args, shell, process: newBudget(), ...io });
  } catch (error) {
    if (io.signal.aborted) throw new Interrupted();
    if (error instanceof Leave || error instanceof Interrupted) throw error;
    const failure = failureOf(error);
    const { message } = failure ?? (error instanceof Error ? error : new Error(String(error)));
    io.err.write(`${error instanceof TooMuch ? `bash: ${bare}` : bare}: ${message}\n`);
    return failure?.code ?? 1;
  }
}

async function runFile(
  { runner }: Catalogue,
  name: string,
  args: readonly string[],
  shell: Shell,
  io: Io,
): Promise<number> {
  const { files } = shell.machine.kubectl.around;
  const path = resolvePath(folderOf(shell), name);
  const text = files.read(path);
  if (text === undefined) {
    const isFolder = files.list(path) !== undefined;
    io.err.write(`bash: ${name}: ${isFolder ? "Is a directory" : "No such file or directory"}\n`);
    return isFolder ? 126 : 127;
  }
  return runScript(runner, text, [name, ...args], shell, io);
}

/** In a shell of its own. */
async function runScript(
  runner: Runner,
  text: string,
  parameters: readonly string[],
  shell: Shell,
  io: Io,
): Promise<number> {
  const { files } = shell.machine.kubectl.around;
  const { folder } = files;
  const inner = subshell(shell);
  try {
    return await runner.calling(inner, parameters, async () => void (await runner.runText(inner, text, io)));
  } catch (error) {
    if (error instanceof Leave && error.kind === "exit") return error.value;
    throw error;
  } finally {
    files.folder = folder;
  }
}

/** `bash file`, `bash -c text`, `bash < file`. */
async function script({ runner }: Catalogue, call: Parameters<Program>[0]): Promise<number> {
  const { args, shell, input, out, err, signal } = call;
  const rest = [...args];
  const inner = subshell(shell);
  while (/^-[euxo]+$/.test(rest[0] ?? "")) {
    const letters = rest.shift() ?? "";
    if (letters.includes("e")) inner.settings.errexit = true;
    if (letters.includes("u")) inner.settings.nounset = true;
    if (letters.includes("x")) inner.settings.xtrace = true;
    if (letters.includes("o") && rest.shift() === "pipefail") inner.settings.pipefail = true;
  }
  const io = { input, out, err, signal };
  const [name, ...others] = rest;
  if (name === "-c")
    return runScript(runner, others[0] ?? "", others.slice(1).length ? others.slice(1) : ["bash"], inner, io);
  if (name === undefined || name === "-s") return runScript(runner, await readAll(input, signal), ["bash"], inner, io);
  const path = resolvePath(folderOf(shell), name);
  const text = shell.machine.kubectl.around.files.read(path);
  if (text === undefined) throw new Failure(`${name}: No such file or directory`, 127);
  return runScript(runner, text, [name, ...others], inner, io);
}
