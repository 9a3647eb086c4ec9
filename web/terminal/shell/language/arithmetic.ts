// `$(( ))`: whole numbers, variables, the usual operators and assignments.
import { BadSyntax } from "./reader.ts";

interface Sum {
  readonly tokens: readonly string[];
  at: number;
  depth: number;
  get(name: string): string;
  set(name: string, value: string): void;
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
const maxDepth = 200;

/** Throws `BadSyntax` for a division by zero and for what cannot be read. */
export function calculate(text: string, get: Sum["get"], set: Sum["set"]): number {
  const tokens = text.match(/\d+|[A-Za-z_]\w*|\+\+|--|[-+*/%]=|\*\*|<<|>>|[<>=!]=|&&|\|\||[-+*/%<>=!~&|^?:(),]/g) ?? [];
  const sum: Sum = { tokens, at: 0, depth: 0, get, set };
  if (tokens.length === 0) return 0;
  const value = assignment(sum);
  if (sum.at < tokens.length) throw new BadSyntax(`${text}: syntax error in expression`);
  return value;
}

function assignment(sum: Sum): number {
  if (++sum.depth > maxDepth) throw new BadSyntax("expression recursion level exceeded");
  const value = assigned(sum);
  sum.depth--;
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
  if (++sum.depth > maxDepth) throw new BadSyntax("expression recursion level exceeded");
  const value = unsigned(sum);
  sum.depth--;
  return value;
}

function unsigned(sum: Sum): number {
  const token = sum.tokens[sum.at++];
  if (token === undefined) throw new BadSyntax("syntax error: operand expected");
  if (token === "-") return -unary(sum);
  if (token === "+") return unary(sum);
  if (token === "!") return unary(sum) === 0 ? 1 : 0;
  if (token === "~") return ~unary(sum);
  if (token === "++" || token === "--") return stepped(sum, sum.tokens[sum.at++] ?? "", token, true);
  if (token === "(") {
    const value = assignment(sum);
    if (sum.tokens[sum.at++] !== ")") throw new BadSyntax("missing `)'");
    return value;
  }
  if (/^\d/.test(token)) return /^0\d/.test(token) ? Number.parseInt(token, 8) : Number(token);
  if (!/^[A-Za-z_]/.test(token)) throw new BadSyntax(`syntax error: operand expected (error token is "${token}")`);
  const after = sum.tokens[sum.at];
  if (after !== "++" && after !== "--") return valueOf(sum, token);
  sum.at++;
  return stepped(sum, token, after, false);
}

function stepped(sum: Sum, name: string, operator: string, isFirst: boolean): number {
  const before = valueOf(sum, name);
  const value = before + (operator === "++" ? 1 : -1);
  sum.set(name, String(value));
  return isFirst ? value : before;
}

function valueOf(sum: Sum, name: string): number {
  return Number.parseInt(sum.get(name), 10) || 0;
}

const operations: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  "||": (left, right) => left !== 0 || right !== 0,
  "&&": (left, right) => left !== 0 && right !== 0,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
  "&": (left, right) => left & right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => Math.trunc(left / right),
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
};

function combine(operator: string, left: number, right: number): number {
  if ((operator === "/" || operator === "%") && right === 0) throw new BadSyntax("division by 0");
  return Number(operations[operator]?.(left, right) ?? 0);
}
