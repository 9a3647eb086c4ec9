// Parses a Dockerfile into its instructions: comments, continued lines, the escape directive and the two forms of a command.

export interface Instruction {
  /** The line where the instruction begins, from 1. */
  readonly line: number;
  /** The name in capital letters. */
  readonly name: string;
  /** Flags such as `--chown=app`, in order. */
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

/** Parses a Dockerfile. Throws `BuildProblem`. */
export function readDockerfile(text: string): Instruction[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const escape = /^#\s*escape\s*=\s*`\s*$/im.test(directivesOf(lines)) ? "`" : "\\";
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    let instructionText = "";
    for (; at < lines.length; at++) {
      const line = lines[at] ?? "";
      // Comments and empty lines within a continued instruction are skipped.
      if (/^\s*(#|$)/.test(line)) {
        if (instructionText === "") break;
        continue;
      }
      const trimmed = line.trimEnd();
      if (!trimmed.endsWith(escape)) {
        instructionText += line;
        break;
      }
      instructionText += trimmed.slice(0, -1);
    }
    if (instructionText.trim() !== "") instructions.push(instructionOf(instructionText.trim(), first + 1));
  }
  return instructions;
}

/** Returns the directives, which are comments before everything else. */
function directivesOf(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !/^#\s*\w+\s*=/.test(line));
  return lines.slice(0, end < 0 ? undefined : end).join("\n");
}

function instructionOf(instructionText: string, line: number): Instruction {
  const [, name = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(instructionText) ?? [];
  if (!/^[A-Za-z]+$/.test(name)) throw new BuildProblem(line, `${name} is no instruction`);
  const flags: string[] = [];
  let text = rest;
  for (let flag; (flag = /^(--[a-z][\w-]*(?:=\S*)?)(?:\s+|$)/.exec(text)); text = text.slice(flag[0].length))
    flags.push(flag[1] ?? "");
  if (/<<-?["']?[A-Za-z_]/.test(text) && /^(RUN|COPY|ADD)$/i.test(name))
    throw new BuildProblem(line, "here-documents are not supported: put the text into a file");
  return { line, name: name.toUpperCase(), flags, text };
}

/** Returns the words of a command in brackets; undefined if it is a text for a shell. */
export function execForm(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === "string") ? words : undefined;
  } catch {
    // Like Docker, treat text that is not a JSON list as a shell command.
    return undefined;
  }
}

/** Splits a text at its blanks, with a shell's quotes. */
export function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
      (_all: string, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$])/g, "$1"),
    ),
  );
}

/** Replaces `$NAME`, `${NAME}`, `${NAME:-word}` and `${NAME:+word}`. Unset variables are empty. */
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
