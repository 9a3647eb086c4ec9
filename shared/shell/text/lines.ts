// Programs that sort, count, number and join lines.
import { once } from "../../base/once.ts";
import { countCharacters } from "../characters.ts";
import type { Task } from "../task.ts";
import { byteLength } from "../../base/byte-text.ts";
import { Growing, linesOf, printedLines, withLines } from "../lines.ts";
import { chargeForBuilding, charge, hold, type Metered } from "../meter.ts";
import { options, shortened } from "../options.ts";
import { isBusybox, type TextCall, type TextProgram } from "./call.ts";
import { cmp, comm, diff } from "./compare.ts";
import { perFile } from "./per-file.ts";

export const linePrograms: Readonly<Record<string, TextProgram>> = {
  sort,
  wc,
  tac: (call) =>
    perFile(call, (text) =>
      withLines(call.process, text, (lines) => call.out(printedLines(call.process, lines.reverse()))),
    ),
  *nl(call) {
    const numbered = numbering();
    return yield* perFile(
      call,
      (text) => withLines(call.process, text, (lines) => call.out(printedLines(call.process, lines.map(numbered)))),
      "bnvwsi",
    );
  },
  *fold(call) {
    const width = Math.max(1, Number(options(call.args, "w").values.get("w") ?? 80) || 80);
    return yield* perFile(call, (text) => call.out(folded(call.process, text, width)), "w");
  },
  paste,
  comm,
  cmp,
  diff,
  *column(call) {
    const { values } = options(call.args, "soc");
    const mark = values.get("s");
    const rows: string[][] = [];
    const code = yield* perFile(
      call,
      (text) => {
        // Each cell is stored, measured and padded.
        charge(call.process, text.length / 8);
        hold(call.process, 8 * text.length);
        for (const line of linesOf(text))
          if (line.trim() !== "") rows.push(mark === undefined ? line.trim().split(/\s+/) : line.split(mark));
      },
      "soc",
    );
    call.out(printedLines(call.process, columnsOf(rows, values.get("o") ?? "  ")));
    return code;
  },
  shuf,
};

/** Yields the rows with padded cells, except the last of each row. */
function* columnsOf(rows: readonly (readonly string[])[], gap: string): Generator<string> {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  for (const row of rows)
    yield row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join(gap);
}

/** Returns a function that numbers lines; empty lines get no number. */
export function numbering(): (line: string) => string {
  let number = 0;
  return (line) => (line === "" ? "       " : `${String(++number).padStart(6)}\t${line}`);
}

function folded(process: Metered, text: string, width: number): string {
  const output = new Growing(process);
  for (const line of linesOf(text)) {
    for (let at = 0; at === 0 || at < line.length; at += width) output.add(`${line.slice(at, at + width)}\n`);
  }
  return output.take();
}

/** The program `shuf`: prints lines in random order. */
function* shuf(call: TextCall): Task<number> {
  const args = shortened(call.args, { "head-count": "n", "input-range": "i", echo: "e", output: "o" });
  const { flags, values, rest } = options(args, "nio");
  const count = Number(values.get("n") ?? Number.POSITIVE_INFINITY);
  const print = (lines: string[]) => {
    charge(call.process, lines.length / 10);
    // A Fisher-Yates shuffle: each place gets one of the remaining lines.
    for (let at = 0; at < Math.min(count, lines.length); at++) {
      const swapAt = at + Math.floor(call.random() * (lines.length - at));
      [lines[at], lines[swapAt]] = [lines[swapAt] ?? "", lines[at] ?? ""];
    }
    call.out(printedLines(call.process, lines.slice(0, count)));
  };
  const range = values.get("i");
  if (range !== undefined) {
    const [, low = "", high = ""] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    if (low === "") {
      call.err(`shuf: invalid input range: '${range}'\n`);
      return 1;
    }
    const size = Math.max(Number(high) - Number(low) + 1, 0);
    chargeForBuilding(call.process, 32 * size);
    print(Array.from({ length: size }, (_, at) => String(Number(low) + at)));
    return 0;
  }
  if (flags.has("e")) {
    print(rest);
    return 0;
  }
  return yield* perFile({ ...call, args: rest }, (text) => withLines(call.process, text, print));
}

type Order = (a: string, b: string) => number;
const units: Readonly<Record<string, number>> = { K: 1, M: 2, G: 3, T: 4, P: 5 };

const byVersion = once(() => new Intl.Collator("en", { numeric: true }));

/** Microseconds of one comparison, by version and otherwise, and of a character from which keys are extracted. */
const comparisonWork = { version: 1.2, other: 0.25 };
const keyWork = 0.05;

interface Row {
  readonly line: string;
  /** The sort keys of the line. */
  readonly keys: readonly string[];
}

