// sed: commands with their addresses, run over the lines of files.
import { isPattern, type Match, type Pattern, type Spend } from "../../../../../shared/base/pattern.ts";
import { absolute } from "../../files.ts";
import { unescaped } from "../../language/words.ts";
import { charge, comeBack, enter, hold } from "../../meter.ts";
import { edit } from "../../process.ts";
import { type Call, Growing, options, withLines } from "../../program.ts";
import { regularExpression } from "../../regular.ts";
import { perFile } from "../per-file.ts";

type Address =
  | { readonly line: number }
  | { readonly last: true }
  | { readonly pattern: Pattern }
  | { readonly from: number; readonly step: number };

interface Command {
  readonly from: Address | undefined;
  readonly to: Address | { readonly more: number } | undefined;
  readonly isNot: boolean;
  readonly name: string;
  readonly text: string;
  readonly pattern?: Pattern;
  readonly modes?: string;
  readonly list: readonly Command[];
  /** Inside its range, and where that ends. */
  readonly state: { isOpen: boolean; end: number };
}

class SedError extends Error {}

interface Reading {
  readonly call: Call;
  readonly script: string;
  readonly isExtended: boolean;
  at: number;
}

export function sed(call: Call): number {
  const { process, shell } = call;
  const scripts: string[] = [];
  const rest: string[] = [];
  const flags = new Set<string>();
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? "";
    if (arg === "-e" || arg === "--expression") scripts.push(call.args[++at] ?? "");
    else if (arg === "-f") scripts.push(process.files.get(absolute(call.args[++at] ?? "", shell.folder))?.text ?? "");
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
    return run(call, commands, flags, rest);
  } catch (error) {
    if (!(error instanceof SedError)) throw error;
    call.err(`sed: ${error.message}\n`);
    return 1;
  }
}

function run(call: Call, commands: readonly Command[], flags: ReadonlySet<string>, names: readonly string[]): number {
  const { process, shell } = call;
  const isQuiet = flags.has("n");
  if (!flags.has("i")) {
    let code = 0;
    const read = perFile({ ...call, args: names }, (text) => {
      const done = changed(call, text, commands, isQuiet);
      call.out(done.text);
      code ||= done.code;
    });
    return read === 0 ? code : process.programs?.has("ash") ? 1 : 2;
  }
  const suffix = [...flags].find((one) => one.startsWith("-i"))?.slice(2);
  let code = 0;
  for (const name of names) {
    const path = absolute(name, shell.folder);
    const text = process.files.get(path)?.text;
    if (text === undefined) {
      call.err(
        process.programs?.has("ash")
          ? `sed: ${name}: No such file or directory\n`
          : `sed: can't read ${name}: No such file or directory\n`,
      );
      code = process.programs?.has("ash") ? 1 : 2;
      continue;
    }
    if (suffix !== undefined) edit(process, { path: path + suffix, text });
    edit(process, { path, text: changed(call, text, commands, isQuiet).text });
  }
  return code;
}

function broken({ call, script, at }: Reading, why: string): never {
  throw new SedError(
    call.process.programs?.has("ash")
      ? why
      : `-e expression #1, char ${Math.max(at, Math.min(1, script.length))}: ${why}`,
  );
}

function readCommands(reading: Reading, isInner: boolean): Command[] {
  const { script, call } = reading;
  const commands: Command[] = [];
  enter(call.process);
  for (;;) {
    while (/[\s;]/.test(script.charAt(reading.at)) && reading.at < script.length) reading.at++;
    if (reading.at >= script.length) {
      if (isInner) broken(reading, "unmatched `{'");
      break;
    }
    if (script.charAt(reading.at) === "}") {
      if (!isInner) broken(reading, "unexpected `}'");
      reading.at++;
      break;
    }
    if (script.charAt(reading.at) === "#") {
      const end = script.indexOf("\n", reading.at);
      reading.at = end < 0 ? script.length : end;
      continue;
    }
    charge(call.process, 1);
    hold(call.process, 192);
    commands.push(readCommand(reading));
  }
  comeBack(call.process);
  return commands;
}

