// The state of a running awk program: its record and fields, variables and arrays, and conversions of values.
import { isPattern, type Pattern } from "../../base/pattern.ts";
import { charge, heapBytes, hold } from "../meter.ts";
import { linesOf } from "../lines.ts";
import { regularExpression } from "../patterns/regular.ts";
import type { TextCall } from "../text/call.ts";
import { AwkError, type AwkProgram, type Node } from "./syntax.ts";

/** A value. An outside text that looks like a number is compared as a number. */
export type Value = number | string | { readonly outside: string };
export type Flow = { readonly how: "next" | "exit" | "break" | "continue" | "return" };

export interface AwkCall extends TextCall {
  /** Runs a command of the shell. Undefined if there is no shell. */
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
  /** Lines that are not read yet. */
  readonly lines: string[];
  at: number;
  readonly ranges: boolean[];
  readonly opened: Set<string>;
  seed: number;
  /** Evaluates an expression, and assigns to a variable, an element or a field. */
  readonly value: (node: Node) => Value;
  readonly set: (target: Node, newValue: Value) => void;
}

const entryBytes = 96;
const mostFields = 10_000;

export function recordsOf(run: Run, text: string): string[] {
  const mark = textOf(run.globals.get("RS") ?? "\n");
  if (mark === "\n") return linesOf(text);
  if (mark === "")
    return text
      .split(/\n\n+/)
      .map((record) => record.replace(/^\n|\n$/g, ""))
      .filter((record) => record !== "");
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
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of pattern.findAll(text, (units) => charge(process, units))) {
    if (end === start) continue;
    pieces.push(text.slice(at, start));
    at = end;
  }
  return [...pieces, text.slice(at)];
}

export function patternOf(run: Run, source: string): Pattern {
  const cached = run.patterns.get(source);
  if (cached) return cached;
  const compiled = regularExpression(run.call.process, source, { isExtended: true });
  if (!isPattern(compiled)) throw new AwkError(`${compiled.error}: ${source}`);
  hold(run.call.process, source.length * 64);
  run.patterns.set(source, compiled);
  return compiled;
}

export function isNumeric(text: string): boolean {
  return /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(text);
}

export function numberOf(operand: Value): number {
  if (typeof operand === "number") return operand;
  const text = typeof operand === "string" ? operand : operand.outside;
  return Number(/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/.exec(text)?.[0] ?? 0);
}

export function textOf(operand: Value): string {
  if (typeof operand === "string") return operand;
  if (typeof operand !== "number") return operand.outside;
  return numberText(operand, "%.6g");
}

export function numberText(number: number, form: string): string {
  if (Number.isInteger(number)) return Math.abs(number) < 1e16 ? String(number) : BigInt(number).toString();
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  const digits = Number(/%\.(\d+)g/.exec(form)?.[1] ?? 6);
  const fixed = /%\.(\d+)f/.exec(form)?.[1];
  return fixed === undefined
    ? String(Number(number.toPrecision(Math.min(digits, 100))))
    : number.toFixed(Math.min(Number(fixed), 100));
}

export function listOf(run: Run, name: string): Map<string, Value> {
  const local = run.locals?.get(name);
  if (local instanceof Map) return local;
  if (run.locals?.has(name)) {
    const newList = new Map<string, Value>();
    run.locals.set(name, newList);
    return newList;
  }
  const list = run.lists.get(name) ?? new Map<string, Value>();
  run.lists.set(name, list);
  return list;
}

export function keep(run: Run, list: Map<string, Value>, key: string, newValue: Value): void {
  const size = (current: Value | undefined) =>
    typeof current === "string" ? heapBytes(current) : typeof current === "object" ? heapBytes(current.outside) : 0;
  hold(run.call.process, size(newValue) - size(list.get(key)) + (list.has(key) ? 0 : entryBytes + key.length));
  list.set(key, newValue);
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

/**
 * Runs the command of `print
 *
 * command` or `system(command)`.
 */
export function runCommand({ call }: Run, command: string, input?: string): void {
  if (!call.run) throw new AwkError("commands cannot be run here");
  call.run(command, input);
}

/** Reports whether a complete file has to be read before its first record is processed. */
export function readsAhead({ program, globals }: Run): boolean {
  return program.hasGetline || textOf(globals.get("RS") ?? "\n") !== "\n";
}
