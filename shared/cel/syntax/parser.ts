// Parses the tokens of an expression into a tree.
import { type Token, tokensOf } from "./lexer.ts";
import { bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from "./literals.ts";
import { MacroProblem, unfold } from "./macros.ts";
import { mostProblems, type Problem } from "../problems.ts";
import { type Expr, type ListExpr, type MapExpr, type StructExpr, operators } from "./tree.ts";
import type { Value } from "../values.ts";

export type Parsed = { readonly tree: Expr } | { readonly problems: readonly Problem[] };

const maxDepth = 250;
const maxSize = 100_000;
const reserved = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);
/** The tokens that may begin an expression, as upstream's error messages list them. */
const starts = (afterParen = "", afterNot = "") =>
  `{'[', '{', '(', ${afterParen}'.', '-', '!', ${afterNot}'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`;
const relations: Readonly<Record<string, string>> = {
  "==": operators.equals,
  "!=": operators.notEquals,
  "<": operators.less,
  "<=": operators.lessEquals,
  ">": operators.greater,
  ">=": operators.greaterEquals,
  in: operators.in,
};
const sums: Readonly<Record<string, string>> = { "+": operators.add, "-": operators.subtract };
const products: Readonly<Record<string, string>> = {
  "*": operators.multiply,
  "/": operators.divide,
  "%": operators.modulo,
};

/** Ends parsing after an error that makes the rest meaningless. */
class SyntaxProblem extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

interface Reader {
  readonly tokens: readonly Token[];
  next: number;
  depth: number;
  /** Errors after which parsing goes on. */
  readonly problems: Problem[];
}

export function parse(source: string): Parsed {
  const size = [...source].length;
  if (size > maxSize) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxSize}`;
    return { problems: [{ at: -1, message }] };
  }
  const { tokens, problems } = tokensOf(source);
  if (problems.length > mostProblems) return { problems };
  const reader: Reader = { tokens, next: 0, depth: 0, problems: [...problems] };
  try {
    const tree = conditional(reader);
    const token = peek(reader);
    if (token.kind !== "end") throw syntax(token, `${leftOver(reader)} input '${token.text}' expecting <EOF>`);
    return reader.problems.length ? { problems: reader.problems } : { tree };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return { problems: [...reader.problems, error.problem] };
  }
}

function conditional(reader: Reader): Expr {
  if (++reader.depth > maxDepth) {
    throw new SyntaxProblem({ at: -1, message: `expression recursion limit exceeded: ${maxDepth}` });
  }
  const condition = logical(reader, "||", operators.or, (operand) => logical(operand, "&&", operators.and, relation));
  const mark = peek(reader);
  let tree = condition;
  if (take(reader, "?")) {
    const then = logical(reader, "||", operators.or, (operand) => logical(operand, "&&", operators.and, relation));
    if (!is(reader, ":")) throw syntax(peek(reader), `mismatched input '${peek(reader).text}' expecting ':'`);
    advance(reader);
    const otherwise = conditional(reader);
    tree = call(mark.at, operators.conditional, [condition, then, otherwise]);
  }
  reader.depth--;
  return tree;
}

/** Parses a chain of `&&` or `||` into a balanced tree, so that a long chain is not deep. */
function logical(reader: Reader, mark: string, name: string, parseOperand: (reader: Reader) => Expr): Expr {
  const terms = [parseOperand(reader)];
  const marks: number[] = [];
  while (is(reader, mark)) {
    marks.push(advance(reader).at);
    terms.push(parseOperand(reader));
  }
  const balanced = (from: number, to: number): Expr => {
    const middle = Math.floor((from + to + 1) / 2);
    const left = middle === from ? terms[middle] : balanced(from, middle - 1);
    const right = middle === to ? terms[middle + 1] : balanced(middle + 1, to);
    return call(
      marks[middle] ?? 0,
      name,
      [left, right].flatMap((term) => term ?? []),
    );
  };
  const [only] = terms;
  return only && !marks.length ? only : balanced(0, marks.length - 1);
}

const relation = (reader: Reader): Expr => chain(reader, relations, sum);
const sum = (reader: Reader): Expr => chain(reader, sums, product);
const product = (reader: Reader): Expr => chain(reader, products, unary);

function chain(reader: Reader, names: Readonly<Record<string, string>>, parseOperand: (reader: Reader) => Expr): Expr {
  let left = parseOperand(reader);
  for (let length = 1; ; length++) {
    const token = peek(reader);
    const name = token.kind === "symbol" || token.kind === "word" ? names[token.text] : undefined;
    if (name === undefined) return left;
    if (length > maxDepth) throw new SyntaxProblem({ at: -1, message: "max recursion depth exceeded" });
    advance(reader);
    left = call(token.at, name, [left, parseOperand(reader)]);
  }
}

function unary(reader: Reader): Expr {
  const token = peek(reader);
  for (const [mark, name] of [
    ["!", operators.not],
    ["-", operators.negate],
  ] as const) {
    if (!is(reader, mark) || (mark === "-" && isNumber(reader.tokens[reader.next + 1]))) continue;
    let count = 0;
    while (take(reader, mark)) count++;
    const operand = member(reader);
    return count % 2 ? call(token.at, name, [operand]) : operand;
  }
  return member(reader);
}

function member(reader: Reader): Expr {
  let tree = primary(reader);
  for (let length = 1; ; length++) {
    const token = peek(reader);
    if (token.kind !== "symbol" || (token.text !== "." && token.text !== "[")) return tree;
    if (length > maxDepth) throw new SyntaxProblem({ at: -1, message: "max recursion depth exceeded" });
    advance(reader);
    tree = token.text === "." ? selection(reader, tree, token.at) : indexing(reader, tree, token.at);
  }
}

function selection(reader: Reader, operand: Expr, at: number): Expr {
  const isOptional = take(reader, "?");
  const name = peek(reader);
  if (name.kind === "escaped") {
    reader.problems.push({ at: name.at, message: "unsupported syntax: '`'" });
  } else if (name.kind !== "ident") {
    throw syntax(name, `no viable alternative at input '.${name.kind === "end" ? "" : name.text}'`);
  }
  advance(reader);
  if (isOptional) {
    const field: Expr = { kind: "literal", at: name.at, value: name.text };
    return call(at, operators.optionalSelect, [operand, field]);
  }
  const open = peek(reader);
  if (!take(reader, "(")) return { kind: "select", at, operand, field: name.text, isTest: false };
  return maybeMacro(reader, { kind: "call", at: open.at, name: name.text, target: operand, args: args(reader) });
}

