// What a word stands for: variables, substituted commands, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { calculate } from "./language/arithmetic.ts";
import {
  escapedGlob,
  globMatches,
  globReplaced,
  hasGlob,
  quoted,
  withoutEnd,
  withoutStart,
} from "./language/patterns.ts";
import type { List, Part, VariablePart, Word } from "./language/syntax.ts";
import { Failure, folderOf, setVariable, type Shell } from "./shell.ts";

/** Runs commands for what they print. */
export type Substitute = (list: List) => Promise<string>;

/** Words that one line may become. */
const maxWords = 100_000;

export async function expandWords(shell: Shell, words: readonly Word[], substitute: Substitute): Promise<string[]> {
  const found: string[] = [];
  for (const word of words) {
    for (const one of await expandWord(shell, word, substitute)) {
      if (found.length >= maxWords) throw new Failure("Argument list too long", 126);
      found.push(one);
    }
  }
  return found;
}

interface Field {
  text: string;
  /** The same with what was quoted escaped. */
  glob: string;
  isPresent: boolean;
}

async function expandWord(shell: Shell, word: Word, substitute: Substitute): Promise<string[]> {
  const [first] = word;
  if (word.length === 1 && first?.type === "text") {
    if (first.isQuoted || first.text === "[") return [first.text];
    return braces(first.text).flatMap((one) => namesFor(shell, tilde(shell, one)));
  }
  // `"$@"` with no parameters is no word at all.
  const mayBeNone = shell.parameters.length < 2 && word.some(isAll);
  const fields: Field[] = [{ text: "", glob: "", isPresent: false }];
  const add = (text: string, isQuoted: boolean, isNext: boolean) => {
    if (isNext) fields.push({ text: "", glob: "", isPresent: false });
    const last = fields.at(-1);
    if (!last) return;
    last.text += text;
    last.glob += isQuoted ? escapedGlob(text) : text;
    last.isPresent ||= (isQuoted && !mayBeNone) || text !== "";
  };
  for (const [place, part] of word.entries()) {
    if (isAll(part)) {
      for (const [at, one] of shell.parameters.slice(1).entries()) add(one, true, at > 0);
      continue;
    }
    const value = await partValue(shell, part, substitute, place === 0);
    if (part.isQuoted || part.type === "text") add(value, part.isQuoted, false);
    else for (const [at, one] of value.split(/[ \t\n]+/).entries()) add(one, false, at > 0);
  }
  return fields
    .filter(({ isPresent }) => isPresent)
    .flatMap(({ text, glob }) => (hasGlob(glob) ? namesFor(shell, glob) : [text]));
}

function isAll(part: Part): boolean {
  return part.type === "variable" && part.name === "@" && part.isQuoted && part.operator === "";
}

/** The text of a word that is not split: a value, a redirection's target. */
export async function expandText(shell: Shell, word: Word, substitute: Substitute): Promise<string> {
  let text = "";
  for (const [at, part] of word.entries()) text += await partValue(shell, part, substitute, at === 0);
  return text;
}

/** As a glob, or as an expression: what was quoted stands for itself. */
export async function expandPattern(
  shell: Shell,
  word: Word,
  substitute: Substitute,
  form: "glob" | "expression" = "glob",
): Promise<string> {
  const literal = form === "glob" ? escapedGlob : quoted;
  let text = "";
  for (const part of word) {
    const value = await partValue(shell, part, substitute, false);
    text += part.isQuoted ? literal(value) : value;
  }
  return text;
}

async function partValue(shell: Shell, part: Part, substitute: Substitute, isFirst: boolean): Promise<string> {
  switch (part.type) {
    case "text":
      return isFirst && !part.isQuoted ? tilde(shell, part.text) : part.text;
    case "command":
      return trimmedEnd(await substitute(part.list), "\n");
    case "process":
      return processFile(shell, await substitute(part.list));
    case "arithmetic":
      return String(await arithmeticValue(shell, part.expression, substitute));
    case "variable":
      return variableValue(shell, part, substitute);
  }
}

/** Where the files of `<(commands)` are, until the line has run. */
export const processFolder = "/dev/fd";

function processFile({ machine }: Shell, text: string): string {
  const { files } = machine.kubectl.around;
  const path = `${processFolder}/${63 - (files.list(processFolder)?.length ?? 0)}`;
  files.write(path, text);
  return path;
}

export async function arithmeticValue(shell: Shell, expression: Word, substitute: Substitute): Promise<number> {
  const text = await expandText(shell, expression, substitute);
  return calculate(
    text,
    (name) => shell.variables.get(name) ?? "",
    (name, value) => setVariable(shell, name, value),
  );
}

function tilde(shell: Shell, text: string): string {
  return /^~(?:\/|$)/.test(text) ? (shell.variables.get("HOME") ?? "/") + text.slice(1) : text;
}

