// grep: lines that an expression finds, with what is asked to be shown of them.
import { isPattern, type Pattern, type Spend } from "../../../../../shared/base/pattern.ts";
import { absolute } from "../../files.ts";
import { takeAll } from "../../input.ts";
import { charge } from "../../meter.ts";
import { type Call, Growing, linesOf, options, withLines } from "../../program.ts";
import { quotedExpression, regularExpression } from "../../regular.ts";

interface Asked {
  readonly call: Call;
  readonly flags: ReadonlySet<string>;
  readonly patterns: readonly Pattern[];
  readonly before: number;
  readonly after: number;
  readonly most: number;
  readonly isNamed: boolean;
}

const longs: Readonly<Record<string, string>> = {
  "--ignore-case": "-i",
  "--invert-match": "-v",
  "--count": "-c",
  "--only-matching": "-o",
  "--line-number": "-n",
  "--quiet": "-q",
  "--silent": "-q",
  "--recursive": "-r",
  "--files-with-matches": "-l",
  "--files-without-match": "-L",
  "--word-regexp": "-w",
  "--line-regexp": "-x",
  "--extended-regexp": "-E",
  "--fixed-strings": "-F",
  "--no-filename": "-h",
  "--with-filename": "-H",
  "--no-messages": "-s",
  "--perl-regexp": "-P",
};

export function grep(call: Call): number {
  const { process } = call;
  const isBusybox = process.programs?.has("ash") ?? false;
  const { words, sources } = readArguments(call);
  const { flags, values, rest } = options(words, "ABCm");
  const source = sources.length > 0 ? undefined : rest.shift();
  if (sources.length === 0 && source === undefined) {
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
  const names = rest.length > 0 ? rest : isDeep ? ["."] : ["-"];
  const around = values.get("C");
  const isNamed = !flags.has("h") && (flags.has("H") || isDeep || names.length > 1);
  const asked: Asked = {
    call,
    flags,
    patterns,
    before: Number(values.get("B") ?? around ?? 0),
    after: Number(values.get("A") ?? around ?? 0),
    most: Number(values.get("m") ?? Number.POSITIVE_INFINITY),
    isNamed,
  };
  let [found, code] = [0, 0];
  for (const [name, text] of textsOf(call, names, isDeep)) {
    if (text === undefined) {
      if (!flags.has("s"))
        call.err(
          `${call.name}: ${name}: ${process.files.isFolder(absolute(name, call.shell.folder)) ? "Is a directory" : "No such file or directory"}\n`,
        );
      code = 2;
      continue;
    }
    found += look(asked, name, text);
    if (found > 0 && flags.has("q")) break;
  }
  if (process.paused) return 0;
  return found > 0 && (code === 0 || flags.has("q")) ? 0 : Math.max(code, found > 0 ? 0 : 1);
}

/** Options as letters, and the expressions that options name. */
function readArguments(call: Call): { readonly words: readonly string[]; readonly sources: readonly string[] } {
  const { process } = call;
  const sources: string[] = [];
  const words: string[] = [];
  const args = call.args.filter((arg) => !/^--(color|line-buffered|exclude|include)/.test(arg));
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const long = Object.hasOwn(longs, arg) ? longs[arg] : undefined;
    if (arg === "--") {
      words.push(...args.slice(at));
      break;
    }
    const mark = /^-[A-Za-z]/.test(arg) ? arg.indexOf("e") : -1;
    const [lead, own] = mark > 0 ? [arg.slice(0, mark), arg.slice(mark + 1)] : ["", ""];
    if (lead !== "") {
      if (lead !== "-") words.push(lead);
      sources.push(own === "" ? (args[++at] ?? "") : own);
    } else if (arg === "-f")
      sources.push(...linesOf(process.files.get(absolute(args[++at] ?? "", call.shell.folder))?.text ?? ""));
    else
      words.push(
        long ??
          arg
            .replace(
              /^--(?:regexp|after-context|before-context|context|max-count)=/,
              (name) =>
                `-${name.startsWith("--r") ? "e" : name.startsWith("--a") ? "A" : name.startsWith("--b") ? "B" : name.startsWith("--c") ? "C" : "m"}`,
            )
            .replace(/^-(\d+)$/, "-C$1"),
      );
  }
  return { words, sources };
}

