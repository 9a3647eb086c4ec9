// `sed`: addresses, and the commands `s`, `p`, `d`, `q`, `a`, `i`, `c`, `y` and `=`.
import type { Match, Pattern, Spend } from "../../../../shared/base/pattern.ts";
import { newBudget, regularExpression } from "../language/patterns.ts";
import { unescaped } from "../language/words.ts";
import { type Call, filesOf, optionsOf, pathOf, type Programs, readFile, wholeInput } from "../program.ts";
import { splitLines } from "../streams.ts";

export const sedPrograms: Programs = { sed: (call) => sed(call) };

type Address = number | "$" | Pattern;

interface Step {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly isNegated: boolean;
  readonly letter: string;
  readonly text: string;
  readonly pattern?: Pattern;
  /** Of `s`: `g`, `p`, and which match. */
  readonly isAll?: boolean;
  readonly prints?: boolean;
  readonly nth?: number;
  /** Within its range now. */
  isOpen: boolean;
}

async function sed(call: Call): Promise<number> {
  const args = call.args.map((one) => (/^-i.+/.test(one) ? "-i" : one));
  const options = optionsOf(args, "nEre:f:isuz --quiet --silent --expression= --regexp-extended --in-place");
  const names = [...options.rest];
  const sources = [...options.values("e", "expression")];
  for (const file of options.values("f")) sources.push(readFile(call, file));
  if (sources.length === 0) sources.push(names.shift() ?? "");
  const isExtended = options.has("E", "r", "regexp-extended");
  const script = () => new ScriptReader(sources.join("\n"), isExtended).read();
  // What is no script is refused before anything is read.
  script();
  const isQuiet = options.has("n", "quiet", "silent");
  if (!options.has("i", "in-place")) {
    const { text, code } = await wholeInput(call, names);
    await edit(call, text, script(), isQuiet, (made) => call.out.write(made));
    return code;
  }
  for (const name of names) {
    const parts: string[] = [];
    await edit(call, readFile(call, name), script(), isQuiet, (made) => void parts.push(made));
    filesOf(call).write(pathOf(call, name), parts.join(""));
  }
  return 0;
}

async function edit(
  call: Call,
  text: string,
  steps: readonly Step[],
  isQuiet: boolean,
  put: (text: string) => void,
): Promise<void> {
  const lines = splitLines(text);
  const spend = newBudget();
  const hits = (address: Address, line: string, at: number) =>
    typeof address === "number" ? at === address : address === "$" ? at === lines.length : address.test(line, spend);
  const isMeant = (step: Step, line: string, at: number): boolean => {
    const { from, to } = step;
    if (from === undefined) return true;
    if (to === undefined) return hits(from, line, at);
    if (step.isOpen) {
      if (typeof to === "number" ? at >= to : hits(to, line, at)) step.isOpen = false;
      return typeof to === "number" ? at <= to : true;
    }
    if (!hits(from, line, at)) return false;
    step.isOpen = typeof to === "number" ? at < to : to !== "$" || at < lines.length;
    return true;
  };
  for (const [index, line] of lines.entries()) {
    if (index % 1000 === 999) await call.shell.machine.breathe(call.signal);
    const cycle: Cycle = { line, number: index + 1, behind: "", isDeleted: false, isOver: false };
    for (const step of steps) {
      if (isMeant(step, cycle.line, cycle.number) === step.isNegated) continue;
      act(step, cycle, put, spend);
      if (cycle.isDeleted || cycle.isOver) break;
    }
    if (!cycle.isDeleted && !isQuiet) put(`${cycle.line}\n`);
    put(cycle.behind);
    if (cycle.isOver) return;
  }
}

/** A line on its way through the script. */
interface Cycle {
  line: string;
  readonly number: number;
  /** What is printed after it. */
  behind: string;
  isDeleted: boolean;
  isOver: boolean;
}

function act(step: Step, cycle: Cycle, put: (text: string) => void, spend: Spend): void {
  switch (step.letter) {
    case "s": {
      const made = replaced(step, cycle.line, spend);
      if (made !== undefined && step.prints) put(`${made}\n`);
      cycle.line = made ?? cycle.line;
      return;
    }
    case "p":
      return put(`${cycle.line}\n`);
    case "=":
      return put(`${cycle.number}\n`);
    case "a":
      cycle.behind += `${step.text}\n`;
      return;
    case "i":
      return put(`${step.text}\n`);
    case "c":
      if (!step.isOpen) put(`${step.text}\n`);
      cycle.isDeleted = true;
      return;
    case "d":
      cycle.isDeleted = true;
      return;
    case "q":
      cycle.isOver = true;
      return;
    default:
      cycle.line = mapped(step.text, cycle.line);
  }
}

