// The commands `test`, `[` and `[[`: comparisons, and tests that the shell answers.
import { isPattern, type Spend } from "../base/pattern.ts";
import { charge, leaveLevel, enterLevel, type Metered } from "./meter.ts";
import { globMatches, globOf } from "./patterns/glob.ts";
import { regularExpression } from "./patterns/regular.ts";

/** A message for each shell. */
export interface Words {
  readonly ash: string;
  readonly dash: string;
  readonly bash: string;
}

export interface TestHost {
  /** The process that is charged. */
  readonly process: Metered;
  readonly name: string;
  readonly refusesDoubleEquals: boolean;
  say(words: Words): void;
  calculated(text: string): bigint;
  /** Returns the time of modification of a file; 0 if it does not exist. */
  changedMs(name: string): number;
  /** Answers `-f name` and the like. */
  answerTest(letter: string, operand: string): boolean;
  set(variable: string, value: string): void;
}

interface Expression {
  readonly host: TestHost;
  readonly words: readonly string[];
  at: number;
  /** Whether the expression cannot be read. */
  isBroken: boolean;
}

/** Returns the exit code: 0 true, 1 false, 2 malformed, after printing the error. */
export function tested(host: TestHost, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const expression: Expression = { host, words, at: 0, isBroken: false };
  const holds = either(expression);
  if (!expression.isBroken && expression.at < words.length) tooMany(expression);
  return expression.isBroken ? 2 : holds ? 0 : 1;
}

/** Reports words after the end of the expression. */
function tooMany(expression: Expression): void {
  const { host, words, at } = expression;
  const [first = "", second = ""] = words;
  const isPair = words.length === 2;
  const next = words[at] ?? "";
  host.say({
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
  let holds = primary(expression);
  while (["-a", "&&"].includes(expression.words[expression.at] ?? "")) {
    expression.at++;
    holds = primary(expression) && holds;
  }
  return holds;
}

function primary(expression: Expression): boolean {
  const { words, host } = expression;
  const [first = "", second, third] = words.slice(expression.at, expression.at + 3);
  if (second === "==" && host.refusesDoubleEquals) {
    host.say({ ash: "", dash: `${first}: unexpected operator`, bash: "" });
    expression.isBroken = true;
    return false;
  }
  if (second !== undefined && third !== undefined && isBinary(second)) {
    expression.at += 3;
    return compare(expression, first, second, third);
  }
  if (first === "!" && words.length - expression.at > 1) {
    expression.at++;
    enterLevel(host.process);
    const holds = !primary(expression);
    leaveLevel(host.process);
    return holds;
  }
  if (first === "(") {
    expression.at++;
    enterLevel(host.process);
    const holds = either(expression);
    leaveLevel(host.process);
    if (words[expression.at] === ")") expression.at++;
    return holds;
  }
  if (/^-[a-zA-Z]$/.test(first) && second !== undefined && !["-a", "-o", "&&", "||"].includes(second)) {
    expression.at += 2;
    return host.answerTest(first, second);
  }
  expression.at++;
  return first !== "";
}

function isBinary(word: string): boolean {
  return ["=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot"].includes(word);
}

function compare(expression: Expression, left: string, operator: string, right: string): boolean {
  const { host } = expression;
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
      const [ours, theirs] = [host.changedMs(left), host.changedMs(right)];
      return operator === "-nt" ? ours > theirs : ours < theirs;
    }
    default: {
      const equal = host.name === "[[" ? globMatches(globOf(right), left, spendOf(host)) : left === right;
      return (operator === "!=") !== equal;
    }
  }
}

/** Returns operands as numbers. `[[ ]]` evaluates expressions; the other commands require numbers. */
function numbers(expression: Expression, operator: string, ...texts: readonly string[]): readonly number[] {
  const { host } = expression;
  if (operator === "-nt" || operator === "-ot" || operator === "-ef") return [0, 0];
  if (host.name === "[[") return texts.map((text) => Number(host.calculated(text)));
  const bad = texts.find((text) => !/^\s*[-+]?\d+\s*$/.test(text));
  if (bad === undefined) return texts.map(Number);
  host.say({ ash: `${bad}: bad number`, dash: `Illegal number: ${bad}`, bash: `${bad}: integer expression expected` });
  expression.isBroken = true;
  return [0, 0];
}

/** Matches a regular expression, and sets `BASH_REMATCH`. */
function matches(expression: Expression, left: string, right: string): boolean {
  const { host } = expression;
  const pattern = regularExpression(host.process, right, { isExtended: true });
  if (!isPattern(pattern)) {
    expression.isBroken = true;
    return false;
  }
  const match = pattern.find(left, 0, spendOf(host));
  match?.groups.forEach((text, at) => host.set(at === 0 ? "BASH_REMATCH" : `BASH_REMATCH[${at}]`, text ?? ""));
  return match !== undefined;
}

function spendOf({ process }: TestHost): Spend {
  return (units) => charge(process, units);
}
