// Programs over lines: `cat`, `head`, `tail`, `sort`, `uniq`, `wc`, `cut`, `tr`, `tee`, `nl`, `tac`, `rev`, `paste` and `column`.
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { unescaped } from "../language/words.ts";
import { type Call, eachInput, filesOf, optionsOf, pathOf, type Programs, readFile, wholeInput } from "../program.ts";
import { linesOf, splitLines } from "../streams.ts";
import { filter, ranges } from "./filter.ts";

export const linePrograms: Programs = {
  cat: async (call) => {
    const options = optionsOf(call.args, "nbsAeEtTuv --number");
    let line = 0;
    return eachInput(call, options.rest, async (source) => {
      if (options.has("n", "b", "number")) {
        for await (const text of linesOf(source, call.signal))
          call.out.write(options.has("b") && text === "" ? "\n" : `${String(++line).padStart(6)}\t${text}\n`);
        return;
      }
      for (let piece; (piece = await source.read(call.signal)) !== undefined; ) {
        call.out.write(piece);
        await call.out.settled(call.signal);
      }
    });
  },
  head: (call) => head(call),
  tail: (call) => tail(call),
  wc: (call) => wc(call),
  sort: (call) => sort(call),
  uniq: (call) => uniq(call),
  cut: (call) => cut(call),
  tr: (call) => tr(call),
  tee: (call) => tee(call),
  nl: (call) => {
    let line = 0;
    return filter(
      call,
      call.args.filter((one) => !one.startsWith("-")),
      (text) => (text === "" ? "       " : `${String(++line).padStart(6)}\t${text}`),
    );
  },
  rev: (call) => filter(call, call.args, (text) => [...text].reverse().join("")),
  tac: async (call) => {
    const { text, code } = await wholeInput(call, call.args);
    for (const line of splitLines(text).reverse()) call.out.write(`${line}\n`);
    return code;
  },
  paste: async (call) => {
    const options = optionsOf(call.args, "sd:");
    const marks = unescaped(options.value("d") ?? "\t");
    const texts = options.rest.length > 0 ? options.rest : ["-"];
    const typed = texts.includes("-") ? splitLines((await wholeInput(call, ["-"])).text) : [];
    const places = texts.flatMap((name, at) => (name === "-" ? [at] : []));
    // Each `-` takes the input's next line.
    const columns = texts.map((name, at) =>
      name === "-"
        ? typed.filter((_, line) => line % places.length === places.indexOf(at))
        : splitLines(readFile(call, name)),
    );
    if (options.has("s")) for (const lines of columns) call.out.write(`${lines.join(marks.charAt(0))}\n`);
    else
      for (let at = 0; at < Math.max(...columns.map((lines) => lines.length)); at++)
        call.out.write(`${columns.map((lines) => lines[at] ?? "").join(marks.charAt(0))}\n`);
    return 0;
  },
  column: async (call) => {
    const options = optionsOf(call.args, "ts:o:c:");
    const { text, code } = await wholeInput(call, options.rest);
    const mark = options.value("s");
    const rows = splitLines(text)
      .filter((line) => line.trim() !== "")
      .map((line) => (mark === undefined ? line.trim().split(/\s+/) : line.split(mark)));
    const widths: number[] = [];
    for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
    const gap = options.value("o") ?? "  ";
    for (const row of rows)
      call.out.write(
        `${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join(gap)}\n`,
      );
    return code;
  },
};

/** `-5` as `-n 5`, and `+5` as `-n +5`. */
function withCount(args: readonly string[]): string[] {
  return args.map((one, at) => {
    if (/^-[nc]$/.test(args[at - 1] ?? "")) return one;
    return /^-\d+$/.test(one) ? `-n${one.slice(1)}` : /^\+\d+$/.test(one) ? `-n${one}` : one;
  });
}

