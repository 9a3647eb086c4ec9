// The program `expr`: arithmetic, comparisons and texts, with one word for each operand.
import { isPattern } from "../../base/pattern.ts";
import { charge, leaveLevel, enterLevel } from "../meter.ts";
import { regularExpression } from "../patterns/regular.ts";
import { isBusybox, type TextCall } from "./call.ts";

class ExprError extends Error {}

interface Sum {
  readonly call: TextCall;
  readonly words: readonly string[];
  at: number;
}

const levels: readonly (readonly string[])[] = [
  ["|"],
  ["&"],
  ["=", "==", "!=", "<", "<=", ">", ">="],
  ["+", "-"],
  ["*", "/", "%"],
  [":"],
];

/** Runs `expr`. The exit code is 1 for an empty result and for zero. */
export function expr(call: TextCall): number {
  const sum: Sum = { call, words: call.args, at: 0 };
  try {
    if (call.args.length === 0) throw new ExprError(isBusybox(call) ? "too few arguments" : "missing operand");
    const value = binary(sum, 0);
    if (sum.at < sum.words.length)
      throw new ExprError(
        isBusybox(call) ? "syntax error" : `syntax error: unexpected argument '${sum.words[sum.at] ?? ""}'`,
      );
    call.out(`${value}\n`);
    return value === "" || value === "0" ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    call.err(`expr: ${error.message}\n`);
    return 2;
  }
}

function binary(sum: Sum, level: number): string {
  const signs = levels[level];
  if (!signs) return primary(sum);
  enterLevel(sum.call.process);
  let left = binary(sum, level + 1);
  for (let sign; signs.includes((sign = sum.words[sum.at] ?? "")); ) {
    charge(sum.call.process, 0.3);
    sum.at++;
    left = combined(sum, sign, left, binary(sum, level + 1));
  }
  leaveLevel(sum.call.process);
  return left;
}

function primary(sum: Sum): string {
  const word = sum.words[sum.at++];
  const next = () => binary(sum, levels.length);
  if (word === undefined) throw new ExprError("syntax error");
  const isLast = sum.at >= sum.words.length;
  if (word === "(") {
    const value = binary(sum, 0);
    sum.at++;
    return value;
  }
  if (word === "length" && !isLast) return String([...next()].length);
  if (word === "substr" && !isLast) {
    const [text, from, count] = [next(), Number(next()), Number(next())];
    return from > 0 && count > 0 ? text.slice(from - 1, from - 1 + count) : "";
  }
  if (word === "index" && !isLast) {
    const [text, letters] = [next(), next()];
    return String([...text].findIndex((letter) => letters.includes(letter)) + 1);
  }
  if (word === "match" && !isLast) return matched(sum, next(), next());
  return word;
}

function combined(sum: Sum, sign: string, left: string, right: string): string {
  const isEmpty = (text: string) => text === "" || text === "0";
  if (sign === "|") return isEmpty(left) ? (isEmpty(right) ? "0" : right) : left;
  if (sign === "&") return isEmpty(left) || isEmpty(right) ? "0" : left;
  if (sign === ":") return matched(sum, left, right);
  const isNumber = (text: string) => /^-?\d+$/.test(text);
  if (/^[=!<>]/.test(sign)) {
    const order =
      isNumber(left) && isNumber(right)
        ? Number(BigInt(left) - BigInt(right))
        : left < right
          ? -1
          : left > right
            ? 1
            : 0;
    const holds = {
      "=": order === 0,
      "==": order === 0,
      "!=": order !== 0,
      "<": order < 0,
      "<=": order <= 0,
      ">": order > 0,
      ">=": order >= 0,
    }[sign];
    return holds ? "1" : "0";
  }
  if (!isNumber(left) || !isNumber(right))
    throw new ExprError(isBusybox(sum.call) ? "non-integer argument" : "non-integer argument");
  const [a, b] = [BigInt(left), BigInt(right)];
  if (b === 0n && /[/%]/.test(sign)) throw new ExprError("division by zero");
  const value = sign === "+" ? a + b : sign === "-" ? a - b : sign === "*" ? a * b : sign === "/" ? a / b : a % b;
  return String(BigInt.asIntN(64, value));
}

/** Matches at the beginning. Returns the first group, or the number of matched characters. */
function matched({ call }: Sum, text: string, source: string): string {
  const pattern = regularExpression(call.process, `^\\(${source}\\)`, { isExtended: false });
  if (!isPattern(pattern)) throw new ExprError(pattern.error);
  const match = pattern.find(text, 0, (units) => charge(call.process, units));
  if (source.includes("\\(")) return match?.groups[2] ?? "";
  return String([...(match?.groups[0] ?? "")].length);
}