async function variableValue(shell: Shell, part: VariablePart, substitute: Substitute): Promise<string> {
  const { name, operator, argument } = part;
  const value = lookUp(shell, name);
  const word = () => expandText(shell, argument, substitute);
  const isMissing = operator.startsWith(":") ? value === undefined || value === "" : value === undefined;
  switch (operator) {
    case "length":
      return String(name === "@" || name === "*" ? shell.parameters.length - 1 : (value ?? "").length);
    case "-":
    case ":-":
      return isMissing ? word() : (value ?? "");
    case "+":
    case ":+":
      return isMissing ? "" : word();
    case "=":
    case ":=":
      if (isMissing) setVariable(shell, name, await word());
      return lookUp(shell, name) ?? "";
    case "?":
    case ":?":
      if (isMissing) throw new Failure(`${name}: ${(await word()) || "parameter null or not set"}`);
      return value ?? "";
    case "":
      if (value === undefined && shell.settings.nounset) throw new Failure(`${name}: unbound variable`);
      return value ?? "";
    default:
      return edited(value ?? "", operator, await expandPattern(shell, argument, substitute));
  }
}

/** `${name#pattern}` and its kin. */
function edited(value: string, operator: string, argument: string): string {
  switch (operator) {
    case "#":
    case "##":
      return withoutStart(argument, value, operator === "#");
    case "%":
    case "%%":
      return withoutEnd(argument, value, operator === "%");
    case "^":
      return value.charAt(0).toUpperCase() + value.slice(1);
    case "^^":
      return value.toUpperCase();
    case ",":
      return value.charAt(0).toLowerCase() + value.slice(1);
    case ",,":
      return value.toLowerCase();
    case ":": {
      const [from = 0, length] = argument.split(":").map((one) => Number.parseInt(one, 10) || 0);
      const begin = from < 0 ? Math.max(value.length + from, 0) : from;
      if (length === undefined) return value.slice(begin);
      return value.slice(begin, length < 0 ? length : begin + length);
    }
    default: {
      const slash = argument.search(/(?<!\\)\//);
      const glob = slash < 0 ? argument : argument.slice(0, slash);
      const by = slash < 0 ? "" : argument.slice(slash + 1).replace(/\\([^])/g, "$1");
      return globReplaced(glob.replaceAll("\\/", "/"), value, by, operator === "//");
    }
  }
}

function lookUp(shell: Shell, name: string): string | undefined {
  const { clock, random } = shell.machine.kubectl.around;
  switch (name) {
    case "?":
      return String(shell.exitCode);
    case "#":
      return String(shell.parameters.length - 1);
    case "@":
    case "*":
      return shell.parameters.slice(1).join(" ");
    case "$":
      return "1";
    case "!":
      return String(shell.machine.jobs.find(undefined)?.id ?? "");
    case "-":
      return "himBHs";
    case "PWD":
      return folderOf(shell);
    case "RANDOM":
      return String(Math.floor(random.next() * 32768));
    case "EPOCHSECONDS":
      return String(Math.floor(clock.nowMs() / 1000));
    case "COLUMNS":
      return String(shell.machine.device.size().columns);
    case "LINES":
      return String(shell.machine.device.size().rows);
    default:
      return /^\d+$/.test(name) ? shell.parameters[Number(name)] : shell.variables.get(name);
  }
}

const range = /^(-?\d+)\.\.(-?\d+)$/;

/** `{1..5}` and `{a,b}`, and what stands round them. */
function braces(text: string): string[] {
  const found = bracesIn(text);
  if (!found) return [text];
  const [, first, last] = range.exec(found.inner) ?? [];
  const [from, to] = [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (first !== undefined && count > maxWords) throw new Failure("Argument list too long", 126);
  const middles =
    first === undefined
      ? found.inner.split(",")
      : Array.from({ length: count }, (_, at) => String(from + (to < from ? -at : at)));
  const ends = braces(found.after);
  if (middles.length * ends.length > maxWords) throw new Failure("Argument list too long", 126);
  return middles.flatMap((middle) => ends.map((end) => found.before + middle + end));
}

function bracesIn(text: string): { before: string; inner: string; after: string } | undefined {
  let open = -1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") open = at;
    if (text[at] !== "}" || open < 0) continue;
    const inner = text.slice(open + 1, at);
    if (inner.includes(",") || range.test(inner))
      return { before: text.slice(0, open), inner, after: text.slice(at + 1) };
    open = -1;
  }
  return undefined;
}

/** The files that a glob names; the glob itself where there are none. */
function namesFor(shell: Shell, glob: string): string[] {
  const bare = glob.replace(/\\([^])/g, "$1");
  if (!hasGlob(glob)) return [bare];
  const { files } = shell.machine.kubectl.around;
  const folder = folderOf(shell);
  const isAbsolute = glob.startsWith("/");
  let found = [isAbsolute ? "" : folder === "/" ? "" : folder];
  for (const part of glob.split("/").slice(isAbsolute ? 1 : 0)) {
    found = found.flatMap((place) => {
      if (!hasGlob(part)) return [`${place}/${part.replace(/\\([^])/g, "$1")}`];
      return (files.list(place || "/") ?? [])
        .filter((name) => (part.startsWith(".") || !name.startsWith(".")) && globMatches(part, name))
        .map((name) => `${place}/${name}`);
    });
  }
  found = found.filter((path) => files.read(path) !== undefined || files.list(path) !== undefined);
  if (found.length === 0) return [bare];
  return isAbsolute ? found : found.map((path) => path.slice(folder === "/" ? 1 : folder.length + 1));
}
