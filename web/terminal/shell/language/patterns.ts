// Patterns of file names and POSIX' regular expressions, written anew for the engine that matches in linear time.
import { budgetOf, compilePattern, isPattern, type Pattern, type Spend } from "../../../../shared/base/pattern.ts";

export interface Dialect {
  readonly isExtended?: boolean;
  /** Every letter stands for itself. */
  readonly isPlain?: boolean;
  readonly ignoresCase?: boolean;
}

/** Units (about a microsecond each) that one command may spend on matching: half a minute. */
const matchUnits = 30_000_000;

export function newBudget(): Spend {
  return budgetOf(matchUnits);
}

/** What `grep`, `sed`, `awk` and `[[ =~ ]]` match with. Throws an `Error` for what is no expression, in the C library's words. */
export function regularExpression(source: string, dialect: Dialect): Pattern {
  const text = dialect.isPlain ? quoted(source) : `(?s)${translated(source, dialect.isExtended ?? false)}`;
  const found = compilePattern(text, { ignoresCase: dialect.ignoresCase ?? false, takesLongest: true });
  if (!isPattern(found)) throw new Error(wordsOf(found.error));
  return found;
}

function wordsOf(error: string): string {
  if (error.includes("too large") || error.includes("nests")) return "Regular expression too big";
  if (error.includes("missing closing ]")) return "Unmatched [, [^, [:, [., or [=";
  if (error.includes("missing closing )") || error.includes("unexpected )")) return "Unmatched ( or \\(";
  return "Invalid regular expression";
}

/** A text of which every letter stands for itself. */
export function quoted(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

const kept = "wWsSdDnrtfvbB";
const special = "(){}|+?";

function translated(source: string, isExtended: boolean): string {
  let text = "";
  for (let at = 0; at < source.length; at++) {
    const letter = source.charAt(at);
    if (letter === "\\") {
      const next = source.charAt(++at);
      if (next === "") throw new Error("Trailing backslash");
      if (/[1-9]/.test(next)) throw new Error("back-references are not supported");
      if (next === "<" || next === ">") text += "\\b";
      else if (kept.includes(next)) text += `\\${next}`;
      // In a basic expression the backslash makes these special, in an extended one it takes that away.
      else if (!isExtended && special.includes(next)) text += next;
      else text += quoted(next);
    } else if (letter === "[") {
      const end = endOfSet(source, at);
      text += source.slice(at, end).replaceAll("\\", "\\\\");
      at = end - 1;
    } else if (letter === "*" && isFirst(text)) text += "\\*";
    else if (!isExtended && special.includes(letter)) text += `\\${letter}`;
    else if (!isExtended && letter === "^" && !isFirst(text)) text += "\\^";
    else if (!isExtended && letter === "$" && at < source.length - 1 && !source.startsWith("\\)", at + 1))
      text += "\\$";
    else if (letter === "{" && !/^\{\d*(?:,\d*)?\}/.test(source.slice(at, at + 16))) text += "\\{";
    else text += letter;
  }
  return text;
}

function isFirst(text: string): boolean {
  return text === "" || /(?:^|[^\\])[(|^]$/.test(text);
}

/** Behind the bracket that closes the one at `from`. */
function endOfSet(source: string, from: number): number {
  let at = from + 1;
  if (source.charAt(at) === "^") at++;
  if (source.charAt(at) === "]") at++;
  while (at < source.length && source.charAt(at) !== "]") {
    const named = source.startsWith("[:", at) ? source.indexOf(":]", at) : -1;
    at = named < 0 ? at + 1 : named + 2;
  }
  if (at >= source.length) throw new Error("Unmatched [, [^, [:, [., or [=");
  return at + 1;
}

export function hasGlob(text: string): boolean {
  return /[*?[]/.test(text.replace(/\\./gs, ""));
}

/** A glob in which nothing is special. */
export function escapedGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** The expression of `*`, `?` and `[...]`; a backslash quotes. */
function globExpression(glob: string, takesLeast: boolean): string {
  let text = "";
  for (let at = 0; at < glob.length; at++) {
    const letter = glob.charAt(at);
    if (letter === "\\") text += quoted(glob.charAt(++at));
    else if (letter === "*") text += takesLeast ? ".*?" : ".*";
    else if (letter === "?") text += ".";
    else if (letter === "[" && glob.includes("]", at + 2)) {
      const end = endOfSet(glob, at);
      text += glob.slice(at, end).replaceAll("\\", "\\\\").replace(/^\[!/, "[^");
      at = end - 1;
    } else text += quoted(letter);
  }
  return text;
}

function compiledGlob(expression: string): Pattern {
  const found = compilePattern(`(?s)${expression}`);
  if (!isPattern(found)) throw new Error("bad pattern");
  return found;
}

export function globMatches(glob: string, text: string): boolean {
  return compiledGlob(`^(?:${globExpression(glob, false)})$`).test(text, newBudget());
}

/** Without the beginning that the glob stands for: the shortest or the longest one. */
export function withoutStart(glob: string, text: string, takesLeast: boolean): string {
  const found = compiledGlob(`^(?:${globExpression(glob, takesLeast)})`).find(text, 0, newBudget());
  return text.slice(found?.end ?? 0);
}

/** Without the end that the glob stands for. */
export function withoutEnd(glob: string, text: string, takesLeast: boolean): string {
  const found = compiledGlob(`^(${takesLeast ? ".*" : ".*?"})(?:${globExpression(glob, false)})$`);
  return found.find(text, 0, newBudget())?.groups[1] ?? text;
}

/** With what the glob stands for replaced, once or everywhere. */
export function globReplaced(glob: string, text: string, by: string, isAll: boolean): string {
  if (glob === "") return text;
  const pattern = compiledGlob(globExpression(glob, false));
  let made = "";
  let at = 0;
  for (const { start, end } of pattern.findAll(text, newBudget())) {
    if (end === start) continue;
    made += text.slice(at, start) + by;
    at = end;
    if (!isAll) break;
  }
  return made + text.slice(at);
}
