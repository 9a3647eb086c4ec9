// Assignments of a command, checks of names, and the trace of `set -x`.
import { complain, fatal } from "../evaluate/complaints.ts";
import { expandText, expandWords, type Substitute } from "./expand.ts";
import { keysOf } from "../variables.ts";
import { evaluateOrReport, elementName } from "./values.ts";
import { charge } from "../meter.ts";
import { after, type Deferred, finished, type Task } from "../task.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";
import type { Assignment } from "../language/syntax.ts";

export interface Value {
  readonly name: string;
  readonly text: string;
  /** Whether the previous elements of the array are removed first. */
  readonly clears?: true;
}

/**
 * Returns the values that an assignment sets. An array is stored as `name[0]`, `name[1]` and so on; its name alone is the first element.
 */
export function valuesOf(shell: Shell, assignment: Assignment, substitute: Substitute): Deferred<Value[]> {
  const { name, index, value, list, appends } = assignment;
  if (index || list || appends) return valuesIn(shell, assignment, substitute);
  return after(expandText(shell, value, substitute), (text) => [{ name, text }]);
}

function* valuesIn(shell: Shell, assignment: Assignment, substitute: Substitute): Task<Value[]> {
  const { name, index, value, list, appends } = assignment;
  if (!list) {
    const target = index ? elementName(shell, name, yield* finished(expandText(shell, index, substitute))) : name;
    const added = yield* finished(expandText(shell, value, substitute));
    if (!appends) return [{ name: target, text: added }];
    const before = shell.variables.get(target) ?? "";
    const sum = has(shell, name, "i") ? String(evaluateOrReport(shell, `${before || "0"}+(${added})`)) : before + added;
    return [{ name: target, text: sum }];
  }
  const keys = appends ? keysOf(shell, name) : [];
  let next = keys.length === 0 ? 0 : Number(keys.at(-1)) + 1;
  const values: Value[] = appends ? [] : [{ name, text: "", clears: true }];
  for (const element of list) {
    if (element.index) {
      const target = elementName(shell, name, yield* finished(expandText(shell, element.index, substitute)));
      values.push({ name: target, text: yield* finished(expandText(shell, element.value, substitute)) });
      next = Number(target.slice(name.length + 1, -1)) + 1;
      continue;
    }
    for (const text of yield* finished(expandWords(shell, [element.value], substitute)))
      values.push({ name: `${name}[${next++}]`, text });
  }
  return values;
}

export function assign(shell: Shell, values: readonly Value[]): boolean {
  for (const { name, text, clears } of values) {
    const bare = name.split("[", 1)[0] ?? "";
    if (has(shell, bare, "r")) {
      fatal(shell, { ash: `${bare}: is read only`, dash: `${bare}: is read only`, bash: `${bare}: readonly variable` });
      return false;
    }
    if (clears) clear(shell, name);
    else {
      setVariable(shell, name, has(shell, bare, "i") ? String(evaluateOrReport(shell, text)) : text);
      if (name === `${bare}[0]`) setVariable(shell, bare, text);
    }
  }
  return true;
}

function clear(shell: Shell, name: string): void {
  for (const key of keysOf(shell, name)) shell.variables.delete(`${name}[${key}]`);
  if (shell.variables.delete(name)) shell.process.version++;
}

/** Reports whether a variable has an attribute: `A` associative, `i` integer, `r` read-only. */
export function has({ attributes }: Shell, name: string, letter: "A" | "i" | "r"): boolean {
  return attributes.get(name)?.includes(letter) ?? false;
}

export function give({ attributes }: Shell, name: string, letters: string): void {
  attributes.set(name, (attributes.get(name) ?? "").replace(letters, "") + letters);
}

/** Prints the trace of a command for `set -x`. */
export function traceLines(shell: Shell, values: readonly Value[], words: readonly string[]): void {
  const sign = shell.variables.get("PS4") ?? "+ ";
  const quotedText = (text: string) => quotedFor(shell, text);
  charge(shell.process, words.length / 10);
  for (const { name, text, clears } of values) if (!clears) shell.err(`${sign}${name}=${quotedText(text)}\n`);
  if (words.length > 0) shell.err(`${sign}${words.map(quotedText).join(" ")}\n`);
}

/** Quotes a text as a word that the shell can read again. Dash does not quote. */
export function quotedFor({ dialect }: Pick<Shell, "dialect">, text: string): string {
  if (dialect === "dash") return text;
  const isPlain = dialect === "ash" ? /^[\w%+,\-./:@\]^{}~]+$/ : /^(?![~#])[^\s'"\\|&;()<>!{}*[\]?^$`]+$/;
  return isPlain.test(text) ? text : `'${text.replaceAll("'", dialect === "ash" ? `'"'"'` : "'\\''")}'`;
}

/** Reports whether a variable can have a name, and prints the error otherwise. */
export function isName(shell: Shell, name: string, assignmentTarget: string, builtin: string): boolean {
  if (/^[A-Za-z_]\w*(?:\[.*\])?$/s.test(name)) return true;
  const bad = `${name}: bad variable name`;
  complain(shell, { ash: bad, dash: bad, bash: `\`${assignmentTarget}': not a valid identifier` }, builtin);
  return false;
}
