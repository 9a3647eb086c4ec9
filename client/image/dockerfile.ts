// Reads a Dockerfile into its instructions: comments, continued lines, the escape directive and the two forms of a command.

export interface Instruction {
  /** The line where it begins, from 1. */
  readonly line: number;
  /** In capital letters. */
  readonly name: string;
  /** `--chown=app`, in the order in which they stand. */
  readonly flags: readonly string[];
  /** The text after name and flags. */
  readonly text: string;
}

/** An error and its line in the Dockerfile. */
export class BuildProblem extends Error {
  override name = "BuildProblem";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Throws `BuildProblem`. */
export function readDockerfile(text: string): Instruction[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const escape = /^#\s*escape\s*=\s*`\s*$/im.test(directivesOf(lines)) ? "`" : "\\";
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    let whole = "";
    for (; at < lines.length; at++) {
      const one = lines[at] ?? "";
      // Comments and empty lines within a continued instruction are no part of it.
      if (/^\s*(#|$)/.test(one)) {
        if (whole === "") break;
        continue;
      }
      const trimmed = one.trimEnd();
      if (!trimmed.endsWith(escape)) {
        whole += one;
        break;
      }
      whole += trimmed.slice(0, -1);
    }
    if (whole.trim() !== "") instructions.push(instructionOf(whole.trim(), first + 1));
  }
  return instructions;
}

/** Directives are comments before everything else. */
function directivesOf(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !/^#\s*\w+\s*=/.test(line));
  return lines.slice(0, end < 0 ? undefined : end).join("\n");
}

function instructionOf(whole: string, line: number): Instruction {
  const [, name = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(whole) ?? [];
  if (!/^[A-Za-z]+$/.test(name)) throw new BuildProblem(line, `${name} is no instruction`);
  const flags: string[] = [];
  let text = rest;
  for (let found; (found = /^(--[a-z][\w-]*(?:=\S*)?)(?:\s+|$)/.exec(text)); text = text.slice(found[0].length))
    flags.push(found[1] ?? "");
  if (/<<-?["']?[A-Za-z_]/.test(text) && /^(RUN|COPY|ADD)$/i.test(name))
    throw new BuildProblem(line, "here-documents are not supported: put the text into a file");
  return { line, name: name.toUpperCase(), flags, text };
}

/** Returns the words of a command in brackets; undefined if it is a text for a shell. */
export function execForm(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((one) => typeof one === "string") ? words : undefined;
  } catch {
    // Docker takes what is no list in JSON for a text, too.
    return undefined;
  }
}

/** Splits a text at its blanks, with quotes as a shell has them. */
export function wordsOf(text: string): string[] {
  const found = text.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g) ?? [];
  return found.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
      (_all: string, double?: string, single?: string, one?: string) =>
        double === undefined ? (single ?? one ?? "") : double.replace(/\\(["\\$])/g, "$1"),
    ),
  );
}

/** Replaces `$NAME`, `${NAME}`, `${NAME:-word}` and `${NAME:+word}`; what has no value is empty. */
export function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(
    /\\\$|\$(?:(\w+)|\{(\w+)(?::([-+])([^}]*))?\})/g,
    (all: string, bare?: string, braced?: string, operator?: string, word: string = "") => {
      if (all === "\\$") return "$";
      const value = variables.get(bare ?? braced ?? "");
      if (operator === "+") return value ? word : "";
      return value || (operator === "-" ? word : "");
    },
  );
}
