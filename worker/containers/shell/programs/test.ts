// `test`, `[` and `[[`: comparisons and checks of files.
import { tested } from "../../../../shared/shell/test.ts";
import { absolute, exists, isFolder } from "../files.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { isTyped } from "../input.ts";
import { isDash, setVariable } from "../shell.ts";
import { complain, type Words } from "../../../../shared/shell/evaluate/complaints.ts";
import { evaluateOrReport } from "../../../../shared/shell/expansion/values.ts";

export const testPrograms: Programs = {
  test: (call) => answer(call, call.args),
  "[": (call) => bracketed(call, "]"),
  "[[": (call) => bracketed(call, "]]"),
};

function bracketed(call: ProgramCall, end: string): number {
  if (call.args.at(-1) === end) return answer(call, call.args.slice(0, -1));
  say(call, { ash: "missing ]", dash: "missing ]", bash: "missing `]'" });
  return 2;
}

function answer(call: ProgramCall, words: readonly string[]): number {
  const { shell, process, name } = call;
  return tested(
    {
      process,
      name,
      refusesDoubleEquals: shell.isStrict && isDash(shell),
      say: (complaint) => say(call, complaint),
      calculated: (text) => evaluateOrReport(shell, text),
      changedMs: (file) => process.files.get(absolute(file, shell.folder))?.changedMs ?? 0,
      answerTest: (letter, operand) => ask(call, letter, operand),
      set: (variable, value) => setVariable(shell, variable, value),
    },
    words,
  );
}

/** Prints a complaint. Busybox prints it as a program. */
function say({ shell, name }: ProgramCall, words: Words): void {
  if (shell.dialect === "ash") shell.err(`sh: ${words.ash}\n`);
  else complain(shell, words, name);
}

const devices = new Set(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/tty"]);

function ask({ process, shell, input }: ProgramCall, expression: string, operand: string): boolean {
  const path = absolute(operand, shell.folder);
  const { files } = process;
  const entry = files.get(path);
  switch (expression) {
    case "-z":
      return operand === "";
    case "-n":
      return operand !== "";
    case "-d":
      return isFolder(files, path);
    case "-f":
      return entry?.text !== undefined && !devices.has(path);
    case "-h":
    case "-L":
      return files.link(path) !== undefined;
    case "-s":
      return (entry?.text ?? "") !== "" || isFolder(files, path);
    case "-c":
      return devices.has(path);
    case "-e":
    case "-r":
    case "-w":
      return exists(files, path) || devices.has(path);
    case "-x":
      return exists(files, path) && (isFolder(files, path) || ((entry?.mode ?? 0o755) & 0o111) !== 0);
    case "-v":
      return shell.variables.has(operand);
    case "-t":
      return isTyped(input) && input.isTerminal;
    case "-o":
      return operand === "errexit" ? shell.stopsOnFailure : operand === "xtrace" ? shell.traces : false;
    default:
      return false;
  }
}
