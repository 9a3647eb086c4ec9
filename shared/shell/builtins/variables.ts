// Built-in commands that set, print and unset variables and parameters.
import type { Task } from "../task.ts";
import { assign, give, has, isName } from "../expansion/assignments.ts";
import { complain, fatal } from "../evaluate/complaints.ts";
import { charge } from "../meter.ts";
import { type ProgramCall } from "../evaluate/program.ts";
import { options } from "../options.ts";
import { printedLines, withLines } from "../lines.ts";
import { setVariable, type Shell } from "../evaluate/shell.ts";
import { evaluateOrReport, elementName } from "../expansion/values.ts";
import { keysOf } from "../variables.ts";

/** The commands `export`, `readonly`, `declare` and `typeset`. */
export function declare(call: ProgramCall): number {
  const { shell, args, name: builtin } = call;
  const { flags, rest } = options(args.map((arg) => arg.replace(/^\+(?=[A-Za-z])/, "-")));
  const letters = [...flags].filter((flag) => "Airx".includes(flag)).join("");
  const attributes =
    letters + (builtin === "readonly" ? "r" : "") + (builtin === "export" && !flags.has("n") ? "x" : "");
  if (rest.length === 0 || flags.has("p")) return show(call, attributes, rest);
  if ((builtin === "declare" || builtin === "typeset") && shell.locals && !flags.has("g")) keepLocal(shell, rest);
  let code = 0;
  for (const word of rest) if (!declared(shell, word, attributes, builtin)) code = shell.dialect === "bash" ? 1 : 2;
  return code;
}

/** Applies `name`, `name=value`, `name[key]=value`, `name=()` or `name+=value`. Returns false if the name is not valid. */
function declared(shell: Shell, word: string, letters: string, builtin: string): boolean {
  const [, target = "", plus = "", value] = /^([^=]*?)(\+?)(?:=(.*))?$/s.exec(word) ?? [];
  if (!isName(shell, target, word, builtin)) {
    if (shell.dialect !== "bash") shell.flow = { kind: shell.source === "typed" ? "abandon" : "exit" };
    return false;
  }
  const [, bare = "", key] = /^(\w+)(?:\[(.*)\])?$/s.exec(target) ?? [];
  for (const letter of letters.replace("r", "")) give(shell, bare, letter);
  if (letters.includes("x")) exported(shell, bare);
  if (value === "()") for (const elementKey of keysOf(shell, bare)) shell.variables.delete(`${bare}[${elementKey}]`);
  else if (value !== undefined) {
    const name = key === undefined ? bare : elementName(shell, bare, key);
    if (!assign(shell, [{ name, text: plus === "" ? value : (shell.variables.get(name) ?? "") + value }])) return false;
    if (letters.includes("x")) exported(shell, bare);
  }
  if (letters.includes("r")) give(shell, bare, "r");
  return true;
}

/** Exports a variable to programs. */
function exported({ attributes }: Shell, name: string): void {
  const letters = (attributes.get(name) ?? "").replace("-", "");
  attributes.set(name, letters.includes("x") ? letters : `${letters}x`);
}

export function local(call: ProgramCall): number {
  const { shell, args } = call;
  if (!shell.locals) {
    const words = { ash: "not in a function", dash: "not in a function", bash: "can only be used in a function" };
    if (shell.dialect !== "bash") return fatal(shell, words, "local");
    complain(shell, words, "local");
    return 1;
  }
  const { flags, rest } = options(args);
  keepLocal(shell, rest);
  for (const word of rest) {
    if (!word.includes("=") && shell.dialect === "bash") shell.variables.delete(word);
    declared(shell, word, [...flags].filter((flag) => "Air".includes(flag)).join(""), "local");
  }
  return 0;
}

/** Saves the value of a variable, which is restored at the end of the function. */
function keepLocal({ locals, variables, process }: Shell, words: readonly string[]): void {
  for (const word of words) {
    const name = /^\w*/.exec(word)?.[0] ?? "";
    charge(process, 0.2);
    if (locals && !locals.has(name)) locals.set(name, variables.get(name));
  }
}

function show({ shell, process, out, name }: ProgramCall, letters: string, names: readonly string[]): number {
  const isBash = shell.dialect === "bash";
  const word = isBash ? "declare" : name;
  const lines: string[] = [];
  let code = 0;
  for (const [variable, value] of names.length > 0
    ? names.map((variableName) => [variableName, shell.variables.get(variableName)] as const)
    : shell.variables) {
    charge(process, 0.3);
    if (value === undefined && keysOf(shell, variable).length === 0) {
      complain(shell, `${variable}: not found`, name);
      code = 1;
      continue;
    }
    const attributeLetters = shell.attributes.get(variable) ?? "";
    const isAsked =
      names.length > 0 ||
      [...letters].every((letter) =>
        letter === "x" ? !attributeLetters.includes("-") : attributeLetters.includes(letter),
      );
    if (variable.includes("[") || !isAsked) continue;
    const flags = isBash
      ? ` -${(attributeLetters.includes("-") ? attributeLetters.replace("-", "") : `${attributeLetters.replace("x", "")}x`) || "-"}`
      : "";
    lines.push(`${word}${flags} ${variable}=${shownValue(shell, variable, value ?? "")}`);
  }
  out(printedLines(process, names.length > 0 ? lines : lines.sort()));
  return code;
}

