// Programs that transform a text as it arrives: cat, cut, head, rev, seq, tail, tee, tr, uniq.
import { bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import { Growing, printedLines, withLines } from "../lines.ts";
import { chargeForBuilding, charge, type Metered, chargeForReading, Stopped } from "../meter.ts";
import { options, shortened } from "../options.ts";
import { finished, type Task } from "../task.ts";
import { isBusybox, type TextCall, type TextProgram } from "./call.ts";
import { cutter } from "./cut.ts";
import { uniqOf } from "./lines.ts";
import { perFile } from "./per-file.ts";
import { sequence } from "./print.ts";
import { eachLine, eachPiece } from "./stream.ts";
import { translator } from "./tr.ts";

export const filters: Readonly<Record<string, TextProgram>> = {
  cat,
  cut,
  head,
  rev: (call) =>
    printEach(call, options(call.args).rest, (line) => {
      charge(call.process, line.length / 16);
      return [...line].reverse().join("");
    }),
  seq,
  tail,
  tee,
  tr,
  uniq,
};

/** Prints the result for each line; undefined prints nothing. */
function printEach(
  call: TextCall,
  names: readonly string[],
  change: (line: string) => string | undefined,
): Task<number> {
  return eachLine(call, names, {
    lines: (lines) => {
      const changed = new Growing(call.process);
      for (const line of lines) {
        const text = change(line);
        if (text !== undefined) changed.add(`${text}\n`);
      }
      call.out(changed.take());
    },
  });
}

const catLongs = { number: "n", "number-nonblank": "b", "show-ends": "E", "show-tabs": "T", "squeeze-blank": "s" };

function cat(call: TextCall): Task<number> {
  const { flags, rest } = options(shortened(call.args, catLongs));
  if (!["n", "b", "E", "T", "s", "A", "e", "t"].some((letter) => flags.has(letter)))
    return eachPiece(call, rest, { piece: (text) => call.out(text) });
  const showsEnds = flags.has("E") || flags.has("A") || flags.has("e");
  const showsTabs = flags.has("T") || flags.has("A") || flags.has("t");
  let [number, blanks] = [0, 0];
  return printEach(call, rest, (line) => {
    blanks = line === "" ? blanks + 1 : 0;
    if (flags.has("s") && blanks > 1) return undefined;
    const isNumbered = flags.has("b") ? line !== "" : flags.has("n");
    const text = showsTabs ? line.replaceAll("\t", "^I") : line;
    return `${isNumbered ? `${String(++number).padStart(6)}\t` : ""}${text}${showsEnds ? "$" : ""}`;
  });
}

const cutLongs = {
  delimiter: "d",
  fields: "f",
  characters: "c",
  bytes: "b",
  "only-delimited": "s",
  "output-delimiter": "O",
  complement: "C",
};

function* cut(call: TextCall): Task<number> {
  const { flags, values, rest } = options(shortened(call.args, cutLongs), "dfcbO");
  const fields = values.get("f");
  const list = fields ?? values.get("c") ?? values.get("b");
  try {
    if (list === undefined)
      throw new Error(
        isBusybox(call)
          ? "expected a list of bytes, characters, or fields"
          : "you must specify a list of bytes, characters, or fields",
      );
    const pick = cutter({
      list,
      mark: fields === undefined ? undefined : (values.get("d") ?? "\t"),
      put: values.get("O"),
      isOthers: flags.has("C"),
      isOnlyMarked: flags.has("s"),
    });
    const work = (1 + list.split(",").length) / 16;
    return yield* printEach(call, rest, (line) => {
      charge(call.process, (line.length + 1) * work);
      return pick(line);
    });
  } catch (error) {
    if (error instanceof Stopped || !(error instanceof Error) || error.constructor !== Error) throw error;
    call.err(`cut: ${error.message}\n${isBusybox(call) ? "" : "Try 'cut --help' for more information.\n"}`);
    return 1;
  }
}

const endLongs = {
  lines: "n",
  bytes: "c",
  quiet: "q",
  silent: "q",
  verbose: "v",
  follow: "f",
  retry: "F",
};

/** Reads `-5` as `-n5`, and `+5` as `-n+5`. */
function readEnds(call: TextCall) {
  const args = shortened(call.args, endLongs).map((arg, at, all) => {
    if (/^-[nc]$/.test(all[at - 1] ?? "")) return arg;
    return /^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : /^\+\d+$/.test(arg) ? `-n${arg}` : arg;
  });
  const { flags, values, rest } = options(args, "nc");
  const isHeaded = (rest.length > 1 && !flags.has("q")) || flags.has("v");
  let isFirst = true;
  const header = (name: string) => {
    if (!isHeaded) return "";
    const before = isFirst ? "" : "\n";
    isFirst = false;
    return `${before}==> ${name === "-" ? "standard input" : name} <==\n`;
  };
  return { flags, rest, header, lines: values.get("n") ?? "10", bytes: values.get("c") };
}

/** Reports that a count is not valid. Returns the exit code. */
function refuseCount(call: TextCall, text: string, unit: string): number {
  call.err(
    isBusybox(call)
      ? `${call.name}: invalid number '${text}'\n`
      : `${call.name}: invalid number of ${unit}: '${text}'\n`,
  );
  return 1;
}

function* head(call: TextCall): Task<number> {
  const { rest, header, lines, bytes } = readEnds(call);
  if (!/^[-+]?\d+$/.test(bytes ?? lines))
    return refuseCount(call, bytes ?? lines, bytes === undefined ? "lines" : "bytes");
  const count = Number(bytes ?? lines);
  const begin = (name: string) => call.out(header(name));
  if (lines.startsWith("-") && bytes === undefined) return yield* allButLast(call, rest, begin, -count);
  let left = count;
  return yield* eachPiece(call, rest, {
    begin: (name) => {
      left = count;
      begin(name);
    },
    piece: (text) => {
      if (bytes !== undefined) {
        const first =
          count < 0 ? bytesOf(call, text).slice(0, count) : bytesOf(call, text.slice(0, left)).subarray(0, left);
        call.out(textOfBytes(first));
        left -= first.length;
      } else {
        const [end, taken] = endOfLines(call.process, text, left);
        call.out(text.slice(0, end));
        left -= taken;
      }
      return left > 0 || count < 0;
    },
  });
}

/** Returns the end of a number of lines, and how many of them there are. */
function endOfLines(payer: Metered, text: string, count: number): readonly [end: number, lines: number] {
  let end = 0;
  let lines = 0;
  for (; lines < count && end < text.length; lines++) {
    charge(payer, 0.05);
    const next = text.indexOf("\n", end);
    if (next < 0) return [text.length, lines];
    end = next + 1;
  }
  return [end, lines];
}

function allButLast(
  call: TextCall,
  names: readonly string[],
  begin: (name: string) => void,
  count: number,
): Task<number> {
  let lastLines: string[] = [];
  return eachLine(call, names, {
    begin: (name) => {
      lastLines = [];
      begin(name);
    },
    lines: (lines) => {
      const all = [...lastLines, ...lines];
      lastLines = count === 0 ? [] : all.slice(-count);
      call.out(printedLines(call.process, all.slice(0, all.length - lastLines.length)));
    },
  });
}

function bytesOf({ process }: TextCall, text: string): Uint8Array<ArrayBuffer> {
  chargeForBuilding(process, 2 * text.length);
  return bytesOfText(text);
}

/** The program `tail`. `tail -f` prints what is appended. */
function* tail(call: TextCall): Task<number> {
  const { process, out, files } = call;
  const { flags, rest, header, lines, bytes } = readEnds(call);
  if (!/^[-+]?\d+$/.test(bytes ?? lines))
    return refuseCount(call, bytes ?? lines, bytes === undefined ? "lines" : "bytes");
  const last = (text: string) => {
    if (bytes !== undefined) {
      const all = bytesOf(call, text);
      const count = Math.abs(Number(bytes));
      return textOfBytes(
        bytes.startsWith("+")
          ? all.subarray(Math.max(count - 1, 0))
          : count === 0
            ? all.slice(0, 0)
            : all.slice(-count),
      );
    }
    const count = Math.abs(Number(lines));
    const printed = withLines(process, text, (all) =>
      printedLines(
        process,
        lines.startsWith("+") ? all.slice(Math.max(count - 1, 0)) : count === 0 ? [] : all.slice(-count),
      ),
    );
    // The last line may have no end.
    return printed === "" || text.endsWith("\n") ? printed : printed.slice(0, -1);
  };
  const [name] = rest;
  const follows = (flags.has("f") || flags.has("F")) && name !== undefined && name !== "-";
  if (!follows) return yield* perFile({ ...call, args: rest }, (text, file) => out(header(file) + last(text)));
  let before = files.read(name);
  if (before === undefined && !flags.has("F")) return yield* perFile({ ...call, args: [name] }, () => undefined);
  out(last(before ?? ""));
  while (yield* call.changed()) {
    const text = files.read(name);
    if (text === before || text === undefined) continue;
    chargeForReading(process, text);
    out(before !== undefined && text.startsWith(before) ? text.slice(before.length) : text);
    before = text;
  }
  return 0;
}

function* tee(call: TextCall): Task<number> {
  const { flags, rest } = options(shortened(call.args, { append: "a" }));
  let appends = flags.has("a");
  const write = (text: string) => {
    for (const name of rest) call.files.write(name, text, appends);
    appends = true;
  };
  let isEmpty = true;
  const code = yield* eachPiece(call, [], {
    piece: (text) => {
      isEmpty = false;
      write(text);
      call.out(text);
    },
  });
  if (isEmpty && !call.process.paused) write("");
  return code;
}

/** The number of characters of a text that are changed at once. */
const pieceLetters = 4096;

function* tr(call: TextCall): Task<number> {
  const { flags, rest } = options(
    shortened(call.args, { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" }),
  );
  const change = translator(call.process, rest, flags);
  return yield* eachPiece(call, [], {
    piece: (text) => {
      const changed = new Growing(call.process);
      for (let at = 0, end; at < text.length; at = end) {
        end = at + pieceLetters;
        // A surrogate pair is not split.
        if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
        changed.add(change(text.slice(at, end)));
      }
      call.out(changed.take());
    },
  });
}

const uniqLongs = {
  count: "c",
  repeated: "d",
  unique: "u",
  "ignore-case": "i",
  "skip-fields": "f",
  "skip-chars": "s",
  "check-chars": "w",
};

/** Returns the text after a number of fields, with the blanks before the next. */
function behindFields(text: string, count: number): string {
  let at = 0;
  for (let field = 0; field < count; field++) {
    while (/[ \t]/.test(text.charAt(at))) at++;
    while (at < text.length && !/[ \t]/.test(text.charAt(at))) at++;
  }
  return text.slice(at);
}

function uniq(call: TextCall): Task<number> {
  const { flags, values, rest } = options(shortened(call.args, uniqLongs), "fsw");
  const output = new Growing(call.process);
  const skips = { fields: Number(values.get("f") ?? 0), letters: Number(values.get("s") ?? 0) };
  const width = Number(values.get("w") ?? Number.POSITIVE_INFINITY);
  const keyOf = (text: string) => {
    charge(call.process, text.length / 64);
    const behind = skips.fields === 0 ? text : behindFields(text, skips.fields);
    return behind.slice(skips.letters, skips.letters + width);
  };
  const { line, end } = uniqOf(flags, skips.fields + skips.letters > 0 || values.has("w") ? keyOf : undefined, (text) =>
    output.add(`${text}\n`),
  );
  return eachLine(call, rest.slice(0, 1), {
    lines: (lines) => {
      for (const text of lines) line(text);
      call.out(output.take());
    },
    end: () => {
      end();
      call.out(output.take());
    },
  });
}

/** The number of numbers that are printed at once. */
const numbersAtOnce = 1024;

function* seq(call: TextCall): Task<number> {
  const hasNumber = call.args.some((arg) => /\d/.test(arg));
  const numbers = hasNumber ? sequence(call.args) : undefined;
  if (!numbers) {
    call.err(seqProblem(call));
    return 1;
  }
  const text = new Growing(call.process);
  let count = 0;
  for (const number of numbers) {
    text.add(number);
    if (++count % numbersAtOnce !== 0) continue;
    call.out(text.take());
    yield* finished(call.turn());
  }
  call.out(text.take());
  return 0;
}

function seqProblem(call: TextCall): string {
  const numbers = call.args.filter((arg) => !/^-[a-z]/.test(arg));
  const bad = numbers.find((arg) => arg === "" || Number.isNaN(Number(arg)));
  if (isBusybox(call)) return bad === undefined ? "seq: bad increment\n" : `seq: invalid number '${bad}'\n`;
  const why =
    bad !== undefined
      ? `invalid floating point argument: '${bad}'`
      : numbers.length === 0
        ? "missing operand"
        : `invalid Zero increment value: '${numbers[1] ?? ""}'`;
  return `seq: ${why}\nTry 'seq --help' for more information.\n`;
}
