// Syntax errors of scripts, and their messages in each shell.

/** The shell that reads a script: busybox' ash, dash or bash. */
export type Dialect = "ash" | "dash" | "bash";

/** How a script is parsed. `isStrict`: syntax of other shells is refused; false if the image, and so its shell, is not known. */
export interface Language {
  readonly dialect: Dialect;
  readonly isStrict: boolean;
}

/** The language if the image is not known. */
export const anyLanguage: Language = { dialect: "ash", isStrict: false };

/** A syntax error. */
export interface Problem {
  /** The line at which the parser found the error. */
  readonly line: number;
  /** The unexpected token; undefined at the end of the script. */
  readonly token?: string;
  readonly expecting?: string;
  /** An opening quote or bracket that is not closed. */
  readonly open?: string;
  /** An expansion that cannot be read, printed as it is. */
  readonly bad?: string;
  /** The complete line. */
  readonly source: string;
}

/** Reports whether more text could correct the error. */
export function isUnfinished({ token, bad }: Problem): boolean {
  return token === undefined && bad === undefined;
}

/** Returns the lines of the message, without the shell's name before them. */
export function problemLines(problem: Problem, dialect: Dialect): readonly string[] {
  const { token, expecting, open, bad, source } = problem;
  if (dialect === "bash") {
    if (open !== undefined) return [`unexpected EOF while looking for matching \`${open}'`];
    if (token === undefined && bad === undefined) return ["syntax error: unexpected end of file"];
    return [`syntax error near unexpected token \`${token ?? "newline"}'`, `\`${source}'`];
  }
  const isDash = dialect === "dash";
  const start = isDash ? "Syntax error: " : "syntax error: ";
  if (bad !== undefined) return [start + (isDash ? capital(bad) : bad)];
  const isQuote = open === "'" || open === '"';
  if (isQuote) return [`${start}${isDash ? "Unterminated" : "unterminated"} quoted string`];
  if (open === "`") return [`${start}${isDash ? "EOF in backquote substitution" : "EOF in backquote substitution"}`];
  if (open === "}" || open === "))") return [`${start}${isDash ? "Missing" : "missing"} '${open}'`];
  const name = open === undefined && token !== undefined ? named(token) : "end of file";
  const expected = open === undefined ? expecting : open;
  const rest = expected === undefined ? "" : ` (expecting "${expected}")`;
  return [start + (isDash ? `${name} unexpected` : `unexpected ${name}`) + rest];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const operators = new Set(["(", ")", ";", ";;", "&", "&&", "|", "||", "}", "{", "!"]);
const reserved = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "in"]);

function named(token: string): string {
  if (token === "newline") return token;
  if (/^[<>]/.test(token)) return "redirection";
  return operators.has(token) || reserved.has(token) ? `"${token}"` : "word";
}
