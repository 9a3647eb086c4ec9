// Programs that order, count, number and join lines.
import { byteLength } from "../../../../../shared/base/byte-text.ts";
import { absolute } from "../../files.ts";
import { build, charge, hold } from "../../meter.ts";
import { type Call, Growing, linesOf, options, printedLines, type Programs, withLines } from "../../program.ts";
import { edit, type Process } from "../../process.ts";
import { isBusybox, missing, perFile } from "../per-file.ts";

export const linePrograms: Programs = {
  sort,
  uniq,
  wc,
  tac: (call) =>
    perFile(call, (text) =>
      withLines(call.process, text, (lines) => call.out(printedLines(call.process, lines.reverse()))),
    ),
  nl: (call) => {
    let number = 0;
    return perFile(
      call,
      (text) =>
        withLines(call.process, text, (lines) =>
          call.out(
            printedLines(
              call.process,
              lines.map((line) => (line === "" ? "       " : `${String(++number).padStart(6)}\t${line}`)),
            ),
          ),
        ),
      "bnvwsi",
    );
  },
  fold: (call) => {
    const width = Math.max(1, Number(options(call.args, "w").values.get("w") ?? 80) || 80);
    return perFile(call, (text) => call.out(folded(call.process, text, width)), "w");
  },
  paste,
  comm,
  cmp,
  diff,
  shuf: (call) =>
    perFile(call, (text) => withLines(call.process, text, (lines) => call.out(printedLines(call.process, lines)))),
};

function folded(process: Process, text: string, width: number): string {
  const made = new Growing(process);
  for (const line of linesOf(text)) {
    for (let at = 0; at === 0 || at < line.length; at += width) made.add(`${line.slice(at, at + width)}\n`);
  }
  return made.take();
}

type Order = (a: string, b: string) => number;
const units: Readonly<Record<string, number>> = { K: 1, M: 2, G: 3, T: 4, P: 5 };

function orderOf(modes: string): Order {
  const plain: Order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const number = (text: string) => Number.parseFloat(text) || 0;
  const human = (text: string) => number(text) * 1024 ** (units[/^\s*[-\d.]+([KMGTP])/.exec(text)?.[1] ?? ""] ?? 0);
  const order: Order = modes.includes("h")
    ? (a, b) => human(a) - human(b)
    : /[ng]/.test(modes)
      ? (a, b) => number(a) - number(b)
      : modes.includes("V")
        ? (a, b) => a.localeCompare(b, "en", { numeric: true })
        : modes.includes("f")
          ? (a, b) => plain(a.toUpperCase(), b.toUpperCase())
          : plain;
  return modes.includes("r") ? (a, b) => order(b, a) : order;
}

/** Each with the blanks before it. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let blank = "";
  for (const [piece] of line.matchAll(/\s+|\S+/g)) {
    if (/^\s/.test(piece)) blank = piece;
    else {
      fields.push(blank + piece);
      blank = "";
    }
  }
  return fields;
}

/** `-k2`, `-k2,2n`, `-k1.3`: a part of the line, and how it is ordered. */
function keyOf(
  text: string,
  mark: string | undefined,
  modes: string,
): { readonly part: (line: string) => string; readonly order: Order } {
  const [, field = "1", from, own = "", last, more = ""] =
    /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.\d+)?([a-zA-Z]*))?$/.exec(text) ?? [];
  const [first, end] = [Number(field) - 1, last === undefined ? undefined : Number(last)];
  const part = (line: string) => {
    const fields = mark === undefined ? fieldsOf(line) : line.split(mark);
    return fields
      .slice(first, end)
      .join(mark ?? "")
      .slice(from === undefined ? 0 : Number(from) - 1);
  };
  return {
    part: mark === undefined ? (line) => part(line).trimStart() : part,
    order: orderOf(own + more === "" ? modes : own + more),
  };
}

