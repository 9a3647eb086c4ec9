// Choices of a seeded generator.
import { type Random, seededRandom } from "../../shared/base/random.ts";

export interface Dice {
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number;
  chance(likelihood: number): boolean;
  /** Returns a random item, or undefined if there is none. */
  pick<T>(items: readonly T[]): T | undefined;
  /** Returns a random item of a list that has at least one. */
  choose<T>(...items: readonly [T, ...T[]]): T;
}

export function diceOf(seed: number): Dice {
  const random: Random = seededRandom(seed ^ 0xd1ce);
  const below = (end: number) => Math.floor(random.next() * end);
  return {
    below,
    chance: (likelihood) => random.next() < likelihood,
    pick: (items) => items[below(items.length)],
    choose: (...items) => items[below(items.length)] ?? items[0],
  };
}