function indexing(reader: Reader, operand: Expr, at: number): Expr {
  const name = take(reader, "?") ? operators.optionalIndex : operators.index;
  const start = peek(reader);
  if (name === operators.index && (start.kind === "end" || start.text === "]")) {
    throw syntax(start, `mismatched input '${start.text}' expecting ${starts("", "'?', ")}`);
  }
  const index = conditional(reader);
  expect(reader, "]", "']'");
  return call(at, name, [operand, index]);
}

function primary(reader: Reader): Expr {
  const token = peek(reader);
  switch (token.text) {
    case "(": {
      advance(reader);
      const inner = conditional(reader);
      expect(reader, ")", "')'");
      return inner;
    }
    case "[":
      advance(reader);
      return listOf(reader, token.at);
    case "{":
      advance(reader);
      return mapOf(reader, token.at);
    default:
      break;
  }
  const isName = token.kind === "ident" || (token.text === "." && reader.tokens[reader.next + 1]?.kind === "ident");
  if (isName) return named(reader);
  const value = literal(reader);
  if (value !== undefined) return { kind: "literal", at: token.at, value };
  const next = reader.tokens[reader.next + 1];
  const isOneTooMany = next !== undefined && startsExpression(next) && token.kind !== "end";
  throw syntax(token, `${isOneTooMany ? "extraneous" : "mismatched"} input '${token.text}' expecting ${starts()}`);
}

function named(reader: Reader): Expr {
  const dot = take(reader, ".") ? "." : "";
  const token = advance(reader);
  const struct = structAt(reader, dot, token);
  if (struct) return struct;
  if (reserved.has(token.text)) {
    reader.problems.push({ at: token.at, message: `reserved identifier: ${token.text}` });
  }
  const open = peek(reader);
  if (!take(reader, "(")) return { kind: "ident", at: token.at, name: dot + token.text };
  const name = dot + token.text;
  return maybeMacro(reader, { kind: "call", at: open.at, name, target: undefined, args: args(reader) });
}

/** Parses `a.b.Name{...}`; returns undefined if something else follows. */
function structAt(reader: Reader, dot: string, first: Token): StructExpr | undefined {
  let next = reader.next;
  let name = dot + first.text;
  while (reader.tokens[next]?.text === "." && reader.tokens[next + 1]?.kind === "ident") {
    name += `.${reader.tokens[next + 1]?.text ?? ""}`;
    next += 2;
  }
  const open = reader.tokens[next];
  if (open?.kind !== "symbol" || open.text !== "{") return undefined;
  reader.next = next + 1;
  const fields: StructExpr["fields"][number][] = [];
  while (!is(reader, "}")) {
    const isOptional = take(reader, "?");
    const token = peek(reader);
    if (token.kind !== "ident") throw syntax(token, `mismatched input '${token.text}' expecting IDENTIFIER`);
    advance(reader);
    const colon = expect(reader, ":", "':'");
    fields.push({ name: token.text, isOptional, at: colon.at, value: conditional(reader) });
    if (!take(reader, ",")) break;
  }
  expect(reader, "}", "{'}', ','}");
  return { kind: "struct", at: open.at, name, fields };
}