function orderOf(modes: string): Order {
  const plain: Order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const number = (text: string) => Number.parseFloat(text) || 0;
  const human = (text: string) => number(text) * 1024 ** (units[/^\s*[-\d.]+([KMGTP])/.exec(text)?.[1] ?? ""] ?? 0);
  const order: Order = modes.includes("h")
    ? (a, b) => human(a) - human(b)
    : /[ng]/.test(modes)
      ? (a, b) => number(a) - number(b)
      : modes.includes("V")
        ? (a, b) => byVersion().compare(a, b)
        : modes.includes("f")
          ? (a, b) => plain(a.toUpperCase(), b.toUpperCase())
          : plain;
  if (modes.includes("b")) return ignoringBlanks(modes.includes("r") ? (a, b) => order(b, a) : order);
  return modes.includes("r") ? (a, b) => order(b, a) : order;
}

function ignoringBlanks(order: Order): Order {
  return (a, b) => order(a.trimStart(), b.trimStart());
}

/** Splits a line into fields, each with the blanks before it. */
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

/** Parses `-k2`, `-k2,2n` or `-k1.3`: a key of the line, and its order. */
function keyOf(
  text: string,
  mark: string | undefined,
  modes: string,
): { readonly extract: (line: string) => string; readonly order: Order } {
  const [, field = "1", from, ownModes = "", last, more = ""] =
    /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.\d+)?([a-zA-Z]*))?$/.exec(text) ?? [];
  const [first, end] = [Number(field) - 1, last === undefined ? undefined : Number(last)];
  const extract = (line: string) => {
    const fields = mark === undefined ? fieldsOf(line) : line.split(mark);
    return fields
      .slice(first, end)
      .join(mark ?? "")
      .slice(from === undefined ? 0 : Number(from) - 1);
  };
  return {
    extract: mark === undefined ? (line) => extract(line).trimStart() : extract,
    order: orderOf(ownModes + more === "" ? modes : ownModes + more),
  };
}

const sortOptions: Readonly<Record<string, string>> = {
  "numeric-sort": "n",
  reverse: "r",
  unique: "u",
  "human-numeric-sort": "h",
  "version-sort": "V",
  "ignore-case": "f",
  "ignore-leading-blanks": "b",
  check: "c",
  "field-separator": "t",
  key: "k",
};

function* sort(call: TextCall): Task<number> {
  const { process } = call;
  const keys: string[] = [];
  const args: string[] = [];
  const sortArguments = shortened(call.args, sortOptions);
  for (let at = 0; at < sortArguments.length; at++) {
    const arg = sortArguments[at] ?? "";
    const [, lead = "", key] = /^-([a-jl-su-zA-Z]*)k(.*)$/.exec(arg) ?? [];
    if (key === undefined) args.push(arg);
    else {
      if (lead !== "") args.push(`-${lead}`);
      keys.push(key === "" ? (sortArguments[++at] ?? "1") : key);
    }
  }
  const { flags, values } = options(args, "toS");
  const modes = [...flags].join("");
  const mark = values.get("t");
  const order = orderOf(modes);
  const sortKeys = keys.map((key) => keyOf(key, mark, modes));
  const plain = orderOf(modes.includes("r") ? "r" : "");
  const all: string[] = [];
  const code = yield* perFile(
    { ...call, args },
    (text) =>
      withLines(process, text, (lines) => {
        hold(process, lines.length * 16);
        for (const line of lines) all.push(line);
      }),
    "toS",
  );
  const each = comparisonWork[`${modes}${keys.join("")}`.includes("V") ? "version" : "other"];
  charge(process, all.length * Math.log2(all.length + 1) * each * (1 + sortKeys.length));
  const rows = all.map((line): Row => {
    charge(process, sortKeys.length * (0.5 + line.length * keyWork));
    return { line, keys: sortKeys.map(({ extract }) => extract(line)) };
  });
  hold(process, sortKeys.length * 32 * all.length);
  const compare = (a: Row, b: Row): number => {
    for (const [at, { order: keyOrder }] of sortKeys.entries()) {
      const comparison = keyOrder(a.keys[at] ?? "", b.keys[at] ?? "");
      if (comparison !== 0) return comparison;
    }
    const keyComparison = sortKeys.length > 0 ? 0 : order(a.line, b.line);
    return keyComparison !== 0 || flags.has("s") || flags.has("u") ? keyComparison : plain(a.line, b.line);
  };
  if (flags.has("c") || flags.has("C")) {
    const disorderAt = rows.findIndex((row, at) => {
      const before = rows[at - 1];
      const order = before ? compare(before, row) : -1;
      return order > 0 || (order === 0 && flags.has("u"));
    });
    const name = options(args, "toS").rest[0] ?? "-";
    if (disorderAt >= 0 && flags.has("c"))
      call.err(`sort: ${name}:${disorderAt + 1}: disorder: ${rows[disorderAt]?.line ?? ""}\n`);
    return disorderAt >= 0 ? 1 : code;
  }
  rows.sort(compare);
  const distinct = flags.has("u")
    ? rows.filter((row, at) => {
        const before = rows[at - 1];
        return !before || compare(before, row) !== 0;
      })
    : rows;
  const sortedLines = distinct.map(({ line }) => line);
  const to = values.get("o");
  if (to === undefined) call.out(printedLines(process, sortedLines));
  else call.files.write(to, printedLines(process, sortedLines));
  hold(process, -all.length * 16);
  return code;
}

