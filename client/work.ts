// The proof of work of a trial sandbox: a number for which a hash begins with a number of zero bits.
import type { Challenge } from "./types.ts";

/** Tries numbers from 0 on until one solves the challenge, which takes some seconds. */
export async function solveChallenge({ challenge, difficulty }: Challenge, signal?: AbortSignal): Promise<string> {
  const encoder = new TextEncoder();
  for (let number = 0; !signal?.aborted; number++) {
    const text = number.toString(36);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(`${challenge}.${text}`)));
    if (zeroBits(hash) >= difficulty) return text;
  }
  throw new Error("it was broken off");
}

function zeroBits(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.length * 8 : first * 8 + Math.clz32(bytes[first] ?? 0) - 24;
}