async function head(call: Call): Promise<number> {
  const options = optionsOf(withCount(call.args), "n:c:qv --lines= --bytes=");
  const bytes = options.value("c", "bytes");
  const count = Number(options.value("n", "lines") ?? 10);
  if (Number.isNaN(count)) throw new Error(`invalid number of lines: '${options.value("n", "lines") ?? ""}'`);
  return eachInput(call, options.rest, async (source, name) => {
    if (options.rest.length > 1 && !options.has("q")) call.out.write(`==> ${name} <==\n`);
    if (bytes !== undefined) {
      let rest = Number(bytes);
      for (let piece; rest > 0 && (piece = await source.read(call.signal)) !== undefined; rest -= piece.length)
        call.out.write(piece.slice(0, rest));
    } else if (count < 0) {
      const kept: string[] = [];
      for await (const line of linesOf(source, call.signal)) {
        kept.push(line);
        if (kept.length > -count) call.out.write(`${kept.shift() ?? ""}\n`);
      }
    } else if (count > 0) {
      let seen = 0;
      for await (const line of linesOf(source, call.signal)) {
        call.out.write(`${line}\n`);
        if (++seen >= count) break;
      }
    }
    source.close();
  });
}

async function tail(call: Call): Promise<number> {
  const args = withCount(call.args);
  const options = optionsOf(args, "n:c:fFqv --lines= --bytes= --follow --retry");
  const wanted = options.value("n", "lines") ?? "10";
  const bytes = options.value("c", "bytes");
  const last = (text: string) => {
    if (bytes !== undefined) return bytes.startsWith("+") ? text.slice(Number(bytes) - 1) : text.slice(-Number(bytes));
    const lines = splitLines(text);
    const count = Math.abs(Number(wanted));
    const kept = wanted.startsWith("+") ? lines.slice(count - 1) : count === 0 ? [] : lines.slice(-count);
    return kept.map((line) => `${line}\n`).join("");
  };
  const [first] = options.rest;
  const code = await eachInput(call, options.rest, async (source, name) => {
    if (options.rest.length > 1 && !options.has("q")) call.out.write(`==> ${name} <==\n`);
    const all = name === "-" ? (await wholeInput({ ...call, input: source }, [])).text : readFile(call, name);
    call.out.write(last(all));
  });
  if (!options.has("f", "F", "follow") || first === undefined) return code;
  let seen = filesOf(call).read(pathOf(call, first)) ?? "";
  for (;;) {
    await call.shell.machine.kubectl.around.wait(500, call.signal);
    await call.shell.machine.breathe(call.signal);
    const now = filesOf(call).read(pathOf(call, first)) ?? "";
    if (now !== seen) call.out.write(now.startsWith(seen) ? now.slice(seen.length) : now);
    seen = now;
  }
}

async function wc(call: Call): Promise<number> {
  const options = optionsOf(call.args, "lwcm --lines --words --bytes --chars");
  const total = [0, 0, 0];
  const isWanted = [options.has("l", "lines"), options.has("w", "words"), options.has("c", "m", "bytes", "chars")];
  const isAny = isWanted.some(Boolean);
  const shown = (counts: readonly number[], name: string) => {
    const kept = counts.filter((_, at) => !isAny || isWanted[at]);
    const isBare = kept.length === 1 && (name === "-" || options.rest.length === 1);
    const cells = kept.map((one) => (isBare ? String(one) : String(one).padStart(name === "-" ? 7 : 4)));
    call.out.write(
      `${cells.join(" ").replace(/^ +(?=\S)/, name === "-" ? "$&" : " ")}${name === "-" ? "" : ` ${name}`}\n`,
    );
  };
  const code = await eachInput(call, options.rest, async (source, name) => {
    const { text } = await wholeInput({ ...call, input: source }, []);
    const counts = [
      text.split("\n").length - 1,
      text.match(/\S+/g)?.length ?? 0,
      options.has("m", "chars") ? text.length : byteLength(text),
    ];
    for (const [at, one] of counts.entries()) total[at] = (total[at] ?? 0) + one;
    shown(counts, name);
  });
  if (options.rest.length > 1) shown(total, "total");
  return code;
}

