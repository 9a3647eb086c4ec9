// `test`, `[` and `[[`: comparisons and questions about files.
import { isPattern, type Spend } from "../../../../shared/base/pattern.ts";
import { absolute, exists, isFolder } from "../files.ts";
import { globMatches, globOf } from "../glob.ts";
import { charge, comeBack, enter } from "../meter.ts";
import type { Call, Programs } from "../program.ts";
import { isTyped } from "../input.ts";
import { regularExpression } from "../regular.ts";
import { isDash, setVariable } from "../shell.ts";
import { complain, type Words } from "../dialects/complaints.ts";
import { calculated } from "../expansion/values.ts";

export const testPrograms: Programs = {
  test: (call) => answer(call, call.args),
  "[": (call) => bracketed(call, "]"),
  "[[": (call) => bracketed(call, "]]"),
};

interface Expression {
  readonly call: Call;
  readonly words: readonly string[];
  at: number;
  /** Something in it cannot be read. */
  isBroken: boolean;
}

function bracketed(call: Call, end: string): number {
  if (call.args.at(-1) === end) return answer(call, call.args.slice(0, -1));
  say(call, { ash: "missing ]", dash: "missing ]", bash: "missing `]'" });
  return 2;
}

function answer(call: Call, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const expression: Expression = { call, words, at: 0, isBroken: false };
  const holds = either(expression);
  if (!expression.isBroken && expression.at < words.length) tooMany(expression);
  return expression.isBroken ? 2 : holds ? 0 : 1;
}

/** Busybox says it as a program. */
function say({ shell, name }: Call, words: Words): void {
  if (shell.dialect === "ash") shell.err(`sh: ${words.ash}\n`);
  else complain(shell, words, name);
}

/** What stands behind the end. */
function tooMany(expression: Expression): void {
  const { call, words, at } = expression;
  const [first = "", second = ""] = words;
  const isPair = words.length === 2;
  const next = words[at] ?? "";
  say(call, {
    ash: `${isPair ? second : next}: unknown operand`,
    dash: `${isPair ? first : next}: unexpected operator`,
    bash: isPair ? `${first}: unary operator expected` : "too many arguments",
  });
  expression.isBroken = true;
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
  if (second === "==" && call.shell.isStrict && isDash(call.shell)) {
    say(call, { ash: "", dash: `${first}: unexpected operator`, bash: "" });
    expression.isBroken = true;
    return false;
  }
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
  const [a = 0, b = 0] =
    operator.startsWith("-") && operator.length === 3 ? numbers(expression, operator, left, right) : [0, 0];
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

/** `[[ ]]` reads expressions; the others want numbers. */
function numbers(expression: Expression, operator: string, ...texts: readonly string[]): readonly number[] {
  const { call } = expression;
  if (operator === "-nt" || operator === "-ot" || operator === "-ef") return [0, 0];
  if (call.name === "[[") return texts.map((text) => Number(calculated(call.shell, text)));
  const bad = texts.find((text) => !/^\s*[-+]?\d+\s*$/.test(text));
  if (bad === undefined) return texts.map(Number);
  say(call, { ash: `${bad}: bad number`, dash: `Illegal number: ${bad}`, bash: `${bad}: integer expression expected` });
  expression.isBroken = true;
  return [0, 0];
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

const devices = new Set(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/tty"]);

function ask({ process, shell, input }: Call, expression: string, operand: string): boolean {
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
