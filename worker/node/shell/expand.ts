// What a word stands for: variables, substituted commands, arithmetic, field splitting, braces and file names.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Spend } from "../../../shared/base/pattern.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import { calculate } from "./arithmetic.ts";
import { namesIn } from "./files.ts";
import { absolute } from "./files.ts";
import { escaped, globEnd, globFind, globMatches, globOf, globStart, hasPattern } from "./glob.ts";
import { charge } from "./process.ts";
import { setVariable, type Shell } from "./shell.ts";
import type { List, Part, Word } from "./syntax.ts";

/** Runs commands for what they print. */
export type Substitute = (shell: Shell, list: List) => string;

/** The words that a word becomes: none, one or several. */
export function expandWord(shell: Shell, word: Word, substitute: Substitute): string[] {
  const [only] = word;
  if (word.length === 1 && only?.type === "text" && !only.quoted)
    return ranges(only.text).flatMap((one) => files(shell, one));
  const fields: { text: string; pattern: string; present: boolean }[] = [{ text: "", pattern: "", present: false }];
  const add = (text: string, quoted: boolean) => {
    const last = fields.at(-1);
    if (!last) return;
    last.text += text;
    last.pattern += quoted ? escaped(text) : text;
    last.present ||= quoted || text !== "";
  };
  for (const part of word) {
    if (part.type === "variable" && part.name === "@" && part.quoted) {
      shell.parameters.slice(1).forEach((one, at) => {
        if (at > 0) fields.push({ text: "", pattern: "", present: true });
        add(one, true);
      });
      continue;
    }
    const value = partValue(shell, part, substitute);
    if (part.quoted || part.type === "text") {
      add(value, part.quoted);
      continue;
    }
    value.split(/[ \t\n]+/).forEach((one, at) => {
      if (at > 0) fields.push({ text: "", pattern: "", present: false });
      add(one, false);
    });
  }
  return fields
    .filter((one) => one.present)
    .flatMap((one) => (hasPattern(one.pattern.replace(/\\./g, "")) ? files(shell, one.pattern) : [one.text]));
}

/** The text of a word that is not split: a value, a redirection's target. */
export function expandText(shell: Shell, word: Word, substitute: Substitute): string {
  return word.map((part) => partValue(shell, part, substitute)).join("");
}

/** As a pattern: what was quoted stands for itself. */
export function expandPattern(shell: Shell, word: Word, substitute: Substitute, literal = escaped): string {
  return word
    .map((part) => (part.quoted ? literal(partValue(shell, part, substitute)) : partValue(shell, part, substitute)))
    .join("");
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
      return String(whole ? elements(shell.variables, whole[1] ?? "").length : (value ?? "").length);
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
      return replaced(value, argument, operator === "//", spend);
  }
}

/** `${name/from/to}`, and `${name//from/to}` for all of them. */
function replaced(value: string, argument: string, isAll: boolean, spend: Spend): string {
  let slash = 0;
  while (slash < argument.length && argument.charAt(slash) !== "/") slash += argument.charAt(slash) === "\\" ? 2 : 1;
  const glob = globOf(argument.slice(0, slash));
  const to = argument.slice(slash + 1).replace(/\\(.)/gs, "$1");
  if (value === "" && globMatches(glob, value, spend)) return glob.length > 0 ? to : "";
  const parts: string[] = [];
  let at = 0;
  for (let found; (found = globFind(glob, value, at, spend)); at = found[1]) {
    parts.push(value.slice(at, found[0]), to);
    if (isAll) continue;
    at = found[1];
    break;
  }
  return parts.join("") + value.slice(at);
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
      return shell.parameters.slice(1).join(" ");
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
function element({ variables }: Shell, name: string, index: string): string | undefined {
  if (index === "@" || index === "*") return elements(variables, name).join(" ");
  const text = index.replace(/\$\{?(\w+)\}?/g, (_, inner: string) => variables.get(inner) ?? "");
  const at = calculate(
    text,
    (inner) => variables.get(inner) ?? "",
    () => undefined,
  );
  return variables.get(`${name}[${at}]`) ?? (at === 0 ? variables.get(name) : undefined);
}

function elements(variables: ReadonlyMap<string, string>, name: string): string[] {
  const found: string[] = [];
  for (let at = 0; ; at++) {
    const one = variables.get(`${name}[${at}]`);
    if (one === undefined) return found;
    found.push(one);
  }
}

/** `{1..5}` and `{a,b}`. */
function ranges(text: string): string[] {
  const range = /^(.*)\{(-?\d+)\.\.(-?\d+)\}(.*)$/.exec(text);
  if (range) {
    const [, before = "", first = "", last = "", after = ""] = range;
    const [from, to] = [Number(first), Number(last)];
    const count = Math.min(Math.abs(to - from) + 1, 10_000);
    return [...Array(count).keys()].map((at) => `${before}${from + (to < from ? -at : at)}${after}`);
  }
  const list = lastList(text);
  if (!list) return [text];
  const [open, close] = list;
  return text
    .slice(open + 1, close)
    .split(",")
    .map((one) => text.slice(0, open) + one + text.slice(close + 1));
}

/** Where the last `{a,b}` without braces in it stands. */
function lastList(text: string): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  let open = -1;
  let hasComma = false;
  for (let at = text.indexOf("{"); at >= 0 && at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === "{") {
      open = at;
      hasComma = false;
    } else if (letter === ",") hasComma = true;
    else if (letter === "}") {
      if (open >= 0 && hasComma) found = [open, at];
      open = -1;
    }
  }
  return found;
}

/** The files that a pattern names; the pattern itself if there are none. */
function files(shell: Shell, pattern: string): string[] {
  const bare = pattern.replace(/\\(.)/g, "$1");
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
