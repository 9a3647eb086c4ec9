// What a word stands for: variables, substituted commands, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import { calculate } from "./arithmetic.ts";
import { namesIn } from "./files.ts";
import { absolute } from "./files.ts";
import { escaped, globEnd, globFind, globMatches, globOf, globStart, hasPattern } from "./glob.ts";
import { build, charge, comeBack, enter, heapBytes, hold, scan } from "./meter.ts";
import type { Process } from "./process.ts";
import { Growing } from "./program.ts";
import { setVariable, type Shell } from "./shell.ts";
import type { List, Part, Word } from "./syntax.ts";

/** Runs commands for what they print. */
export type Substitute = (shell: Shell, list: List) => string;

/** What words become, one after the other. They are held by whoever goes on with them. */
export function expandWords(shell: Shell, words: readonly Word[], substitute: Substitute): string[] {
  const { process } = shell;
  const found: string[] = [];
  let bytes = 0;
  for (const word of words) {
    for (const one of expandWord(shell, word, substitute)) {
      const size = heapBytes(one) + fieldBytes;
      hold(process, size);
      bytes += size;
      found.push(one);
    }
  }
  hold(process, -bytes);
  return found;
}

interface Field {
  text: string;
  pattern: string;
  present: boolean;
}

/** What a field takes beside its text. */
const fieldBytes = 48;

/** The words that a word becomes: none, one or several. */
function expandWord(shell: Shell, word: Word, substitute: Substitute): string[] {
  const { process } = shell;
  const [only] = word;
  if (word.length === 1 && only?.type === "text") {
    // The command, not a pattern.
    if (only.quoted || only.text === "[") return [only.text];
    return ranges(shell, only.text).flatMap((one) => files(shell, one));
  }
  const fields: Field[] = [{ text: "", pattern: "", present: false }];
  let bytes = 0;
  const add = (text: string, quoted: boolean, isNext: boolean) => {
    const size = 2 * text.length + (isNext ? fieldBytes : 0);
    charge(process, (isNext ? 0.2 : 0) + size / 512);
    hold(process, size);
    bytes += size;
    if (isNext) fields.push({ text: "", pattern: "", present: false });
    const last = fields.at(-1);
    if (!last) return;
    last.text += text;
    last.pattern += quoted ? escaped(text) : text;
    last.present ||= quoted || text !== "";
  };
  for (const part of word) {
    if (part.type === "variable" && part.name === "@" && part.quoted) {
      for (const [at, one] of shell.parameters.slice(1).entries()) add(one, true, at > 0);
      continue;
    }
    const value = partValue(shell, part, substitute);
    if (part.quoted || part.type === "text") add(value, part.quoted, false);
    else {
      scan(process, value);
      for (const [at, one] of value.split(/[ \t\n]+/).entries()) add(one, false, at > 0);
    }
  }
  hold(process, -bytes);
  return fields
    .filter((one) => one.present)
    .flatMap((one) => (hasPattern(one.pattern.replace(/\\./g, "")) ? files(shell, one.pattern) : [one.text]));
}

/** The text of a word that is not split: a value, a redirection's target. */
export function expandText(shell: Shell, word: Word, substitute: Substitute): string {
  return joinedParts(shell, word, (part) => partValue(shell, part, substitute));
}

function joinedParts({ process }: Shell, word: Word, valueOf: (part: Part) => string): string {
  const [first] = word;
  if (word.length === 1 && first) return valueOf(first);
  const values: string[] = [];
  let length = 0;
  let bytes = 0;
  for (const part of word) {
    const value = valueOf(part);
    // What a command printed is nobody else's.
    const size = part.type === "command" ? heapBytes(value) : 0;
    hold(process, size);
    bytes += size;
    length += value.length;
    values.push(value);
  }
  build(process, length);
  hold(process, -bytes);
  return values.join("");
}

/** As a pattern: what was quoted stands for itself. */
export function expandPattern(shell: Shell, word: Word, substitute: Substitute, literal = escaped): string {
  return joinedParts(shell, word, (part) => {
    const value = partValue(shell, part, substitute);
    scan(shell.process, value);
    return part.quoted ? literal(value) : value;
  });
}