interface SortKey {
  readonly from: number;
  readonly to: number;
  readonly isNumeric: boolean;
  readonly isReversed: boolean;
}

async function sort(call: Call): Promise<number> {
  const options = optionsOf(
    call.args,
    "nrufhVbisk:t:o: --numeric-sort --reverse --unique --ignore-case --human-numeric-sort --version-sort --key= --field-separator=",
  );
  const { text, code } = await wholeInput(call, options.rest);
  const mark = options.value("t", "field-separator");
  const isReversed = options.has("r", "reverse");
  const isNumeric = options.has("n", "h", "V", "numeric-sort", "human-numeric-sort", "version-sort");
  const keys = options.values("k", "key").map((one): SortKey => {
    const [, from = "1", letters = "", to] =
      /^(\d+)(?:\.\d+)?([nrbfhV]*)(?:,(\d+)(?:\.\d+)?[nrbfhV]*)?$/.exec(one) ?? [];
    const all = letters + (/,\d+(?:\.\d+)?([nrbfhV]*)$/.exec(one)?.[1] ?? "");
    return {
      from: Number(from),
      to: Number(to ?? Number.POSITIVE_INFINITY),
      isNumeric: isNumeric || /[nhV]/.test(all),
      isReversed: all.includes("r") ? true : isReversed,
    };
  });
  const whole: SortKey = { from: 0, to: 0, isNumeric, isReversed };
  const fold = options.has("f", "ignore-case") ? (one: string) => one.toLowerCase() : (one: string) => one;
  const part = (line: string, { from, to }: SortKey) => {
    if (from === 0) return line;
    const fields = mark === undefined ? line.trim().split(/\s+/) : line.split(mark);
    return fields.slice(from - 1, to).join(mark ?? " ");
  };
  const compare = (a: string, b: string, isUnique: boolean) => {
    for (const key of keys.length > 0 ? keys : [whole]) {
      const [left, right] = [fold(part(a, key)), fold(part(b, key))];
      const order = key.isNumeric ? quantity(left) - quantity(right) : left < right ? -1 : left > right ? 1 : 0;
      if (order !== 0) return key.isReversed ? -order : order;
    }
    if (isUnique || a === b) return 0;
    return (a < b ? -1 : 1) * (isReversed ? -1 : 1);
  };
  const isUnique = options.has("u", "unique");
  const lines = splitLines(text).sort((a, b) => compare(a, b, isUnique));
  const kept = isUnique
    ? lines.filter((line, at) => at === 0 || compare(lines[at - 1] ?? "", line, true) !== 0)
    : lines;
  const sorted = kept.map((line) => `${line}\n`).join("");
  const target = options.value("o");
  if (target === undefined) call.out.write(sorted);
  else filesOf(call).write(pathOf(call, target), sorted);
  return code;
}

