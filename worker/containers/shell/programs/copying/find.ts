// find and xargs: searches for files by conditions, and runs commands with the words of an input.
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { absolute, isFolder } from "../../files.ts";
import { globMatches, globOf } from "../../../../../shared/shell/patterns/glob.ts";
import { takeAll } from "../../input.ts";
import { inner } from "../../inner.ts";
import { charge, hold } from "../../../../../shared/shell/meter.ts";
import { edit } from "../../process.ts";
import { byteLength } from "../../../../../shared/base/byte-text.ts";
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import type { ProgramCall } from "../../program.ts";
import { scoped } from "../../shell.ts";

interface WalkedFile {
  readonly printedPath: string;
  readonly path: string;
  readonly depth: number;
}

type Test = (file: WalkedFile) => boolean | Task<boolean>;

interface Reading {
  readonly call: ProgramCall;
  readonly words: readonly string[];
  at: number;
  /** Whether an action handles the matches. Otherwise they are printed. */
  acts: boolean;
  most: number;
  least: number;
  code: number;
  problem: string | undefined;
  readonly last: (() => Task<void>)[];
}

export function* find(call: ProgramCall): Task<number> {
  const { args, process, shell } = call;
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = args.slice(0, first < 0 ? args.length : first);
  const reading: Reading = {
    call,
    words: first < 0 ? [] : args.slice(first),
    at: 0,
    acts: false,
    most: Number.POSITIVE_INFINITY,
    least: 0,
    code: 0,
    problem: undefined,
    last: [],
  };
  const test = reading.words.length > 0 ? either(reading) : () => true;
  if (reading.at < reading.words.length) reading.problem ??= `unrecognized: ${reading.words[reading.at] ?? ""}`;
  if (reading.problem !== undefined) {
    call.err(
      `find: ${process.programs?.has("ash") ? reading.problem : reading.problem.replace("unrecognized: ", "unknown predicate `").replace(/(predicate `.*)$/, "$1'")}\n`,
    );
    return 1;
  }
  for (const root of roots.length > 0 ? roots : ["."]) {
    const path = absolute(root, shell.folder);
    if (!process.files.exists(path)) {
      call.err(
        process.programs?.has("ash")
          ? `find: ${root}: No such file or directory\n`
          : `find: '${root}': No such file or directory\n`,
      );
      reading.code = 1;
      continue;
    }
    for (const file of walked(call, root, path, 0, reading.most)) {
      charge(process, 0.5);
      if (file.depth >= reading.least && (yield* finished(test(file))) && !reading.acts)
        call.out(`${file.printedPath}\n`);
      if (process.paused) return 0;
    }
  }
  for (const run of reading.last) yield* run();
  return reading.code;
}

function* walked(
  call: ProgramCall,
  printedPath: string,
  path: string,
  depth: number,
  most: number,
): Generator<WalkedFile> {
  yield { printedPath, path, depth };
  const { files } = call.process;
  if (depth >= most || !isFolder(files, path)) return;
  for (const name of files.names(path)) {
    yield* walked(
      call,
      printedPath.endsWith("/") ? printedPath + name : `${printedPath}/${name}`,
      path === "/" ? `/${name}` : `${path}/${name}`,
      depth + 1,
      most,
    );
  }
}

function either(reading: Reading): Test {
  let left = both(reading);
  while (["-o", "-or"].includes(reading.words[reading.at] ?? "")) {
    reading.at++;
    const [a, b] = [left, both(reading)];
    left = function* (file) {
      return (yield* finished(a(file))) || (yield* finished(b(file)));
    };
  }
  return left;
}

function both(reading: Reading): Test {
  let left = single(reading);
  while (reading.at < reading.words.length && ![")", "-o", "-or"].includes(reading.words[reading.at] ?? "")) {
    if (["-a", "-and"].includes(reading.words[reading.at] ?? "")) reading.at++;
    if (reading.problem !== undefined) break;
    const [a, b] = [left, single(reading)];
    left = function* (file) {
      return (yield* finished(a(file))) && (yield* finished(b(file)));
    };
  }
  return left;
}