function shownValue(shell: Shell, name: string, value: string): string {
  const keys = keysOf(shell, name);
  const quoted = (text: string) => `"${text.replace(/["$`\\]/g, "\\$&")}"`;
  if (keys.length > 0)
    return `(${keys.map((key) => `[${key}]=${quoted(shell.variables.get(`${name}[${key}]`) ?? "")}`).join(" ")})`;
  return shell.dialect === "bash" ? quoted(value) : `'${value.replaceAll("'", `'"'"'`)}'`;
}

export function unset({ shell, args }: ProgramCall): number {
  let code = 0;
  for (const name of args.filter((arg) => !arg.startsWith("-"))) {
    if (args[0] === "-f") {
      shell.functions.delete(name);
      continue;
    }
    if (has(shell, name.replace(/\[.*/s, ""), "r")) {
      const words = {
        ash: `${name}: is read only`,
        dash: `${name}: is read only`,
        bash: `${name}: cannot unset: readonly variable`,
      };
      if (shell.dialect !== "bash") return fatal(shell, words, "unset");
      complain(shell, words, "unset");
      code = 1;
      continue;
    }
    if (!name.includes("[")) for (const key of keysOf(shell, name)) shell.variables.delete(`${name}[${key}]`);
    if (shell.variables.delete(name)) shell.process.version++;
    else if (shell.functions.has(name) && args[0] !== "-v") shell.functions.delete(name);
    shell.attributes.delete(name);
  }
  return code;
}

export function shift({ shell, args }: ProgramCall): number {
  charge(shell.process, shell.parameters.length / 100);
  const [scriptName = "", ...rest] = shell.parameters;
  const count = Number(args[0] ?? 1);
  if (!(count <= rest.length)) return shell.dialect === "dash" ? fatal(shell, "can't shift that many", "shift") : 1;
  shell.parameters = [scriptName, ...rest.slice(count)];
  return 0;
}

/** The command `let`: evaluates each word. Its exit code is 1 if the last value is zero. */
export function compute({ shell, args }: ProgramCall): number {
  let value = 0n;
  for (const arg of args) value = evaluateOrReport(shell, arg);
  if (shell.flow) return shell.exitCode;
  return value === 0n ? 1 : 0;
}

/** The command `getopts`. `OPTIND` has the next word, and an attribute of it the position in that word. */
export function getopts({ shell, args }: ProgramCall): number {
  const [spec, name, ...operands] = args;
  if (spec === undefined || name === undefined) {
    if (shell.dialect === "bash") shell.err("getopts: usage: getopts optstring name [arg ...]\n");
    else
      complain(
        shell,
        {
          ash: "usage: getopts optstring var [arg]",
          dash: "Usage: getopts optstring var [arg...]",
          bash: "usage: getopts optstring name [arg ...]",
        },
        "getopts",
      );
    return 2;
  }
  const words = operands.length > 0 ? operands : shell.parameters.slice(1);
  let index = Number(shell.variables.get("OPTIND") ?? 1) || 1;
  const place = Number(/@(\d+)/.exec(shell.attributes.get("OPTIND") ?? "")?.[1] ?? 1);
  const word = words[index - 1] ?? "";
  const letter = word.charAt(place);
  const end = (code: number, option: string) => {
    setVariable(shell, name, option);
    return code;
  };
  if (!/^-./.test(word) || word === "--") {
    if (word === "--") setVariable(shell, "OPTIND", String(index + 1));
    shell.attributes.delete("OPTIND");
    return end(1, "?");
  }
  const at = letter === ":" ? -1 : spec.indexOf(letter, spec.startsWith(":") ? 1 : 0);
  const takesValue = at >= 0 && spec.charAt(at + 1) === ":";
  const isLast = place + 1 >= word.length;
  let value: string | undefined;
  if (takesValue) value = isLast ? words[index++] : word.slice(place + 1);
  const isNext = isLast || takesValue;
  if (isNext) index++;
  setVariable(shell, "OPTIND", String(index));
  shell.attributes.set("OPTIND", isNext ? "" : `@${place + 1}`);
  if (at >= 0 && !(takesValue && value === undefined)) {
    if (takesValue) setVariable(shell, "OPTARG", value ?? "");
    else shell.variables.delete("OPTARG");
    return end(0, letter);
  }
  if (spec.startsWith(":")) {
    setVariable(shell, "OPTARG", letter);
    return end(0, at >= 0 ? ":" : "?");
  }
  const isIllegal = at < 0;
  const dashMessage = isIllegal ? `Illegal option -${letter}` : `No arg for -${letter} option`;
  const bashMessage = isIllegal ? `illegal option -- ${letter}` : `option requires an argument -- ${letter}`;
  shell.err(shell.dialect === "bash" ? `${shell.parameters[0] ?? "sh"}: ${bashMessage}\n` : `${dashMessage}\n`);
  return end(0, "?");
}

/** The command `mapfile`: `mapfile -t lines < file`. */
export function* mapfile(call: ProgramCall): Task<number> {
  const { shell, process, args } = call;
  const { flags, rest } = options(args, "dnOsuCc");
  const [name = "MAPFILE"] = rest;
  const text = yield* shell.host.takeAll(shell, call.input);
  if (text === undefined) return 0;
  for (const key of keysOf(shell, name)) shell.variables.delete(`${name}[${key}]`);
  withLines(process, text, (lines) => {
    for (const [at, line] of lines.entries()) setVariable(shell, `${name}[${at}]`, flags.has("t") ? line : `${line}\n`);
  });
  return 0;
}
