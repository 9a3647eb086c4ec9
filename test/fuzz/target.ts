// A parser or evaluator of tenants' text, as the fuzzer runs it.
import { TooMuchWork, WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { ApiError } from "../../shared/k8s/status.ts";

export interface Target {
  readonly name: string;
  /** Ordinary inputs, which mutations begin with. */
  readonly corpus: readonly string[];
  /** Words of the language, which mutations insert. */
  readonly words: readonly string[];
  /** Pairs that open and close a nested construct, beside the usual brackets. */
  readonly nests?: readonly (readonly [open: string, close: string])[];
  /** The number of inputs relative to other targets: 1000, the default, for the cheapest. */
  readonly share?: number;
  /** Returns if the input is read or refused as its module defines it; throws on a fault. */
  run(input: string): void | Promise<void>;
}

type ErrorClass = abstract new (...args: never[]) => Error;
/** A step of a target. Everything that takes a meter charges the one that is passed. */
type MeteredBody<T> = (meter: WorkMeter) => T;

/** Runs a step on a meter of its own, with the budget of one request. */
function withinBudget<T>(body: MeteredBody<T>): T {
  const meter = new WorkMeter();
  return meter.within(() => body(meter));
}

/** Returns undefined if the body throws one of the errors. Every other error, including a stack overflow, is a fault. */
export function resultOf<T>(body: MeteredBody<T>, ...refusals: readonly ErrorClass[]): T | undefined {
  try {
    return withinBudget(body);
  } catch (error) {
    if (error instanceof TooMuchWork || refusals.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}

/** The result of a module that refuses with a plain Error. A TypeError, a RangeError or another class is a fault. */
export function plainResultOf<T>(body: MeteredBody<T>): T | undefined {
  try {
    return withinBudget(body);
  } catch (error) {
    if (error instanceof TooMuchWork || (error instanceof Error && error.constructor === Error)) return undefined;
    throw error;
  }
}

/** The result of a part of the API: an ApiError with a code of the client is its refusal. */
export function apiResultOf<T>(body: MeteredBody<T>): T | undefined {
  try {
    return withinBudget(body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code >= 500) throw new Error(`refused with ${error.code}: ${error.message}`, { cause: error });
    return undefined;
  }
}

/** A fault unless both are equal as JSON. */
export function sameJson(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${cut(a)} instead of ${cut(b)}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

function cut(text: string | undefined): string {
  return text === undefined ? "undefined" : text.length > 300 ? `${text.slice(0, 300)}...` : text;
}

/** Bytes as the text of an input: a letter from U+0000 to U+00FF for each byte. */
export function binaryText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

export function bytesIn(input: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(input, "latin1"));
}
