// The program `grep`: prints lines that match expressions.
import type { Task } from "../task.ts";
import { isPattern, type Pattern, type Spend } from "../../base/pattern.ts";
import { charge } from "../meter.ts";
import type { TextCall } from "./call.ts";
import { options, shortened } from "../options.ts";
import { Growing, linesOf } from "../lines.ts";
import { eachLine } from "./stream.ts";
import { quotedExpression, regularExpression } from "../patterns/regular.ts";

interface GrepOptions {
  readonly call: TextCall;
  readonly flags: ReadonlySet<string>;
  readonly patterns: readonly Pattern[];
  readonly before: number;
  readonly after: number;
  readonly most: number;
  readonly isNamed: boolean;
  readonly names: readonly string[];
}

const longs: Readonly<Record<string, string>> = {
  "ignore-case": "i",
  "invert-match": "v",
  count: "c",
  "only-matching": "o",
  "line-number": "n",
  quiet: "q",
  silent: "q",
  recursive: "r",
  "files-with-matches": "l",
  "files-without-match": "L",
  "word-regexp": "w",
  "line-regexp": "x",
  "extended-regexp": "E",
  "fixed-strings": "F",
  "no-filename": "h",
  "with-filename": "H",
  "no-messages": "s",
  "perl-regexp": "P",
  regexp: "e",
  "after-context": "A",
  "before-context": "B",
  context: "C",
  "max-count": "m",
};

export function* grep(call: TextCall): Task<number> {
  const grepOptions = parseOptions(call);
  if (typeof grepOptions === "number") return grepOptions;
  const { flags } = grepOptions;
  const output = new Growing(call.process);
  let matches = 0;
  let look: Look | undefined;
  let isUnreadable = false;
  const refuse = (_: TextCall, name: string) => {
    isUnreadable = true;
    const why = call.files.isFolder(name) ? "Is a directory" : "No such file or directory";
    if (!flags.has("s")) call.err(`${call.name}: ${name}: ${why}\n`);
    return 2;
  };
  for (const name of grepOptions.names) {
    yield* eachLine(
      call,
      [name],
      {
        begin: () => {
          look = lookOf(grepOptions, name, (line) => output.add(line));
        },
        lines: (lines) => {
          const goesOn = lines.every((line) => look?.line(line));
          call.out(output.take());
          return goesOn;
        },
        end: () => {
          matches += look?.end() ?? 0;
          call.out(output.take());
        },
      },
      refuse,
    );
    if (call.process.paused) return 0;
    if (matches > 0 && flags.has("q")) break;
  }
  return exitCode(grepOptions, matches, isUnreadable ? 2 : 0);
}

/** Returns the exit code. `code`: 2 if a file could not be read. */
function exitCode({ flags }: GrepOptions, matchCount: number, code: number): number {
  return matchCount > 0 && (code === 0 || flags.has("q")) ? 0 : Math.max(code, matchCount > 0 ? 0 : 1);
}

/** Parses the arguments. Returns the exit code if they are not valid, after printing the error. */
function parseOptions(call: TextCall): GrepOptions | number {
  const { words, sources } = readArguments(call);
  const { flags, values, rest } = options(words, "ABCm");
  const source = sources.length > 0 ? undefined : rest.shift();
  if (sources.length === 0 && source === undefined) {
    const isBusybox = call.tools === "busybox";
    call.err(
      isBusybox
        ? "BusyBox v1.36.1 multi-call binary.\n\nUsage: grep [-HhnlLoqvsrRiwFEz] [-m N] [-A|B|C N] { PATTERN | -e PATTERN... | -f FILE... } [FILE]...\n"
        : "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n",
    );
    return isBusybox ? 1 : 2;
  }
  const patterns = patternsOf(call, flags, source === undefined ? sources : source.split("\n"));
  if (!patterns) return 2;
  const isDeep = flags.has("r") || flags.has("R");
  const operands = rest.length > 0 ? rest : isDeep ? ["."] : ["-"];
  const around = values.get("C");
  return {
    call,
    flags,
    patterns,
    before: Number(values.get("B") ?? around ?? 0),
    after: Number(values.get("A") ?? around ?? 0),
    most: Number(values.get("m") ?? Number.POSITIVE_INFINITY),
    isNamed: !flags.has("h") && (flags.has("H") || isDeep || operands.length > 1),
    names: isDeep
      ? operands.flatMap((name) => (call.files.isFolder(name) ? call.files.below(name) : [name]))
      : operands,
  };
}

