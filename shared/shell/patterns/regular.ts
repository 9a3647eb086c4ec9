// POSIX' regular expressions, basic and extended, with what GNU adds: written anew for the engine that matches in linear time.
import { charge, type Metered } from "../meter.ts";
import { compilePattern, compileUnits, isPattern, type NoPattern, type Pattern } from "../../base/pattern.ts";
import { readLetters } from "./letters.ts";

export interface Dialect {
  readonly isExtended: boolean;
  /** Every letter stands for itself. */
  readonly isPlain?: boolean;
  readonly ignoresCase?: boolean;
}

/** What `grep`, `sed` and `[[ =~ ]]` match with; the work of making it is charged. */
export function regularExpression(payer: Metered, source: string, dialect: Dialect): Pattern | NoPattern {
  const translated = dialect.isPlain ? { text: quotedExpression(source) } : translate(source, dialect.isExtended);
  if ("error" in translated) return translated;
  charge(payer, compileUnits(translated.text));
  const found = compilePattern(translated.text, { ignoresCase: dialect.ignoresCase ?? false, takesLongest: true });
  return isPattern(found) ? found : { error: wordsOf(found.error) };
}

/** The engine speaks as Go does; these programs as the C library. */
function wordsOf(error: string): string {
  if (error.includes("invalid repeat count")) return "Invalid content of \\{\\}";
  return error.includes("too large") || error.includes("nests too deeply")
    ? "Regular expression too big"
    : "Invalid regular expression";
}

/** An expression in which nothing is special. */
export function quotedExpression(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

interface Translation {
  readonly source: string;
  at: number;
  readonly isExtended: boolean;
  readonly pieces: string[];
  /** Where the groups begin that are open. */
  readonly open: number[];
  /** The piece that a repeat applies to; undefined: nothing stands before it. */
  last: number | undefined;
  isRepeated: boolean;
  error: string | undefined;
}

function translate(source: string, isExtended: boolean): { readonly text: string } | NoPattern {
  const made: Translation = {
    source,
    at: 0,
    isExtended,
    pieces: [],
    open: [],
    last: undefined,
    isRepeated: false,
    error: undefined,
  };
  while (made.at < source.length && made.error === undefined) piece(made);
  if (made.error === undefined && made.open.length > 0) made.error = "Unmatched ( or \\(";
  return made.error === undefined ? { text: `(?s)${made.pieces.join("")}` } : { error: made.error };
}

function piece(made: Translation): void {
  const { source, isExtended } = made;
  const letter = source.charAt(made.at);
  if (letter === "\\") {
    const next = source.charAt(made.at + 1);
    made.at += 2;
    if (next === "") made.error = "Trailing backslash";
    // In a basic expression the backslash makes these special, in an extended one it takes that away.
    else if (!isExtended && "(){}|+?".includes(next)) special(made, next);
    else escape(made, next);
    return;
  }
  made.at++;
  if (letter === "[") return letters(made);
  if (letter === ".") return atom(made, ".");
  if (letter === "*") return special(made, letter);
  if (isExtended && "(){|+?".includes(letter)) return special(made, letter);
  if (letter === "^" && (isExtended || opens(made))) return edge(made, "^");
  if (letter === "$" && (isExtended || closes(made))) return edge(made, "$");
  const point = source.codePointAt(made.at - 1) ?? 0;
  if (point > 0xffff) made.at++;
  atom(made, quotedExpression(String.fromCodePoint(point)));
}

/** Nothing stands before it: here `^` is the beginning. */
function opens({ pieces }: Translation): boolean {
  return ["", "(", "|"].includes(pieces.at(-1) ?? "");
}

/** Nothing comes after it. */
function closes({ source, at }: Translation): boolean {
  return at >= source.length || source.startsWith("\\)", at) || source.startsWith("\\|", at);
}

function atom(made: Translation, text: string): void {
  made.last = made.pieces.push(text) - 1;
  made.isRepeated = false;
}

function edge(made: Translation, text: string): void {
  made.pieces.push(text);
  made.last = undefined;
}

function special(made: Translation, letter: string): void {
  switch (letter) {
    case "(":
      made.open.push(made.pieces.push("(") - 1);
      made.last = undefined;
      return;
    case ")": {
      const from = made.open.pop();
      if (from === undefined) {
        made.error = "Unmatched ) or \\)";
        return;
      }
      made.pieces.push(")");
      made.last = from;
      made.isRepeated = false;
      return;
    }
    case "|":
      return edge(made, "|");
    case "{":
      return interval(made);
    case "}":
      return atom(made, "\\}");
    default:
      return made.last === undefined ? atom(made, `\\${letter}`) : repeat(made, letter);
  }
}

const counted = /\{(\d{1,5})?(,)?(\d{1,5})?(\\?)\}/y;

/** `{2}`, `{2,}`, `{2,5}`, `{,5}`: the brace is read already. */
function interval(made: Translation): void {
  counted.lastIndex = made.at - 1;
  const [whole = "", from, comma, to, slash = ""] = counted.exec(made.source) ?? [];
  const isOne = whole !== "" && (from !== undefined || comma !== undefined) && (slash === "") === made.isExtended;
  if (!isOne) {
    if (made.isExtended) return atom(made, "\\{");
    made.error = whole === "" ? "Unmatched { or \\{" : "Invalid content of \\{\\}";
    return;
  }
  made.at += whole.length - 1;
  if (made.last === undefined) return atom(made, quotedExpression(whole));
  repeat(made, comma === undefined ? `{${from ?? ""}}` : `{${from ?? "0"},${to ?? ""}}`);
}

/** A second repeat applies to the first; the engine would read it as another sign. */
function repeat(made: Translation, sign: string): void {
  const { pieces, last = 0 } = made;
  if (made.isRepeated) {
    pieces[last] = `(?:${pieces[last] ?? ""}`;
    pieces.push(")");
  }
  pieces.push(sign);
  made.isRepeated = true;
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

function escape(made: Translation, letter: string): void {
  // What they match depends on what was matched: no engine does that in linear time.
  if (/[1-9]/.test(letter)) made.error = "back-references are not supported";
  else if (Object.hasOwn(edges, letter)) edge(made, edges[letter] ?? "");
  else if (Object.hasOwn(escapes, letter)) atom(made, escapes[letter] ?? "");
  else {
    made.at--;
    const point = made.source.codePointAt(made.at) ?? 0;
    made.at += point > 0xffff ? 2 : 1;
    atom(made, quotedExpression(String.fromCodePoint(point)));
  }
}

function letters(made: Translation): void {
  const found = readLetters(made.source, made.at - 1, { escapes: false, negates: "^" });
  if (!found) {
    made.error = "Unmatched [, [^, [:, [., or [=";
    return;
  }
  const { isNegated, ranges } = found.letters;
  if (ranges.some(([from, to]) => from > to)) {
    made.error = "Invalid range end";
    return;
  }
  made.at = found.end;
  const hex = (point: number) => `\\x{${point.toString(16)}}`;
  atom(made, `[${isNegated ? "^" : ""}${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join("")}]`);
}
