// The link that a local run prints: whoever opens it first is signed in with the local key. It is kept in memory alone, so each run has another.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** How long it is good. */
const linkMs = 10 * 60_000;

export interface SignInLink {
  /** What stands in its fragment. */
  readonly secret: string;
  /** The key, once and in time; a wrong secret changes nothing. */
  exchange(secret: string): string | undefined;
}

/** Its time begins now. */
export function newSignInLink(key: string, nowMs: () => number): SignInLink {
  const secret = randomBytes(24).toString("hex");
  const endsAtMs = nowMs() + linkMs;
  let isUsed = false;
  return {
    secret,
    exchange: (given) => {
      if (!timingSafeEqual(hashOf(given), hashOf(secret)) || isUsed || nowMs() >= endsAtMs) return undefined;
      isUsed = true;
      return key;
    },
  };
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