function sort(call: Call): number {
  const { process } = call;
  const keys: string[] = [];
  const args: string[] = [];
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? "";
    const [, lead = "", key] = /^-([a-jl-su-zA-Z]*)k(.*)$/.exec(arg) ?? [];
    if (key === undefined)
      args.push(
        arg.replace(
          /^--(numeric-sort|reverse|unique|human-numeric-sort|version-sort)$/,
          (long) => `-${long === "--human-numeric-sort" ? "h" : long === "--version-sort" ? "V" : long.charAt(2)}`,
        ),
      );
    else {
      if (lead !== "") args.push(`-${lead}`);
      keys.push(key === "" ? (call.args[++at] ?? "1") : key);
    }
  }
  const { flags, values } = options(args, "toS");
  const modes = [...flags].join("");
  const mark = values.get("t");
  const order = orderOf(modes);
  const wanted = keys.map((key) => keyOf(key, mark, modes));
  const plain = orderOf(modes.includes("r") ? "r" : "");
  const all: string[] = [];
  const code = perFile(
    { ...call, args },
    (text) =>
      withLines(process, text, (lines) => {
        hold(process, lines.length * 16);
        for (const line of lines) all.push(line);
      }),
    "toS",
  );
  charge(process, (all.length * Math.log2(all.length + 1) * (1 + 2 * wanted.length)) / 10);
  const compare: Order = (a, b) => {
    for (const { part, order: own } of wanted) {
      const found = own(part(a), part(b));
      if (found !== 0) return found;
    }
    const found = wanted.length > 0 ? 0 : order(a, b);
    return found !== 0 || flags.has("s") || flags.has("u") ? found : plain(a, b);
  };
  all.sort(compare);
  const kept = flags.has("u") ? all.filter((line, at) => at === 0 || compare(all[at - 1] ?? "", line) !== 0) : all;
  if (flags.has("c")) return 0;
  const printed = printedLines(process, kept);
  const to = values.get("o");
  if (to === undefined) call.out(printed);
  else edit(process, { path: absolute(to, call.shell.folder), text: printed });
  hold(process, -all.length * 16);
  return code;
}

function uniq(call: Call): number {
  const { process } = call;
  const { flags } = options(call.args, "fsw");
  return perFile(
    call,
    (text) =>
      withLines(process, text, (lines) => {
        const shown = new Growing(process);
        const same = (a: string, b: string) => (flags.has("i") ? a.toLowerCase() === b.toLowerCase() : a === b);
        for (let at = 0; at < lines.length; ) {
          const line = lines[at] ?? "";
          let end = at + 1;
          while (end < lines.length && same(lines[end] ?? "", line)) end++;
          const count = end - at;
          at = end;
          if ((flags.has("d") && count < 2) || (flags.has("u") && count > 1)) continue;
          shown.add(`${flags.has("c") ? `${String(count).padStart(7)} ` : ""}${line}\n`);
        }
        call.out(shown.take());
      }),
    "fsw",
  );
}

function counted(process: Process, text: string) {
  charge(process, text.length / 64);
  const counts = { l: 0, w: 0, m: [...text].length, c: byteLength(text), L: 0 };
  let isWord = false;
  for (let at = 0; at < text.length; at++) {
    const isBlank = " \t\n\r\v\f".includes(text[at] ?? "");
    if (text[at] === "\n") counts.l++;
    if (!isBlank && !isWord) counts.w++;
    isWord = !isBlank;
  }
  return counts;
}

/** Busybox' columns are nine wide; GNU's as wide as the largest number. */
function wc(call: Call): number {
  const { process } = call;
  const long: Readonly<Record<string, string>> = { lines: "l", words: "w", bytes: "c", chars: "m" };
  const { flags, rest } = options(call.args);
  const chosen = (["l", "w", "m", "c", "L"] as const).filter(
    (one) => flags.has(one) || [...flags].some((flag) => long[flag] === one),
  );
  const wanted = chosen.length > 0 ? chosen : (["l", "w", "c"] as const);
  const rows: { readonly counts: readonly number[]; readonly name: string }[] = [];
  const code = perFile(call, (text, name) => {
    const counts = counted(process, text);
    rows.push({ counts: wanted.map((one) => counts[one]), name });
  });
  if (rows.length > 1)
    rows.push({
      counts: wanted.map((_, at) => rows.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)),
      name: "total",
    });
  const isSingle = wanted.length === 1;
  const largest = Math.max(
    ...rows.flatMap(({ counts }) => counts.map((one) => String(one).length)),
    rest.length === 0 && !isSingle ? 7 : 1,
  );
  const width = isSingle && rows.length === 1 ? 0 : isBusybox(process) ? 9 : largest;
  for (const { counts, name } of rows) {
    const shown = counts.map((one) => String(one).padStart(width)).join(" ");
    call.out(`${shown}${rest.length > 0 ? ` ${name}` : ""}\n`);
  }
  return code;
}

