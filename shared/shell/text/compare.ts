// The programs `comm`, `cmp` and `diff`, which compare two files.
import type { Task } from "../task.ts";
import { Growing, linesOf } from "../lines.ts";
import { charge, hold, type Metered } from "../meter.ts";
import { options } from "../options.ts";
import { isBusybox, type TextCall } from "./call.ts";
import { missing } from "./per-file.ts";

/** Reads two files; undefined if one cannot be read, after printing the error. */
function* two(call: TextCall, names: readonly string[]): Task<readonly [string, string] | undefined> {
  const texts: string[] = [];
  for (const name of names.slice(0, 2)) {
    const text = name === "-" ? yield* call.input() : call.files.read(name);
    if (text === undefined) {
      missing(call, name);
      return undefined;
    }
    texts.push(text);
  }
  const [a, b] = texts;
  if (a !== undefined && b !== undefined) return [a, b];
  call.err(`${call.name}: missing operand\n`);
  return undefined;
}

export function* comm(call: TextCall): Task<number> {
  const { process } = call;
  const { flags, rest } = options(call.args);
  const both = yield* two(call, rest);
  if (!both) return 1;
  const [left, right] = both.map(linesOf);
  const output = new Growing(process);
  const tabs = (count: number) => "\t".repeat(["1", "2"].slice(0, count).filter((column) => !flags.has(column)).length);
  for (let [a, b] = [0, 0]; a < (left?.length ?? 0) || b < (right?.length ?? 0); ) {
    charge(process, 0.2);
    const [leftLine, rightLine] = [left?.[a], right?.[b]];
    const column =
      rightLine === undefined || (leftLine !== undefined && leftLine < rightLine)
        ? 0
        : leftLine === undefined || leftLine > rightLine
          ? 1
          : 2;
    if (column !== 1) a++;
    if (column !== 0) b++;
    if (!flags.has(String(column + 1))) output.add(`${tabs(column)}${(column === 1 ? rightLine : leftLine) ?? ""}\n`);
  }
  call.out(output.take());
  return 0;
}

export function* cmp(call: TextCall): Task<number> {
  const { flags, rest } = options(call.args);
  const both = yield* two(call, rest);
  if (!both) return 2;
  const [a, b] = both;
  charge(call.process, (a.length + b.length) / 512);
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const line = a.slice(0, at).split("\n").length;
  if (flags.has("s")) return 1;
  const shorter = at >= a.length ? rest[0] : at >= b.length ? rest[1] : undefined;
  if (shorter === undefined)
    call.out(
      `${rest[0] ?? ""} ${rest[1] ?? ""} differ: ${isBusybox(call) ? "char" : "byte"} ${at + 1}, line ${line}\n`,
    );
  else call.err(`cmp: EOF on ${shorter}\n`);
  return 1;
}

/** The limit of compared pairs of lines. Larger changes are shown as changed altogether. */
const mostCells = 1_000_000;
const around = 3;

export function* diff(call: TextCall): Task<number> {
  const { process } = call;
  const { flags, rest } = options(call.args, "UL");
  const both = yield* two(call, rest);
  if (!both) return 2;
  const [a, b] = both;
  if (a === b) return 0;
  if (flags.has("q")) {
    call.out(`Files ${rest[0] ?? ""} and ${rest[1] ?? ""} differ\n`);
    return 1;
  }
  const [left, right] = [linesOf(a), linesOf(b)];
  const steps = stepsOf(process, left, right);
  const isUnified = flags.has("u") || isBusybox(call);
  const output = new Growing(process);
  if (isUnified) for (const line of unified(steps, rest)) output.add(`${line}\n`);
  else for (const line of normal(steps)) output.add(`${line}\n`);
  call.out(output.take());
  return 1;
}

type Step = { readonly sign: " " | "-" | "+"; readonly text: string; readonly left: number; readonly right: number };

function stepsOf(process: Metered, left: readonly string[], right: readonly string[]): Step[] {
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin++;
  const [rows, columns] = [left.length - begin, right.length - begin];
  const isTooMuch = rows * columns > mostCells;
  charge(process, isTooMuch ? rows + columns : (rows * columns) / 50);
  const width = columns + 1;
  const same = new Uint32Array(isTooMuch ? 0 : (rows + 1) * width);
  hold(process, same.byteLength);
  for (let i = isTooMuch ? -1 : rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      same[i * width + j] =
        left[begin + i] === right[begin + j]
          ? (same[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(same[(i + 1) * width + j] ?? 0, same[i * width + j + 1] ?? 0);
  hold(process, -same.byteLength);
  const steps: Step[] = left.slice(0, begin).map((text, at) => ({ sign: " ", text, left: at, right: at }));
  for (let [i, j] = [0, 0]; i < rows || j < columns; ) {
    const [x, y] = [begin + i, begin + j];
    if (i < rows && j < columns && left[x] === right[y] && !isTooMuch) {
      steps.push({ sign: " ", text: left[x] ?? "", left: x, right: y });
      i++;
      j++;
    } else if (i < rows && (j >= columns || (same[(i + 1) * width + j] ?? 0) >= (same[i * width + j + 1] ?? 0))) {
      steps.push({ sign: "-", text: left[x] ?? "", left: x, right: y });
      i++;
    } else {
      steps.push({ sign: "+", text: right[y] ?? "", left: x, right: y });
      j++;
    }
  }
  return steps;
}

function* unified(steps: readonly Step[], [from = "", to = ""]: readonly string[]): Generator<string> {
  yield `--- ${from}`;
  yield `+++ ${to}`;
  for (let at = 0; at < steps.length; ) {
    const first = steps.findIndex((step, index) => index >= at && step.sign !== " ");
    if (first < 0) return;
    let end = first;
    for (let index = first; index < steps.length && index <= end + 2 * around; index++)
      if (steps[index]?.sign !== " ") end = index;
    const [start, stop] = [Math.max(first - around, at), Math.min(end + around + 1, steps.length)];
    const hunk = steps.slice(start, stop);
    const range = (side: "left" | "right", sign: "-" | "+") => {
      const count = hunk.filter((step) => step.sign === " " || step.sign === sign).length;
      const begin = (hunk[0]?.[side] ?? 0) + (count === 0 ? 0 : 1);
      return count === 1 ? `${begin}` : `${begin},${count}`;
    };
    yield `@@ -${range("left", "-")} +${range("right", "+")} @@`;
    for (const { sign, text } of hunk) yield sign + text;
    at = stop;
  }
}

function* normal(steps: readonly Step[]): Generator<string> {
  for (let at = 0; at < steps.length; at++) {
    if (steps[at]?.sign === " ") continue;
    let end = at;
    while (end < steps.length && steps[end]?.sign !== " ") end++;
    const hunk = steps.slice(at, end);
    const gone = hunk.filter((step) => step.sign === "-");
    const come = hunk.filter((step) => step.sign === "+");
    const range = (from: number, count: number) => (count > 1 ? `${from},${from + count - 1}` : `${from}`);
    const [x, y] = [hunk[0]?.left ?? 0, hunk[0]?.right ?? 0];
    const letter = gone.length === 0 ? "a" : come.length === 0 ? "d" : "c";
    yield `${range(x + (letter === "a" ? 0 : 1), gone.length)}${letter}${range(y + (letter === "d" ? 0 : 1), come.length)}`;
    for (const { text } of gone) yield `< ${text}`;
    if (letter === "c") yield "---";
    for (const { text } of come) yield `> ${text}`;
    at = end;
  }
}
