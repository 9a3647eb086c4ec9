// What a word stands for: variables, substituted commands, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { ArithmeticError, arithmeticWords } from "../../../shared/shell/arithmetic.ts";
import { braced } from "../../../shared/shell/braces.ts";
import { edited } from "../../../shared/shell/edited.ts";
import type { List, Part, Word } from "../../../shared/shell/language/syntax.ts";
import { charge } from "../../../shared/shell/meter.ts";
import { escaped, escapedPart, globMatches, globOf, hasPattern } from "../../../shared/shell/patterns/glob.ts";
import { boundsOf, elements, isEachOf, lengthOf, lookUpWith, wordsOf } from "../../../shared/shell/variables.ts";
import { Failure, folderOf, setVariable, type Shell } from "./shell.ts";

/** Runs commands for what they print. */
export type Substitute = (list: List) => Promise<string>;

type VariablePart = Part & { type: "variable" };

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
    if (first.quoted || first.text === "[") return [first.text];
    return braced(shell.process, first.text).flatMap((one) => namesFor(shell, tilde(shell, one)));
  }
  const fields: Field[] = [{ text: "", glob: "", isPresent: false }];
  const add = (text: string, isQuoted: boolean, isNext: boolean) => {
    if (isNext) fields.push({ text: "", glob: "", isPresent: false });
    const last = fields.at(-1);
    if (!last) return;
    last.text += text;
    last.glob += isQuoted ? escaped(text) : text;
    last.isPresent ||= isQuoted || text !== "";
  };
  for (const [place, part] of word.entries()) {
    const several = part.type === "variable" && part.quoted ? await severalOf(shell, part, substitute) : undefined;
    if (several) {
      for (const [at, one] of several.entries()) add(one, true, at > 0);
      const last = fields.at(-1);
      // `"$@"` with no parameters is no word at all.
      if (last && several.length === 0) last.isPresent = last.text !== "";
      continue;
    }
    const value = await partValue(shell, part, substitute, place === 0);
    if (part.quoted || part.type === "text") add(value, part.quoted, false);
    else for (const [at, one] of value.split(/[ \t\n]+/).entries()) add(one, false, at > 0);
  }
  return fields
    .filter(({ isPresent }) => isPresent)
    .flatMap(({ text, glob }) => (hasPattern(bare(glob, "")) ? namesFor(shell, glob) : [text]));
}

/** `"$@"`, `"${@:2}"`, `"${list[@]}"`: a word each; undefined: one word. */
async function severalOf(
  shell: Shell,
  { name, operator, argument }: VariablePart,
  substitute: Substitute,
): Promise<readonly string[] | undefined> {
  if (operator !== "" && operator !== ":") return undefined;
  const all = wordsOf(shell, name);
  if (!all || operator === "") return all;
  const counted = name === "@" ? shell.parameters : all;
  const [from, to] = boundsOf(await expandText(shell, argument, substitute), counted.length, (text) =>
    calculated(shell, text),
  );
  return counted.slice(name === "@" ? Math.max(from, 1) : from, to);
}

/** The text of a word that is not split: a value, a redirection's target. */
export async function expandText(shell: Shell, word: Word, substitute: Substitute): Promise<string> {
  let text = "";
  for (const [at, part] of word.entries()) text += await partValue(shell, part, substitute, at === 0);
  return text;
}

/** As a pattern: what was quoted stands for itself. */
export async function expandPattern(
  shell: Shell,
  word: Word,
  substitute: Substitute,
  literal = escaped,
): Promise<string> {
  let text = "";
  for (const part of word) {
    const value = await partValue(shell, part, substitute, false);
    text += part.quoted ? literal(value) : value;
  }
  return text;
}

