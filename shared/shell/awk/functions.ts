// The functions that awk has itself.
import { countCharacters } from "../characters.ts";
import { charge, type Metered, scan } from "../meter.ts";
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
      // A text that was made of two is joined when a part of it is taken.
      const whole = scanned(process, text(0));
      const from = Math.round(number(1));
      const end = args[2] ? from + Math.round(number(2)) : Number.POSITIVE_INFINITY;
      return whole.slice(Math.max(from, 1) - 1, Math.max(end - 1, 0));
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
        { ...run.call, isOnce: true },
        text(0),
        args.slice(1).map((one) => textOf(run.value(one))),
      );
    case "split":
      return splitInto(run, args, args[2] ? source(2) : textOf(run.globals.get("FS") ?? " "));
    case "match": {
      const found = patternOf(run, source(1)).find(text(0), 0, (units) => charge(process, units));
      run.globals.set("RSTART", found ? found.start + 1 : 0);
      run.globals.set("RLENGTH", found ? found.end - found.start : -1);
      return found ? found.start + 1 : 0;
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
  scan(payer, text);
  return text;
}

function indexIn(payer: Metered, text: string, part: string): number {
  charge(payer, (text.length * (1 + Math.log2(part.length + 1))) / 1024);
  return text.indexOf(part);
}

/** Microseconds of keeping a part of a text in an array. */
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
  const [whole, target] = args;
  const parts = whole ? splitBy(run, textOf(run.value(whole)), mark) : [];
  const list = target?.kind === "name" ? listOf(run, target.name) : new Map<string, Value>();
  list.clear();
  charge(run.call.process, parts.length * partWork);
  for (const [at, part] of parts.entries()) keep(run, list, String(at + 1), { outside: part });
  return parts.length;
}

/** Microseconds of putting a text in the place of another. */
const replacementWork = 0.5;

function substitute(run: Run, name: string, source: string, args: readonly Node[]): Value {
  const { process } = run.call;
  const to = args[1] ? textOf(run.value(args[1])) : "";
  const isGeneral = name === "gensub";
  const how = isGeneral && args[2] ? textOf(run.value(args[2])) : name === "gsub" ? "g" : "1";
  const target: Node = args[isGeneral ? 3 : 2] ?? { kind: "field", index: { kind: "number", value: 0 } };
  const before = textOf(run.value(target));
  let made = "";
  let [at, count, seen] = [0, 0, 0];
  for (const found of patternOf(run, source).findAll(before, (units) => charge(process, units))) {
    seen++;
    if (how !== "g" && how !== "G" && seen !== Number(how)) continue;
    const put = to.replace(/\\(\\|&|\d)|&/g, (all: string, letter?: string) => {
      if (letter === undefined) return found.groups[0] ?? "";
      return /\d/.test(letter) && isGeneral
        ? (found.groups[Number(letter)] ?? "")
        : letter === "\\" || letter === "&"
          ? letter
          : all;
    });
    made += before.slice(at, found.start) + put;
    charge(process, replacementWork + (put.length + to.length) / 64);
    at = found.end;
    count++;
  }
  made += before.slice(at);
  if (isGeneral) return made;
  if (count > 0) run.set(target, made);
  return count;
}