/** Merges equal lines that follow one another. `put`: prints a line, given without its end. */
export function uniqOf(
  flags: ReadonlySet<string>,
  keyOf: ((line: string) => string) | undefined,
  put: (line: string) => void,
) {
  let before: string | undefined;
  let count = 0;
  const fold = (line: string) => {
    const key = keyOf ? keyOf(line) : line;
    return flags.has("i") ? key.toLowerCase() : key;
  };
  const end = () => {
    const isShown = !(flags.has("d") && count < 2) && !(flags.has("u") && count > 1);
    if (before !== undefined && isShown) put(`${flags.has("c") ? `${String(count).padStart(7)} ` : ""}${before}`);
  };
  const line = (text: string) => {
    if (before !== undefined && fold(text) === fold(before)) count++;
    else {
      end();
      before = text;
      count = 1;
    }
  };
  return { line, end };
}

function counted(process: Metered, text: string) {
  charge(process, text.length / 64);
  const counts = { l: 0, w: 0, m: countCharacters(process, text), c: byteLength(text), L: 0 };
  let isWord = false;
  let width = 0;
  for (let at = 0; at < text.length; at++) {
    const isBlank = " \t\n\r\v\f".includes(text[at] ?? "");
    if (text[at] === "\n") counts.l++;
    width = text[at] === "\n" ? 0 : width + 1;
    if (width > counts.L) counts.L = width;
    if (!isBlank && !isWord) counts.w++;
    isWord = !isBlank;
  }
  return counts;
}

/** The program `wc`. Busybox' columns are nine wide; GNU's as wide as the largest number. */
function* wc(call: TextCall): Task<number> {
  const { process } = call;
  const { flags, rest } = options(
    shortened(call.args, { lines: "l", words: "w", bytes: "c", chars: "m", "max-line-length": "L" }),
  );
  const chosen = (["l", "w", "m", "c", "L"] as const).filter((letter) => flags.has(letter));
  const columns = chosen.length > 0 ? chosen : (["l", "w", "c"] as const);
  const rows: { readonly counts: readonly number[]; readonly name: string }[] = [];
  let bytes = 0;
  const code = yield* perFile(call, (text, name) => {
    const counts = counted(process, text);
    rows.push({ counts: columns.map((column) => counts[column]), name });
    bytes += counts.c;
  });
  if (rows.length > 1)
    rows.push({
      counts: columns.map((_, at) => rows.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)),
      name: "total",
    });
  const isSingle = columns.length === 1;
  const largest = Math.max(
    ...rows.flatMap(({ counts }) => counts.map((value) => String(value).length)),
    // GNU reserves room for the size of all files.
    rest.length === 0 ? (isSingle ? 1 : 7) : String(bytes).length,
  );
  const width = isSingle && rows.length === 1 ? 0 : isBusybox(call) ? 9 : largest;
  for (const { counts, name } of rows) {
    const cells = counts.map((value) => String(value).padStart(width)).join(" ");
    call.out(`${cells}${rest.length > 0 ? ` ${name}` : ""}\n`);
  }
  return code;
}

function* paste(call: TextCall): Task<number> {
  const { process } = call;
  const { flags, values, rest } = options(call.args, "d");
  const marks = (values.get("d") ?? "\t").replaceAll("\\n", "\n").replaceAll("\\t", "\t");
  const names = rest.length > 0 ? rest : ["-"];
  const stdinPlaces = names.flatMap((name, at) => (name === "-" ? [at] : []));
  const columns: string[][] = [];
  const files = names.filter((name, at) => name !== "-" || at === stdinPlaces[0]);
  const code = yield* perFile({ ...call, args: files }, (text) =>
    withLines(process, text, (lines) => void columns.push([...lines])),
  );
  // Each `-` takes the next line of the input.
  const [first = 0] = stdinPlaces;
  const input = columns[first] ?? [];
  if (stdinPlaces.length > 1 && columns.length === files.length) {
    charge(process, input.length * stdinPlaces.length);
    columns[first] = input.filter((_, line) => line % stdinPlaces.length === 0);
    for (const [index, at] of stdinPlaces.entries())
      if (index > 0)
        columns.splice(
          at,
          0,
          input.filter((_, line) => line % stdinPlaces.length === index),
        );
  }
  if (flags.has("s")) for (const lines of columns) call.out(`${lines.join(marks.charAt(0))}\n`);
  else {
    const most = columns.reduce((length, lines) => Math.max(length, lines.length), 0);
    chargeForBuilding(process, most * columns.length);
    call.out(
      printedLines(
        process,
        Array.from({ length: most }, (_, at) => columns.map((lines) => lines[at] ?? "").join(marks.charAt(0))),
      ),
    );
  }
  return process.paused ? 0 : code;
}
