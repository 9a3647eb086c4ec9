// `$(( ))`: whole numbers, variables, the usual operators and assignments.
import { charge, comeBack, enter, type Metered } from "./meter.ts";

interface Sum {
  readonly payer: Metered;
  readonly tokens: readonly string[];
  at: number;
  readonly get: (name: string) => string;
  readonly set: (name: string, value: string) => void;
}

/** How tightly an operator binds. */
const levels: ReadonlyMap<string, number> = new Map(
  [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", "<=", ">", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
    ["**"],
  ].flatMap((operators, level) => operators.map((one) => [one, level] as const)),
);

export function calculate(payer: Metered, text: string, get: Sum["get"], set: Sum["set"]): number {
  charge(payer, text.length / 6);
  const tokens = text.match(/\d+|[A-Za-z_]\w*|\+\+|--|[-+*/%]=|\*\*|<<|>>|[<>=!]=|&&|\|\||[-+*/%<>=!~&|^?:(),]/g) ?? [];
  const sum: Sum = { payer, tokens, at: 0, get, set };
  let value = assignment(sum);
  while (sum.tokens[sum.at] === ",") {
    sum.at++;
    value = assignment(sum);
  }
  return value;
}

function assignment(sum: Sum): number {
  enter(sum.payer);
  const value = assigned(sum);
  comeBack(sum.payer);
  return value;
}

function assigned(sum: Sum): number {
  const name = sum.tokens[sum.at] ?? "";
  const operator = sum.tokens[sum.at + 1] ?? "";
  if (/^[A-Za-z_]/.test(name) && /^[-+*/%]?=$/.test(operator)) {
    sum.at += 2;
    const right = assignment(sum);
    const value = operator === "=" ? right : combine(operator.slice(0, -1), valueOf(sum, name), right);
    sum.set(name, String(value));
    return value;
  }
  const condition = binary(sum, 0);
  if (sum.tokens[sum.at] !== "?") return condition;
  sum.at++;
  const yes = assignment(sum);
  if (sum.tokens[sum.at] === ":") sum.at++;
  const no = assignment(sum);
  return condition === 0 ? no : yes;
}

/** Operators from a level on, each with what binds tighter on its right. */
function binary(sum: Sum, least: number): number {
  let left = unary(sum);
  for (;;) {
    const operator = sum.tokens[sum.at] ?? "";
    const level = levels.get(operator) ?? -1;
    if (level < least) return left;
    sum.at++;
    left = combine(operator, left, binary(sum, level + 1));
  }
}

function unary(sum: Sum): number {
  enter(sum.payer);
  const value = unsigned(sum);
  comeBack(sum.payer);
  return value;
}

function unsigned(sum: Sum): number {
  const token = sum.tokens[sum.at++] ?? "0";
  if (token === "-") return -unary(sum);
  if (token === "+") return unary(sum);
  if (token === "!") return unary(sum) === 0 ? 1 : 0;
  if (token === "~") return ~unary(sum);
  if (token === "++" || token === "--") return stepped(sum, sum.tokens[sum.at++] ?? "", token, true);
  if (token === "(") {
    const value = assignment(sum);
    if (sum.tokens[sum.at] === ")") sum.at++;
    return value;
  }
  if (/^\d/.test(token)) return token.startsWith("0") && token.length > 1 ? Number.parseInt(token, 8) : Number(token);
  const after = sum.tokens[sum.at];
  if (after === "++" || after === "--") {
    sum.at++;
    return stepped(sum, token, after, false);
  }
  return valueOf(sum, token);
}

function stepped(sum: Sum, name: string, operator: string, first: boolean): number {
  const before = valueOf(sum, name);
  const value = before + (operator === "++" ? 1 : -1);
  sum.set(name, String(value));
  return first ? value : before;
}

function valueOf(sum: Sum, name: string): number {
  const value = Number.parseInt(sum.get(name), 10);
  return Number.isNaN(value) ? 0 : value;
}

function combine(operator: string, left: number, right: number): number {
  const flag = (holds: boolean) => (holds ? 1 : 0);
  switch (operator) {
    case "||":
      return flag(left !== 0 || right !== 0);
    case "&&":
      return flag(left !== 0 && right !== 0);
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "&":
      return left & right;
    case "==":
      return flag(left === right);
    case "!=":
      return flag(left !== right);
    case "<":
      return flag(left < right);
    case "<=":
      return flag(left <= right);
    case ">":
      return flag(left > right);
    case ">=":
      return flag(left >= right);
    case "<<":
      return left << right;
    case ">>":
      return left >> right;
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return right === 0 ? 0 : Math.trunc(left / right);
    case "%":
      return right === 0 ? 0 : left % right;
    default:
      return operator === "**" ? left ** right : 0;
  }
}