/** Numbers with what they are multiplied by: `10`, `2K`, `512Mi`, `100m`. */
function quantity(text: string): number {
  const [, number = "0", unit = ""] = /^\s*(-?\d+(?:\.\d+)?|-?\.\d+)([kKMGTm]?)/.exec(text) ?? [];
  const scale: Readonly<Record<string, number>> = { m: 0.001, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return Number(number) * (scale[unit] ?? 1);
}

async function uniq(call: Call): Promise<number> {
  const options = optionsOf(call.args, "cdui --count --repeated --unique --ignore-case");
  const fold = (line: string) => (options.has("i", "ignore-case") ? line.toLowerCase() : line);
  let before: string | undefined;
  let count = 0;
  const tell = () => {
    if (
      before === undefined ||
      (options.has("d", "repeated") && count < 2) ||
      (options.has("u", "unique") && count > 1)
    )
      return;
    call.out.write(options.has("c", "count") ? `${String(count).padStart(7)} ${before}\n` : `${before}\n`);
  };
  const code = await eachInput(call, options.rest.slice(0, 1), async (source) => {
    for await (const line of linesOf(source, call.signal)) {
      if (before !== undefined && fold(line) === fold(before)) count++;
      else {
        tell();
        before = line;
        count = 1;
      }
    }
  });
  tell();
  return code;
}

function cut(call: Call): Promise<number> {
  const options = optionsOf(
    call.args,
    "d:f:c:b:s --delimiter= --fields= --characters= --complement --output-delimiter= --only-delimited",
  );
  const fields = options.value("f", "fields");
  const list = fields ?? options.value("c", "b", "characters");
  if (list === undefined) throw new Error("you must specify a list of bytes, characters, or fields");
  const isIn = ranges(list);
  const isWanted = options.has("complement") ? (at: number) => !isIn(at) : isIn;
  const mark = options.value("d", "delimiter") ?? "\t";
  return filter(call, options.rest, (line) => {
    if (fields === undefined) return [...line].filter((_, at) => isWanted(at + 1)).join("");
    const parts = line.split(mark);
    if (parts.length === 1) return options.has("s", "only-delimited") ? undefined : line;
    return parts.filter((_, at) => isWanted(at + 1)).join(options.value("output-delimiter") ?? mark);
  });
}

async function tr(call: Call): Promise<number> {
  const options = optionsOf(call.args, "cCdst");
  const [from = "", to = ""] = options.rest;
  const source = letters(from);
  const target = letters(options.has("d") ? "" : to);
  const squeezed = new Set(options.has("s") ? letters(options.rest.at(-1) ?? "") : []);
  const isOutside = options.has("c", "C");
  const places = new Map(source.map((letter, at) => [letter, at] as const).reverse());
  let last = "";
  for (let piece; (piece = await call.input.read(call.signal)) !== undefined; ) {
    const made: string[] = [];
    for (const letter of piece) {
      const at = places.get(letter);
      const isHit = (at === undefined) === isOutside;
      if (isHit && options.has("d")) continue;
      const put =
        isHit && target.length > 0
          ? (target[isOutside ? target.length - 1 : (at ?? 0)] ?? target.at(-1) ?? letter)
          : letter;
      if (put === last && squeezed.has(put)) continue;
      made.push(put);
      last = put;
    }
    call.out.write(made.join(""));
    await call.out.settled(call.signal);
  }
  return 0;
}

const classes: Readonly<Record<string, string>> = {
  upper: "A-Z",
  lower: "a-z",
  digit: "0-9",
  alpha: "A-Za-z",
  alnum: "A-Za-z0-9",
  space: " \t\n\r\v\f",
  blank: " \t",
  punct: "!-/:-@[-`{-~",
};

function letters(set: string): string[] {
  const units = [...unescaped(set.replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole))];
  const all: string[] = [];
  for (let at = 0; at < units.length; at++) {
    const [from, to] = [units[at]?.codePointAt(0) ?? 0, units[at + 2]?.codePointAt(0) ?? 0];
    if (units[at + 1] !== "-" || at + 2 >= units.length) all.push(units[at] ?? "");
    else {
      for (let code = from; code <= to; code++) all.push(String.fromCodePoint(code));
      at += 2;
    }
  }
  return all;
}

async function tee(call: Call): Promise<number> {
  const options = optionsOf(call.args, "ai --append");
  const { text } = await (async () => {
    const parts: string[] = [];
    for (let piece; (piece = await call.input.read(call.signal)) !== undefined; ) {
      parts.push(piece);
      call.out.write(piece);
      await call.out.settled(call.signal);
    }
    return { text: parts.join("") };
  })();
  for (const name of options.rest) {
    const path = pathOf(call, name);
    const before = options.has("a", "append") ? (filesOf(call).read(path) ?? "") : "";
    if (path !== "/dev/null") filesOf(call).write(path, before + text);
  }
  return 0;
}
