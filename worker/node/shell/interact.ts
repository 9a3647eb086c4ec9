// A shell that is typed to: reads a line, runs it, asks for the next.
import { interruptible, takeLine, type TypedInput } from "./input.ts";
import { hold } from "./meter.ts";
import { parseScript } from "./parse.ts";
import type { Shell } from "./shell.ts";

const shells = new Set(["sh", "bash", "ash", "dash", "zsh"]);

/** Whether a command is a shell that reads what it runs from its input. */
export function isInteractive([path = "", ...args]: readonly string[]): boolean {
  return shells.has(path.slice(path.lastIndexOf("/") + 1)) && args.every((arg) => /^-(?!\w*c)/.test(arg));
}

/** Returns the shell's exit code. */
export function interact(shell: Shell, name: string, input: TypedInput): number {
  const { process } = shell;
  let text = "";
  while (!process.paused) {
    if (input.isTerminal) shell.out(text === "" ? prompt(shell, name) : "> ");
    let line: string | undefined;
    if (interruptible(process, input, () => (line = takeLine(process, input)))) {
      text = "";
      shell.exitCode = 130;
      continue;
    }
    if (line === undefined) break;
    text += line;
    if (isUnfinished(shell, text)) continue;
    const script = text;
    text = "";
    runLine(shell, name, input, script);
    if (shell.flow) return shell.exitCode;
  }
  if (text !== "" && !process.paused) runLine(shell, name, input, text);
  return shell.exitCode;
}

function runLine(shell: Shell, name: string, input: TypedInput, text: string): void {
  const script = parseScript(text, shell.process);
  if ("error" in script) {
    shell.err(`${name}: ${script.error}\n`);
    shell.exitCode = 2;
    return;
  }
  hold(shell.process, -script.bytes);
  // What is typed to a shell is never the last that it does.
  const inner = { ...shell, last: false, own: false };
  if (interruptible(shell.process, input, () => shell.runText(inner, text))) inner.exitCode = 130;
  shell.exitCode = inner.exitCode;
  shell.folder = inner.folder;
  shell.parameters = inner.parameters;
  shell.stopsOnFailure = inner.stopsOnFailure;
  shell.traces = inner.traces;
  shell.flow = inner.flow?.kind === "exit" ? inner.flow : undefined;
}

function isUnfinished({ process }: Shell, text: string): boolean {
  const script = parseScript(text, process);
  if ("list" in script) hold(process, -script.bytes);
  return /\\\n$/.test(text) || ("error" in script && /unexpected end|unterminated/.test(script.error));
}

/** As the shells of the usual images ask. */
function prompt({ process, folder, variables }: Shell, name: string): string {
  const shown = folder === variables.get("HOME") ? "~" : folder;
  const isRoot = process.self.uid === 0;
  const sign = isRoot ? "#" : "$";
  if (name === "bash") return `${isRoot ? "root" : "I have no name!"}@${process.host}:${shown}${sign} `;
  return process.programs?.has("ash") ? `${shown} ${sign} ` : `${sign} `;
}
