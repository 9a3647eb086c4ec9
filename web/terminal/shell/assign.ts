// What a command assigns before it runs: values, elements of lists and of maps, whole lists.
import type { Assignment, Word } from "../../../shared/shell/language/syntax.ts";
import { keysOf } from "../../../shared/shell/variables.ts";
import { elementName, expandText, expandWords, type Substitute } from "./expand.ts";
import { setVariable, type Shell } from "./shell.ts";

/** Without a text: what the list had is forgotten. */
export type Value = readonly [name: string, text: string | undefined];

export async function valuesOf(
  shell: Shell,
  { name, index, value, list, appends }: Assignment,
  substitute: Substitute,
): Promise<Value[]> {
  const nameAt = async (at: Word) => elementName(shell, name, await expandText(shell, at, substitute));
  if (!list) {
    const target = index ? await nameAt(index) : name;
    const text = await expandText(shell, value, substitute);
    return [[target, appends ? (shell.variables.get(target) ?? "") + text : text]];
  }
  const found: Value[] = appends ? [] : [[name, undefined]];
  let next = appends ? Number(keysOf(shell, name).at(-1) ?? -1) + 1 : 0;
  for (const one of list) {
    if (one.index) {
      const target = await nameAt(one.index);
      found.push([target, await expandText(shell, one.value, substitute)]);
      next = Number(target.slice(name.length + 1, -1)) + 1;
    } else
      for (const text of await expandWords(shell, [one.value], substitute)) found.push([`${name}[${next++}]`, text]);
  }
  return found;
}

export function assign(shell: Shell, values: readonly Value[]): void {
  for (const [name, text] of values) {
    if (text === undefined) forget(shell, name);
    else {
      setVariable(shell, name, text);
      if (name.endsWith("[0]")) setVariable(shell, name.slice(0, -3), text);
    }
  }
}

/** A variable, and all of a list. */
export function forget(shell: Shell, name: string): void {
  for (const key of keysOf(shell, name)) shell.variables.delete(`${name}[${key}]`);
  shell.variables.delete(name);
}
