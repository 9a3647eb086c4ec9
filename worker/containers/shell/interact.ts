// An interactive shell: reads a line, runs it, and prints the next prompt.
import { complete } from "./complete.ts";
import { interruptible, takeLine, type TypedInput } from "./input.ts";
import { hold } from "../../../shared/shell/meter.ts";
import { parseScript } from "../../../shared/shell/language/parse.ts";
import type { Task } from "../../../shared/shell/task.ts";
import type { Process } from "./process.ts";
import { leave, type Shell } from "./shell.ts";

const shells = new Set(["sh", "bash", "ash", "dash", "zsh"]);

/** Reports whether a command is a shell that reads its script from its input. */
export function isInteractive([path = "", ...args]: readonly string[]): boolean {
  return shells.has(path.slice(path.lastIndexOf("/") + 1)) && args.every((arg) => /^-(?!\w*c)/.test(arg));
}

/** Runs an interactive shell. Returns its exit code. */
export function* interact(shell: Shell, name: string, input: TypedInput): Task<number> {
  const { process } = shell;
  let text = "";
  while (!process.paused) {
    if (input.isTerminal) shell.out(text === "" ? prompt(shell, name) : "> ");
    const typed: { line?: string | undefined } = {};
    input.completeLine = (begun) => complete(shell, begun, text === "" ? prompt(shell, name) : "> ");
    if (yield* interruptible(process, input, readInto(typed, process, input))) {
      text = "";
      shell.exitCode = 130;
      continue;
    }
    input.completeLine = undefined;
    const { line } = typed;
    if (line === undefined) break;
    text += line;
    if (isOpen(shell, text)) continue;
    const script = text;
    text = "";
    remember(shell, script);
    yield* runLine(shell, input, script);
    if (shell.flow) return shell.exitCode;
  }
  if (text !== "" && !process.paused) yield* runLine(shell, input, text);
  return shell.exitCode;
}

function* readInto(typed: { line?: string | undefined }, process: Process, input: TypedInput): Task<void> {
  typed.line = yield* takeLine(process, input);
}

/** The maximum number of lines in the history. */
const mostLines = 500;

function remember(shell: Shell, text: string): void {
  const line = text.trimEnd();
  if (line === "") return;
  hold(shell.process, line.length);
  shell.history.push(line);
  if (shell.history.length > mostLines) hold(shell.process, -(shell.history.shift() ?? "").length);
}

function* runLine(shell: Shell, input: TypedInput, text: string): Task<void> {
  // A typed command is never the last of its shell.
  const inner = { ...shell, last: false, own: false };
  if (yield* interruptible(shell.process, input, shell.runText(inner, text))) inner.exitCode = 130;
  leave(inner, shell);
  shell.out = inner.out;
  shell.err = inner.err;
  shell.flow = inner.flow?.kind === "exit" ? inner.flow : undefined;
}

function isOpen(shell: Shell, text: string): boolean {
  const script = parseScript(text, shell.process, shell);
  hold(shell.process, -script.bytes);
  return /\\\n$/.test(text) || script.isOpen;
}

/** Returns the prompt of the shells in common images. */
function prompt({ process, folder, variables, dialect }: Shell, name: string): string {
  const displayedFolder = folder === variables.get("HOME") ? "~" : folder;
  const isRoot = process.self.uid === 0;
  const sign = isRoot ? "#" : "$";
  if (name === "bash") return `${isRoot ? "root" : "I have no name!"}@${process.host}:${displayedFolder}${sign} `;
  return dialect === "bash"
    ? `${name}-5.2${sign} `
    : process.programs?.has("ash")
      ? `${displayedFolder} ${sign} `
      : `${sign} `;
}
