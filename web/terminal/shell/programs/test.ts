// `test`, `[` and `[[`: comparisons and questions about files.
import { globMatches, newBudget, regularExpression } from "../language/patterns.ts";
import { type Call, filesOf, pathOf, type Programs } from "../program.ts";
import { Failure, setVariable } from "../shell.ts";

export const testPrograms: Programs = {
  test: (call) => answer(call, call.args),
  "[": (call) => {
    if (call.args.at(-1) !== "]") throw new Failure("missing `]'", 2);
    return answer(call, call.args.slice(0, -1));
  },
  "[[": (call) => answer(call, call.args.at(-1) === "]]" ? call.args.slice(0, -1) : call.args),
};

interface Expression {
  readonly call: Call;
  readonly words: readonly string[];
  at: number;
}

function answer(call: Call, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const expression: Expression = { call, words, at: 0 };
  const holds = either(expression);
  if (expression.at < words.length) throw new Failure(`${words[expression.at] ?? ""}: unexpected argument`, 2);
  return holds ? 0 : 1;
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

const binary = ["=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

function one(expression: Expression): boolean {
  const { words, call } = expression;
  const [first = "", second, third] = words.slice(expression.at, expression.at + 3);
  if (second !== undefined && third !== undefined && binary.includes(second)) {
    expression.at += 3;
    return compare(call, first, second, third);
  }
  if (first === "!" && second !== undefined) {
    expression.at++;
    return !one(expression);
  }
  if (first === "(" && second !== undefined) {
    expression.at++;
    const holds = either(expression);
    expression.at++;
    return holds;
  }
  if (/^-[a-zA-Z]$/.test(first) && second !== undefined && !["-a", "-o", "&&", "||"].includes(second)) {
    expression.at += 2;
    return ask(call, first, second);
  }
  expression.at++;
  return first !== "";
}

function compare(call: Call, left: string, operator: string, right: string): boolean {
  if (operator.startsWith("-")) {
    const [a, b] = [left, right].map((text) => {
      if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new Failure(`${text}: integer expression expected`, 2);
      return Number(text);
    });
    return compareNumbers(operator, a ?? 0, b ?? 0);
  }
  if (operator === "<") return left < right;
  if (operator === ">") return left > right;
  if (operator === "=~") {
    const found = regularExpression(right, { isExtended: true }).find(left, 0, newBudget());
    if (found) setVariable(call.shell, "BASH_REMATCH", found.groups[0] ?? "");
    return found !== undefined;
  }
  const isEqual = call.name === "[[" ? globMatches(right, left) : left === right;
  return (operator === "!=") !== isEqual;
}

function compareNumbers(operator: string, a: number, b: number): boolean {
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
    default:
      return a >= b;
  }
}

function ask(call: Call, letter: string, operand: string): boolean {
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
