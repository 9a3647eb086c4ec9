// `grep` and `sed`: lines that an expression finds, and what it replaces in them.
import { isPattern, type Match, type Pattern, type Spend } from "../../../../shared/base/pattern.ts";
import { absolute } from "../files.ts";
import { charge, edit } from "../process.ts";
import { type Call, joined, linesOf, options } from "../program.ts";
import { regularExpression } from "../regular.ts";
import { perFile } from "./per-file.ts";

export function grep(call: Call): number {
  const { process } = call;
  const { flags, values, rest } = options(call.args, "eABCm");
  const source = values.get("e") ?? rest[0] ?? "";
  const pattern = regularExpression(process, source, {
    isExtended: flags.has("E") || call.name === "egrep",
    isPlain: flags.has("F") || call.name === "fgrep",
    ignoresCase: flags.has("i"),
  });
  if (!isPattern(pattern)) {
    call.err(`${call.name}: ${isBusybox(call) ? `bad regex '${source}': ` : ""}${pattern.error}\n`);
    return 2;
  }
  const spend = spendOf(call);
  const found: string[] = [];
  const code = perFile({ ...call, args: values.has("e") ? rest : rest.slice(1) }, (text) => {
    for (const line of linesOf(text)) if (pattern.test(line, spend) !== flags.has("v")) found.push(line);
  });
  const shown = flags.has("o") ? found.flatMap((line) => partsOf(pattern, line, spend)) : found;
  // What is not known to the end is not told.
  if (process.paused) return 0;
  if (flags.has("c")) call.out(`${found.length}\n`);
  else if (!flags.has("q")) call.out(joined(shown));
  return found.length > 0 ? 0 : Math.max(code, 1);
}

function partsOf(pattern: Pattern, line: string, spend: Spend): string[] {
  return [...pattern.findAll(line, spend)].flatMap(({ groups: [whole = ""] }) => (whole === "" ? [] : [whole]));
}

export function sed(call: Call): number {
  const { process, shell } = call;
  const { flags, values, rest } = options(call.args, "e");
  const script = values.get("e") ?? rest[0] ?? "";
  const files = values.has("e") ? rest : rest.slice(1);
  const command = substitution(script);
  const source = command?.from ?? "";
  const pattern = regularExpression(process, source, {
    isExtended: flags.has("E") || flags.has("r"),
    ignoresCase: /i/i.test(command?.modes ?? ""),
  });
  if (!isPattern(pattern)) {
    const at = isBusybox(call) ? `bad regex '${source}'` : `-e expression #1, char ${script.length}`;
    call.err(`sed: ${at}: ${pattern.error}\n`);
    return 1;
  }
  const spend = spendOf(call);
  const change = (text: string) =>
    command ? joined(linesOf(text).map((line) => substituted(line, pattern, command, spend))) : text;
  if (!flags.has("i")) {
    return perFile({ ...call, args: files }, (text) => {
      const changed = change(text);
      if (!process.paused) call.out(changed);
    });
  }
  for (const name of files) {
    const path = absolute(name, shell.folder);
    const text = process.files.get(path)?.text;
    const changed = text === undefined ? undefined : change(text);
    if (changed !== undefined && !process.paused) edit(process, { path, text: changed });
  }
  return 0;
}

interface Substitution {
  readonly from: string;
  readonly to: string;
  readonly modes: string;
}

/** `s/from/to/gi`, between any marks; undefined: another command. */
function substitution(script: string): Substitution | undefined {
  const mark = script.charAt(1);
  if (!script.startsWith("s") || mark === "" || mark === "\\" || mark === "\n") return undefined;
  const parts: string[] = [];
  let part = "";
  for (let at = 2; at < script.length; at++) {
    const letter = script.charAt(at);
    if (letter === "\\" && at + 1 < script.length) {
      const next = script.charAt(++at);
      part += next === mark ? next : letter + next;
    } else if (letter === mark && parts.length < 2) {
      parts.push(part);
      part = "";
    } else part += letter;
  }
  const [from, to] = parts;
  return from === undefined || to === undefined || !/^[giI]*$/.test(part) ? undefined : { from, to, modes: part };
}

function substituted(line: string, pattern: Pattern, { to, modes }: Substitution, spend: Spend): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of pattern.findAll(line, spend)) {
    parts.push(line.slice(at, match.start), filled(to, match));
    at = match.end;
    if (!modes.includes("g")) break;
  }
  return parts.join("") + line.slice(at);
}

/** `&` is what was found, `\1` its first group. */
function filled(to: string, { groups }: Match): string {
  return to.replace(/\\(\d)|\\(.)|&/gs, (_, group?: string, letter?: string) => {
    if (letter !== undefined) return letter === "n" ? "\n" : letter === "t" ? "\t" : letter;
    return groups[Number(group ?? 0)] ?? "";
  });
}

function isBusybox({ process }: Call): boolean {
  return process.programs?.has("ash") ?? false;
}

function spendOf({ process }: Call): Spend {
  return (units) => charge(process, units);
}
