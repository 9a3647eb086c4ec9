// What variables hold: by name, by number, by index, of lists and of maps.
import { countCharacters } from "./characters.ts";
import { calculate } from "./arithmetic.ts";
import { build, charge, type Metered } from "./meter.ts";

/** A list is kept as `name[0]`, `name[1]` and so on; the name alone is its first. */
interface Variables {
  readonly size: number;
  get(name: string): string | undefined;
  has(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** What is asked of a shell. */
export interface Scope {
  /** Who pays. */
  readonly process: Metered;
  readonly variables: Variables;
  /** `$0`, `$1` and so on. */
  readonly parameters: readonly string[];
  /** By variable, letters as `declare` has them; `A` is a map. */
  readonly attributes: { get(name: string): string | undefined };
}

/** What each shell does in its own way. */
export interface Own<S extends Scope> {
  /** `$?`, `$RANDOM`; undefined: a variable like others. */
  special(shell: S, name: string): string | undefined;
  set(shell: S, name: string, value: string): void;
  /** The value of an expression; for one that has none, what the shell goes on with. */
  calculated(shell: S, text: string): bigint;
}

export interface LookUp<S extends Scope> {
  /** The value of `x`, `1`, `list[$i]`, `!x`. */
  lookUp(shell: S, name: string): string | undefined;
  /** `list[2]` of `list[$i]`; a map's keys are texts. */
  elementName(shell: S, name: string, index: string): string;
  /** The value of an expression. Throws an `ArithmeticError`. */
  evaluate(shell: S, text: string): bigint;
}

export function lookUpWith<S extends Scope>({ special, set, calculated }: Own<S>): LookUp<S> {
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

  /** `${!name}`: what the variable that it names holds; `${!list[*]}`: the keys. */
  function indirect(shell: S, name: string): string | undefined {
    const list = /^(\w+)\[[@*]\]$/.exec(name)?.[1];
    if (list !== undefined) return allOf(shell, keysOf(shell, list));
    const target = lookUp(shell, name);
    return target === undefined || !/^(?:\w+(?:\[.*\])?|[@*#?])$/s.test(target) ? undefined : lookUp(shell, target);
  }

  /** `${list[2]}`, `${list[$i]}`, `${list[@]}`. */
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

/** The indices of a list in order, or the keys of a map. */
export function keysOf({ variables, process }: Scope, name: string): string[] {
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

/** With blanks between them, or with the first of `IFS`. */
export function allOf({ process, variables }: Scope, words: readonly string[], isStar = false): string {
  charge(process, words.length / 20);
  build(
    process,
    words.reduce((sum, one) => sum + one.length + 1, 0),
  );
  const separators = variables.get("IFS");
  return words.join(isStar && separators !== undefined ? separators.slice(0, 1) : " ");
}

/** `${#name}`: letters of a value, or parameters, or elements of a list. */
export function lengthOf(shell: Scope, name: string, value: string): number {
  if (name === "@" || name === "*") return shell.parameters.length - 1;
  return isEachOf(name) ? elements(shell, name.slice(0, -3)).length : countCharacters(shell.process, value);
}

/** `list[@]`, `list[*]`. */
export function isEachOf(name: string): boolean {
  return /^\w+\[[@*]\]$/.test(name);
}

/** `${name:2:3}`, `${name: -2}`, of a text or of as many words. */
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
