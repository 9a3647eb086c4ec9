// `grep` and `sed`: lines that an expression finds, and what it replaces in them.
import { isPattern, type Match, type Pattern, type Spend } from "../../../../shared/base/pattern.ts";
import { absolute } from "../files.ts";
import { charge } from "../meter.ts";
import { edit, type Process } from "../process.ts";
import { type Call, Growing, options, printedLines, withLines } from "../program.ts";
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
  const spend = spendOf(process);
  const shown = new Growing(process);
  let count = 0;
  const code = perFile({ ...call, args: values.has("e") ? rest : rest.slice(1) }, (text) => {
    withLines(process, text, (lines) => {
      for (const line of lines) {
        if (pattern.test(line, spend) === flags.has("v")) continue;
        count++;
        if (flags.has("c") || flags.has("q")) continue;
        for (const one of flags.has("o") ? partsOf(pattern, line, spend) : [line]) shown.add(`${one}\n`);
      }
    });
  });
  call.out(flags.has("c") ? `${count}\n` : shown.take());
  return count > 0 ? 0 : Math.max(code, 1);
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
  const change = (text: string) =>
    command
      ? withLines(process, text, (lines) => printedLines(process, substitutedLines(process, lines, pattern, command)))
      : text;
  if (!flags.has("i")) return perFile({ ...call, args: files }, (text) => call.out(change(text)));
  for (const name of files) {
    const path = absolute(name, shell.folder);
    const text = process.files.get(path)?.text;
    if (text !== undefined) edit(process, { path, text: change(text) });
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

/** One at a time, so that no more are there than have been paid for. */
function* substitutedLines(
  process: Process,
  lines: readonly string[],
  pattern: Pattern,
  command: Substitution,
): Generator<string> {
  for (const line of lines) yield substituted(process, line, pattern, command);
}

function substituted(process: Process, line: string, pattern: Pattern, { to, modes }: Substitution): string {
  const text = new Growing(process);
  let at = 0;
  for (const match of pattern.findAll(line, spendOf(process))) {
    text.add(line.slice(at, match.start) + filled(to, match));
    at = match.end;
    if (!modes.includes("g")) break;
  }
  text.add(line.slice(at));
  return text.take();
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

function spendOf(process: Process): Spend {
  return (units) => charge(process, units);
}
