// Reads variables by name, number or index, including lists and maps.
import { countCharacters } from "./characters.ts";
import { calculate } from "./arithmetic.ts";
import { chargeForBuilding, charge, type Metered } from "./meter.ts";

/** Variables of a shell. A list is stored as `name[0]`, `name[1]` and so on; its name alone is the first element. */
interface Variables {
  readonly size: number;
  get(name: string): string | undefined;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** The state of a shell that lookups need. */
export interface Scope {
  /** The process that is charged. */
  readonly process: Metered;
  readonly variables: Variables;
  /** The parameters `$0`, `$1` and so on. */
  readonly parameters: readonly string[];
  /** Attributes by variable, as letters of `declare`; `A` is a map. */
  readonly attributes: { get(name: string): string | undefined };
}

/** Operations that the shell's evaluator provides. */
export interface ShellOperations<S extends Scope> {
  /** Returns the value of `$?`, `$RANDOM` and so on; undefined for any other variable. */
  special(shell: S, name: string): string | undefined;
  set(shell: S, name: string, value: string): void;
  /** Evaluates an expression. If it is malformed, reports it, ends the script and returns 0. */
  evaluateOrReport(shell: S, text: string): bigint;
}

export interface VariableReader<S extends Scope> {
  /** Returns the value of `x`, `1`, `list[$i]` or `!x`. */
  lookUp(shell: S, name: string): string | undefined;
  /** Returns `list[2]` for `list[$i]`; the keys of a map are texts. */
  elementName(shell: S, name: string, index: string): string;
  /** Evaluates an expression. Throws an `ArithmeticError`. */
  evaluate(shell: S, text: string): bigint;
}

export function newVariableReader<S extends Scope>({
  special,
  set,
  evaluateOrReport: calculated,
}: ShellOperations<S>): VariableReader<S> {
  function lookUp(shell: S, name: string): string | undefined {
    if (name.length > 1 && name.startsWith("!")) return indirect(shell, name.slice(1));
    const indexed = /^(\w+)\[(.*)\]$/s.exec(name);
    if (indexed) return element(shell, indexed[1] ?? "", indexed[2] ?? "");
    if (/^\d+$/.test(name)) return shell.parameters[Number(name)];
    return special(shell, name) ?? shell.variables.get(name);
  }

  function elementName(shell: S, name: string, index: string): string {
    if (shell.attributes.get(name)?.includes("A")) return `${name}[${index}]`;
    const at = calculated(shell, index);
    return `${name}[${at < 0n ? BigInt(keysOf(shell, name).length) + at : at}]`;
  }

  /** Returns the value of `${!name}`, the variable that it names, or the keys of `${!list[*]}`. */
  function indirect(shell: S, name: string): string | undefined {
    const list = /^(\w+)\[[@*]\]$/.exec(name)?.[1];
    if (list !== undefined) return allOf(shell, keysOf(shell, list));
    const target = lookUp(shell, name);
    return target === undefined || !/^(?:\w+(?:\[.*\])?|[@*#?])$/s.test(target) ? undefined : lookUp(shell, target);
  }

  /** Returns the value of `${list[2]}`, `${list[$i]}` or `${list[@]}`. */
  function element(shell: S, name: string, index: string): string | undefined {
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

  function evaluate(shell: S, text: string): bigint {
    return calculate(
      shell.process,
      text,
      (name) => lookUp(shell, name) ?? "",
      (name, value) => setElement(shell, name, value),
    );
  }

  function setElement(shell: S, name: string, value: string): void {
    const [, list, index] = /^(\w+)\[(.*)\]$/s.exec(name) ?? [];
    const target = list === undefined ? name : elementName(shell, list, index ?? "");
    set(shell, target, value);
    if (target === `${list ?? ""}[0]`) set(shell, list ?? "", value);
  }

  return { lookUp, elementName, evaluate };
}

/** Microseconds of looking up one element of a list. */
const elementWork = 0.2;
/** Microseconds of visiting one variable of a shell, or one word of a list. */
const itemWork = 0.05;

/** Returns the indices of a list in order, or the keys of a map. */
export function keysOf({ variables, process }: Scope, name: string): string[] {
  const keys: string[] = [];
  // Most lists have no gaps.
  for (let at = 0; variables.has(`${name}[${at}]`); at++) {
    charge(process, elementWork);
    keys.push(String(at));
  }
  charge(process, variables.size * itemWork);
  const consecutive = new Set(keys);
  const furtherKeys: string[] = [];
  for (const [variable] of variables) {
    if (!variable.startsWith(`${name}[`)) continue;
    const key = variable.slice(name.length + 1, -1);
    if (!consecutive.has(key)) furtherKeys.push(key);
  }
  return [
    ...keys,
    ...(furtherKeys.every((key) => /^\d+$/.test(key))
      ? furtherKeys.sort((a, b) => Number(a) - Number(b))
      : furtherKeys),
  ];
}

/** Returns the words of `"$@"` or `"${list[@]}"`; undefined for any other variable. */
export function wordsOf(shell: Scope, name: string): readonly string[] | undefined {
  if (name === "@") return shell.parameters.slice(1);
  const [, keys, list = ""] = /^(!?)(\w+)\[@\]$/.exec(name) ?? [];
  if (keys === undefined) return undefined;
  return keys === "!" ? keysOf(shell, list) : elements(shell, list);
}

export function elements(shell: Scope, name: string): string[] {
  const keys = keysOf(shell, name);
  const { variables } = shell;
  if (keys.length === 0 && variables.has(name)) return [variables.get(name) ?? ""];
  return keys.map((key) => variables.get(`${name}[${key}]`) ?? "");
}

/** Joins words with blanks, or with the first character of `IFS`. */
export function allOf({ process, variables }: Scope, words: readonly string[], isStar = false): string {
  charge(process, words.length * itemWork);
  chargeForBuilding(
    process,
    words.reduce((sum, word) => sum + word.length + 1, 0),
  );
  const separators = variables.get("IFS");
  return words.join(isStar && separators !== undefined ? separators.slice(0, 1) : " ");
}

/** Returns `${#name}`: the length of a value, or the number of parameters or elements. */
export function lengthOf(shell: Scope, name: string, value: string): number {
  if (name === "@" || name === "*") return shell.parameters.length - 1;
  return isEachOf(name) ? elements(shell, name.slice(0, -3)).length : countCharacters(shell.process, value);
}

/** Reports whether the name is `list[@]` or `list[*]`. */
export function isEachOf(name: string): boolean {
  return /^\w+\[[@*]\]$/.test(name);
}

/** Returns the bounds of `${name:2:3}` or `${name: -2}`, for a text or for words. */
export function boundsOf(
  argument: string,
  size: number,
  calculated: (text: string) => bigint,
): readonly [from: number, to: number] {
  const [first = "", length] = argument.split(/:(.*)/s);
  const from = Number(calculated(first));
  const begin = from < 0 ? Math.max(size + from, 0) : from;
  if (length === undefined) return [begin, size];
  const count = Number(calculated(length));
  return [begin, count < 0 ? Math.max(size + count, begin) : begin + count];
}
