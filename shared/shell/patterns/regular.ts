// POSIX regular expressions, basic and extended, with GNU's extensions, translated for the engine that matches in linear time.
import { charge, type Metered } from "../meter.ts";
import { compilePattern, compileUnits, isPattern, type NoPattern, type Pattern } from "../../base/pattern.ts";
import { readLetters } from "./letters.ts";

export interface Dialect {
  readonly isExtended: boolean;
  /** Whether the pattern is literal. */
  readonly isPlain?: boolean;
  readonly ignoresCase?: boolean;
}

/** Compiles an expression of `grep`, `sed` or `[[ =~ ]]`, and charges for it. */
export function regularExpression(payer: Metered, source: string, dialect: Dialect): Pattern | NoPattern {
  const translated = dialect.isPlain ? { text: quotedExpression(source) } : translate(source, dialect.isExtended);
  if ("error" in translated) return translated;
  charge(payer, compileUnits(translated.text));
  const compiled = compilePattern(translated.text, { ignoresCase: dialect.ignoresCase ?? false, takesLongest: true });
  return isPattern(compiled) ? compiled : { error: wordsOf(compiled.error) };
}

/** Translates the engine's error, which is worded like Go's, to the words of the C library. */
function wordsOf(error: string): string {
  if (error.includes("invalid repeat count")) return "Invalid content of \\{\\}";
  return error.includes("too large") || error.includes("nests too deeply")
    ? "Regular expression too big"
    : "Invalid regular expression";
}

