// Special values of a shell, and its errors for values that are missing or malformed.
import { ArithmeticError, arithmeticWords } from "../arithmetic.ts";
import { complain, fatal, fatalCode } from "../evaluate/complaints.ts";
import { allOf, boundsOf, newVariableReader } from "../variables.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";

export const { lookUp, elementName, evaluate } = newVariableReader<Shell>({
  special,
  set: setVariable,
  evaluateOrReport: evaluateOrReport,
});

export function bounds(shell: Shell, argument: string, size: number): readonly [from: number, to: number] {
  return boundsOf(argument, size, (text) => evaluateOrReport(shell, text));
}

/** Evaluates an expression. If it is malformed, reports it, ends the script and returns 0. */
export function evaluateOrReport(shell: Shell, text: string): bigint {
  try {
    if (text.includes("**") && shell.isStrict && shell.dialect === "dash") throw new ArithmeticError("operand", "*");
    return evaluate(shell, text);
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    fatal(shell, arithmeticWords(text.trim(), error));
    return 0n;
  }
}

function special(shell: Shell, name: string): string | undefined {
  switch (name) {
    case "?":
      return String(shell.exitCode);
    case "#":
      return String(Math.max(shell.parameters.length - 1, 0));
    case "@":
    case "*":
      return shell.parameters.length > 1 ? allOf(shell, shell.parameters.slice(1), name === "*") : undefined;
    case "-":
      return letters(shell);
    case "LINENO":
      return shell.dialect === "dash" ? undefined : String(shell.line);
    case "BASH_VERSION":
      return shell.dialect === "bash" ? "5.2.37(1)-release" : undefined;
    case "PWD":
      return shell.folder;
    default:
      return shell.host.special(shell, name);
  }
}

function letters({ options, stopsOnFailure, traces, source, dialect }: Shell): string {
  const set = [
    [dialect === "ash" && source !== "typed" && source !== "file", "c"],
    [options.allexport, "a"],
    [stopsOnFailure, "e"],
    [options.noglob, "f"],
    [dialect === "bash", "h"],
    [source === "typed", "i"],
    [options.nounset, "u"],
    [traces, "x"],
    [dialect === "bash", "B"],
    [options.noclobber, "C"],
    [dialect === "bash" && (source === "command" || source === "named"), "c"],
  ] as const;
  return set.map(([isSet, letter]) => (isSet ? letter : "")).join("");
}

/** Reports an unset variable under `set -u`. Returns whether it is one. */
export function refusesUnset(shell: Shell, name: string): boolean {
  if (!shell.options.nounset || /^(?:[@*]|.*\[[@*]\])$/s.test(name)) return false;
  fatal(
    shell,
    {
      ash: `${name}: parameter not set`,
      dash: `${name}: parameter not set`,
      bash: `${name}: unbound variable`,
    },
    undefined,
    fatalCode(shell),
  );
  return true;
}

/** Reports a missing value of `${name:?why}`. */
export function refuseMissing(shell: Shell, name: string, why: string, isNullToo: boolean): void {
  const words = {
    ash: isNullToo ? "parameter not set or null" : "parameter not set",
    dash: isNullToo ? "parameter not set or null" : "parameter not set",
    bash: isNullToo ? "parameter null or not set" : "parameter not set",
  };
  const text = (standardText: string) => `${name}: ${why || standardText}`;
  fatal(shell, { ash: text(words.ash), dash: text(words.dash), bash: text(words.bash) }, undefined, fatalCode(shell));
}

/** Reports an expansion that the shell cannot read, such as `${x!}`. */
export function refuseBad(shell: Shell, text: string): void {
  if (shell.dialect === "ash") complain(shell, "syntax error: bad substitution");
  else complain(shell, { ash: "", dash: "Bad substitution", bash: `\${${text}}: bad substitution` });
  shell.exitCode = shell.dialect === "bash" ? 1 : 2;
  shell.flow = { kind: shell.source === "typed" ? "abandon" : "exit" };
}
