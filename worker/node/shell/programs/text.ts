// Programs that print and change text.
import { driveInside } from "../drive.ts";
import type { Task } from "../../../../shared/shell/task.ts";
import { baseName, echoed, folderName, sequence } from "../../../../shared/shell/text/print.ts";
import { cutter } from "../../../../shared/shell/text/cut.ts";
import { translator } from "../../../../shared/shell/text/tr.ts";
import { bytesOfText, textOfBytes } from "../../../../shared/base/byte-text.ts";
import { absolute } from "../files.ts";
import { isTyped, takeAll, takeLine } from "../input.ts";
import { build, charge, scan, Stopped } from "../../../../shared/shell/meter.ts";
import { edit, nextOutsideMs, type Process } from "../process.ts";
import { sleep, sleepUntil } from "../system-call.ts";
import { hexdump } from "./copying/hexdump.ts";
import { base64 } from "../../../../shared/shell/text/base64.ts";
import { grep } from "../../../../shared/shell/text/grep.ts";
import { perFile } from "../../../../shared/shell/text/per-file.ts";
import { printf } from "./text/printf.ts";
import type { ProgramCall, Program, Programs } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { Growing, printedLines, withLines } from "../../../../shared/shell/lines.ts";
import { awk } from "../../../../shared/shell/awk/awk.ts";
import { linePrograms } from "../../../../shared/shell/text/lines.ts";
import { sed } from "../../../../shared/shell/text/sed.ts";
import { textCall, textProgram } from "../text-call.ts";
import { isDash, scoped } from "../shell.ts";

const runAwk: Program = (call) => {
  const { shell, out } = call;
  const run = (command: string, input: string | undefined) =>
    driveInside(
      shell.run({ ...shell, ...(input === undefined ? {} : { input: { rest: input } }), out }, ["sh", "-c", command]),
    );
  return scoped(shell, () => awk({ ...textCall(call), run }));
};

export const textPrograms: Programs = {
  echo: ({ args, out, shell, process }) => {
    build(process, args.join(" ").length);
    out(echoed(args, isDash(shell)));
    return 0;
  },
  printf,
  *cat(call) {
    if (!isTyped(call.input) || call.args.some((arg) => !arg.startsWith("-"))) {
      return yield* perFile(textCall(call), (text) => call.out(text));
    }
    for (let line; (line = yield* takeLine(call.process, call.input)) !== undefined; ) call.out(line);
    return 0;
  },
  *head(call) {
    const count = countOf(call.args);
    const bytes = options(call.args, "nc").values.get("c");
    const first = (text: string) =>
      bytes === undefined
        ? firstLines(call.process, text, count)
        : textOfBytes(bytesOf(call.process, text).subarray(0, Number(bytes)));
    return yield* perFile(textCall(call), (text, name) => call.out(headed(call, name) + first(text)), "nc");
  },
  tail,
  grep: textProgram(grep),
  egrep: textProgram(grep),
  fgrep: textProgram(grep),
  ...Object.fromEntries(Object.entries(linePrograms).map(([name, program]) => [name, textProgram(program)])),
  hexdump,
  hd: (call) => hexdump({ ...call, args: ["-C", ...call.args] }),
  rev: (call) => eachLine(call, (line) => [...line].reverse().join(""), 1 / 16),
  cut,
  *tr({ process, args, input, out }) {
    const { flags, rest } = options(args);
    const text = yield* takeAll(process, input);
    if (text !== undefined) out(translated(process, text, rest, flags));
    return 0;
  },
  sed: textProgram(sed),
  awk: runAwk,
  gawk: runAwk,
  mawk: runAwk,
  *tee({ shell, process, args, input, out }) {
    const { flags, rest } = options(args);
    const text = yield* takeAll(process, input);
    if (text === undefined) return 0;
    for (const name of rest) {
      const path = absolute(name, shell.folder);
      edit(process, { path, text, ...(flags.has("a") ? { appends: true } : {}) });
    }
    out(text);
    return 0;
  },
  seq,
  *yes({ process, args, out, shell }) {
    // Whoever reads it has enough at some time, and then it ends.
    if (shell.captured) out(`${args.join(" ") || "y"}\n`.repeat(linesOfYes));
    else yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  },
  basename: ({ args, out }) => {
    out(`${baseName(args)}\n`);
    return 0;
  },
  dirname: ({ args, out }) => {
    out(`${folderName(args)}\n`);
    return 0;
  },
  base64: textProgram(base64),
};

/** Which file it is, where there are several. */
function headed({ args }: ProgramCall, name: string): string {
  const { rest } = options(args, "nc");
  if (rest.length < 2 || args.includes("-q")) return "";
  return `${rest[0] === name ? "" : "\n"}==> ${name} <==\n`;
}