function readCommand(reading: Reading): Command {
  const { script } = reading;
  const from = readAddress(reading);
  let to: Command["to"];
  skipBlanks(reading);
  if (from && script.charAt(reading.at) === ",") {
    reading.at++;
    skipBlanks(reading);
    const more = /^\+(\d+)/.exec(script.slice(reading.at, reading.at + 12));
    if (more) reading.at += more[0].length;
    to = more ? { more: Number(more[1]) } : readAddress(reading);
    if (!to) broken(reading, "unexpected `,'");
  }
  skipBlanks(reading);
  const isNot = script.charAt(reading.at) === "!";
  if (isNot) reading.at++;
  skipBlanks(reading);
  const name = script.charAt(reading.at++);
  const made = { from, to, isNot, name, text: "", list: [], state: { isOpen: false, end: 0 } };
  if (name === "") broken(reading, "missing command");
  if (name === "{") return { ...made, list: readCommands(reading, true) };
  if (name === "s" || name === "y") return { ...made, ...readParts(reading, name) };
  if ("aic".includes(name)) return { ...made, text: readText(reading) };
  if ("btr:w".includes(name)) {
    const end = /[;\n}]|$/.exec(script.slice(reading.at))?.index ?? 0;
    const text = script.slice(reading.at, reading.at + end).trim();
    reading.at += end;
    return { ...made, text };
  }
  if (!"dDpPnNqQ=gGhHxl".includes(name)) broken(reading, `unknown command: \`${name}'`);
  const code = /^\s*(\d+)/.exec(script.slice(reading.at, reading.at + 8));
  if (code && (name === "q" || name === "Q")) reading.at += code[0].length;
  skipBlanks(reading);
  if (reading.at < script.length && !/[;\n}#]/.test(script.charAt(reading.at)))
    broken(reading, "extra characters after command");
  return { ...made, text: code?.[1] ?? "" };
}

function skipBlanks(reading: Reading): void {
  while (/[ \t]/.test(reading.script.charAt(reading.at))) reading.at++;
}

function readAddress(reading: Reading): Address | undefined {
  const { script } = reading;
  const here = script.slice(reading.at, reading.at + 24);
  const [number, first = "", step] = /^(\d+)(?:~(\d+))?/.exec(here) ?? [];
  if (number !== undefined) {
    reading.at += number.length;
    return step === undefined ? { line: Number(first) } : { from: Number(first), step: Number(step) };
  }
  if (here.startsWith("$")) {
    reading.at++;
    return { last: true };
  }
  if (!/^(\/|\\[^\n])/.test(here)) return undefined;
  const mark = here.startsWith("/") ? "/" : here.charAt(1);
  reading.at += here.startsWith("/") ? 1 : 2;
  const source = upTo(reading, mark, "unterminated address regex");
  const ignoresCase = script.charAt(reading.at) === "I";
  if (ignoresCase) reading.at++;
  return { pattern: patternOf(reading, source, ignoresCase) };
}

function patternOf(reading: Reading, source: string, ignoresCase: boolean): Pattern {
  const { call, isExtended, script } = reading;
  const found = regularExpression(call.process, source, { isExtended, ignoresCase });
  if (isPattern(found)) return found;
  reading.at = script.length;
  return broken(reading, call.process.programs?.has("ash") ? `bad regex '${source}': ${found.error}` : found.error);
}

/** What stands before the mark; a quoted mark is part of it. */
function upTo(reading: Reading, mark: string, problem: string): string {
  const { script } = reading;
  let text = "";
  let inSet = false;
  for (; reading.at < script.length; reading.at++) {
    const letter = script.charAt(reading.at);
    if (letter === "\\" && !inSet) {
      const next = script.charAt(++reading.at);
      text += next === mark ? next : letter + next;
    } else if (letter === mark && !inSet) {
      reading.at++;
      return text;
    } else {
      if (letter === "[" && mark !== "[") inSet ||= script.indexOf("]", reading.at + 2) > 0;
      else if (letter === "]" && !text.endsWith("[") && !text.endsWith("[^")) inSet = false;
      text += letter;
    }
  }
  return broken(reading, problem);
}