function partValue(shell: Shell, part: Part, substitute: Substitute): string {
  switch (part.type) {
    case "text":
      return part.text === "~" && !part.quoted ? (shell.variables.get("HOME") ?? "/root") : part.text;
    case "command":
      return trimmedEnd(substitute(shell, part.list), "\n");
    case "arithmetic":
      return String(arithmeticValue(shell, part.expression, substitute));
    case "variable":
      return variableValue(shell, part, substitute);
  }
}

export function arithmeticValue(shell: Shell, expression: Word, substitute: Substitute): number {
  const text = expandText(shell, expression, substitute);
  return calculate(
    shell.process,
    text,
    (name) => shell.variables.get(name) ?? "",
    (name, value) => setVariable(shell, name, value),
  );
}

function variableValue(shell: Shell, part: Part & { type: "variable" }, substitute: Substitute): string {
  const { name, operator, argument } = part;
  const value = lookUp(shell, name);
  const word = () => expandText(shell, argument, substitute);
  const missing = operator.startsWith(":") ? value === undefined || value === "" : value === undefined;
  switch (operator) {
    case "length": {
      const whole = /^(\w+)\[[@*]\]$/.exec(name);
      return String(whole ? elements(shell, whole[1] ?? "").length : (value ?? "").length);
    }
    case "-":
    case ":-":
      return missing ? word() : (value ?? "");
    case "+":
    case ":+":
      return missing ? "" : word();
    case "=":
    case ":=":
      if (missing) setVariable(shell, name, word());
      return lookUp(shell, name) ?? "";
    case "?":
    case ":?":
      if (missing) {
        shell.err(`sh: ${name}: ${word() || "parameter not set"}\n`);
        shell.exitCode = 2;
        shell.flow = { kind: "exit" };
      }
      return value ?? "";
    case "":
      return value ?? "";
    default:
      return edited(shell, value ?? "", operator, expandPattern(shell, argument, substitute, escapedPart));
  }
}

/** A quoted slash does not end the pattern of `${name/from/to}`. */
function escapedPart(text: string): string {
  return escaped(text).replaceAll("/", "\\/");
}

/** `${name#pattern}` and its kin. */
function edited(shell: Shell, value: string, operator: string, argument: string): string {
  const spend = (units: number) => charge(shell.process, units);
  switch (operator) {
    case "#":
    case "##":
      return value.slice(globStart(globOf(argument), value, operator === "##", spend) ?? 0);
    case "%":
    case "%%":
      return value.slice(0, globEnd(globOf(argument), value, operator === "%%", spend));
    case ":": {
      const [from = 0, length] = argument.split(":").map((one) => Number.parseInt(one, 10) || 0);
      const begin = from < 0 ? Math.max(value.length + from, 0) : from;
      return value.slice(begin, length === undefined ? undefined : begin + length);
    }
    default:
      return replaced(shell.process, value, argument, operator === "//");
  }
}

/** `${name/from/to}`, and `${name//from/to}` for all of them. */
function replaced(process: Process, value: string, argument: string, isAll: boolean): string {
  const spend = (units: number) => charge(process, units);
  let slash = 0;
  while (slash < argument.length && argument.charAt(slash) !== "/") slash += argument.charAt(slash) === "\\" ? 2 : 1;
  const glob = globOf(argument.slice(0, slash));
  const to = argument.slice(slash + 1).replace(/\\(.)/gs, "$1");
  if (value === "" && globMatches(glob, value, spend)) return glob.length > 0 ? to : "";
  const text = new Growing(process);
  let at = 0;
  for (let found; (found = globFind(glob, value, at, spend)); ) {
    text.add(value.slice(at, found[0]) + to);
    at = found[1];
    if (!isAll) break;
  }
  text.add(value.slice(at));
  return text.take();
}

