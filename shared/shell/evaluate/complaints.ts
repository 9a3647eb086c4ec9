// Error messages of a running shell, with the name, the line and the words of its dialect.
import type { Shell } from "./shell.ts";
import { type Problem, problemLines } from "../language/problem.ts";

/** A message for each shell. */
export interface Words {
  readonly ash: string;
  readonly dash: string;
  readonly bash: string;
}

/** Prints an error. `builtin`: the built-in command that reports it. */
export function complain(shell: Shell, words: Words | string, builtin?: string): void {
  const text = typeof words === "string" ? words : words[shell.dialect];
  shell.err(`${speaker(shell, builtin)}${text}\n`);
}

/** Prints an error. A shell that runs a script exits after it. Returns the exit code. */
export function fatal(
  shell: Shell,
  words: Words | string,
  builtin?: string,
  code = shell.dialect === "bash" ? 1 : 2,
): number {
  complain(shell, words, builtin);
  shell.exitCode = code;
  shell.flow = { kind: shell.source === "typed" ? "abandon" : "exit" };
  return code;
}

/** Returns the exit code of a script that a missing variable ends. */
export function fatalCode({ dialect, source }: Shell): number {
  if (dialect !== "bash") return 2;
  return source === "command" || source === "named" ? 127 : 1;
}

/** Prints the error of a script that cannot be parsed. */
export function complainOf(shell: Shell, problem: Problem): void {
  const { dialect, source } = shell;
  const at = { ...shell, line: problem.line };
  // An interactive bash does not print the line again.
  const lines = problemLines(problem, dialect).slice(0, dialect === "bash" && source === "typed" ? 1 : undefined);
  for (const line of lines) {
    if (dialect !== "bash") shell.err(`${speaker(at)}${line}\n`);
    else if (source === "typed") shell.err(`${nameOf(shell)}: ${line}\n`);
    else
      shell.err(
        `${nameOf(shell)}: ${shell.speaker ? `${shell.speaker}: ` : source === "file" ? "" : "-c: "}line ${problem.line}: ${line}\n`,
      );
  }
}

function speaker(shell: Shell, builtinName?: string): string {
  const { dialect, source, line } = shell;
  const builtin = builtinName ?? (dialect === "bash" ? undefined : shell.speaker);
  const by = builtin === undefined ? "" : `${builtin}: `;
  const name = nameOf(shell);
  if (dialect === "dash") return `${name}: ${line}: ${by}`;
  if (dialect === "bash") return source === "typed" ? `${name}: ${by}` : `${name}: line ${line}: ${by}`;
  const tells = source === "named" || source === "file" || (source === "command" && builtin !== undefined);
  return `${name}: ${by}${tells ? `line ${line}: ` : ""}`;
}

/** Returns `$0`. An interactive bash has another name in its messages. */
export function nameOf({ parameters: [name = ""] }: Shell): string {
  return name === "" ? "sh" : name;
}
