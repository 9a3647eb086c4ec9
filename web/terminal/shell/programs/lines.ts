// Programs over lines as they come: `cat`, `head`, `tail`, `uniq`, `cut`, `tr`, `tee`, `nl` and `rev`; and `column`.
import { linesOf as splitLines } from "../../../../shared/shell/lines.ts";
import { shortened } from "../../../../shared/shell/options.ts";
import { cutter } from "../../../../shared/shell/text/cut.ts";
import { numbering, uniqOf } from "../../../../shared/shell/text/lines.ts";
import { translator } from "../../../../shared/shell/text/tr.ts";
import {
  type ProgramCall,
  eachInput,
  filesOf,
  filter,
  optionsOf,
  pathOf,
  pause,
  type Programs,
  readFile,
  wholeInput,
} from "../program.ts";
import { linesOf } from "../streams.ts";

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
  uniq: (call) => uniq(call),
  cut: (call) => cut(call),
  tr: (call) => tr(call),
  tee: (call) => tee(call),
  nl: (call) =>
    filter(
      call,
      call.args.filter((one) => !one.startsWith("-")),
      numbering(),
    ),
  rev: (call) => filter(call, call.args, (text) => [...text].reverse().join("")),
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

async function head(call: ProgramCall): Promise<number> {
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

async function tail(call: ProgramCall): Promise<number> {
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

async function uniq(call: ProgramCall): Promise<number> {
  const args = shortened(call.args, { count: "c", repeated: "d", unique: "u", "ignore-case": "i" });
  const options = optionsOf(args, "cdui");
  const flags = new Set([..."cdui"].filter((letter) => options.has(letter)));
  const { line, end } = uniqOf(flags, (text) => call.out.write(`${text}\n`));
  const code = await filter(call, options.rest.slice(0, 1), (text) => void line(text));
  end();
  return code;
}

function cut(call: ProgramCall): Promise<number> {
  const options = optionsOf(
    call.args,
    "d:f:c:b:s --delimiter= --fields= --characters= --complement --output-delimiter= --only-delimited",
  );
  const fields = options.value("f", "fields");
  const list = fields ?? options.value("c", "b", "characters");
  if (list === undefined) throw new Error("you must specify a list of bytes, characters, or fields");
  const mark = fields === undefined ? undefined : (options.value("d", "delimiter") ?? "\t");
  const put = options.value("output-delimiter");
  const pick = cutter({
    list,
    mark,
    put,
    isOthers: options.has("complement"),
    isOnlyMarked: options.has("s", "only-delimited"),
  });
  return filter(call, options.rest, pick);
}

async function tr(call: ProgramCall): Promise<number> {
  const options = optionsOf(call.args, "cCdst");
  const flags = new Set([..."cCds"].filter((letter) => options.has(letter)));
  const change = translator(call.process, options.rest, flags);
  for (let piece; (piece = await call.input.read(call.signal)) !== undefined; ) {
    call.out.write(change(piece));
    await pause(call);
  }
  return 0;
}

async function tee(call: ProgramCall): Promise<number> {
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
