// What is wrong with a script that cannot be read, and how each shell says it.

/** Which shell reads a script: busybox' ash, dash or bash. */
export type Dialect = "ash" | "dash" | "bash";

/** How a script is read. `isStrict`: what the shell does not have is refused; false where the image, and so its shell, is not known. */
export interface Language {
  readonly dialect: Dialect;
  readonly isStrict: boolean;
}

/** Of an image that is not known. */
export const anyLanguage: Language = { dialect: "ash", isStrict: false };

/** `line`: where it was noticed. `token`: what was read and has no place there; absent at the end of the text. */
export interface Problem {
  readonly line: number;
  readonly token?: string;
  readonly expecting?: string;
  /** A quote, or what opens a substitution, that is not closed. */
  readonly open?: string;
  /** Said as it is. */
  readonly bad?: string;
  /** The whole line. */
  readonly source: string;
}

/** More text could mend it. */
export function isUnfinished({ token, bad }: Problem): boolean {
  return token === undefined && bad === undefined;
}

/** Lines without the shell's name before them; `newlines`: at the end of the text, which bash takes to have one. */
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
  const wanted = open === undefined ? expecting : open;
  const rest = wanted === undefined ? "" : ` (expecting "${wanted}")`;
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