/** Escapes all special characters of an expression. */
export function quotedExpression(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

interface Translation {
  readonly source: string;
  at: number;
  readonly isExtended: boolean;
  readonly pieces: string[];
  /** The positions of groups that are open. */
  readonly open: number[];
  /** The piece to which a repetition applies; undefined if there is none. */
  last: number | undefined;
  isRepeated: boolean;
  error: string | undefined;
}

function translate(source: string, isExtended: boolean): { readonly text: string } | NoPattern {
  const translation: Translation = {
    source,
    at: 0,
    isExtended,
    pieces: [],
    open: [],
    last: undefined,
    isRepeated: false,
    error: undefined,
  };
  while (translation.at < source.length && translation.error === undefined) piece(translation);
  if (translation.error === undefined && translation.open.length > 0) translation.error = "Unmatched ( or \\(";
  return translation.error === undefined
    ? { text: `(?s)${translation.pieces.join("")}` }
    : { error: translation.error };
}

function piece(translation: Translation): void {
  const { source, isExtended } = translation;
  const letter = source.charAt(translation.at);
  if (letter === "\\") {
    const next = source.charAt(translation.at + 1);
    translation.at += 2;
    if (next === "") translation.error = "Trailing backslash";
    // In a basic expression a backslash makes these special, in an extended one it makes them literal.
    else if (!isExtended && "(){}|+?".includes(next)) special(translation, next);
    else escape(translation, next);
    return;
  }
  translation.at++;
  if (letter === "[") return letters(translation);
  if (letter === ".") return atom(translation, ".");
  if (letter === "*") return special(translation, letter);
  if (isExtended && "(){|+?".includes(letter)) return special(translation, letter);
  if (letter === "^" && (isExtended || opens(translation))) return edge(translation, "^");
  if (letter === "$" && (isExtended || closes(translation))) return edge(translation, "$");
  const point = source.codePointAt(translation.at - 1) ?? 0;
  if (point > 0xffff) translation.at++;
  atom(translation, quotedExpression(String.fromCodePoint(point)));
}

/** Reports whether this is the start of an expression or group, so that `^` is an anchor. */
function opens({ pieces }: Translation): boolean {
  return ["", "(", "|"].includes(pieces.at(-1) ?? "");
}

/** Reports whether this is the end of an expression or group. */
function closes({ source, at }: Translation): boolean {
  return at >= source.length || source.startsWith("\\)", at) || source.startsWith("\\|", at);
}

function atom(translation: Translation, text: string): void {
  translation.last = translation.pieces.push(text) - 1;
  translation.isRepeated = false;
}

function edge(translation: Translation, text: string): void {
  translation.pieces.push(text);
  translation.last = undefined;
}

function special(translation: Translation, letter: string): void {
  switch (letter) {
    case "(":
      translation.open.push(translation.pieces.push("(") - 1);
      translation.last = undefined;
      return;
    case ")": {
      const from = translation.open.pop();
      if (from === undefined) {
        translation.error = "Unmatched ) or \\)";
        return;
      }
      translation.pieces.push(")");
      translation.last = from;
      translation.isRepeated = false;
      return;
    }
    case "|":
      return edge(translation, "|");
    case "{":
      return interval(translation);
    case "}":
      return atom(translation, "\\}");
    default:
      return translation.last === undefined ? atom(translation, `\\${letter}`) : repeat(translation, letter);
  }
}

const counted = /\{(\d{1,5})?(,)?(\d{1,5})?(\\?)\}/y;

/** Translates `{2}`, `{2,}`, `{2,5}` or `{,5}`, after its brace. */
function interval(translation: Translation): void {
  counted.lastIndex = translation.at - 1;
  const [matchedText = "", from, comma, to, slash = ""] = counted.exec(translation.source) ?? [];
  const isOne =
    matchedText !== "" && (from !== undefined || comma !== undefined) && (slash === "") === translation.isExtended;
  if (!isOne) {
    if (translation.isExtended) return atom(translation, "\\{");
    translation.error = matchedText === "" ? "Unmatched { or \\{" : "Invalid content of \\{\\}";
    return;
  }
  translation.at += matchedText.length - 1;
  if (translation.last === undefined) return atom(translation, quotedExpression(matchedText));
  repeat(translation, comma === undefined ? `{${from ?? ""}}` : `{${from ?? "0"},${to ?? ""}}`);
}

/** Adds a repetition. A second one is applied to a group around the first, since the engine would read `*?` as another operator. */
function repeat(translation: Translation, sign: string): void {
  const { pieces, last = 0 } = translation;
  if (translation.isRepeated) {
    pieces[last] = `(?:${pieces[last] ?? ""}`;
    pieces.push(")");
  }
  pieces.push(sign);
  translation.isRepeated = true;
}

const escapes: Readonly<Record<string, string>> = {
  w: "\\w",
  W: "\\W",
  s: "\\s",
  S: "\\S",
  d: "\\d",
  D: "\\D",
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
};
const edges: Readonly<Record<string, string>> = {
  b: "\\b",
  B: "\\B",
  "<": "\\b",
  ">": "\\b",
  "`": "\\A",
  "'": "\\z",
};

function escape(translation: Translation, letter: string): void {
  // Matching back-references in linear time is impossible.
  if (/[1-9]/.test(letter)) translation.error = "back-references are not supported";
  else if (Object.hasOwn(edges, letter)) edge(translation, edges[letter] ?? "");
  else if (Object.hasOwn(escapes, letter)) atom(translation, escapes[letter] ?? "");
  else {
    translation.at--;
    const point = translation.source.codePointAt(translation.at) ?? 0;
    translation.at += point > 0xffff ? 2 : 1;
    atom(translation, quotedExpression(String.fromCodePoint(point)));
  }
}

function letters(translation: Translation): void {
  const set = readLetters(translation.source, translation.at - 1, { escapes: false, negates: "^" });
  if (!set) {
    translation.error = "Unmatched [, [^, [:, [., or [=";
    return;
  }
  const { isNegated, ranges } = set.letters;
  if (ranges.some(([from, to]) => from > to)) {
    translation.error = "Invalid range end";
    return;
  }
  translation.at = set.end;
  const hex = (point: number) => `\\x{${point.toString(16)}}`;
  atom(translation, `[${isNegated ? "^" : ""}${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join("")}]`);
}
