// awk's built-in functions.
import { countCharacters } from "../characters.ts";
import { charge, type Metered, chargeForReading } from "../meter.ts";
import { formatted } from "../printf.ts";
import { keep, listOf, numberOf, patternOf, type Run, runCommand, splitBy, textOf, type Value } from "./run.ts";
import { AwkError, type Node } from "./syntax.ts";

export function builtin(run: Run, name: string, args: readonly Node[]): Value {
  const { process } = run.call;
  const text = (at: number) => (args[at] ? textOf(run.value(args[at])) : run.line);
  const number = (at: number) => (args[at] ? numberOf(run.value(args[at])) : 0);
  const source = (at: number) => (args[at]?.kind === "pattern" ? args[at].source : text(at));
  switch (name) {
    case "length": {
      const [only] = args;
      return only?.kind === "name" && (run.lists.has(only.name) || run.locals?.get(only.name) instanceof Map)
        ? listOf(run, only.name).size
        : countCharacters(process, text(0));
    }
    case "substr": {
      // A concatenated text is joined when a substring of it is read.
      const text0 = scanned(process, text(0));
      const from = Math.round(number(1));
      const end = args[2] ? from + Math.round(number(2)) : Number.POSITIVE_INFINITY;
      return text0.slice(Math.max(from, 1) - 1, Math.max(end - 1, 0));
    }
    case "index":
      return indexIn(process, text(0), text(1)) + 1;
    case "toupper":
      return scanned(process, text(0)).toUpperCase();
    case "tolower":
      return scanned(process, text(0)).toLowerCase();
    case "systime":
      return Math.floor(run.call.nowMs() / 1000);
    case "sprintf":
      return formatted(
        { ...run.call, isAwk: true },
        text(0),
        args.slice(1).map((argument) => textOf(run.value(argument))),
      );
    case "split":
      return splitInto(run, args, args[2] ? source(2) : textOf(run.globals.get("FS") ?? " "));
    case "match": {
      const match = patternOf(run, source(1)).find(text(0), 0, (units) => charge(process, units));
      run.globals.set("RSTART", match ? match.start + 1 : 0);
      run.globals.set("RLENGTH", match ? match.end - match.start : -1);
      return match ? match.start + 1 : 0;
    }
    case "sub":
    case "gsub":
    case "gensub":
      return substitute(run, name, source(0), args);
    case "system":
      runCommand(run, text(0));
      return 0;
    case "close":
    case "fflush":
      return 0;
    default:
      return numeric(run, name, args);
  }
}

function scanned(payer: Metered, text: string): string {
  chargeForReading(payer, text);
  return text;
}

function indexIn(payer: Metered, text: string, sought: string): number {
  charge(payer, (text.length * (1 + Math.log2(sought.length + 1))) / 1024);
  return text.indexOf(sought);
}

/** Microseconds of storing a substring in an array. */
const partWork = 0.25;

function numeric(run: Run, name: string, args: readonly Node[]): Value {
  const number = (at: number) => (args[at] ? numberOf(run.value(args[at])) : 0);
  switch (name) {
    case "int":
      return Math.trunc(number(0));
    case "sqrt":
      return Math.sqrt(number(0));
    case "log":
      return Math.log(number(0));
    case "exp":
      return Math.exp(number(0));
    case "sin":
      return Math.sin(number(0));
    case "cos":
      return Math.cos(number(0));
    case "rand":
      run.seed = (run.seed * 1103515245 + 12345) % 2147483648;
      return run.seed / 2147483648;
    case "srand": {
      const before = run.seed;
      run.seed = args[0] ? number(0) : Math.floor(run.call.nowMs() / 1000);
      return before;
    }
    default:
      throw new AwkError(`function ${name} never defined`);
  }
}

function splitInto(run: Run, args: readonly Node[], mark: string): number {
  const [source, target] = args;
  const pieces = source ? splitBy(run, textOf(run.value(source)), mark) : [];
  const list = target?.kind === "name" ? listOf(run, target.name) : new Map<string, Value>();
  list.clear();
  charge(run.call.process, pieces.length * partWork);
  for (const [at, piece] of pieces.entries()) keep(run, list, String(at + 1), { outside: piece });
  return pieces.length;
}

/** Microseconds of one replacement. */
const replacementWork = 0.5;

function substitute(run: Run, name: string, source: string, args: readonly Node[]): Value {
  const { process } = run.call;
  const to = args[1] ? textOf(run.value(args[1])) : "";
  const isGeneral = name === "gensub";
  const how = isGeneral && args[2] ? textOf(run.value(args[2])) : name === "gsub" ? "g" : "1";
  const target: Node = args[isGeneral ? 3 : 2] ?? { kind: "field", index: { kind: "number", value: 0 } };
  const before = textOf(run.value(target));
  let result = "";
  let [at, count, matchCount] = [0, 0, 0];
  for (const match of patternOf(run, source).findAll(before, (units) => charge(process, units))) {
    matchCount++;
    if (how !== "g" && how !== "G" && matchCount !== Number(how)) continue;
    const put = to.replace(/\\(\\|&|\d)|&/g, (all: string, letter?: string) => {
      if (letter === undefined) return match.groups[0] ?? "";
      return /\d/.test(letter) && isGeneral
        ? (match.groups[Number(letter)] ?? "")
        : letter === "\\" || letter === "&"
          ? letter
          : all;
    });
    result += before.slice(at, match.start) + put;
    charge(process, replacementWork + (put.length + to.length) / 64);
    at = match.end;
    count++;
  }
  result += before.slice(at);
  if (isGeneral) return result;
  if (count > 0) run.set(target, result);
  return count;
}
