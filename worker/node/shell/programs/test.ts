// `test`, `[` and `[[`: comparisons and questions about files.
import { isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import { absolute, exists, isFolder } from "../files.ts";
import { globMatches, globOf } from "../glob.ts";
import { charge, comeBack, enter } from "../meter.ts";
import type { Call, Programs } from "../program.ts";
import { regularExpression } from "../regular.ts";
import { setVariable } from "../shell.ts";

export const testPrograms: Programs = {
  test: (call) => answer(call, call.args),
  "[": (call) => answer(call, call.args.at(-1) === "]" ? call.args.slice(0, -1) : call.args),
  "[[": (call) => answer(call, call.args.at(-1) === "]]" ? call.args.slice(0, -1) : call.args),
};

interface Expression {
  readonly call: Call;
  readonly words: readonly string[];
  at: number;
  /** Something in it cannot be read. */
  isBroken: boolean;
}

function answer(call: Call, words: readonly string[]): number {
  const expression: Expression = { call, words, at: 0, isBroken: false };
  const holds = either(expression);
  return expression.isBroken ? 2 : holds ? 0 : 1;
}

function either(expression: Expression): boolean {
  let holds = both(expression);
  while (["-o", "||"].includes(expression.words[expression.at] ?? "")) {
    expression.at++;
    holds = both(expression) || holds;
  }
  return holds;
}

function both(expression: Expression): boolean {
  let holds = one(expression);
  while (["-a", "&&"].includes(expression.words[expression.at] ?? "")) {
    expression.at++;
    holds = one(expression) && holds;
  }
  return holds;
}

function one(expression: Expression): boolean {
  const { words, call } = expression;
  const [first = "", second, third] = words.slice(expression.at, expression.at + 3);
  if (second !== undefined && third !== undefined && isBinary(second)) {
    expression.at += 3;
    return compare(expression, first, second, third);
  }
  if (first === "!" && words.length - expression.at > 1) {
    expression.at++;
    enter(call.process);
    const holds = !one(expression);
    comeBack(call.process);
    return holds;
  }
  if (first === "(") {
    expression.at++;
    enter(call.process);
    const holds = either(expression);
    comeBack(call.process);
    if (words[expression.at] === ")") expression.at++;
    return holds;
  }
  if (/^-[a-zA-Z]$/.test(first) && second !== undefined && !["-a", "-o", "&&", "||"].includes(second)) {
    expression.at += 2;
    return ask(call, first, second);
  }
  expression.at++;
  return first !== "";
}

function isBinary(word: string): boolean {
  return ["=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot"].includes(word);
}

function compare(expression: Expression, left: string, operator: string, right: string): boolean {
  const { call } = expression;
  const [a, b] = [Number.parseInt(left, 10) || 0, Number.parseInt(right, 10) || 0];
  switch (operator) {
    case "-eq":
      return a === b;
    case "-ne":
      return a !== b;
    case "-lt":
      return a < b;
    case "-le":
      return a <= b;
    case "-gt":
      return a > b;
    case "-ge":
      return a >= b;
    case "<":
      return left < right;
    case ">":
      return left > right;
    case "=~":
      return matches(expression, left, right);
    case "-nt":
    case "-ot": {
      const times = [left, right].map(
        (name) => call.process.files.get(absolute(name, call.shell.folder))?.changedMs ?? 0,
      );
      return operator === "-nt" ? (times[0] ?? 0) > (times[1] ?? 0) : (times[0] ?? 0) < (times[1] ?? 0);
    }
    default: {
      const equal = call.name === "[[" ? globMatches(globOf(right), left, spendOf(call)) : left === right;
      return (operator === "!=") !== equal;
    }
  }
}

/** What was found is in `BASH_REMATCH`. */
function matches(expression: Expression, left: string, right: string): boolean {
  const { shell, process } = expression.call;
  const pattern = regularExpression(process, right, { isExtended: true });
  if (!isPattern(pattern)) {
    expression.isBroken = true;
    return false;
  }
  const found = pattern.find(left, 0, spendOf(expression.call));
  found?.groups.forEach((text, at) =>
    setVariable(shell, at === 0 ? "BASH_REMATCH" : `BASH_REMATCH[${at}]`, text ?? ""),
  );
  return found !== undefined;
}

function spendOf({ process }: Call): Spend {
  return (units) => charge(process, units);
}

function ask({ process, shell }: Call, expression: string, operand: string): boolean {
  const path = absolute(operand, shell.folder);
  const { files } = process;
  switch (expression) {
    case "-z":
      return operand === "";
    case "-n":
      return operand !== "";
    case "-d":
      return isFolder(files, path);
    case "-f":
      return files.get(path)?.text !== undefined;
    case "-h":
    case "-L":
      return files.link(path) !== undefined;
    case "-s":
      return (files.get(path)?.text ?? "") !== "";
    case "-e":
    case "-r":
    case "-w":
    case "-x":
      return exists(files, path);
    case "-v":
      return shell.variables.has(operand);
    default:
      return false;
  }
}