/** Returns the options as letters, and the expressions of options. */
function readArguments(call: TextCall): { readonly words: readonly string[]; readonly sources: readonly string[] } {
  const sources: string[] = [];
  const words: string[] = [];
  const relevantArguments = call.args.filter((arg) => !/^--(colou?r|line-buffered|exclude|include)/.test(arg));
  const args = shortened(relevantArguments, longs);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      words.push(...args.slice(at));
      break;
    }
    const mark = /^-[A-Za-z]/.test(arg) ? arg.indexOf("e") : -1;
    const [lead, attached] = mark > 0 ? [arg.slice(0, mark), arg.slice(mark + 1)] : ["", ""];
    if (lead !== "") {
      if (lead !== "-") words.push(lead);
      sources.push(attached === "" ? (args[++at] ?? "") : attached);
    } else if (arg === "-f") sources.push(...linesOf(call.files.read(args[++at] ?? "") ?? ""));
    else words.push(arg.replace(/^-(\d+)$/, "-C$1"));
  }
  return { words, sources };
}

function patternsOf(call: TextCall, flags: ReadonlySet<string>, sources: readonly string[]): Pattern[] | undefined {
  const isPlain = flags.has("F") || call.name === "fgrep";
  const isExtended = flags.has("E") || flags.has("P") || call.name === "egrep" || isPlain;
  const patterns: Pattern[] = [];
  for (const source of sources) {
    const expression = isPlain ? quotedExpression(source) : source;
    const [open, close] = isExtended ? ["(", ")"] : ["\\(", "\\)"];
    const bounded = flags.has("x")
      ? `^${open}${expression}${close}$`
      : flags.has("w")
        ? `\\b${open}${expression}${close}\\b`
        : expression;
    const pattern = regularExpression(call.process, bounded, {
      isExtended,
      ignoresCase: flags.has("i") || flags.has("y"),
    });
    if (!isPattern(pattern)) {
      call.err(`${call.name}: ${call.tools === "busybox" ? `bad regex '${source}': ` : ""}${pattern.error}\n`);
      return undefined;
    }
    patterns.push(pattern);
  }
  return patterns;
}

interface Look {
  /** Reads a line. Returns whether to go on. */
  line(line: string): boolean;
  /** Ends the file. Returns the number of matches. */
  end(): number;
}

/** Searches the lines of one file in order. */
function lookOf(
  { call, flags, patterns, before, after, most, isNamed }: GrepOptions,
  file: string,
  put: (text: string) => void,
): Look {
  const { process } = call;
  const name = file === "-" ? "(standard input)" : file;
  const spend: Spend = (units) => charge(process, units);
  const isCounted = ["c", "q", "l", "L"].some((letter) => flags.has(letter));
  const isDecided = ["q", "l", "L"].some((letter) => flags.has(letter)) && !flags.has("c");
  const precedingLines: string[] = [];
  let [at, count, printed, until] = [-1, 0, -1, -1];
  const show = (place: number, line: string, mark: string) => {
    if ((before > 0 || after > 0) && printed >= 0 && place > printed + 1) put("--\n");
    printed = place;
    const head = `${isNamed ? name + mark : ""}${flags.has("n") ? `${place + 1}${mark}` : ""}`;
    const texts = flags.has("o") && mark === ":" ? matchesOf(patterns, line, spend) : [line];
    for (const text of texts) put(`${head}${text}\n`);
  };
  return {
    line(line) {
      at++;
      charge(process, 0.5);
      const isFound = patterns.some((pattern) => pattern.test(line, spend)) !== flags.has("v");
      if (isFound && count < most) {
        count++;
        if (isCounted) return !isDecided;
        for (const [place, preceding] of precedingLines.entries())
          if (at - precedingLines.length + place > printed) show(at - precedingLines.length + place, preceding, "-");
        show(at, line, ":");
        until = at + after;
      } else if (at <= until) show(at, line, "-");
      if (before > 0) precedingLines.push(line);
      if (precedingLines.length > before) precedingLines.shift();
      return count < most || at < until;
    },
    end() {
      if (flags.has("q")) return count;
      if (flags.has("c")) put(`${isNamed ? `${name}:` : ""}${count}\n`);
      if (flags.has("l") && count > 0) put(`${name}\n`);
      if (flags.has("L") && count === 0) put(`${name}\n`);
      return count;
    },
  };
}

function matchesOf(patterns: readonly Pattern[], line: string, spend: Spend): string[] {
  return patterns.flatMap((pattern) =>
    [...pattern.findAll(line, spend)].flatMap(({ groups: [matchedText = ""] }) =>
      matchedText === "" ? [] : [matchedText],
    ),
  );
}