function single(reading: Reading): Test {
  const { call, words } = reading;
  const { files } = call.process;
  const word = words[reading.at++] ?? "";
  const value = () => words[reading.at++] ?? "";
  const named = (text: string, of: (file: WalkedFile) => string, ignoresCase = false): Test => {
    const glob = globOf(ignoresCase ? text.toLowerCase() : text);
    return (file) =>
      globMatches(glob, ignoresCase ? of(file).toLowerCase() : of(file), (units) => charge(call.process, units));
  };
  const baseName = ({ printedPath }: WalkedFile) => trimmedEnd(printedPath, "/").split("/").at(-1) || "/";
  switch (word) {
    case "(": {
      const inside = either(reading);
      reading.at++;
      return inside;
    }
    case "!":
    case "-not": {
      const test = single(reading);
      return function* (file) {
        return !(yield* finished(test(file)));
      };
    }
    case "-name":
    case "-iname":
      return named(value(), baseName, word === "-iname");
    case "-path":
    case "-wholename":
      return named(value(), ({ printedPath }) => printedPath);
    case "-type": {
      const type = value();
      return ({ path }) => (type === "d" ? isFolder(files, path) : type === "f" && !isFolder(files, path));
    }
    case "-maxdepth":
    case "-mindepth":
      if (word === "-maxdepth") reading.most = Number(value());
      else reading.least = Number(value());
      return () => true;
    case "-prune":
    case "-quit":
    case "-depth":
    case "-xdev":
    case "-true":
      return () => true;
    default:
      return fact(reading, word) ?? action(reading, word);
  }
}

/** Parses a condition other than name and type. */
function fact(reading: Reading, word: string): Test | undefined {
  const { call, words } = reading;
  const { files, clockMs } = call.process;
  const value = () => words[reading.at++] ?? "";
  const number = (text: string, of: (file: WalkedFile) => number): Test => {
    const expected = Math.abs(Number.parseInt(text.replace("+", ""), 10));
    return (file) =>
      text.startsWith("+") ? of(file) > expected : text.startsWith("-") ? of(file) < expected : of(file) === expected;
  };
  switch (word) {
    case "-empty":
      return ({ path }) => (isFolder(files, path) ? files.names(path).length === 0 : files.get(path)?.text === "");
    case "-size": {
      const text = value();
      const unit = { c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }[text.slice(-1)] ?? 512;
      return number(text, ({ path }) => Math.ceil(byteLength(files.get(path)?.text ?? "") / unit));
    }
    case "-mtime":
    case "-mmin":
      return number(value(), ({ path }) =>
        Math.floor((clockMs - (files.get(path)?.changedMs ?? 0)) / (word === "-mtime" ? 86_400_000 : 60_000)),
      );
    case "-newer": {
      const than = files.get(absolute(value(), call.shell.folder))?.changedMs ?? 0;
      return ({ path }) => (files.get(path)?.changedMs ?? 0) > than;
    }
    case "-perm": {
      const mode = Number.parseInt(value().replace(/^[-/]/, ""), 8);
      return ({ path }) => ((files.get(path)?.mode ?? 0o755) & mode) === mode;
    }
    case "-user":
    case "-group":
    case "-uid": {
      const who = value();
      return ({ path }) => String(files.get(path)?.uid ?? 0) === (who === "root" ? "0" : who);
    }
    default:
      return undefined;
  }
}

/** Parses an action. */
function action(reading: Reading, word: string): Test {
  const { call } = reading;
  switch (word) {
    case "-print":
    case "-print0":
    case "-ls":
      reading.acts = true;
      return ({ printedPath }) => {
        call.out(printedPath + (word === "-print0" ? "\0" : "\n"));
        return true;
      };
    case "-delete":
      reading.acts = true;
      return ({ path }) => {
        edit(call.process, { path, text: undefined, removed: true });
        return true;
      };
    case "-exec":
    case "-ok":
      return execute(reading);
    default:
      reading.problem ??= `unrecognized: ${word}`;
      return () => false;
  }
}

