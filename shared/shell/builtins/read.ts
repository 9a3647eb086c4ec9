// The command `read`: reads a line of the input and splits it among variables.
import type { Task } from "../task.ts";
import { charge } from "../meter.ts";
import { type ProgramCall } from "../evaluate/program.ts";
import { options } from "../options.ts";
import { setVariable, type TakenLine } from "../evaluate/shell.ts";
import { keysOf } from "../variables.ts";

export function* read(call: ProgramCall): Task<number> {
  const { shell, args, input, process, err } = call;
  const { flags, values, rest: names } = options(args, "pntdua");
  const prompt = values.get("p");
  if (prompt !== undefined && shell.host.isTerminal(input)) err(prompt);
  const timeout = values.get("t");
  const waitMs = timeout === undefined ? undefined : Number(timeout) * 1000;
  if (!(yield* shell.host.awaitInput(shell, input, waitMs))) return 1;
  const inputLine = yield* taken(call, flags.has("r"), values);
  if (inputLine === undefined) {
    for (const name of names) setVariable(shell, name, "");
    return 1;
  }
  const { line, isComplete } = inputLine;
  process.version++;
  const separators = shell.variables.get("IFS") ?? " \t\n";
  charge(process, (line.length * (1 + separators.length)) / 100);
  const list = values.get("a");
  if (list !== undefined) {
    for (const key of keysOf(shell, list)) shell.variables.delete(`${list}[${key}]`);
    charge(process, line.length * arrayWork);
    for (const [at, word] of split(line, separators, Number.POSITIVE_INFINITY).entries())
      setVariable(shell, `${list}[${at}]`, word);
    return isComplete ? 0 : 1;
  }
  const words = names.length === 0 ? [line] : split(line, separators, names.length);
  (names.length > 0 ? names : ["REPLY"]).forEach((name, at) => setVariable(shell, name, words[at] ?? ""));
  return isComplete ? 0 : 1;
}

/** Microseconds of a character that becomes part of an array, at worst an element for two characters. */
const arrayWork = 0.3;

/** Reads up to the end of a line, a number of characters, or a delimiter. Without `-r` a backslash escapes the next character. */
function* taken(
  { shell, input }: ProgramCall,
  isRaw: boolean,
  values: ReadonlyMap<string, string>,
): Task<TakenLine | undefined> {
  if (!input) return undefined;
  const { host } = shell;
  const mark = values.get("d");
  const count = values.has("n") ? Number(values.get("n")) : undefined;
  if (count !== undefined || (mark !== undefined && mark !== "\n"))
    return yield* host.takeSome(shell, input, count, mark === "" ? "\0" : mark);
  let text = "";
  for (;;) {
    const piece = yield* host.takeLine(shell, input);
    if (piece === undefined) return text === "" ? undefined : { line: text, isComplete: false };
    text += piece;
    if (isRaw) break;
    const isContinued = /(?:^|[^\\])(?:\\\\)*\\\n$/.test(text);
    if (!isContinued) {
      text = text.replace(/\\(.)/g, "$1");
      break;
    }
    text = text.slice(0, -2);
  }
  return { line: text.replace(/\n$/, ""), isComplete: text.endsWith("\n") };
}

/** Splits a text. The last field takes the rest, without blanks at its ends. */
function split(text: string, separators: string, most: number): string[] {
  if (separators === "") return [text];
  const isBlank = (letter: string) => letter !== "" && separators.includes(letter) && " \t\n".includes(letter);
  let [from, to] = [0, text.length];
  while (isBlank(text.charAt(from))) from++;
  while (to > from && isBlank(text.charAt(to - 1))) to--;
  const words: string[] = [];
  while (words.length < most - 1 && from < to) {
    let at = from;
    while (at < to && !separators.includes(text.charAt(at))) at++;
    words.push(text.slice(from, at));
    while (isBlank(text.charAt(at))) at++;
    // The character at this position is a separator that is not blank.
    if (at < to && separators.includes(text.charAt(at))) at++;
    while (isBlank(text.charAt(at))) at++;
    from = at;
  }
  if (from < to || words.length === 0) words.push(text.slice(from, to));
  return words;
}