function listOf(reader: Reader, at: number): ListExpr {
  const items: ListExpr["items"][number][] = [];
  while (!is(reader, "]")) {
    if (items.length === 0 && take(reader, ",")) break;
    const isOptional = take(reader, "?");
    items.push({ isOptional, value: conditional(reader) });
    if (!take(reader, ",")) break;
  }
  expect(reader, "]", "{']', ','}");
  return { kind: "list", at, items };
}

function mapOf(reader: Reader, at: number): MapExpr {
  const entries: MapExpr["entries"][number][] = [];
  while (!is(reader, "}")) {
    if (entries.length === 0 && take(reader, ",")) break;
    const isOptional = take(reader, "?");
    const key = conditional(reader);
    expect(reader, ":", "':'");
    entries.push({ isOptional, key, value: conditional(reader) });
    if (!take(reader, ",")) break;
  }
  expect(reader, "}", "{'}', ','}");
  return { kind: "map", at, entries };
}

function args(reader: Reader): Expr[] {
  const all: Expr[] = [];
  if (take(reader, ")")) return all;
  if (peek(reader).kind === "end") throw syntax(peek(reader), `mismatched input '<EOF>' expecting ${starts("')', ")}`);
  do all.push(conditional(reader));
  while (take(reader, ","));
  expect(reader, ")", "')'");
  return all;
}

function literal(reader: Reader): Value | undefined {
  const isNegative = is(reader, "-") && isNumber(reader.tokens[reader.next + 1]);
  const start = peek(reader);
  const token = isNegative ? (reader.tokens[reader.next + 1] ?? start) : start;
  const value = literalValue(reader, token, isNegative ? "-" : "", start.at);
  if (value === undefined) return undefined;
  reader.next += isNegative ? 2 : 1;
  return value;
}

function literalValue(reader: Reader, token: Token, sign: string, at: number): Value | undefined {
  const refuse = (message: string): Value => {
    reader.problems.push({ at, message });
    return null;
  };
  switch (token.kind) {
    case "int":
      return intLiteral(sign + token.text) ?? refuse("invalid int literal");
    case "uint":
      return uintLiteral(token.text) ?? refuse("invalid uint literal");
    case "float":
      return doubleLiteral(sign + token.text) ?? refuse("invalid double literal");
    case "string": {
      const read = stringLiteral(token.text);
      return "text" in read ? read.text : refuse(read.why);
    }
    case "bytes": {
      const read = bytesLiteral(token.text);
      return "bytes" in read ? read.bytes : refuse(read.why);
    }
    default:
      if (token.kind !== "word" || token.text === "in") return undefined;
      return token.text === "null" ? null : token.text === "true";
  }
}

function maybeMacro(reader: Reader, tree: Expr & { kind: "call" }): Expr {
  const unfolded = unfold(tree);
  if (!(unfolded instanceof MacroProblem)) return unfolded;
  reader.problems.push(unfolded);
  return tree;
}

function call(at: number, name: string, all: readonly Expr[]): Expr {
  return { kind: "call", at, name, target: undefined, args: all };
}

function peek({ tokens, next }: Reader): Token {
  return tokens[Math.min(next, tokens.length - 1)] ?? { kind: "end", text: "<EOF>", at: 0 };
}

function advance(reader: Reader): Token {
  const token = peek(reader);
  reader.next++;
  return token;
}

function is(reader: Reader, text: string): boolean {
  const token = peek(reader);
  return token.kind === "symbol" && token.text === text;
}

function take(reader: Reader, text: string): boolean {
  if (!is(reader, text)) return false;
  reader.next++;
  return true;
}

function expect(reader: Reader, text: string, expected: string): Token {
  if (is(reader, text)) return advance(reader);
  const token = peek(reader);
  const isAlone = expected === `'${text}'`;
  if (isAlone && reader.tokens[reader.next + 1]?.text === text) {
    throw syntax(token, `extraneous input '${token.text}' expecting ${expected}`);
  }
  if (isAlone && (token.kind === "end" || (text === ":" && startsExpression(token))))
    throw syntax(token, `missing ${expected} at '${token.text}'`);
  throw syntax(token, `mismatched input '${token.text}' expecting ${expected}`);
}

function startsExpression({ kind, text }: Token): boolean {
  if (kind === "symbol") return "[{(.-!".includes(text);
  return kind !== "end" && kind !== "escaped" && text !== "in";
}

/** Words the error for text after the expression: one token has another message than several. */
function leftOver({ tokens, next }: Reader): string {
  return tokens[next + 1]?.kind === "end" ? "extraneous" : "mismatched";
}

function isNumber(token: Token | undefined): boolean {
  return token?.kind === "int" || token?.kind === "float";
}

function syntax(token: Token, message: string): SyntaxProblem {
  return new SyntaxProblem({ at: token.at, message: `Syntax error: ${message}` });
}