function paste(call: Call): number {
  const { process, shell } = call;
  const { flags, values, rest } = options(call.args, "d");
  const marks = (values.get("d") ?? "\t").replaceAll("\\n", "\n").replaceAll("\\t", "\t");
  const columns: string[][] = [];
  const code = perFile({ ...call, args: rest.length > 0 ? rest : ["-"] }, (text) =>
    withLines(process, text, (lines) => void columns.push([...lines])),
  );
  if (flags.has("s")) for (const lines of columns) call.out(`${lines.join(marks.charAt(0))}\n`);
  else {
    const most = columns.reduce((length, lines) => Math.max(length, lines.length), 0);
    build(process, most * columns.length);
    call.out(
      printedLines(
        process,
        Array.from({ length: most }, (_, at) => columns.map((lines) => lines[at] ?? "").join(marks.charAt(0))),
      ),
    );
  }
  return shell.process.paused ? 0 : code;
}

/** Two files; undefined where one cannot be read, which was said. */
function two(call: Call, names: readonly string[]): readonly [string, string] | undefined {
  const texts: string[] = [];
  for (const name of names.slice(0, 2)) {
    const path = absolute(name, call.shell.folder);
    const text =
      name === "-" ? (call.input?.rest ?? "") : path === "/dev/null" ? "" : call.process.files.get(path)?.text;
    if (text === undefined) {
      missing(call, name, call.process.files.isFolder(path));
      return undefined;
    }
    texts.push(text);
  }
  const [a, b] = texts;
  if (a !== undefined && b !== undefined) return [a, b];
  call.err(`${call.name}: missing operand\n`);
  return undefined;
}

function comm(call: Call): number {
  const { process } = call;
  const { flags, rest } = options(call.args);
  const both = two(call, rest);
  if (!both) return 1;
  const [left, right] = both.map(linesOf);
  const shown = new Growing(process);
  const tabs = (count: number) => "\t".repeat(["1", "2"].slice(0, count).filter((one) => !flags.has(one)).length);
  for (let [a, b] = [0, 0]; a < (left?.length ?? 0) || b < (right?.length ?? 0); ) {
    charge(process, 0.2);
    const [one, other] = [left?.[a], right?.[b]];
    const column =
      other === undefined || (one !== undefined && one < other) ? 0 : one === undefined || one > other ? 1 : 2;
    if (column !== 1) a++;
    if (column !== 0) b++;
    if (!flags.has(String(column + 1))) shown.add(`${tabs(column)}${(column === 1 ? other : one) ?? ""}\n`);
  }
  call.out(shown.take());
  return 0;
}

function cmp(call: Call): number {
  const { flags, rest } = options(call.args);
  const both = two(call, rest);
  if (!both) return 2;
  const [a, b] = both;
  charge(call.process, (a.length + b.length) / 512);
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const line = a.slice(0, at).split("\n").length;
  if (flags.has("s")) return 1;
  const shorter = at >= a.length ? rest[0] : at >= b.length ? rest[1] : undefined;
  if (shorter === undefined)
    call.out(
      `${rest[0] ?? ""} ${rest[1] ?? ""} differ: ${isBusybox(call.process) ? "char" : "byte"} ${at + 1}, line ${line}\n`,
    );
  else call.err(`cmp: EOF on ${shorter}\n`);
  return 1;
}

/** Lines of which more than so many differ are told as changed altogether. */
const mostCells = 1_000_000;
const around = 3;

