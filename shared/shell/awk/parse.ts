// The parser of awk programs: rules, functions, statements and expressions.
import { charge, leaveLevel, enterLevel, hold, type Metered } from "../meter.ts";

import { AwkError, type AwkProgram, type Node, type Rule, type Statement } from "./syntax.ts";

interface Token {
  readonly type: "number" | "text" | "pattern" | "name" | "function" | "word" | "sign" | "end" | "newline";
  readonly text: string;
}

interface Parser {
  readonly payer: Metered;
  readonly tokens: readonly Token[];
  at: number;
  /** Whether `>` is a redirection, and `in` belongs to a loop. */
  isPlain: boolean;
}

const words = new Set(
  "BEGIN END function func if else while for do break continue next exit return delete in getline print printf".split(
    " ",
  ),
);
const lexeme =
  /[ \t\r]+|\\\n|#[^\n]*|(\n)|(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|"((?:[^"\\\n]|\\[^])*)"|([A-Za-z_]\w*)|(\*\*=?|\+\+|--|&&|\|\||>>|[-+*/%^=!<>]=|!~|[{}()[\];,+\-*/%^!<>|?:~$=])/y;
/** Bytes of a token in memory. */
const tokenBytes = 96;

/** Parses a program, and holds its memory. Throws an `AwkError`. */
export function parseAwk(text: string, payer: Metered): AwkProgram {
  const parser: Parser = { payer, tokens: tokensOf(text, payer), at: 0, isPlain: false };
  const rules: Rule[] = [];
  const functions = new Map<string, { parameters: string[]; body: Statement }>();
  for (skipEnds(parser); peek(parser).type !== "end"; skipEnds(parser)) {
    if (takeWord(parser, "function") || takeWord(parser, "func")) {
      const { text: name } = next(parser);
      expect(parser, "(");
      const parameters: string[] = [];
      while (!take(parser, ")")) {
        parameters.push(next(parser).text);
        take(parser, ",");
      }
      skipNewlines(parser);
      functions.set(name, { parameters, body: block(parser) });
      continue;
    }
    rules.push(rule(parser));
  }
  const hasGetline = parser.tokens.some(({ type, text: word }) => type === "word" && word === "getline");
  return { rules, functions, hasGetline };
}

function tokensOf(text: string, payer: Metered): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    charge(payer, 0.3);
    if (text[at] === "/" && mayBePattern(tokens.at(-1))) {
      const patternToken = /\/((?:[^/\\\n[]|\\.|\[\^?\]?[^\]\n]*\])*)\//y;
      patternToken.lastIndex = at;
      const [literal, source = ""] = patternToken.exec(text) ?? fail("unterminated regex");
      tokens.push({ type: "pattern", text: source.replaceAll("\\/", "/") });
      at += literal.length;
      continue;
    }
    lexeme.lastIndex = at;
    const [lexemeText = "", newline, number, string, name, sign] =
      lexeme.exec(text) ?? fail(`syntax error at or near ${text[at] ?? ""}`);
    at += lexemeText.length;
    hold(payer, tokenBytes);
    if (newline !== undefined) tokens.push({ type: "newline", text: "newline" });
    else if (number !== undefined) tokens.push({ type: "number", text: number });
    else if (string !== undefined) tokens.push({ type: "text", text: string });
    else if (name !== undefined)
      tokens.push({ type: words.has(name) ? "word" : text[at] === "(" ? "function" : "name", text: name });
    else if (sign !== undefined) tokens.push({ type: "sign", text: sign });
  }
  tokens.push({ type: "end", text: "end of file" });
  return tokens;
}

/** Reports whether a slash begins a pattern. After a value it divides. */
function mayBePattern(last: Token | undefined): boolean {
  if (!last) return true;
  return !(
    ["number", "text", "name", "pattern"].includes(last.type) ||
    (last.type === "sign" && /^[)\]$]$|^\+\+$|^--$/.test(last.text))
  );
}

function fail(why: string): never {
  throw new AwkError(why);
}

function peek({ tokens, at }: Parser): Token {
  return tokens[at] ?? { type: "end", text: "end of file" };
}

