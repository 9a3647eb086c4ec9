// `$(( ))`: 64-bit integers, variables, the usual operators and assignments.
import { charge, leaveLevel, enterLevel, type Metered } from "./meter.ts";

/** The error of an expression without a value. `zero`: a division by zero. */
export class ArithmeticError extends Error {
  readonly why: "zero" | "operand" | "operator" | "base";
  /** The text from which parsing failed. */
  readonly token: string;
  constructor(why: ArithmeticError["why"], token: string) {
    super(why);
    this.why = why;
    this.token = token;
  }
}

interface Sum {
  readonly payer: Metered;
  readonly tokens: readonly string[];
  at: number;
  readonly get: (name: string) => string;
  readonly set: (name: string, value: string) => void;
  /** Whether the expression is skipped, so that it assigns nothing. */
  isIdle: boolean;
}

/** The precedence of operators. */
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
  ].flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
);

const token =
  /\d\w*(?:#\w+)?|[A-Za-z_]\w*(?:\[[^\]]*\])?|\+\+|--|(?:\*\*|<<|>>|[-+*/%&|^])=|\*\*|<<|>>|[<>=!]=|&&|\|\||[-+*/%<>=!~&|^?:(),]|[^\s\w]/g;

/** Splits a text into tokens, in time that grows with its length. */
function tokensOf(text: string): readonly string[] {
  // Past the last bracket no subscript ends, so none is searched for.
  const end = text.lastIndexOf("]") + 1;
  const plain = text.slice(end).replaceAll("[", " [ ");
  return [...(text.slice(0, end).match(token) ?? []), ...(plain.match(token) ?? [])];
}

/** Evaluates an expression. Throws an `ArithmeticError`. */
export function calculate(payer: Metered, text: string, get: Sum["get"], set: Sum["set"]): bigint {
  charge(payer, 1.2 + text.length / 5);
  const tokens = tokensOf(text);
  const sum: Sum = { payer, tokens, at: 0, get, set, isIdle: false };
  if (tokens.length === 0) return 0n;
  let value = assignment(sum);
  while (sum.tokens[sum.at] === ",") {
    sum.at++;
    value = assignment(sum);
  }
  if (sum.at < tokens.length) throw new ArithmeticError("operator", rest(sum));
  return value;
}

function rest({ tokens, at }: Sum): string {
  return tokens.slice(at).join(" ");
}

function assignment(sum: Sum): bigint {
  enterLevel(sum.payer);
  const value = assigned(sum);
  leaveLevel(sum.payer);
  return value;
}

function assigned(sum: Sum): bigint {
  const name = sum.tokens[sum.at] ?? "";
  const operator = sum.tokens[sum.at + 1] ?? "";
  if (/^[A-Za-z_]/.test(name) && /^(?:\*\*|<<|>>|[-+*/%&|^])?=$/.test(operator)) {
    sum.at += 2;
    const right = assignment(sum);
    const value = operator === "=" ? right : combine(sum, operator.slice(0, -1), valueOf(sum, name), right);
    put(sum, name, value);
    return value;
  }
  const condition = binary(sum, 0);
  if (sum.tokens[sum.at] !== "?") return condition;
  sum.at++;
  const yes = idly(sum, condition === 0n, () => assignment(sum));
  if (sum.tokens[sum.at] === ":") sum.at++;
  const no = idly(sum, condition !== 0n, () => assignment(sum));
  return condition === 0n ? no : yes;
}

/** Parses an operand that is skipped if `isIdle` is set. */
function idly(sum: Sum, isIdle: boolean, read: () => bigint): bigint {
  const before = sum.isIdle;
  sum.isIdle ||= isIdle;
  const value = read();
  sum.isIdle = before;
  return value;
}

function put(sum: Sum, name: string, value: bigint): void {
  if (!sum.isIdle) sum.set(name, String(value));
}

/** Parses operators from a level of precedence on. */
function binary(sum: Sum, least: number): bigint {
  let left = unary(sum);
  for (;;) {
    const operator = sum.tokens[sum.at] ?? "";
    const level = levels.get(operator) ?? -1;
    if (level < least) return left;
    sum.at++;
    const isDecided = (operator === "&&" && left === 0n) || (operator === "||" && left !== 0n);
    // The operator `**` is right-associative.
    const right = idly(sum, isDecided, () => binary(sum, operator === "**" ? level : level + 1));
    left = combine(sum, operator, left, right);
  }
}

function unary(sum: Sum): bigint {
  enterLevel(sum.payer);
  const value = unsigned(sum);
  leaveLevel(sum.payer);
  return value;
}

function unsigned(sum: Sum): bigint {
  const token = sum.tokens[sum.at++] ?? "";
  if (token === "-") return -unary(sum);
  if (token === "+") return unary(sum);
  if (token === "!") return unary(sum) === 0n ? 1n : 0n;
  if (token === "~") return ~unary(sum);
  if (token === "++" || token === "--") return stepped(sum, sum.tokens[sum.at++] ?? "", token, true);
  if (token === "(") {
    const value = assignment(sum);
    if (sum.tokens[sum.at] === ")") sum.at++;
    return value;
  }
  if (/^\d/.test(token)) return numberOf(token);
  if (!/^[A-Za-z_]/.test(token))
    throw new ArithmeticError("operand", sum.tokens.slice(Math.max(sum.at - 2, 0)).join(""));
  const after = sum.tokens[sum.at];
  if (after === "++" || after === "--") {
    sum.at++;
    return stepped(sum, token, after, false);
  }
  return valueOf(sum, token);
}

/** Parses decimal, `0x1f`, octal `017` and `2#101`. */
function numberOf(token: string): bigint {
  const [base, digits = ""] = token.includes("#") ? token.split("#") : [undefined, token];
  if (base === undefined && /^0[xX][0-9a-fA-F]+$/.test(token)) return wrapped(BigInt(token));
  if (base === undefined && /^[1-9]\d*$|^0$/.test(token)) return wrapped(BigInt(token));
  const radix = base === undefined ? (token.startsWith("0") ? 8 : 10) : Number(base);
  let value = 0n;
  for (const letter of base === undefined ? token : digits.toLowerCase()) {
    const digit = Number.parseInt(letter, 36);
    if (!(digit < radix)) throw new ArithmeticError("base", token);
    value = wrapped(value * BigInt(radix) + BigInt(digit));
  }
  return value;
}

function stepped(sum: Sum, name: string, operator: string, first: boolean): bigint {
  const before = valueOf(sum, name);
  const value = wrapped(before + (operator === "++" ? 1n : -1n));
  put(sum, name, value);
  return first ? value : before;
}

/** Returns the value of a variable, whose text is itself an expression; most are a number. */
function valueOf(sum: Sum, name: string): bigint {
  const text = sum.get(name).trim();
  if (text === "") return 0n;
  if (/^-?[1-9]\d{0,17}$|^0$/.test(text)) return BigInt(text);
  enterLevel(sum.payer);
  const value = calculate(sum.payer, text, sum.get, sum.set);
  leaveLevel(sum.payer);
  return value;
}

function wrapped(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function combine(sum: Sum, operator: string, left: bigint, right: bigint): bigint {
  const flag = (holds: boolean) => (holds ? 1n : 0n);
  switch (operator) {
    case "||":
      return flag(left !== 0n || right !== 0n);
    case "&&":
      return flag(left !== 0n && right !== 0n);
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
      return wrapped(left << (right & 63n));
    case ">>":
      return left >> (right & 63n);
    case "+":
      return wrapped(left + right);
    case "-":
      return wrapped(left - right);
    case "*":
      return wrapped(left * right);
    case "/":
    case "%":
      if (right !== 0n) return operator === "/" ? left / right : left % right;
      if (sum.isIdle) return 0n;
      throw new ArithmeticError("zero", sum.tokens[sum.at - 1] ?? "0");
    default:
      return power(sum, left, right);
  }
}

function power({ payer }: Sum, base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new ArithmeticError("operand", String(exponent));
  let [value, square, left] = [1n, base, exponent];
  for (; left > 0n; left >>= 1n, square = wrapped(square * square)) {
    charge(payer, 0.1);
    if (left & 1n) value = wrapped(value * square);
  }
  return value;
}

/** Returns the message of each shell for an expression without a value. */
export function arithmeticWords(
  text: string,
  { why, token }: ArithmeticError,
): { readonly ash: string; readonly dash: string; readonly bash: string } {
  const ofDash = {
    zero: "division by zero",
    operand: "expecting primary",
    operator: "expecting EOF",
    base: "expecting EOF",
  };
  const ofBash = {
    zero: "division by 0",
    operand: "syntax error: operand expected",
    operator: "syntax error in expression",
    base: "value too great for base",
  };
  return {
    ash: why === "zero" ? "divide by zero" : "arithmetic syntax error",
    dash: `arithmetic expression: ${ofDash[why]}: "${text}"`,
    bash: `${text}: ${ofBash[why]} (error token is "${token}")`,
  };
}