function diff(call: Call): number {
  const { process } = call;
  const { flags, rest } = options(call.args, "UL");
  const both = two(call, rest);
  if (!both) return 2;
  const [a, b] = both;
  if (a === b) return 0;
  if (flags.has("q")) {
    call.out(`Files ${rest[0] ?? ""} and ${rest[1] ?? ""} differ\n`);
    return 1;
  }
  const [left, right] = [linesOf(a), linesOf(b)];
  const steps = stepsOf(process, left, right);
  const isUnified = flags.has("u") || isBusybox(process);
  const shown = new Growing(process);
  if (isUnified) for (const line of unified(steps, rest)) shown.add(`${line}\n`);
  else for (const line of normal(steps)) shown.add(`${line}\n`);
  call.out(shown.take());
  return 1;
}

type Step = { readonly sign: " " | "-" | "+"; readonly text: string; readonly left: number; readonly right: number };

function stepsOf(process: Process, left: readonly string[], right: readonly string[]): Step[] {
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin++;
  const [rows, columns] = [left.length - begin, right.length - begin];
  const isTooMuch = rows * columns > mostCells;
  charge(process, isTooMuch ? rows + columns : (rows * columns) / 50);
  const width = columns + 1;
  const same = new Uint32Array(isTooMuch ? 0 : (rows + 1) * width);
  hold(process, same.byteLength);
  for (let i = isTooMuch ? -1 : rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      same[i * width + j] =
        left[begin + i] === right[begin + j]
          ? (same[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(same[(i + 1) * width + j] ?? 0, same[i * width + j + 1] ?? 0);
  hold(process, -same.byteLength);
  const steps: Step[] = left.slice(0, begin).map((text, at) => ({ sign: " ", text, left: at, right: at }));
  for (let [i, j] = [0, 0]; i < rows || j < columns; ) {
    const [x, y] = [begin + i, begin + j];
    if (i < rows && j < columns && left[x] === right[y] && !isTooMuch) {
      steps.push({ sign: " ", text: left[x] ?? "", left: x, right: y });
      i++;
      j++;
    } else if (i < rows && (j >= columns || (same[(i + 1) * width + j] ?? 0) >= (same[i * width + j + 1] ?? 0))) {
      steps.push({ sign: "-", text: left[x] ?? "", left: x, right: y });
      i++;
    } else {
      steps.push({ sign: "+", text: right[y] ?? "", left: x, right: y });
      j++;
    }
  }
  return steps;
}

function* unified(steps: readonly Step[], [from = "", to = ""]: readonly string[]): Generator<string> {
  yield `--- ${from}`;
  yield `+++ ${to}`;
  for (let at = 0; at < steps.length; ) {
    const first = steps.findIndex((one, index) => index >= at && one.sign !== " ");
    if (first < 0) return;
    let end = first;
    for (let index = first; index < steps.length && index <= end + 2 * around; index++)
      if (steps[index]?.sign !== " ") end = index;
    const [start, stop] = [Math.max(first - around, at), Math.min(end + around + 1, steps.length)];
    const part = steps.slice(start, stop);
    const range = (side: "left" | "right", sign: "-" | "+") => {
      const count = part.filter((one) => one.sign === " " || one.sign === sign).length;
      const begin = (part[0]?.[side] ?? 0) + (count === 0 ? 0 : 1);
      return count === 1 ? `${begin}` : `${begin},${count}`;
    };
    yield `@@ -${range("left", "-")} +${range("right", "+")} @@`;
    for (const { sign, text } of part) yield sign + text;
    at = stop;
  }
}

function* normal(steps: readonly Step[]): Generator<string> {
  for (let at = 0; at < steps.length; at++) {
    if (steps[at]?.sign === " ") continue;
    let end = at;
    while (end < steps.length && steps[end]?.sign !== " ") end++;
    const part = steps.slice(at, end);
    const gone = part.filter((one) => one.sign === "-");
    const come = part.filter((one) => one.sign === "+");
    const range = (from: number, count: number) => (count > 1 ? `${from},${from + count - 1}` : `${from}`);
    const [x, y] = [part[0]?.left ?? 0, part[0]?.right ?? 0];
    const letter = gone.length === 0 ? "a" : come.length === 0 ? "d" : "c";
    yield `${range(x + (letter === "a" ? 0 : 1), gone.length)}${letter}${range(y + (letter === "d" ? 0 : 1), come.length)}`;
    for (const { text } of gone) yield `< ${text}`;
    if (letter === "c") yield "---";
    for (const { text } of come) yield `> ${text}`;
    at = end;
  }
}
