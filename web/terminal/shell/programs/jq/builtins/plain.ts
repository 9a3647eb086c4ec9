// jq's functions without arguments.
import { type At, type Builtin, type Builtins, members, combined } from "../run.ts";
import { compact, compareValues, isTrue, JqError, textOf, typeOf } from "../values.ts";
import { text, num, list, number, parsed, seconds, lengthOf, keysOf, entryOf, unique, transposed } from "./values.ts";

/** What maps one value to one. */
function each(changes: Readonly<Record<string, (value: unknown) => unknown>>): Builtins {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]): [string, Builtin] => [
      name,
      (input) => [{ value: change(input.value) }],
    ]),
  );
}

export function plain(nowMs: () => number): Builtins {
  return {
    ...each(ofCollections),
    ...each(ofTexts),
    ...each(ofNumbers),
    "now/0": () => [{ value: nowMs() / 1000 }],
    ...streams,
  };
}

const ofCollections = {
  "not/0": (value: unknown) => !isTrue(value),
  "length/0": lengthOf,
  "utf8bytelength/0": (value: unknown) => new TextEncoder().encode(text(value)).length,
  "keys/0": (value: unknown) => keysOf(value).sort(compareValues),
  "keys_unsorted/0": keysOf,
  "type/0": typeOf,
  "add/0": (value: unknown) => list(value).reduce((sum: unknown, next) => combined("+", sum, next), null),
  "any/0": (value: unknown) => list(value).some(isTrue),
  "all/0": (value: unknown) => list(value).every(isTrue),
  "reverse/0": (value: unknown) =>
    typeof value === "string" ? [...value].reverse().join("") : [...list(value ?? [])].reverse(),
  "sort/0": (value: unknown) => [...list(value)].sort(compareValues),
  "unique/0": (value: unknown) => unique(list(value), list(value)),
  "min/0": (value: unknown) => [...list(value)].sort(compareValues)[0] ?? null,
  "max/0": (value: unknown) => [...list(value)].sort(compareValues).at(-1) ?? null,
  "flatten/0": (value: unknown) => list(value).flat(Infinity),
  "to_entries/0": (value: unknown) =>
    keysOf(value).map((key) => ({ key, value: (value as Record<string, unknown>)[String(key)] })),
  "from_entries/0": (value: unknown) => Object.fromEntries(list(value).map(entryOf)),
  "first/0": (value: unknown) => list(value)[0] ?? null,
  "last/0": (value: unknown) => list(value).at(-1) ?? null,
  "transpose/0": (value: unknown) => transposed(list(value)),
};

const ofTexts = {
  "tostring/0": textOf,
  "tojson/0": compact,
  "fromjson/0": (value: unknown) => parsed(text(value)),
  "tonumber/0": number,
  "ascii_downcase/0": (value: unknown) => text(value).toLowerCase(),
  "ascii_upcase/0": (value: unknown) => text(value).toUpperCase(),
  "trim/0": (value: unknown) => text(value).trim(),
  "ltrim/0": (value: unknown) => text(value).trimStart(),
  "rtrim/0": (value: unknown) => text(value).trimEnd(),
  "explode/0": (value: unknown) => [...text(value)].map((letter) => letter.codePointAt(0)),
  "implode/0": (value: unknown) => String.fromCodePoint(...list(value).map(Number)),
  "todate/0": (value: unknown) => new Date(num(value) * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
  "fromdate/0": seconds,
  "fromdateiso8601/0": seconds,
};

const ofNumbers = {
  "floor/0": (value: unknown) => Math.floor(num(value)),
  "ceil/0": (value: unknown) => Math.ceil(num(value)),
  "round/0": (value: unknown) => Math.round(num(value)),
  "fabs/0": (value: unknown) => Math.abs(num(value)),
  "abs/0": (value: unknown) => Math.abs(num(value)),
  "sqrt/0": (value: unknown) => Math.sqrt(num(value)),
};

const streams: Builtins = {
  "empty/0": () => [],
  "error/0": (input) => {
    throw new JqError(input.value);
  },
  "recurse/0": function* below(input): Generator<At> {
    yield input;
    if (typeof input.value === "object" && input.value !== null) for (const next of members(input)) yield* below(next);
  },
  ...Object.fromEntries(
    (["null", "boolean", "number", "string", "array", "object"] as const).map((type): [string, Builtin] => [
      `${type}s/0`,
      (input) => (typeOf(input.value) === type ? [input] : []),
    ]),
  ),
  "scalars/0": (input) => (typeof input.value === "object" && input.value !== null ? [] : [input]),
  "iterables/0": (input) => (typeof input.value === "object" && input.value !== null ? [input] : []),
  "values/0": (input) => (input.value === null ? [] : [input]),
};
