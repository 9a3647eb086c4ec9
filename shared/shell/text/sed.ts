// The program `sed`: runs commands with addresses over the lines of files.
import type { Task } from "../task.ts";
import type { Match, Spend } from "../../base/pattern.ts";
import { charge, hold } from "../meter.ts";
import type { TextCall } from "./call.ts";
import { options } from "../options.ts";
import { Growing, withLines } from "../lines.ts";
import { perFile } from "./per-file.ts";
import { type Address, type Command, readCommands, SedError } from "./sed-read.ts";

export function* sed(call: TextCall): Task<number> {
  const scripts: string[] = [];
  const rest: string[] = [];
  const flags = new Set<string>();
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? "";
    if (arg === "-e" || arg === "--expression") scripts.push(call.args[++at] ?? "");
    else if (arg === "-f") scripts.push(call.files.read(call.args[++at] ?? "") ?? "");
    else if (/^-i./.test(arg)) flags.add("i").add(arg);
    else if (/^-\w+$/.test(arg)) {
      for (const letter of options([arg]).flags) flags.add(letter);
      if (arg.endsWith("e")) scripts.push(call.args[++at] ?? "");
    } else if (arg.startsWith("--"))
      flags.add({ quiet: "n", silent: "n", "in-place": "i", "regexp-extended": "E" }[arg.slice(2)] ?? arg);
    else rest.push(arg);
  }
  const script = scripts.length > 0 ? scripts.join("\n") : rest.shift();
  if (script === undefined) {
    call.err("Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n");
    return 1;
  }
  try {
    const reading = { call, script, isExtended: flags.has("E") || flags.has("r"), at: 0 };
    const commands = readCommands(reading, false);
    return yield* run(call, commands, flags, rest);
  } catch (error) {
    if (!(error instanceof SedError)) throw error;
    call.err(`sed: ${error.message}\n`);
    return 1;
  }
}

function* run(
  call: TextCall,
  commands: readonly Command[],
  flags: ReadonlySet<string>,
  names: readonly string[],
): Task<number> {
  const isQuiet = flags.has("n");
  if (!flags.has("i")) {
    let code = 0;
    const read = yield* perFile({ ...call, args: names }, (text) => {
      const done = changed(call, text, commands, isQuiet);
      call.out(done.text);
      code ||= done.code;
    });
    return read === 0 ? code : call.tools === "busybox" ? 1 : 2;
  }
  const suffix = [...flags].find((flag) => flag.startsWith("-i"))?.slice(2);
  let code = 0;
  for (const name of names) {
    const text = call.files.read(name);
    if (text === undefined) {
      call.err(
        call.tools === "busybox"
          ? `sed: ${name}: No such file or directory\n`
          : `sed: can't read ${name}: No such file or directory\n`,
      );
      code = call.tools === "busybox" ? 1 : 2;
      continue;
    }
    if (suffix !== undefined) call.files.write(name + suffix, text);
    call.files.write(name, changed(call, text, commands, isQuiet).text);
  }
  return code;
}

interface Work {
  readonly call: TextCall;
  readonly lines: readonly string[];
  readonly out: Growing;
  at: number;
  space: string;
  holdSpace: string;
  after: string[];
  hasChanged: boolean;
  end: "next" | "again" | "quit" | undefined;
  code: number;
}

function changed(
  call: TextCall,
  text: string,
  commands: readonly Command[],
  isQuiet: boolean,
): { text: string; code: number } {
  return withLines(call.process, text, (lines) => {
    const out = new Growing(call.process);
    const work: Work = {
      call,
      lines,
      out,
      at: 0,
      space: "",
      holdSpace: "",
      after: [],
      hasChanged: false,
      end: undefined,
      code: 0,
    };
    while (work.at < lines.length && work.end !== "quit") {
      if (work.end !== "again") work.space = lines[work.at] ?? "";
      work.end = undefined;
      work.hasChanged = false;
      work.at++;
      const shows = perform(work, commands, isQuiet) !== "silent";
      if (shows && !isQuiet) out.add(`${work.space}\n`);
      for (const appended of work.after.splice(0)) out.add(`${appended}\n`);
    }
    const edited = out.take();
    return { text: text.endsWith("\n") || text === "" ? edited : edited.replace(/\n$/, ""), code: work.code };
  });
}

/** Runs commands on the current line. `silent`: the line is not printed at the end. */
function perform(work: Work, commands: readonly Command[], isQuiet: boolean): "silent" | undefined {
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    charge(work.call.process, 0.5);
    if (!command || applies(work, command) === command.isNot) continue;
    const { name, text } = command;
    if (name === "{") {
      const inner = perform(work, command.list, isQuiet);
      if (inner || work.end) return inner;
    } else if (name === "b" || (name === "t" && work.hasChanged)) {
      work.hasChanged = false;
      const to =
        text === "" ? commands.length : commands.findIndex((target) => target.name === ":" && target.text === text);
      if (to < 0) throw new SedError(`can't find label for jump to \`${text}'`);
      at = to;
    } else {
      const ended = single(work, command, isQuiet);
      if (ended !== undefined) return ended === "end" ? undefined : ended;
    }
  }
  return undefined;
}

