// `grep`: lines that an expression finds.
import { newBudget, quoted, regularExpression } from "../language/patterns.ts";
import { type Call, eachInput, filesOf, optionsOf, pathOf, type Programs, readFile } from "../program.ts";
import { Failure } from "../shell.ts";
import { linesOf } from "../streams.ts";

export const matchPrograms: Programs = {
  grep: (call) => grep(call),
  egrep: (call) => grep({ ...call, args: ["-E", ...call.args] }),
  fgrep: (call) => grep({ ...call, args: ["-F", ...call.args] }),
};

const known =
  "ivncloLEFPGwxqhHsrRe:f:A:B:C:m: --ignore-case --invert-match --line-number --count --only-matching --extended-regexp --fixed-strings --word-regexp --quiet --silent --color --colour --color= --recursive --regexp= --after-context= --before-context= --context= --max-count= --files-with-matches --no-filename --line-buffered --include=";

async function grep(call: Call): Promise<number> {
  // `--color` and `--color=auto` are the same to whoever reads no colours.
  const options = optionsOf(
    call.args.filter((one) => !/^--colou?r(?:=|$)/.test(one)),
    known,
  );
  const names = [...options.rest];
  const sources = [...options.values("e", "regexp")];
  for (const file of options.values("f")) sources.push(...readFile(call, file).split("\n").filter(Boolean));
  if (sources.length === 0) {
    const first = names.shift();
    if (first === undefined) throw new Failure("usage: grep [OPTION]... PATTERNS [FILE]...", 2);
    sources.push(...first.split("\n"));
  }
  const isRecursive = options.has("r", "R", "recursive");
  const files = isRecursive ? below(call, names.length > 0 ? names : ["."]) : names;
  const isTest = finder(sources, options);
  const showsName = options.has("H") || (!options.has("h", "no-filename") && (files.length > 1 || isRecursive));
  const context = Number(options.value("C", "context") ?? 0);
  const after = Number(options.value("A", "after-context") ?? context);
  const before = Number(options.value("B", "before-context") ?? context);
  const most = Number(options.value("m", "max-count") ?? Number.POSITIVE_INFINITY);
  let found = 0;
  const code = await eachInput(call, files, async (source, name) => {
    const shown: Shown = { call, isNumbered: options.has("n", "line-number"), prefix: showsName ? name : undefined };
    const quiet = options.has("c", "count", "q", "quiet", "silent", "l", "files-with-matches", "L");
    let here = 0;
    let number = 0;
    let left = 0;
    let lastShown = 0;
    const kept: string[] = [];
    for await (const line of linesOf(source, call.signal)) {
      number++;
      const parts = isTest(line);
      if (parts === undefined) {
        if (left > 0 && !quiet) {
          tell(shown, line, number, "-");
          lastShown = number;
        }
        left--;
        kept.push(line);
        if (kept.length > before) kept.shift();
        continue;
      }
      here++;
      if (!quiet) {
        if (before + after > 0 && lastShown > 0 && number - kept.length > lastShown + 1) call.out.write("--\n");
        if (lastShown < number - kept.length)
          for (const [at, one] of kept.entries()) tell(shown, one, number - kept.length + at, "-");
        else
          for (const [at, one] of kept.entries())
            if (number - kept.length + at > lastShown) tell(shown, one, number - kept.length + at, "-");
        for (const part of options.has("o", "only-matching") ? parts : [line]) tell(shown, part, number, ":");
        lastShown = number;
      }
      kept.length = 0;
      left = after;
      if (here >= most || options.has("q", "quiet", "silent")) break;
      if (number % 1000 === 0) await call.shell.machine.breathe(call.signal);
    }
    source.close();
    found += here;
    const label = name === "-" ? "(standard input)" : name;
    if (options.has("c", "count")) call.out.write(`${showsName ? `${label}:` : ""}${here}\n`);
    if (here > 0 && options.has("l", "files-with-matches")) call.out.write(`${label}\n`);
    if (here === 0 && options.has("L")) call.out.write(`${label}\n`);
  });
  if (code !== 0 && !(found > 0 && options.has("q"))) return 2;
  return found > 0 ? 0 : 1;
}

/** What of a line is found, the line itself where what is not found is wanted; undefined: the line is not. */
function finder(
  sources: readonly string[],
  options: ReturnType<typeof optionsOf>,
): (line: string) => string[] | undefined {
  const isPlain = options.has("F", "fixed-strings");
  const dialect = {
    isExtended: options.has("E", "P", "extended-regexp"),
    ignoresCase: options.has("i", "ignore-case"),
  };
  const patterns = sources.map((source) => {
    const text = isPlain ? quoted(source) : source;
    const open = dialect.isExtended || isPlain ? "(" : "\\(";
    const close = dialect.isExtended || isPlain ? ")" : "\\)";
    const whole = options.has("x")
      ? `^${open}${text}${close}$`
      : options.has("w", "word-regexp")
        ? `\\<${open}${text}${close}\\>`
        : text;
    try {
      return regularExpression(whole, isPlain ? { ...dialect, isExtended: true } : dialect);
    } catch (error) {
      throw new Failure(error instanceof Error ? error.message : String(error), 2);
    }
  });
  const spend = newBudget();
  const isInverted = options.has("v", "invert-match");
  const showsParts = options.has("o", "only-matching");
  return (line) => {
    const hit = patterns.find((one) => one.test(line, spend));
    if ((hit !== undefined) === isInverted) return undefined;
    if (!showsParts || !hit) return isInverted && showsParts ? [] : [line];
    return [...hit.findAll(line, spend)].map(({ groups }) => groups[0] ?? "").filter(Boolean);
  };
}

interface Shown {
  readonly call: Call;
  readonly isNumbered: boolean;
  readonly prefix: string | undefined;
}

function tell({ call, isNumbered, prefix }: Shown, line: string, number: number, mark: string): void {
  const name = prefix === undefined ? "" : `${prefix === "-" ? "(standard input)" : prefix}${mark}`;
  call.out.write(`${name}${isNumbered ? `${number}${mark}` : ""}${line}\n`);
}

/** The files in folders, and what is no folder itself. */
export function below(call: Call, names: readonly string[]): string[] {
  const files = filesOf(call);
  return names.flatMap((name) => {
    const inside = files.list(pathOf(call, name));
    if (!inside) return [name];
    return below(
      call,
      inside.map((one) => (name === "." ? one : `${name.replace(/\/$/, "")}/${one}`)),
    );
  });
}
