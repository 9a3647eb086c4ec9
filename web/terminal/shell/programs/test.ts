// `test`, `[` and `[[`: what they ask of the terminal.
import { tested } from "../../../../shared/shell/test.ts";
import { evaluateOrReport } from "../../../../shared/shell/expansion/values.ts";
import { setVariable } from "../../../../shared/shell/evaluate/shell.ts";
import { type ProgramCall, filesOf, pathOf, type Programs } from "../program.ts";
import { Failure } from "../failure.ts";

export const testPrograms: Programs = {
  test: (call) => answer(call, call.args),
  "[": (call) => {
    if (call.args.at(-1) !== "]") throw new Failure("missing `]'", 2);
    return answer(call, call.args.slice(0, -1));
  },
  "[[": (call) => answer(call, call.args.at(-1) === "]]" ? call.args.slice(0, -1) : call.args),
};

function answer(call: ProgramCall, words: readonly string[]): number {
  const { shell, process, name, err } = call;
  return tested(
    {
      process,
      name,
      refusesDoubleEquals: false,
      say: ({ bash }) => err.write(`bash: ${name}: ${bash}\n`),
      calculated: (text) => evaluateOrReport(shell, text),
      // Times of files are not stored.
      changedMs: () => 0,
      answerTest: (letter, operand) => ask(call, letter, operand),
      set: (variable, value) => setVariable(shell, variable, value),
    },
    words,
  );
}

function ask(call: ProgramCall, letter: string, operand: string): boolean {
  const files = filesOf(call);
  const path = pathOf(call, operand);
  switch (letter) {
    case "-z":
      return operand === "";
    case "-n":
      return operand !== "";
    case "-d":
      return files.list(path) !== undefined;
    case "-f":
      return files.read(path) !== undefined;
    case "-s":
      return (files.read(path) ?? "") !== "";
    case "-e":
    case "-r":
    case "-w":
    case "-x":
      return files.read(path) !== undefined || files.list(path) !== undefined;
    case "-v":
      return call.shell.variables.has(operand);
    case "-t":
      return call.out.isTerminal;
    default:
      throw new Failure(`${letter}: unary operator expected`, 2);
  }
}
