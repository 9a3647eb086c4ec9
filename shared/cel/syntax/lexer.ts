// Splits an expression into tokens.
import { mostProblems, type Problem } from "../problems.ts";

export type TokenKind = "bytes" | "end" | "escaped" | "float" | "ident" | "int" | "string" | "symbol" | "uint" | "word";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const space = /[\t \r\n\f]+|\/\/[^\n]*/y;
const number =
  /(?:0x[0-9a-fA-F]+[uU]?)|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|(?:[0-9]+[uU]?)/y;
const escape = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const text = new RegExp(
  [
    String.raw`[bB]?[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`,
    String.raw`[bB]?(?:"""(?:${escape}|[^\\])*?"""|'''(?:${escape}|[^\\])*?''')`,
    String.raw`[bB]?(?:"(?:${escape}|[^\\"\n\r])*"|'(?:${escape}|[^\\'\n\r])*')`,
  ].join("|"),
  "y",
);
const textBegun = new RegExp(`[bB]?["'](?:${escape}|[^\\\\\n\r])*`, "y");
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdent = /`[A-Za-z0-9_.\-/ ]+`/y;
const symbol = /==|!=|<=|>=|&&|\|\||[[\]{}().,<>\-!?:+*/%]/y;
const words = new Set(["in", "true", "false", "null"]);

/**
 * Returns the tokens, the last of which is the end. Unreadable text is reported and left out. Reading ends at the largest number of
 * problems.
 */
export function tokensOf(source: string): { readonly tokens: readonly Token[]; readonly problems: readonly Problem[] } {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  let at = 0;
  while (at < source.length && problems.length <= mostProblems) {
    const blank = match(space, source, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const token = tokenAt(source, at);
    if (token) {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    const unread = unreadable(source, at);
    problems.push({ at, message: `Syntax error: token recognition error at: '${escapedText(unread)}'` });
    at += unread.length;
  }
  tokens.push({ kind: "end", text: "<EOF>", at: source.length });
  return { tokens, problems };
}

function tokenAt(source: string, at: number): Token | undefined {
  const read = (kind: TokenKind, pattern: RegExp): Token | undefined => {
    const matched = match(pattern, source, at);
    return matched === undefined ? undefined : { kind, text: matched, at };
  };
  const string = read("string", text);
  if (string) return /^[bB]/.test(string.text) ? { ...string, kind: "bytes" } : string;
  const digits = read("int", number);
  if (digits) return { ...digits, kind: numberKind(digits.text) };
  const name = read("ident", ident);
  if (name) return words.has(name.text) ? { ...name, kind: "word" } : name;
  return read("escaped", escapedIdent) ?? read("symbol", symbol);
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function numberKind(digits: string): TokenKind {
  if (/[uU]$/.test(digits)) return "uint";
  return !digits.startsWith("0x") && /[.eE]/.test(digits) ? "float" : "int";
}

/** Returns the text that cannot be read: the line from an unterminated string on, or one character. */
function unreadable(source: string, at: number): string {
  if (match(/[bB]?[rR]?["']/y, source, at) !== undefined) {
    const read = match(textBegun, source, at) ?? "";
    return source.slice(at, at + read.length + 2).split(/[\n\r]/, 1)[0] ?? "";
  }
  const pair = match(/[&|=]./y, source, at);
  return pair ?? String.fromCodePoint(source.codePointAt(at) ?? 0);
}

function escapedText(unread: string): string {
  return unread.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}
