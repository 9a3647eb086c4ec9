// What a program of awk has while it runs: its line and fields, its variables and lists, and what values are as texts and numbers.
import { isPattern, type Pattern } from "../../base/pattern.ts";
import { charge, heapBytes, hold } from "../meter.ts";
import { linesOf } from "../lines.ts";
import { regularExpression } from "../patterns/regular.ts";
import type { TextCall } from "../text/call.ts";
import { AwkError, type AwkProgram, type Node } from "./syntax.ts";

/** A text that looks like a number is one where it came from outside. */
export type Value = number | string | { readonly outside: string };
export type Flow = { readonly how: "next" | "exit" | "break" | "continue" | "return" };

export interface AwkCall extends TextCall {
  /** Runs a command of the shell; absent: it cannot. */
  run?(command: string, input: string | undefined): void;
}

export interface Run {
  readonly call: AwkCall;
  readonly program: AwkProgram;
  readonly globals: Map<string, Value>;
  readonly lists: Map<string, Map<string, Value>>;
  readonly patterns: Map<string, Pattern>;
  locals: Map<string, Value | Map<string, Value>> | undefined;
  fields: string[];
  line: string;
  isSplit: boolean;
  flow: Flow | undefined;
  result: Value;
  exitCode: number;
  /** What is to be read yet. */
  readonly lines: string[];
  at: number;
  readonly ranges: boolean[];
  readonly opened: Set<string>;
  seed: number;
  /** What a part of the program comes to, and where a value is kept. */
  readonly value: (node: Node) => Value;
  readonly set: (target: Node, made: Value) => void;
}

const entryBytes = 96;
const mostFields = 10_000;

export function recordsOf(run: Run, text: string): string[] {
  const mark = textOf(run.globals.get("RS") ?? "\n");
  if (mark === "\n") return linesOf(text);
  if (mark === "")
    return text
      .split(/\n\n+/)
      .map((one) => one.replace(/^\n|\n$/g, ""))
      .filter((one) => one !== "");
  const records = text.split(mark.slice(0, 1));
  if (records.at(-1) === "" || records.at(-1) === "\n") records.pop();
  return records;
}

export function readLine(run: Run): void {
  const { globals } = run;
  setLine(run, run.lines[run.at++] ?? "");
  globals.set("NR", numberOf(globals.get("NR") ?? 0) + 1);
  globals.set("FNR", numberOf(globals.get("FNR") ?? 0) + 1);
}

export function setLine(run: Run, line: string): void {
  charge(run.call.process, 0.3 + line.length / 256);
  run.line = line;
  run.isSplit = false;
}

export function fieldsOf(run: Run): string[] {
  if (run.isSplit) return run.fields;
  run.isSplit = true;
  run.fields = splitBy(run, run.line, textOf(run.globals.get("FS") ?? " "));
  run.globals.set("NF", run.fields.length);
  return run.fields;
}

export function splitBy(run: Run, text: string, mark: string): string[] {
  const { process } = run.call;
  charge(process, text.length / 24);
  if (text === "") return [];
  if (mark === " ") {
    const bare = text.trim();
    return bare === "" ? [] : bare.split(/[ \t\n]+/);
  }
  if (mark === "") return [...text];
  if (mark.length === 1 && mark !== "\\") return text.split(mark);
  const pattern = patternOf(run, mark);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of pattern.findAll(text, (units) => charge(process, units))) {
    if (end === start) continue;
    parts.push(text.slice(at, start));
    at = end;
  }
  return [...parts, text.slice(at)];
}

export function patternOf(run: Run, source: string): Pattern {
  const known = run.patterns.get(source);
  if (known) return known;
  const made = regularExpression(run.call.process, source, { isExtended: true });
  if (!isPattern(made)) throw new AwkError(`${made.error}: ${source}`);
  hold(run.call.process, source.length * 64);
  run.patterns.set(source, made);
  return made;
}

export function isNumeric(text: string): boolean {
  return /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(text);
}

export function numberOf(found: Value): number {
  if (typeof found === "number") return found;
  const text = typeof found === "string" ? found : found.outside;
  return Number(/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/.exec(text)?.[0] ?? 0);
}

export function textOf(found: Value): string {
  if (typeof found === "string") return found;
  if (typeof found !== "number") return found.outside;
  return numberText(found, "%.6g");
}

export function numberText(found: number, form: string): string {
  if (Number.isInteger(found)) return Math.abs(found) < 1e16 ? String(found) : BigInt(found).toString();
  if (!Number.isFinite(found)) return Number.isNaN(found) ? "nan" : found > 0 ? "inf" : "-inf";
  const digits = Number(/%\.(\d+)g/.exec(form)?.[1] ?? 6);
  const fixed = /%\.(\d+)f/.exec(form)?.[1];
  return fixed === undefined
    ? String(Number(found.toPrecision(Math.min(digits, 100))))
    : found.toFixed(Math.min(Number(fixed), 100));
}

export function listOf(run: Run, name: string): Map<string, Value> {
  const local = run.locals?.get(name);
  if (local instanceof Map) return local;
  if (run.locals?.has(name)) {
    const made = new Map<string, Value>();
    run.locals.set(name, made);
    return made;
  }
  const found = run.lists.get(name) ?? new Map<string, Value>();
  run.lists.set(name, found);
  return found;
}

export function keep(run: Run, list: Map<string, Value>, key: string, made: Value): void {
  const size = (one: Value | undefined) =>
    typeof one === "string" ? heapBytes(one) : typeof one === "object" ? heapBytes(one.outside) : 0;
  hold(run.call.process, size(made) - size(list.get(key)) + (list.has(key) ? 0 : entryBytes + key.length));
  list.set(key, made);
}

export function resize(run: Run, count: number): void {
  if (!(count >= 0 && count <= mostFields)) throw new AwkError(`NF set to ${count}`);
  const fields = fieldsOf(run);
  charge(run.call.process, count / 10);
  run.fields = Array.from({ length: count }, (_, at) => fields[at] ?? "");
  run.globals.set("NF", count);
  rebuild(run);
}

export function rebuild(run: Run): void {
  run.line = run.fields.join(textOf(run.globals.get("OFS") ?? " "));
  charge(run.call.process, run.line.length / 160);
}

/** `print | command`, `system(command)`. */
export function runCommand({ call }: Run, command: string, input?: string): void {
  if (!call.run) throw new AwkError("commands cannot be run here");
  call.run(command, input);
}

/** Whether all of a file has to be there before the first of it is looked at. */
export function readsAhead({ program, globals }: Run): boolean {
  return program.hasGetline || textOf(globals.get("RS") ?? "\n") !== "\n";
}