function replaced(step: Step, line: string, spend: Spend): string | undefined {
  let made = "";
  let at = 0;
  let count = 0;
  for (const match of step.pattern?.findAll(line, spend) ?? []) {
    if (++count < (step.nth ?? 1)) continue;
    made += line.slice(at, match.start) + filled(step.text, match);
    at = match.end;
    if (!step.isAll) break;
  }
  return count < (step.nth ?? 1) ? undefined : made + line.slice(at);
}

/** `&`, `\1`, `\n`. */
function filled(text: string, { groups }: Match): string {
  return text.replace(/\\(\d)|\\([^])|&/g, (whole, digit: string | undefined, letter: string | undefined) => {
    if (digit !== undefined) return groups[Number(digit)] ?? "";
    if (letter === undefined) return groups[0] ?? "";
    return letter === "&" || letter === "/" || letter === "\n" ? letter : unescaped(whole);
  });
}

function mapped(pairs: string, line: string): string {
  const [from = "", to = ""] = pairs.split("\0");
  return [...line].map((letter) => [...to][[...from].indexOf(letter)] ?? letter).join("");
}

class ScriptReader {
  readonly #text: string;
  readonly #isExtended: boolean;
  #at = 0;
  #last: Pattern | undefined;

  constructor(text: string, isExtended: boolean) {
    this.#text = text;
    this.#isExtended = isExtended;
  }

  read(): Step[] {
    const steps: Step[] = [];
    const blocks: Pick<Step, "from" | "to" | "isNegated">[] = [];
    for (;;) {
      this.#match(/[\s;]*/y);
      if (this.#at >= this.#text.length) break;
      if (this.#match(/\}/y)) {
        blocks.pop();
        continue;
      }
      const address = this.#addresses();
      if (this.#match(/\{/y)) {
        blocks.push(address);
        continue;
      }
      steps.push(this.#command(address.from === undefined ? (blocks.at(-1) ?? address) : address));
    }
    return steps;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #addresses(): Pick<Step, "from" | "to" | "isNegated"> {
    const from = this.#address();
    const to = from !== undefined && this.#match(/\s*,\s*/y) ? this.#address() : undefined;
    this.#match(/\s*/y);
    return { from, to, isNegated: this.#match(/!\s*/y) !== "" };
  }

  #address(): Address | undefined {
    const number = this.#match(/\d+/y);
    if (number) return Number(number);
    if (this.#match(/\$/y)) return "$";
    const mark = this.#match(/\/|\\[^]/y);
    if (!mark) return undefined;
    const source = this.#until(mark.at(-1) ?? "/");
    return this.#pattern(source, this.#match(/I/y) !== "");
  }

  #pattern(source: string, ignoresCase: boolean): Pattern {
    if (source === "" && this.#last) return this.#last;
    this.#last = regularExpression(source, { isExtended: this.#isExtended, ignoresCase });
    return this.#last;
  }

  /** Up to the mark, which is read; one behind a backslash, or in brackets, is none. */
  #until(mark: string): string {
    let text = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      if (letter === mark) {
        this.#at++;
        return text;
      }
      if (letter !== "\\") text += letter;
      else {
        const next = this.#text.charAt(++this.#at);
        text += next === mark && mark !== "&" ? next : `\\${next}`;
      }
    }
    throw new Error(`-e expression #1, char ${this.#text.length}: unterminated \`s' command`);
  }

  #command(address: Pick<Step, "from" | "to" | "isNegated">): Step {
    const letter = this.#text.charAt(this.#at++);
    const step = { ...address, letter, isOpen: false };
    if (letter === "s") {
      const mark = this.#text.charAt(this.#at++);
      const source = this.#until(mark);
      const text = this.#until(mark);
      const flags = this.#match(/[gpiI\d]*/y);
      const nth = /\d+/.exec(flags)?.[0];
      const pattern = this.#pattern(source, /i/i.test(flags));
      return { ...step, text, pattern, isAll: flags.includes("g"), prints: flags.includes("p"), nth: Number(nth ?? 1) };
    }
    if (letter === "y") {
      const mark = this.#text.charAt(this.#at++);
      return { ...step, text: `${unescaped(this.#until(mark))}\0${unescaped(this.#until(mark))}` };
    }
    if ("aic".includes(letter) && letter !== "") {
      this.#match(/[ \t]*(?:\\\n?[ \t]*)?/y);
      return { ...step, text: unescaped(this.#match(/(?:[^\n\\]|\\[^])*/y)) };
    }
    if ("pdq=".includes(letter) && letter !== "") {
      this.#match(/[ \t]*/y);
      if (this.#at < this.#text.length && !/[;\n}]/.test(this.#text.charAt(this.#at)))
        throw new Error(`-e expression #1, char ${this.#at + 1}: extra characters after command`);
      return { ...step, text: "" };
    }
    throw new Error(`-e expression #1, char ${this.#at}: unknown command: \`${letter}'`);
  }
}