function execute(reading: Reading): Test {
  const { call, words } = reading;
  const end = words.findIndex(
    (word, at) => at >= reading.at && (word === ";" || (word === "+" && words[at - 1] === "{}")),
  );
  if (end < 0) {
    reading.problem ??= "missing argument to '-exec'";
    return () => false;
  }
  const command = words.slice(reading.at, end);
  reading.at = end + 1;
  reading.acts = true;
  if (words[end] === "+") {
    const all: string[] = [];
    reading.last.push(function* () {
      if (
        all.length > 0 &&
        (yield* runs(
          call,
          command.flatMap((word) => (word === "{}" ? all : [word])),
        )) !== 0
      )
        reading.code = 1;
    });
    return ({ printedPath }) => {
      hold(call.process, printedPath.length + 32);
      all.push(printedPath);
      return true;
    };
  }
  return function* ({ printedPath }) {
    const commandWords = command.map((word) => word.replaceAll("{}", printedPath));
    return (yield* runs(call, commandWords)) === 0;
  };
}

function* runs(call: ProgramCall, words: readonly string[]): Task<number> {
  return yield* finished(
    scoped(call.shell, function* () {
      const nestedShell = inner({ ...call, input: { rest: "" } });
      yield* nestedShell.run(nestedShell, words);
      return nestedShell.exitCode;
    }),
  );
}

export function* xargs(call: ProgramCall): Task<number> {
  const { process, args } = call;
  let at = 0;
  let [most, mark, put] = [Number.POSITIVE_INFINITY, undefined as string | undefined, undefined as string | undefined];
  let skipsEmpty = false;
  let traces = false;
  for (; at < args.length && /^-./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    const value = () => (arg.length > 2 ? arg.slice(2) : (args[++at] ?? ""));
    if (arg.startsWith("-n") || arg.startsWith("-L")) most = Number(value()) || 1;
    else if (arg.startsWith("-I")) put = value();
    else if (arg.startsWith("-d")) mark = value().replace("\\n", "\n");
    else if (arg === "-0") mark = "\0";
    else if (/^-[Ps]/.test(arg)) value();
    else if (arg === "-r" || arg === "--no-run-if-empty") skipsEmpty = true;
    else if (arg === "-t") traces = true;
  }
  const text = (yield* takeAll(process, call.input)) ?? "";
  if (process.paused) return 0;
  charge(process, text.length / 32);
  return yield* finished(
    scoped(call.shell, function* () {
      hold(process, text.length * 2);
      const words = wordsIn(text, put === undefined ? mark : (mark ?? "\n"));
      const command = args.slice(at).length > 0 ? args.slice(at) : ["echo"];
      const size = put === undefined ? most : 1;
      if (words.length === 0 && (skipsEmpty || put !== undefined)) return 0;
      let code = 0;
      for (let from = 0; from === 0 || from < words.length; from += size) {
        const batch = words.slice(from, from + size);
        const batchCommand =
          put === undefined ? [...command, ...batch] : command.map((word) => word.replaceAll(put, batch[0] ?? ""));
        if (traces) call.err(`${batchCommand.join(" ")}\n`);
        const exitCode = yield* runs(call, batchCommand);
        if (exitCode === 127) return 127;
        if (exitCode !== 0) code = 123;
        if (process.paused || size === Number.POSITIVE_INFINITY) break;
      }
      return code;
    }),
  );
}

/** Splits a text into words: at blanks outside quotes, or at a delimiter. */
function wordsIn(text: string, mark: string | undefined): string[] {
  if (mark !== undefined)
    return text
      .split(mark)
      .map((word) => (mark === "\n" ? word.trim() : word))
      .filter((word) => word !== "" && word !== "\n");
  return [...text.matchAll(/(?:[^\s"'\\]|\\[^]|"[^"\n]*"|'[^'\n]*')+/g)].map(([word]) =>
    word.replace(
      /\\([^])|"([^"]*)"|'([^']*)'/g,
      (_, letter?: string, double?: string, single?: string) => letter ?? double ?? single ?? "",
    ),
  );
}