function next(parser: Parser): Token {
  const token = peek(parser);
  parser.at++;
  return token;
}

function take(parser: Parser, sign: string): boolean {
  const { type, text } = peek(parser);
  if (type !== "sign" || text !== sign) return false;
  parser.at++;
  return true;
}

function takeWord(parser: Parser, word: string): boolean {
  const { type, text } = peek(parser);
  if (type !== "word" || text !== word) return false;
  parser.at++;
  return true;
}

function expect(parser: Parser, sign: string): void {
  if (!take(parser, sign)) fail(`syntax error at or near ${peek(parser).text}`);
}

function skipNewlines(parser: Parser): void {
  while (peek(parser).type === "newline") parser.at++;
}

function skipEnds(parser: Parser): void {
  while (peek(parser).type === "newline" || (peek(parser).type === "sign" && peek(parser).text === ";")) parser.at++;
}

function rule(parser: Parser): Rule {
  const { type, text } = peek(parser);
  if (type === "word" && (text === "BEGIN" || text === "END")) {
    parser.at++;
    skipNewlines(parser);
    return { when: text, body: block(parser) };
  }
  const when: Node[] = [];
  if (!(type === "sign" && text === "{")) {
    when.push(expression(parser));
    if (take(parser, ",")) {
      skipNewlines(parser);
      when.push(expression(parser));
    }
  }
  const hasBody = peek(parser).type === "sign" && peek(parser).text === "{";
  return { when, body: hasBody ? block(parser) : undefined };
}

function block(parser: Parser): Statement {
  expect(parser, "{");
  const list: Statement[] = [];
  for (skipEnds(parser); !take(parser, "}"); skipEnds(parser)) list.push(statement(parser));
  return { kind: "block", list };
}

function statement(parser: Parser): Statement {
  enterLevel(parser.payer);
  const parsed = read(parser);
  leaveLevel(parser.payer);
  return parsed;
}

function read(parser: Parser): Statement {
  const { type, text } = peek(parser);
  if (type === "sign" && text === "{") return block(parser);
  if (type === "sign" && text === ";") {
    parser.at++;
    return { kind: "block", list: [] };
  }
  if (type !== "word" || text === "getline") return ended(parser, simple(parser));
  parser.at++;
  switch (text) {
    case "if":
      return readIf(parser);
    case "while": {
      const condition = bracketed(parser);
      return { kind: "while", condition, body: body(parser), step: undefined, isLate: false };
    }
    case "do": {
      const inside = body(parser);
      skipEnds(parser);
      if (!takeWord(parser, "while")) fail(`syntax error at or near ${peek(parser).text}`);
      return ended(parser, {
        kind: "while",
        condition: bracketed(parser),
        body: inside,
        step: undefined,
        isLate: true,
      });
    }
    case "for":
      return readFor(parser);
    case "next":
    case "break":
    case "continue":
      return ended(parser, { kind: "leave", how: text, value: undefined });
    case "exit":
    case "return":
      return ended(parser, { kind: "leave", how: text, value: isOver(parser) ? undefined : expression(parser) });
    default:
      parser.at--;
      return ended(parser, simple(parser));
  }
}

function readIf(parser: Parser): Statement {
  const condition = bracketed(parser);
  const yes = body(parser);
  const { at } = parser;
  skipEnds(parser);
  if (takeWord(parser, "else")) return { kind: "if", condition, yes, no: body(parser) };
  parser.at = at;
  return { kind: "if", condition, yes, no: undefined };
}

function bracketed(parser: Parser): Node {
  expect(parser, "(");
  const node = expression(parser);
  expect(parser, ")");
  return node;
}

function body(parser: Parser): Statement {
  skipNewlines(parser);
  return statement(parser);
}

function readFor(parser: Parser): Statement {
  expect(parser, "(");
  const [name, word, list, close] = parser.tokens.slice(parser.at, parser.at + 4);
  if (name?.type === "name" && word?.text === "in" && list && close?.text === ")") {
    parser.at += 4;
    return { kind: "each", name: name.text, list: list.text, body: body(parser) };
  }
  const first = take(parser, ";") ? undefined : simple(parser);
  if (first) expect(parser, ";");
  skipNewlines(parser);
  const condition = take(parser, ";") ? undefined : expression(parser);
  if (condition) expect(parser, ";");
  skipNewlines(parser);
  const step = take(parser, ")") ? undefined : simple(parser);
  if (step) expect(parser, ")");
  const loop: Statement = { kind: "while", condition, body: body(parser), step, isLate: false };
  return { kind: "block", list: first ? [first, loop] : [loop] };
}