function patternsOf(call: Call, flags: ReadonlySet<string>, sources: readonly string[]): Pattern[] | undefined {
  const isPlain = flags.has("F") || call.name === "fgrep";
  const isExtended = flags.has("E") || flags.has("P") || call.name === "egrep" || isPlain;
  const patterns: Pattern[] = [];
  for (const source of sources) {
    const own = isPlain ? quotedExpression(source) : source;
    const [open, close] = isExtended ? ["(", ")"] : ["\\(", "\\)"];
    const whole = flags.has("x") ? `^${open}${own}${close}$` : flags.has("w") ? `\\b${open}${own}${close}\\b` : own;
    const pattern = regularExpression(call.process, whole, {
      isExtended,
      ignoresCase: flags.has("i") || flags.has("y"),
    });
    if (!isPattern(pattern)) {
      call.err(`${call.name}: ${call.process.programs?.has("ash") ? `bad regex '${source}': ` : ""}${pattern.error}\n`);
      return undefined;
    }
    patterns.push(pattern);
  }
  return patterns;
}

function* textsOf(
  { process, shell, input }: Call,
  names: readonly string[],
  isDeep: boolean,
): Generator<readonly [string, string | undefined]> {
  for (const name of names) {
    if (name === "-") {
      const text = takeAll(process, input);
      if (text !== undefined) yield ["(standard input)", text];
      continue;
    }
    const path = absolute(name, shell.folder);
    if (path === "/dev/null") yield [name, ""];
    else if (isDeep && process.files.isFolder(path)) {
      for (const [below, { text }] of process.files.below(path === "/" ? "" : path))
        if (text !== undefined)
          yield [`${name.replace(/\/$/, "")}${below.slice(path === "/" ? 0 : path.length)}`, text];
    } else yield [name, process.files.get(path)?.text];
  }
}

/** Returns how many lines were found. */
function look({ call, flags, patterns, before, after, most, isNamed }: Asked, name: string, text: string): number {
  const { process } = call;
  const spend: Spend = (units) => charge(process, units);
  const shown = new Growing(process);
  let count = 0;
  withLines(process, text, (lines) => {
    let [printed, until] = [-1, -1];
    const show = (at: number, mark: string) => {
      if ((before > 0 || after > 0) && printed >= 0 && at > printed + 1) shown.add("--\n");
      printed = at;
      const number = flags.has("n") ? `${at + 1}${mark}` : "";
      const head = `${isNamed ? name + mark : ""}${number}`;
      if (flags.has("o") && mark === ":") {
        for (const part of partsOf(patterns, lines[at] ?? "", spend)) shown.add(`${head}${part}\n`);
      } else shown.add(`${head}${lines[at] ?? ""}\n`);
    };
    for (const [at, line] of lines.entries()) {
      charge(process, 0.1);
      const isFound = patterns.some((one) => one.test(line, spend)) !== flags.has("v");
      if (isFound && count < most) {
        count++;
        if (["c", "q", "l", "L"].some((one) => flags.has(one))) continue;
        for (let back = Math.max(at - before, printed + 1, 0); back < at; back++) show(back, "-");
        show(at, ":");
        until = at + after;
      } else if (at <= until) show(at, "-");
      else if (count >= most) break;
    }
  });
  if (flags.has("c") && !flags.has("q")) shown.add(`${isNamed ? `${name}:` : ""}${count}\n`);
  if (flags.has("l") && count > 0) shown.add(`${name}\n`);
  if (flags.has("L") && count === 0) shown.add(`${name}\n`);
  if (!flags.has("q")) call.out(shown.take());
  return count;
}

function partsOf(patterns: readonly Pattern[], line: string, spend: Spend): string[] {
  return patterns.flatMap((pattern) =>
    [...pattern.findAll(line, spend)].flatMap(({ groups: [whole = ""] }) => (whole === "" ? [] : [whole])),
  );
}
