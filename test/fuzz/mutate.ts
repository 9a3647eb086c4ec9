// Inputs from a seed: texts of a corpus that are mutated, and words of a language in any order.
import type { Random } from "../../shared/base/random.ts";
import type { Target } from "./target.ts";

/** Longer inputs are cut: what grows with the length has bounds and tests of its own. */
const mostCharacters = 48 * 1024;
const oddities = [
  ...["\0", "\n", "\r\n", "\t", " ", "\u00a0", "\u2028", "\ufeff", "\ud800", "\udfff", "é", "𐀀", "\x7f", "\x1b"],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "null",
    "true",
    "NaN",
    "Infinity",
    "",
    "%s",
    "%",
    "\\",
    "'",
    '"',
    "`",
  ],
];
const numbers = [
  ...["0", "-0", "1", "-1", "00", "01", "0x", "0x7f", "1e", "1e5", "1e400", "-1e-400", ".5", "5.", "0.1", "1_000"],
  ...["255", "256", "65535", "65536", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993"],
  ...["9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "9".repeat(400)],
];
const brackets: readonly (readonly [string, string])[] = [
  ...([
    ["(", ")"],
    ["[", "]"],
    ["{", "}"],
    ['"', '"'],
    ["'", "'"],
    ["<", ">"],
    ["-", ""],
    ["!", ""],
    ["\\", ""],
  ] as const),
];
const depths = [2, 3, 10, 100, 1000, 5000, 12000];

export function inputFor(target: Target, random: Random): string {
  const start = random.next() < 0.8 ? oneOf(random, target.corpus) : sentence(target, random);
  const rounds = random.next() < 0.05 ? 0 : 1 + Math.floor(random.next() ** 2 * 8);
  let text = start;
  for (let round = 0; round < rounds; round++) text = oneOf(random, mutations)(text, target, random);
  return text.length > mostCharacters ? text.slice(0, mostCharacters) : text;
}

type Mutation = (text: string, target: Target, random: Random) => string;

const mutations: readonly Mutation[] = [
  (text, _, random) => replaced(text, random, ""),
  (text, _, random) => {
    const [from, to] = range(text, random);
    return text.slice(0, to) + text.slice(from, to) + text.slice(to);
  },
  (text, target, random) => replaced(text, random, anyWord(target, random), 0),
  (text, target, random) => replaced(text, random, anyWord(target, random)),
  (text, _, random) => replaced(text, random, oneOf(random, oddities), Math.floor(random.next() * 3)),
  (text, _, random) => {
    const all = [...text.matchAll(/\d+/g)];
    const match = all[Math.floor(random.next() * all.length)];
    if (!match) return replaced(text, random, oneOf(random, numbers), 0);
    return text.slice(0, match.index) + oneOf(random, numbers) + text.slice(match.index + match[0].length);
  },
  (text, target, random) => {
    const otherInput = oneOf(random, target.corpus);
    const [from, to] = range(otherInput, random);
    return replaced(text, random, otherInput.slice(from, to), Math.floor(random.next() * 10));
  },
  (text, target, random) => {
    const [from, to] = range(text, random);
    const [open, close] = oneOf(random, [...brackets, ...(target.nests ?? []), ...(target.nests ?? [])]);
    const depth = oneOf(random, depths);
    const isClosed = random.next() < 0.7;
    return (
      text.slice(0, from) +
      open.repeat(depth) +
      text.slice(from, to) +
      (isClosed ? close.repeat(depth) : "") +
      text.slice(to)
    );
  },
  (text, _, random) => {
    const [from, to] = range(text, random, 40);
    return text.slice(0, to) + text.slice(from, to).repeat(oneOf(random, depths)) + text.slice(to);
  },
  (text, _, random) => text.slice(0, Math.floor(random.next() * (text.length + 1))),
  (text, _, random) => replaced(text, random, String.fromCharCode(Math.floor(random.next() * 256)), 1),
];

function sentence(target: Target, random: Random): string {
  const glue = oneOf(random, ["", " ", "\n", ","]);
  return Array.from({ length: 1 + Math.floor(random.next() * 20) }, () => anyWord(target, random)).join(glue);
}

function anyWord(target: Target, random: Random): string {
  const from = random.next();
  if (from < 0.8 && target.words.length > 0) return oneOf(random, target.words);
  return oneOf(random, from < 0.9 ? numbers : oddities);
}

/** Puts a text in the place of a range. */
function replaced(text: string, random: Random, by: string, length?: number): string {
  const [from, to] = range(text, random, length);
  return text.slice(0, from) + by + text.slice(to);
}

function range(
  text: string,
  random: Random,
  length = Math.floor(random.next() ** 3 * text.length) + 1,
): [number, number] {
  const from = Math.floor(random.next() * (text.length + 1));
  return [from, Math.min(text.length, from + length)];
}

export function oneOf<T>(random: Random, values: readonly T[]): T {
  // The index is within the array, which is not empty.
  return values[Math.floor(random.next() * values.length)] as T;
}