function isOver(parser: Parser): boolean {
  const { type, text } = peek(parser);
  return type === "newline" || type === "end" || (type === "sign" && (text === ";" || text === "}"));
}

function ended(parser: Parser, parsed: Statement): Statement {
  if (!isOver(parser)) fail(`syntax error at or near ${peek(parser).text}`);
  take(parser, ";");
  return parsed;
}

function simple(parser: Parser): Statement {
  if (takeWord(parser, "delete")) {
    const { text: name } = next(parser);
    return { kind: "delete", name, keys: take(parser, "[") ? keysOf(parser, "]") : undefined };
  }
  const isForm = peek(parser).text === "printf" && peek(parser).type === "word";
  if (!takeWord(parser, "print") && !takeWord(parser, "printf")) return { kind: "do", value: expression(parser) };
  const outer = parser.isPlain;
  parser.isPlain = true;
  const args: Node[] = [];
  if (!isOver(parser) && !/^(>|>>|\|)$/.test(peek(parser).text)) {
    do {
      skipNewlines(parser);
      args.push(expression(parser));
    } while (take(parser, ","));
  }
  const { type, text } = peek(parser);
  const isSent = type === "sign" && /^(>|>>|\|)$/.test(text);
  if (isSent) parser.at++;
  const target = isSent ? concatenation(parser) : undefined;
  parser.isPlain = outer;
  // In `print (a, b)` the brackets are not a value.
  const [only] = args;
  const list = args.length === 1 && only?.kind === "in" && only.name === "" ? only.keys : args;
  return { kind: "print", args: list, isForm, ...(target ? { to: [text, target] as const } : {}) };
}

function keysOf(parser: Parser, end: string): Node[] {
  const keys = [expression(parser)];
  while (take(parser, ",")) keys.push(expression(parser));
  expect(parser, end);
  return keys;
}

function expression(parser: Parser): Node {
  enterLevel(parser.payer);
  const node = assignment(parser);
  leaveLevel(parser.payer);
  return node;
}

function assignment(parser: Parser): Node {
  const target = choice(parser);
  const { type, text } = peek(parser);
  if (type !== "sign" || !/^(=|\+=|-=|\*=|\/=|%=|\^=|\*\*=)$/.test(text) || !/^(name|field|element)$/.test(target.kind))
    return target;
  parser.at++;
  skipNewlines(parser);
  return { kind: "assign", operator: text.slice(0, -1), target, value: expression(parser) };
}

function choice(parser: Parser): Node {
  const condition = either(parser);
  if (!take(parser, "?")) return condition;
  skipNewlines(parser);
  const yes = expression(parser);
  skipNewlines(parser);
  expect(parser, ":");
  skipNewlines(parser);
  return { kind: "choice", condition, yes, no: expression(parser) };
}

type Level = (parser: Parser) => Node;

function leftward(parser: Parser, signs: readonly string[], tighter: Level): Node {
  let left = tighter(parser);
  for (;;) {
    const { type, text } = peek(parser);
    if (type !== "sign" || !signs.includes(text)) return left;
    charge(parser.payer, 0.2);
    parser.at++;
    if (text === "&&" || text === "||") skipNewlines(parser);
    left = { kind: "binary", operator: text, left, right: tighter(parser) };
  }
}

const either: Level = (parser) => leftward(parser, ["||"], both);
const both: Level = (parser) => leftward(parser, ["&&"], membership);

function membership(parser: Parser): Node {
  let left = matching(parser);
  while (takeWord(parser, "in")) {
    const { text: name } = next(parser);
    left = { kind: "in", keys: left.kind === "in" && left.name === "" ? left.keys : [left], name };
  }
  return left;
}