function single(work: Work, command: Command, isQuiet: boolean): "silent" | "end" | undefined {
  const { out, lines, call } = work;
  switch (command.name) {
    case "s":
      substitute(work, command);
      return undefined;
    case "y":
      work.space = transliterated(work, command);
      return undefined;
    case "d":
      return "silent";
    case "D":
      if (!work.space.includes("\n")) return "silent";
      work.space = work.space.slice(work.space.indexOf("\n") + 1);
      work.end = "again";
      work.at--;
      return "silent";
    case "p":
      out.add(`${work.space}\n`);
      return undefined;
    case "P":
      out.add(`${work.space.split("\n", 1)[0] ?? ""}\n`);
      return undefined;
    case "=":
      out.add(`${work.at}\n`);
      return undefined;
    case "a":
      work.after.push(command.text);
      return undefined;
    case "i":
      out.add(`${command.text}\n`);
      return undefined;
    case "c":
      if (!command.to || command.isNot || !command.state.isOpen) out.add(`${command.text}\n`);
      return "silent";
    case "r": {
      const read = call.files.read(command.text);
      if (read !== undefined) work.after.push(read.replace(/\n$/, ""));
      return undefined;
    }
    case "n":
      if (work.at >= lines.length) return "end";
      if (!isQuiet) out.add(`${work.space}\n`);
      work.space = lines[work.at++] ?? "";
      return undefined;
    case "N":
      if (work.at >= lines.length) return "end";
      hold(call.process, work.space.length);
      work.space += `\n${lines[work.at++] ?? ""}`;
      return undefined;
    case "q":
    case "Q":
      work.end = "quit";
      work.code = Number(command.text || 0);
      return command.name === "Q" ? "silent" : "end";
    default:
      exchange(work, command.name);
      return undefined;
  }
}

/** Exchanges text with the hold space. */
function exchange(work: Work, name: string): void {
  const { call } = work;
  switch (name) {
    case "h":
      work.holdSpace = work.space;
      return;
    case "H":
      hold(call.process, work.space.length + 1);
      work.holdSpace += `\n${work.space}`;
      return;
    case "g":
      work.space = work.holdSpace;
      return;
    case "G":
      hold(call.process, work.holdSpace.length + 1);
      work.space += `\n${work.holdSpace}`;
      return;
    case "x":
      [work.space, work.holdSpace] = [work.holdSpace, work.space];
      return;
  }
}

function applies(work: Work, { from, to, state }: Command): boolean {
  if (!from) return true;
  if (!to) return matches(work, from);
  if (!state.isOpen) {
    if (!matches(work, from)) return false;
    const end = "more" in to ? work.at + to.more : "line" in to ? to.line : Number.POSITIVE_INFINITY;
    state.end = end;
    state.isOpen = end > work.at;
    return true;
  }
  const isLast = state.end === Number.POSITIVE_INFINITY ? matches(work, to as Address) : work.at >= state.end;
  if (isLast) state.isOpen = false;
  return true;
}

function matches(work: Work, address: Address): boolean {
  if ("line" in address) return work.at === address.line;
  if ("last" in address) return work.at === work.lines.length;
  if ("from" in address)
    return (
      work.at >= address.from &&
      (address.step === 0 ? work.at === address.from : (work.at - address.from) % address.step === 0)
    );
  return address.pattern.test(work.space, spendOf(work.call));
}

function substitute(work: Work, { pattern, text: to, modes = "" }: Command): void {
  if (!pattern) return;
  const firstMatch = Number(/\d+/.exec(modes)?.[0] ?? 1);
  const result = new Growing(work.call.process);
  let [at, count, done] = [0, 0, 0];
  for (const match of pattern.findAll(work.space, spendOf(work.call))) {
    if (++count < firstMatch) continue;
    charge(work.call.process, fillWork + to.length / 16);
    result.add(work.space.slice(at, match.start) + filled(to, match));
    at = match.end;
    done++;
    if (!modes.includes("g")) break;
  }
  result.add(work.space.slice(at));
  const text = result.take();
  if (done === 0) return;
  work.space = text;
  work.hasChanged = true;
  if (modes.includes("p")) work.out.add(`${text}\n`);
}

/** Runs `y`, which maps each character of one list to that of the other. */
function transliterated({ call, space }: Work, { text, modes = "" }: Command): string {
  charge(call.process, (text.length + modes.length + space.length) * letterWork);
  const replacements = [...text];
  const letters = new Map([...modes].map((letter, at) => [letter, replacements[at] ?? letter] as const).reverse());
  return [...space].map((letter) => letters.get(letter) ?? letter).join("");
}

/** Microseconds of mapping one character, and of expanding one replacement. */
const letterWork = 0.05;
const fillWork = 0.7;

/** Expands a replacement: `&` is the match, `\1` its first group; `\U`, `\L` and `\E` change case. */
function filled(to: string, { groups }: Match): string {
  let [result, change] = ["", ""];
  const put = (text: string) => {
    result += change === "U" ? text.toUpperCase() : change === "L" ? text.toLowerCase() : text;
  };
  for (const [token, group, letter] of to.matchAll(/\\(\d)|\\([^])|&|[^\\&]+/g)) {
    if (group !== undefined) put(groups[Number(group)] ?? "");
    else if (letter === "U" || letter === "L" || letter === "E") change = letter;
    else if (letter !== undefined) put(letter === "n" ? "\n" : letter === "t" ? "\t" : letter);
    else put(token === "&" ? (groups[0] ?? "") : token);
  }
  return result;
}

function spendOf({ process }: TextCall): Spend {
  return (units) => charge(process, units);
}
