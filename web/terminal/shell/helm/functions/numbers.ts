// Functions of sprig on numbers.
import { define, type Functions } from "../template/builtins.ts";
import { CallError, TemplateLimit } from "../template/errors.ts";
import { textOf } from "../template/values.ts";
import { numberOf } from "../template/constants.ts";

const maxItems = 100_000;

/** Converts like sprig's `int64`: what is no number becomes 0. */
export function integerOf(value: unknown): bigint {
  switch (typeof value) {
    case "bigint":
      return value;
    case "number":
      return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
    case "boolean":
      return value ? 1n : 0n;
    case "string": {
      const result = numberOf(value.replace(/\.0*$/, ""))?.value;
      return typeof result === "bigint" ? result : 0n;
    }
    default:
      return 0n;
  }
}

function floatOf(value: unknown): number {
  switch (typeof value) {
    case "number":
      return value;
    case "bigint":
      return Number(value);
    case "boolean":
      return value ? 1 : 0;
    case "string":
      return /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : 0;
    default:
      return 0;
  }
}

const wrapped = (value: bigint) => BigInt.asIntN(64, value);

function divide(a: unknown, b: unknown): bigint {
  const divisor = integerOf(b);
  if (divisor === 0n) throw new CallError("runtime error: integer divide by zero");
  return wrapped(integerOf(a) / divisor);
}

function modulo(a: unknown, b: unknown): bigint {
  const divisor = integerOf(b);
  if (divisor === 0n) throw new CallError("runtime error: integer divide by zero");
  return integerOf(a) % divisor;
}

/** Rounds half away from zero, or at another boundary. */
function round(value: unknown, places: bigint, boundary?: unknown): number {
  const limit = boundary === undefined ? 0.5 : floatOf(boundary);
  const scale = 10 ** Number(places);
  const digits = scale * floatOf(value);
  const fraction = digits % 1;
  return (fraction >= limit ? Math.ceil(digits) : Math.floor(digits)) / scale;
}

function untilStep(start: bigint, stop: bigint, step: bigint): bigint[] {
  const items: bigint[] = [];
  if (step === 0n || (stop < start ? step > 0n : step < 0n)) return items;
  for (let at = start; step > 0n ? at < stop : at > stop; at += step) {
    if (items.length >= maxItems) throw new TemplateLimit(`a list of more than ${maxItems} items cannot be held`);
    items.push(at);
  }
  return items;
}

function seq(...values: readonly bigint[]): string {
  const [first = 0n, second = 0n, third = 0n] = values;
  const upTo = (start: bigint, end: bigint, step: bigint) =>
    untilStep(start, step > 0n ? end + 1n : end - 1n, step).join(" ");
  switch (values.length) {
    case 1:
      return upTo(1n, first, first < 1n ? -1n : 1n);
    case 2:
      return upTo(first, second, second < first ? -1n : 1n);
    case 3:
      return third < first === second < 0n ? upTo(first, third, second) : "";
    default:
      return "";
  }
}

/** Computes with decimals of limited length, so that 0.1 + 0.2 is 0.3. */
function decimal(value: number): number {
  return Number(value.toPrecision(15));
}

function fold(of: (sum: number, value: number) => number) {
  return (first: unknown, ...values: unknown[]) =>
    values.reduce<number>((sum, value) => decimal(of(sum, floatOf(value))), floatOf(first));
}

function smallest(first: unknown, ...rest: unknown[]): bigint {
  return rest.map(integerOf).reduce((a, b) => (b < a ? b : a), integerOf(first));
}

function largest(first: unknown, ...rest: unknown[]): bigint {
  return rest.map(integerOf).reduce((a, b) => (b > a ? b : a), integerOf(first));
}

function toDecimal(value: unknown): bigint {
  const text = textOf(value);
  return /^[0-7]+$/.test(text) ? BigInt(`0o${text}`) : 0n;
}

export const numberFunctions: Functions = {
  atoi: define("s", (text: string) => (/^[+-]?\d+$/.test(text) ? wrapped(BigInt(text.replace(/^\+/, ""))) : 0n)),
  int: define("a", integerOf),
  int64: define("a", integerOf),
  float64: define("a", floatOf),
  toDecimal: define("a", toDecimal),
  seq: define("i*", seq),
  until: define("i", (count: bigint) => untilStep(0n, count, count < 0n ? -1n : 1n)),
  untilStep: define("iii", untilStep),
  add1: define("a", (value: unknown) => wrapped(integerOf(value) + 1n)),
  add: define("a*", (...values: unknown[]) =>
    values.reduce<bigint>((sum, value) => wrapped(sum + integerOf(value)), 0n),
  ),
  sub: define("aa", (a: unknown, b: unknown) => wrapped(integerOf(a) - integerOf(b))),
  div: define("aa", divide),
  mod: define("aa", modulo),
  mul: define("aa*", (first: unknown, ...values: unknown[]) =>
    values.reduce<bigint>((product, value) => wrapped(product * integerOf(value)), integerOf(first)),
  ),
  add1f: define("a", (value: unknown) => decimal(floatOf(value) + 1)),
  addf: define("a*", (...values: unknown[]) => fold((a, b) => a + b)(0, ...values)),
  subf: define(
    "aa*",
    fold((a, b) => a - b),
  ),
  divf: define(
    "aa*",
    fold((a, b) => a / b),
  ),
  mulf: define(
    "aa*",
    fold((a, b) => a * b),
  ),
  max: define("aa*", largest),
  biggest: define("aa*", largest),
  min: define("aa*", smallest),
  maxf: define("aa*", (first: unknown, ...rest: unknown[]) => Math.max(floatOf(first), ...rest.map(floatOf))),
  minf: define("aa*", (first: unknown, ...rest: unknown[]) => Math.min(floatOf(first), ...rest.map(floatOf))),
  ceil: define("a", (value: unknown) => Math.ceil(floatOf(value))),
  floor: define("a", (value: unknown) => Math.floor(floatOf(value))),
  round: define("aia*", round),
};
