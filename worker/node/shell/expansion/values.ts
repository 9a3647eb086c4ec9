// What variables hold: by name, by number, by index; and what is made of a value by `${name#pattern}` and its kin.
import { stableHash } from "../../../../shared/base/stable.ts";
import { ArithmeticError, calculate } from "./arithmetic.ts";
import { complain, fatal, fatalCode } from "../dialects/complaints.ts";
import { globEnd, globFind, globMatches, globOf, globStart } from "../glob.ts";
import { build, charge, scan } from "../meter.ts";
import type { Process } from "../process.ts";
import { Growing } from "../program.ts";
import { setVariable, type Shell } from "../shell.ts";

/** The value of an expression; what has none is said, and ends the script. */
export function calculated(shell: Shell, text: string): bigint {
  try {
    if (text.includes("**") && shell.isStrict && shell.dialect === "dash") throw new ArithmeticError("operand", "*");
    return calculate(
      shell.process,
      text,
      (name) => lookUp(shell, name) ?? "",
      (name, value) => setElement(shell, name, value),
    );
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    fatal(shell, arithmeticWords(text.trim(), error));
    return 0n;
  }
}

function arithmeticWords(text: string, { why, token }: ArithmeticError) {
  const ofDash = {
    zero: "division by zero",
    operand: "expecting primary",
    operator: "expecting EOF",
    base: "expecting EOF",
  };
  const ofBash = {
    zero: "division by 0",
    operand: "syntax error: operand expected",
    operator: "syntax error in expression",
    base: "value too great for base",
  };
  return {
    ash: why === "zero" ? "divide by zero" : "arithmetic syntax error",
    dash: `arithmetic expression: ${ofDash[why]}: "${text}"`,
    bash: `${text}: ${ofBash[why]} (error token is "${token}")`,
  };
}

function setElement(shell: Shell, name: string, value: string): void {
  const [, list, index] = /^(\w+)\[(.*)\]$/s.exec(name) ?? [];
  const target = list === undefined ? name : elementName(shell, list, index ?? "");
  setVariable(shell, target, value);
  if (target === `${list ?? ""}[0]`) setVariable(shell, list ?? "", value);
}

/** `list[2]` of `list[$i]`; a map's keys are texts. */
export function elementName(shell: Shell, name: string, index: string): string {
  if (shell.attributes.get(name)?.includes("A")) return `${name}[${index}]`;
  const at = calculated(shell, index);
  return `${name}[${at < 0n ? BigInt(keysOf(shell, name).length) + at : at}]`;
}

/** The indices of a list in order, or the keys of a map. */
export function keysOf({ variables, process }: Shell, name: string): string[] {
  const keys: string[] = [];
  // Lists are without gaps, nearly always.
  for (let at = 0; variables.has(`${name}[${at}]`); at++) {
    charge(process, 0.2);
    keys.push(String(at));
  }
  charge(process, variables.size / 20);
  const whole = new Set(keys);
  const others: string[] = [];
  for (const [variable] of variables) {
    if (!variable.startsWith(`${name}[`)) continue;
    const key = variable.slice(name.length + 1, -1);
    if (!whole.has(key)) others.push(key);
  }
  return [
    ...keys,
    ...(others.every((one) => /^\d+$/.test(one)) ? others.sort((a, b) => Number(a) - Number(b)) : others),
  ];
}

/** What `"$@"` and `"${list[@]}"` become: a word each; undefined: another variable. */
export function wordsOf(shell: Shell, name: string): readonly string[] | undefined {
  if (name === "@") return shell.parameters.slice(1);
  const [, keys, list = ""] = /^(!?)(\w+)\[@\]$/.exec(name) ?? [];
  if (keys === undefined) return undefined;
  return keys === "!" ? keysOf(shell, list) : elements(shell, list);
}

export function elements(shell: Shell, name: string): string[] {
  const keys = keysOf(shell, name);
  const { variables } = shell;
  if (keys.length === 0 && variables.has(name)) return [variables.get(name) ?? ""];
  return keys.map((key) => variables.get(`${name}[${key}]`) ?? "");
}

export function lookUp(shell: Shell, name: string): string | undefined {
  if (name.length > 1 && name.startsWith("!")) return indirect(shell, name.slice(1));
  const indexed = /^(\w+)\[(.*)\]$/s.exec(name);
  if (indexed) return element(shell, indexed[1] ?? "", indexed[2] ?? "");
  if (/^\d+$/.test(name)) return shell.parameters[Number(name)];
  return special(shell, name) ?? shell.variables.get(name);
}

