// The lexer of Go's text/template: text, and the tokens of actions with their positions.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { TemplateError } from "./errors.ts";

export type TokenType =
  | "text"
  | "left"
  | "right"
  | "space"
  | "identifier"
  | "field"
  | "variable"
  | "dot"
  | "number"
  | "character"
  | "string"
  | "raw"
  | "pipe"
  | "declare"
  | "assign"
  | "comma"
  | "open"
  | "close"
  | "end of file";

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly start: number;
}

const blanks = " \t\r\n";
const space = /[ \t\r\n]/;
const trimmedStart = /^[ \t\r\n]+/;

/** Patterns of tokens inside an action, tried in order. */
const patterns: readonly (readonly [TokenType, RegExp])[] = [
  ["space", /[ \t\r\n]+/y],
  ["declare", /:=/y],
  ["assign", /=/y],
  ["pipe", /\|/y],
  ["comma", /,/y],
  ["open", /\(/y],
  ["close", /\)/y],
  ["string", /"(?:[^"\\\n]|\\.)*"/y],
  ["raw", /`[^`]*`/y],
  ["character", /'(?:[^'\\\n]|\\[^\n])+'/y],
  [
    "number",
    /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?[pP][+-]?\d+|0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)/y,
  ],
  ["field", /\.[\p{L}\p{Nd}_]+/uy],
  ["variable", /\$[\p{L}\p{Nd}_]*/uy],
  ["dot", /\./y],
  ["identifier", /[\p{L}\p{Nd}_]+/uy],
];

/** Returns the line of a position, from one. */
export function lineOf(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Splits a template into tokens. Comments are dropped. Throws TemplateError. */
export function tokensOf(name: string, text: string): Token[] {
  const tokens: Token[] = [];
  const fail = (position: number, message: string): never => {
    throw new TemplateError(`template: ${name}:${lineOf(text, position)}: ${message}`);
  };
  let at = 0;
  let trims = false;
  while (at < text.length) {
    const start = text.indexOf("{{", at);
    const isTrimmed = start >= 0 && text[start + 2] === "-" && space.test(text[start + 3] ?? "");
    let body = text.slice(at, start < 0 ? undefined : start);
    if (trims) body = body.replace(trimmedStart, "");
    if (isTrimmed) body = trimmedEnd(body, blanks);
    if (body !== "") tokens.push({ type: "text", text: body, start: at });
    if (start < 0) break;
    const inside = start + (isTrimmed ? 3 : 2);
    const comment = /^[ \t\r\n]*\/\*/.test(
      isTrimmed ? text.slice(inside, inside + 200) : text.slice(inside, inside + 2),
    );
    if (comment) {
      const end = text.indexOf("*/", inside);
      if (end < 0) fail(start, "unclosed comment");
      const close = /^(?:[ \t\r\n]+-)?\}\}/.exec(text.slice(end + 2, end + 200));
      if (!close) fail(start, "comment ends before closing delimiter");
      trims = close?.[0].includes("-") ?? false;
      at = end + 2 + (close?.[0].length ?? 0);
      continue;
    }
    tokens.push({ type: "left", text: "{{", start });
    ({ at, trims } = actionTokens(text, inside, tokens, fail));
  }
  tokens.push({ type: "end of file", text: "", start: text.length });
  return tokens;
}

function actionTokens(
  text: string,
  from: number,
  tokens: Token[],
  fail: (position: number, message: string) => never,
): { at: number; trims: boolean } {
  let at = from;
  let depth = 0;
  for (;;) {
    const isTrimmed = space.test(text[at] ?? "") && /^[ \t\r\n]+-\}\}/.test(text.slice(at, at + 2000));
    const rightAt = isTrimmed ? text.indexOf("-}}", at) + 1 : at;
    if (text.startsWith("}}", rightAt)) {
      if (depth > 0) fail(at, "unclosed left paren");
      tokens.push({ type: "right", text: "}}", start: rightAt });
      return { at: rightAt + 2, trims: isTrimmed };
    }
    if (at >= text.length) fail(at, "unclosed action");
    const token = nextToken(text, at);
    if (!token) return fail(at, problemAt(text, at));
    if (token.type === "open") depth++;
    if (token.type === "close" && --depth < 0) fail(at, "unexpected right paren");
    tokens.push(token);
    at += token.text.length;
  }
}

function nextToken(text: string, at: number): Token | undefined {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { type, text: match[0], start: at };
  }
  return undefined;
}

function problemAt(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === '"') return "unterminated quoted string";
  if (character === "`") return "unterminated raw quoted string";
  if (character === "'") return "unterminated character constant";
  if (character === ":") return "expected :=";
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `unexpected unrecognized character in action: U+${code} '${character}'`;
}