function lookUp(shell: Shell, name: string): string | undefined {
  const indexed = /^(\w+)\[(.*)\]$/.exec(name);
  if (indexed) return element(shell, indexed[1] ?? "", indexed[2] ?? "");
  switch (name) {
    case "?":
      return String(shell.exitCode);
    case "#":
      return String(Math.max(shell.parameters.length - 1, 0));
    case "@":
    case "*":
      return allOf(shell, shell.parameters.slice(1));
    case "$":
      return "1";
    case "!":
      return "7";
    case "-":
      return "";
    case "RANDOM":
      shell.process.version++;
      return String(stableHash(`random/${shell.process.seed++}`) % 32768);
    case "SECONDS":
      return "0";
    case "PWD":
      return shell.folder;
    default:
      return /^\d$/.test(name) ? shell.parameters[Number(name)] : shell.variables.get(name);
  }
}

/** `${list[2]}`, `${list[$i]}`, `${list[@]}`. */
function element(shell: Shell, name: string, index: string): string | undefined {
  const { variables } = shell;
  if (index === "@" || index === "*") return allOf(shell, elements(shell, name));
  const text = index.replace(/\$\{?(\w+)\}?/g, (_, inner: string) => variables.get(inner) ?? "");
  const at = calculate(
    shell.process,
    text,
    (inner) => variables.get(inner) ?? "",
    () => undefined,
  );
  return variables.get(`${name}[${at}]`) ?? (at === 0 ? variables.get(name) : undefined);
}

function elements({ variables, process }: Shell, name: string): string[] {
  const found: string[] = [];
  for (let at = 0; ; at++) {
    charge(process, 0.2);
    const one = variables.get(`${name}[${at}]`);
    if (one === undefined) return found;
    found.push(one);
  }
}

function allOf({ process }: Shell, words: readonly string[]): string {
  charge(process, words.length / 20);
  build(process, lengthOf(words));
  return words.join(" ");
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, one) => sum + one.length + 1, 0);
}

/** `{1..5}` and `{a,b}`, and what stands behind them. */
function ranges(shell: Shell, text: string): string[] {
  if (!text.includes("{")) return [text];
  const { process } = shell;
  scan(process, text);
  const found = braces(text);
  if (!found) return [text];
  const { before, inner, after } = found;
  const [, first, last] = range.exec(inner) ?? [];
  enter(process);
  const ends = ranges(shell, after);
  comeBack(process);
  const count = first === undefined ? inner.split(",").length : Math.abs(Number(last) - Number(first)) + 1;
  build(process, count * ends.length * (text.length + fieldBytes));
  charge(process, (count * ends.length) / 4);
  const step = Number(last) < Number(first) ? -1 : 1;
  const middles =
    first === undefined ? inner.split(",") : Array.from({ length: count }, (_, at) => `${Number(first) + step * at}`);
  return middles.flatMap((middle) => ends.map((end) => before + middle + end));
}

const range = /^(-?\d+)\.\.(-?\d+)$/;

/** The first braces that stand for several words. */
function braces(text: string): { readonly before: string; readonly inner: string; readonly after: string } | undefined {
  let open = -1;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === "{") open = at;
    if (letter !== "}" || open < 0) continue;
    const inner = text.slice(open + 1, at);
    if (inner.includes(",") || range.test(inner))
      return { before: text.slice(0, open), inner, after: text.slice(at + 1) };
    open = -1;
  }
  return undefined;
}

/** The files that a pattern names; the pattern itself if there are none. */
function files(shell: Shell, pattern: string): string[] {
  scan(shell.process, pattern);
  const bare = pattern.includes("\\") ? pattern.replace(/\\(.)/g, "$1") : pattern;
  if (!hasPattern(pattern)) return [bare];
  const whole = absolute(pattern, shell.folder);
  const spend = (units: number) => charge(shell.process, units);
  let found = [""];
  for (const part of whole.split("/").slice(1)) {
    const glob = globOf(part);
    found = found.flatMap((folder) =>
      namesIn(shell.process.files, folder === "" ? "/" : folder)
        .filter((name) => globMatches(glob, name, spend) && (part.startsWith(".") || !name.startsWith(".")))
        .map((name) => `${folder}/${name}`),
    );
  }
  if (found.length === 0) return [bare];
  if (pattern.startsWith("/")) return found;
  const prefix = shell.folder === "/" ? "/" : `${shell.folder}/`;
  return found.map((one) => (one.startsWith(prefix) ? one.slice(prefix.length) : one));
}