async function partValue(shell: Shell, part: Part, substitute: Substitute, isFirst: boolean): Promise<string> {
  switch (part.type) {
    case "text":
      return isFirst && !part.quoted ? tilde(shell, part.text) : part.text;
    case "command":
      return trimmedEnd(await substitute(part.list), "\n");
    case "file":
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

export const { lookUp, elementName, evaluate } = lookUpWith<Shell>({ special, set: setVariable, calculated });

export async function arithmeticValue(shell: Shell, expression: Word, substitute: Substitute): Promise<bigint> {
  return calculated(shell, await expandText(shell, expression, substitute));
}

/** Throws a `Failure` for what has no value. */
export function calculated(shell: Shell, text: string): bigint {
  try {
    return evaluate(shell, text);
  } catch (error) {
    throw error instanceof ArithmeticError ? new Failure(arithmeticWords(text.trim(), error).bash) : error;
  }
}

function tilde(shell: Shell, text: string): string {
  return /^~(?:\/|$)/.test(text) ? (shell.variables.get("HOME") ?? "/") + text.slice(1) : text;
}

async function variableValue(shell: Shell, part: VariablePart, substitute: Substitute): Promise<string> {
  const { name, operator, argument } = part;
  const word = () => expandText(shell, argument, substitute);
  if (operator === "bad") throw new Failure(`\${${await word()}}: bad substitution`);
  const value = lookUp(shell, name);
  const isMissing = operator.startsWith(":") ? value === undefined || value === "" : value === undefined;
  switch (operator) {
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
    case "length":
      return String(lengthOf(shell, name, value ?? ""));
    case "":
      if (value === undefined && shell.settings.nounset && !isEachOf(name))
        throw new Failure(`${name}: unbound variable`);
      return value ?? "";
    case ":":
      return slice(shell, part, value ?? "", substitute);
  }
  const pattern = await expandPattern(shell, argument, substitute, escapedPart);
  const each = isEachOf(name) ? elements(shell, name.slice(0, -3)) : [value ?? ""];
  return each.map((one) => edited(shell.process, one, operator, pattern)).join(" ");
}

async function slice(shell: Shell, part: VariablePart, value: string, substitute: Substitute): Promise<string> {
  const several = await severalOf(shell, { ...part, name: part.name.replace("*", "@") }, substitute);
  if (several) return several.join(" ");
  const argument = await expandText(shell, part.argument, substitute);
  return value.slice(...boundsOf(argument, value.length, (text) => calculated(shell, text)));
}

function special(shell: Shell, name: string): string | undefined {
  const { clock, random } = shell.machine.kubectl.around;
  switch (name) {
    case "?":
      return String(shell.exitCode);
    case "#":
      return String(shell.parameters.length - 1);
    case "@":
    case "*":
      return shell.parameters.length > 1 ? shell.parameters.slice(1).join(" ") : undefined;
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
      return undefined;
  }
}

/** What a backslash quotes in a glob, as it is or as another text. */
function bare(glob: string, by = "$1"): string {
  return glob.replace(/\\([^])/g, by);
}

/** The files that a glob names; the glob itself where there are none. */
function namesFor(shell: Shell, glob: string): string[] {
  if (!hasPattern(bare(glob, ""))) return [bare(glob)];
  const { files } = shell.machine.kubectl.around;
  const spend = (units: number) => charge(shell.process, units);
  const folder = folderOf(shell);
  const isAbsolute = glob.startsWith("/");
  let found = [isAbsolute ? "" : folder === "/" ? "" : folder];
  for (const part of glob.split("/").slice(isAbsolute ? 1 : 0)) {
    const wanted = hasPattern(bare(part, "")) ? globOf(part) : undefined;
    found = found.flatMap((place) => {
      if (!wanted) return [`${place}/${bare(part)}`];
      return (files.list(place || "/") ?? [])
        .filter((name) => (part.startsWith(".") || !name.startsWith(".")) && globMatches(wanted, name, spend))
        .map((name) => `${place}/${name}`);
    });
  }
  found = found.filter((path) => files.read(path) !== undefined || files.list(path) !== undefined);
  if (found.length === 0) return [bare(glob)];
  return isAbsolute ? found : found.map((path) => path.slice(folder === "/" ? 1 : folder.length + 1));
}
