// The work that a trial sandbox asks for: a number with which a hash begins with so many zero bits.
import type { Challenge } from "../../shared/contract/hosted/trial.ts";

/** Hashes that are under way at once: each is asked of another thread. */
const atOnce = 64;
const encoder = new TextEncoder();

/** Tries numbers, from 0 on, until one is right: some seconds. Throws where `signal` ends it. */
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
    const found = texts[right];
    if (found !== undefined) return found;
  }
  throw new Error("it was broken off");
}

function zeroBits(bytes: Uint8Array): number {
  const first = bytes.findIndex((one) => one !== 0);
  return first < 0 ? bytes.length * 8 : first * 8 + Math.clz32(bytes[first] ?? 0) - 24;
}