const linesOfYes = 1000;

function seq({ process, args, out }: ProgramCall): number {
  const numbers = sequence(args);
  if (!numbers) return 1;
  const text = new Growing(process);
  let count = 0;
  for (const number of numbers) {
    text.add(number);
    if (++count % linesAtOnce === 0) out(text.take());
  }
  out(text.take());
  return 0;
}

/** Lines that are printed at once. */
const linesAtOnce = 1024;

function firstLines(process: Process, text: string, count: number): string {
  if (!(count >= 0)) return withLines(process, text, (lines) => printedLines(process, lines.slice(0, count)));
  let end = 0;
  for (let line = 0; line < count && end < text.length; line++) {
    charge(process, 0.05);
    const next = text.indexOf("\n", end);
    if (next < 0) return `${text}\n`;
    end = next + 1;
  }
  return text.slice(0, end);
}

function bytesOf(process: Process, text: string): Uint8Array<ArrayBuffer> {
  build(process, 2 * text.length);
  return bytesOfText(text);
}

/** Prints what becomes of each line; undefined: nothing. `work`: units that a letter costs. */
function* eachLine(
  call: ProgramCall,
  change: (line: string, at: number, all: readonly string[]) => string | undefined,
  work = 0,
  withValue = "",
): Task<number> {
  const { process } = call;
  return yield* perFile(
    textCall(call),
    (text) => {
      charge(process, text.length * work);
      withLines(process, text, (lines) => {
        const changed = new Growing(process);
        for (const [at, line] of lines.entries()) {
          const one = change(line, at, lines);
          if (one !== undefined) changed.add(`${one}\n`);
        }
        call.out(changed.take());
      });
    },
    withValue,
  );
}

function countOf(args: readonly string[]): number {
  const { values } = options(args, "nc");
  const short = args.find((arg) => /^-\d+$/.test(arg));
  return Number(values.get("n") ?? short?.slice(1) ?? 10);
}

/** `tail -f` prints what comes, as far as the process is followed. */
function* tail(call: ProgramCall): Task<number> {
  const { args, process, shell, out } = call;
  const { flags, rest, values } = options(args, "nc");
  const follows = flags.has("f") || flags.has("F") || flags.has("follow") || values.has("follow");
  const from = values.get("n") ?? String(countOf(args));
  const bytes = values.get("c");
  const take = (text: string) => {
    if (bytes !== undefined) {
      const all = bytesOf(process, text);
      return textOfBytes(bytes.startsWith("+") ? all.subarray(Number(bytes) - 1) : all.slice(-Math.abs(Number(bytes))));
    }
    return withLines(process, text, (lines) =>
      printedLines(
        process,
        from.startsWith("+") ? lines.slice(Number(from) - 1) : lines.slice(-Math.abs(Number(from)) || lines.length),
      ),
    );
  };
  if (!follows) return yield* perFile(textCall(call), (text, file) => out(headed(call, file) + take(text)), "nc");
  const [name = ""] = rest.filter((one) => !/^\d+$/.test(one));
  const path = absolute(name, shell.folder);
  let seen = process.files.get(path)?.text ?? "";
  if (seen === "" && !process.files.has(path) && path !== "/dev/null" && !flags.has("F") && process.knowsFiles) {
    call.err(`tail: can't open '${name}': No such file or directory\n`);
    return 1;
  }
  out(take(seen));
  while (!process.paused) {
    yield* sleepUntil(process, () => nextOutsideMs(process));
    const text = process.files.get(path)?.text ?? "";
    if (text === seen) continue;
    scan(process, text);
    out(text.startsWith(seen) ? text.slice(seen.length) : text);
    seen = text;
  }
  return 0;
}

function* cut(call: ProgramCall): Task<number> {
  const { values } = options(call.args, "dfc");
  const list = values.get("f") ?? values.get("c") ?? "1";
  try {
    const pick = cutter({ list, mark: values.has("c") ? undefined : (values.get("d") ?? "\t") });
    return yield* eachLine(call, pick, (1 + list.split(",").length) / 16, "dfc");
  } catch (error) {
    if (error instanceof Stopped || !(error instanceof Error)) throw error;
    call.err(`cut: ${error.message}\n`);
    return 1;
  }
}

/** Letters of a text that are changed at once. */
const pieceLetters = 4096;

function translated(process: Process, text: string, sets: readonly string[], flags: ReadonlySet<string>): string {
  const change = translator(process, sets, flags);
  const changed = new Growing(process);
  for (let at = 0, end; at < text.length; at = end) {
    end = at + pieceLetters;
    // A letter of two units is not divided.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    changed.add(change(text.slice(at, end)));
  }
  return changed.take();
}