function special(shell: Shell, name: string): string | undefined {
  const { process, dialect, isStrict } = shell;
  switch (name) {
    case "?":
      return String(shell.exitCode);
    case "#":
      return String(Math.max(shell.parameters.length - 1, 0));
    case "@":
    case "*":
      return shell.parameters.length > 1 ? allOf(shell, shell.parameters.slice(1), name === "*") : undefined;
    case "$":
      return String(process.isFirst ? 1 : (process.self.running.at(-1)?.pid ?? 1));
    case "!":
      return process.jobs.length > 0 ? "7" : "";
    case "-":
      return letters(shell);
    case "RANDOM":
      if (isStrict && dialect === "dash") return undefined;
      process.version++;
      return String(stableHash(`random/${process.seed++}`) % 32768);
    case "SECONDS":
      // What reads the time in a loop is not the same each round.
      process.version++;
      return dialect === "bash" || !isStrict ? String(Math.floor((process.clockMs - shell.startMs) / 1000)) : undefined;
    case "LINENO":
      return dialect === "dash" ? undefined : String(shell.line);
    case "EUID":
    case "UID":
      return dialect === "bash" ? String(process.self.uid) : undefined;
    case "BASH_VERSION":
      return dialect === "bash" ? "5.2.37(1)-release" : undefined;
    case "BASHPID":
      return dialect === "bash" ? "1" : undefined;
    case "FUNCNAME":
      return undefined;
    case "PWD":
      return shell.folder;
    default:
      return undefined;
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

/** `${!name}`: what the variable that it names holds; `${!list[*]}`: the keys. */
function indirect(shell: Shell, name: string): string | undefined {
  const list = /^(\w+)\[[@*]\]$/.exec(name)?.[1];
  if (list !== undefined) return allOf(shell, keysOf(shell, list));
  const target = lookUp(shell, name);
  return target === undefined || !/^(?:\w+(?:\[.*\])?|[@*#?])$/s.test(target) ? undefined : lookUp(shell, target);
}

/** `${list[2]}`, `${list[$i]}`, `${list[@]}`. */
function element(shell: Shell, name: string, index: string): string | undefined {
  const { variables } = shell;
  if (index === "@" || index === "*") {
    const all = elements(shell, name);
    return all.length > 0 ? allOf(shell, all, index === "*") : undefined;
  }
  const text = index
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/\$\{?(\w+)\}?/g, (_, inner: string) => lookUp(shell, inner) ?? "");
  const target = elementName(shell, name, text);
  return variables.get(target) ?? (target === `${name}[0]` ? variables.get(name) : undefined);
}

/** With blanks between them, or with the first of `IFS`. */
function allOf({ process, variables }: Shell, words: readonly string[], isStar = false): string {
  charge(process, words.length / 20);
  build(
    process,
    words.reduce((sum, one) => sum + one.length + 1, 0),
  );
  const separators = variables.get("IFS");
  return words.join(isStar && separators !== undefined ? separators.slice(0, 1) : " ");
}

/** `set -u`: what is not set is an error. Whether it is. */
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

/** `${name#pattern}` and its kin. */
export function edited(shell: Shell, value: string, operator: string, argument: string): string {
  const spend = (units: number) => charge(shell.process, units);
  switch (operator) {
    case "#":
    case "##":
      return value.slice(globStart(globOf(argument), value, operator === "##", spend) ?? 0);
    case "%":
    case "%%":
      return value.slice(0, globEnd(globOf(argument), value, operator === "%%", spend));
    case ":": {
      const [from, to] = bounds(shell, argument, value.length);
      return value.slice(from, to);
    }
    case "^":
    case "^^":
    case ",":
    case ",,":
      return cased(value, operator);
    case "@Q":
      return `'${value.replaceAll("'", "'\\''")}'`;
    case "@U":
      return value.toUpperCase();
    case "@L":
      return value.toLowerCase();
    case "@u":
      return cased(value, "^");
    default:
      return replaced(shell.process, value, argument, operator);
  }
}

function cased(value: string, operator: string): string {
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

/** `${name:2:3}`, `${name: -2}`, of a text or of as many words. */
export function bounds(shell: Shell, argument: string, size: number): readonly [from: number, to: number] {
  const [first = "", length] = argument.split(/:(.*)/s);
  const from = Number(calculated(shell, first));
  const begin = from < 0 ? Math.max(size + from, 0) : from;
  if (length === undefined) return [begin, size];
  const count = Number(calculated(shell, length));
  return [begin, count < 0 ? Math.max(size + count, begin) : begin + count];
}

/** `${name/from/to}`; `//` for all of them, `/#` at the beginning, `/%` at the end. */
function replaced(process: Process, value: string, argument: string, operator: string): string {
  const spend = (units: number) => charge(process, units);
  scan(process, argument);
  let slash = 0;
  while (slash < argument.length && argument.charAt(slash) !== "/") slash += argument.charAt(slash) === "\\" ? 2 : 1;
  const glob = globOf(argument.slice(0, slash));
  const to = argument.slice(slash + 1).replace(/\\(.)/gs, "$1");
  if (operator === "/#") {
    const end = globStart(glob, value, true, spend);
    return end === undefined ? value : to + value.slice(end);
  }
  if (operator === "/%") {
    const begin = globEnd(glob, value, true, spend);
    return begin === undefined || begin === value.length ? value : value.slice(0, begin) + to;
  }
  if (value === "" && globMatches(glob, value, spend)) return glob.length > 0 ? to : "";
  const text = new Growing(process);
  let at = 0;
  for (let found; (found = globFind(glob, value, at, spend)); ) {
    text.add(value.slice(at, found[0]) + to);
    at = found[1];
    if (operator === "/") break;
  }
  text.add(value.slice(at));
  return text.take();
}

/** `${name:?why}`. */
export function refuseMissing(shell: Shell, name: string, why: string, isNullToo: boolean): void {
  const words = {
    ash: isNullToo ? "parameter not set or null" : "parameter not set",
    dash: isNullToo ? "parameter not set or null" : "parameter not set",
    bash: isNullToo ? "parameter null or not set" : "parameter not set",
  };
  const text = (own: string) => `${name}: ${why || own}`;
  fatal(shell, { ash: text(words.ash), dash: text(words.dash), bash: text(words.bash) }, undefined, fatalCode(shell));
}

/** `${x!}`: what no shell reads, or not this one. */
export function refuseBad(shell: Shell, text: string): void {
  if (shell.dialect === "ash") complain(shell, "syntax error: bad substitution");
  else complain(shell, { ash: "", dash: "Bad substitution", bash: `\${${text}}: bad substitution` });
  shell.exitCode = shell.dialect === "bash" ? 1 : 2;
  shell.flow = { kind: shell.source === "typed" ? "abandon" : "exit" };
}