function readParts(reading: Reading, name: "s" | "y"): Pick<Command, "text" | "modes"> & { pattern?: Pattern } {
  const { script } = reading;
  const mark = script.charAt(reading.at++);
  const problem = `unterminated \`${name}' command`;
  if (mark === "" || mark === "\n" || mark === "\\") broken(reading, problem);
  const source = upTo(reading, mark, problem);
  const to = target(reading, mark, problem);
  if (name === "y") return { text: unescaped(to), modes: unescaped(source) };
  const modes = /^[gpiImM\d]*/.exec(script.slice(reading.at, reading.at + 12))?.[0] ?? "";
  reading.at += modes.length;
  skipBlanks(reading);
  if (reading.at < script.length && !/[;\n}#]/.test(script.charAt(reading.at)))
    broken(reading, "unknown option to `s'");
  return { text: to, modes, pattern: patternOf(reading, source, /i/i.test(modes)) };
}

/** In what is put in brackets are nothing special. */
function target(reading: Reading, mark: string, problem: string): string {
  const { script } = reading;
  let text = "";
  for (; reading.at < script.length; reading.at++) {
    const letter = script.charAt(reading.at);
    if (letter === mark) {
      reading.at++;
      return text;
    }
    if (letter !== "\\") text += letter;
    else {
      const next = script.charAt(++reading.at);
      text += next === mark && next !== "&" ? next : letter + next;
    }
  }
  return broken(reading, problem);
}

/** `a text`, and `a\` with the text in the next line. */
function readText(reading: Reading): string {
  const { script } = reading;
  const [lead] = /^[ \t]*(?:\\\n)?[ \t]*/.exec(script.slice(reading.at)) ?? [""];
  reading.at += lead.length;
  let text = "";
  for (; reading.at < script.length && script.charAt(reading.at) !== "\n"; reading.at++) {
    const letter = script.charAt(reading.at);
    text += letter === "\\" ? script.charAt(++reading.at) : letter;
  }
  return text;
}

interface Work {
  readonly call: Call;
  readonly lines: readonly string[];
  readonly out: Growing;
  at: number;
  space: string;
  held: string;
  after: string[];
  hasChanged: boolean;
  end: "next" | "again" | "quit" | undefined;
  code: number;
}

function changed(
  call: Call,
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
      held: "",
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
      for (const one of work.after.splice(0)) out.add(`${one}\n`);
    }
    const whole = out.take();
    return { text: text.endsWith("\n") || text === "" ? whole : whole.replace(/\n$/, ""), code: work.code };
  });
}

/** `silent`: the line is not shown at the end. */
function perform(work: Work, commands: readonly Command[], isQuiet: boolean): "silent" | undefined {
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    charge(work.call.process, 0.3);
    if (!command || applies(work, command) === command.isNot) continue;
    const { name, text } = command;
    if (name === "{") {
      const inner = perform(work, command.list, isQuiet);
      if (inner || work.end) return inner;
    } else if (name === "b" || (name === "t" && work.hasChanged)) {
      work.hasChanged = false;
      const to = text === "" ? commands.length : commands.findIndex((one) => one.name === ":" && one.text === text);
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
      work.space = [...work.space]
        .map((letter) => {
          const at = [...(command.modes ?? "")].indexOf(letter);
          return at < 0 ? letter : ([...command.text][at] ?? letter);
        })
        .join("");
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
      const read = call.process.files.get(absolute(command.text, call.shell.folder))?.text;
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
    case "h":
      work.held = work.space;
      return undefined;
    case "H":
      hold(call.process, work.space.length + 1);
      work.held += `\n${work.space}`;
      return undefined;
    case "g":
      work.space = work.held;
      return undefined;
    case "G":
      hold(call.process, work.held.length + 1);
      work.space += `\n${work.held}`;
      return undefined;
    case "x":
      [work.space, work.held] = [work.held, work.space];
      return undefined;
    case "q":
    case "Q":
      work.end = "quit";
      work.code = Number(command.text || 0);
      return command.name === "Q" ? "silent" : "end";
    default:
      return undefined;
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
  const wanted = Number(/\d+/.exec(modes)?.[0] ?? 1);
  const made = new Growing(work.call.process);
  let [at, count, done] = [0, 0, 0];
  for (const match of pattern.findAll(work.space, spendOf(work.call))) {
    if (++count < wanted) continue;
    made.add(work.space.slice(at, match.start) + filled(to, match));
    at = match.end;
    done++;
    if (!modes.includes("g")) break;
  }
  made.add(work.space.slice(at));
  const text = made.take();
  if (done === 0) return;
  work.space = text;
  work.hasChanged = true;
  if (modes.includes("p")) work.out.add(`${text}\n`);
}

/** `&` is what was found, `\1` its first group; `\U`, `\L` and `\E` change letters. */
function filled(to: string, { groups }: Match): string {
  let [made, change] = ["", ""];
  const put = (text: string) => {
    made += change === "U" ? text.toUpperCase() : change === "L" ? text.toLowerCase() : text;
  };
  for (const [whole, group, letter] of to.matchAll(/\\(\d)|\\([^])|&|[^\\&]+/g)) {
    if (group !== undefined) put(groups[Number(group)] ?? "");
    else if (letter === "U" || letter === "L" || letter === "E") change = letter;
    else if (letter !== undefined) put(letter === "n" ? "\n" : letter === "t" ? "\t" : letter);
    else put(whole === "&" ? (groups[0] ?? "") : whole);
  }
  return made;
}

function spendOf({ process }: Call): Spend {
  return (units) => charge(process, units);
}
