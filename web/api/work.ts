// The proof of work of a trial: finds a number whose hash begins with the required number of zero bits.
import type { Challenge } from "../../shared/contract/hosted/trial.ts";

/** The number of concurrent hashes. Each runs in another thread of the browser. */
const atOnce = 64;
const encoder = new TextEncoder();

/** Tries numbers from 0 until one solves the challenge, which takes some seconds. Throws if `signal` aborts. */
export async function solvedChallenge(
  { challenge, difficulty }: Pick<Challenge, "challenge" | "difficulty">,
  signal?: AbortSignal,
): Promise<string> {
  const isRight = async (text: string) => {
    const hash = await crypto.subtle.digest("SHA-256", encoder.encode(`${challenge}.${text}`));
    return zeroBits(new Uint8Array(hash)) >= difficulty;
  };
  for (let from = 0; !signal?.aborted; from += atOnce) {
    const texts = Array.from({ length: atOnce }, (_, at) => (from + at).toString(36));
    const right = (await Promise.all(texts.map(isRight))).indexOf(true);
    const solution = texts[right];
    if (solution !== undefined) return solution;
  }
  throw new Error("it was broken off");
}

function zeroBits(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.length * 8 : first * 8 + Math.clz32(bytes[first] ?? 0) - 24;
}