const matching: Level = (parser) => leftward(parser, ["~", "!~"], comparison);

function comparison(parser: Parser): Node {
  const left = concatenation(parser);
  const { type, text } = peek(parser);
  const signs = parser.isPlain ? /^(<|<=|==|!=|>=)$/ : /^(<|<=|==|!=|>|>=)$/;
  if (type !== "sign" || !signs.test(text)) return left;
  parser.at++;
  return { kind: "binary", operator: text, left, right: concatenation(parser) };
}

function concatenation(parser: Parser): Node {
  let left = sum(parser);
  for (;;) {
    const { type, text } = peek(parser);
    const begins =
      ["number", "text", "name", "function"].includes(type) ||
      (type === "sign" && /^[$!(]$|^-$|^\+$|^\+\+$|^--$/.test(text));
    if (!begins) return left;
    left = { kind: "binary", operator: " ", left, right: sum(parser) };
  }
}

const sum: Level = (parser) => leftward(parser, ["+", "-"], product);
const product: Level = (parser) => leftward(parser, ["*", "/", "%"], signed);

function signed(parser: Parser): Node {
  const { type, text } = peek(parser);
  if (type === "sign" && (text === "!" || text === "-" || text === "+")) {
    parser.at++;
    enterLevel(parser.payer);
    const of = signed(parser);
    leaveLevel(parser.payer);
    return { kind: "unary", operator: text, of };
  }
  return power(parser);
}

function power(parser: Parser): Node {
  const base = stepped(parser);
  if (!take(parser, "^") && !take(parser, "**")) return base;
  enterLevel(parser.payer);
  const right = signed(parser);
  leaveLevel(parser.payer);
  return { kind: "binary", operator: "^", left: base, right };
}

function stepped(parser: Parser): Node {
  for (const [sign, by] of [
    ["++", 1],
    ["--", -1],
  ] as const)
    if (take(parser, sign)) return { kind: "step", by, isFirst: true, target: primary(parser) };
  const target = primary(parser);
  if (!/^(name|field|element)$/.test(target.kind)) return target;
  for (const [sign, by] of [
    ["++", 1],
    ["--", -1],
  ] as const)
    if (take(parser, sign)) return { kind: "step", by, isFirst: false, target };
  return target;
}

function primary(parser: Parser): Node {
  const token = next(parser);
  switch (token.type) {
    case "number":
      return { kind: "number", value: Number(token.text) };
    case "text":
      return { kind: "text", value: token.text };
    case "pattern":
      return { kind: "pattern", source: token.text };
    case "function":
      expect(parser, "(");
      return { kind: "call", name: token.text, args: take(parser, ")") ? [] : keysOf(parser, ")") };
    case "name":
      if (take(parser, "[")) return { kind: "element", name: token.text, keys: keysOf(parser, "]") };
      // `length` without arguments is the length of the line.
      return token.text === "length" ? { kind: "call", name: "length", args: [] } : { kind: "name", name: token.text };
    case "sign":
      if (token.text === "$") {
        enterLevel(parser.payer);
        const index = stepped(parser);
        leaveLevel(parser.payer);
        return { kind: "field", index };
      }
      if (token.text === "(") return grouped(parser);
      break;
    case "word":
    case "newline":
    case "end":
      break;
  }
  if (token.type === "word" && token.text === "getline") return readGetline(parser);
  return fail(`syntax error at or near ${token.text}`);
}

/** Parses `(a)`, or `(a, b)` before `in` or after `print`. */
function grouped(parser: Parser): Node {
  const outer = parser.isPlain;
  parser.isPlain = false;
  const keys = keysOf(parser, ")");
  parser.isPlain = outer;
  const [only] = keys;
  return keys.length === 1 && only
    ? { kind: "choice", condition: { kind: "number", value: 1 }, yes: only, no: only }
    : { kind: "in", keys, name: "" };
}

function readGetline(parser: Parser): Node {
  const { type, text } = peek(parser);
  const hasTarget = type === "name" || (type === "sign" && text === "$");
  const target = hasTarget ? primary(parser) : undefined;
  return { kind: "getline", target, file: take(parser, "<") ? stepped(parser) : undefined };
}
