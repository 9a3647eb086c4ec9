// Randomness as an injected value, so that a cluster can be replayed from its seed.

import { stableHash } from "./stable.ts";

export interface Random {
  /** Returns a float in [0, 1). */
  next(): number;
  /** Returns a random (version 4) UUID. */
  uuid(): string;
  /** Returns `length` characters of upstream's safe alphabet (no vowels, no look-alikes), as in generated names. */
  suffix(length: number): string;
  /** Begins the sequence of a purpose. Undefined for randomness that has no purposes. */
  begin?(purpose: string): void;
}

/** The letters and digits of upstream's `rand.String`. */
const safeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Creates randomness from a source of floats in [0, 1). */
export function randomFrom(next: () => number): Random {
  const pick = (alphabet: string, length: number) => {
    let text = "";
    for (let at = 0; at < length; at++) text += alphabet[Math.floor(next() * alphabet.length)] ?? "";
    return text;
  };
  return {
    next,
    suffix: (length) => pick(safeAlphabet, length),
    uuid: () => {
      const hex = pick("0123456789abcdef", 30);
      const variant = "89ab"[Math.floor(next() * 4)] ?? "8";
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18)}`;
    },
  };
}

/** A global that every runtime has and the language does not declare. */
declare const crypto: { randomUUID(): string };

export const systemRandom: Random = { ...randomFrom(Math.random), uuid: () => crypto.randomUUID() };

/** Randomness whose sequence begins anew for each purpose. */
export interface PurposefulRandom extends Random {
  begin(purpose: string): void;
}

/**
 * Creates randomness that follows from a seed, a revision and a purpose: the reconcile or the verb that draws. Nothing of it is stored. The
 * sequence begins anew after each write and with each purpose, so it depends neither on an eviction nor on draws that led to no write.
 */
export function revisionRandom(seed: number, revision: () => number): PurposefulRandom {
  let [purposeSeed, drawnAt, current] = [seed, -1, seededRandom(seed)];
  const random = randomFrom(() => {
    const now = revision();
    if (now !== drawnAt) [drawnAt, current] = [now, seededRandom(mixed(purposeSeed ^ mixed(now)))];
    return current.next();
  });
  const begin = (purpose: string) => {
    [purposeSeed, drawnAt] = [mixed(seed ^ stableHash(purpose)), -1];
  };
  return { ...random, begin };
}

/** Mixes 32 bits so that each depends on every other (the finalizer of murmur3). */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Creates a seeded generator (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return randomFrom(() => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  });
}
