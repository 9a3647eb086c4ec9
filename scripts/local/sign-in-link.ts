// The link that a local run prints: it signs in the first client that opens it with the local key. It is only stored in memory, so each run
// has another.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Milliseconds for which the link is valid. */
const linkMs = 10 * 60_000;

export interface SignInLink {
  /** The secret in the link's fragment. */
  readonly secret: string;
  /** Returns the key once, if the link has not expired. A wrong secret has no effect. */
  exchange(secret: string): string | undefined;
}

/** Creates a link, whose time begins now. */
export function newSignInLink(key: string, nowMs: () => number): SignInLink {
  const secret = randomBytes(24).toString("hex");
  const endsAtMs = nowMs() + linkMs;
  let isUsed = false;
  return {
    secret,
    exchange: (candidate) => {
      if (!timingSafeEqual(hashOf(candidate), hashOf(secret)) || isUsed || nowMs() >= endsAtMs) return undefined;
      isUsed = true;
      return key;
    },
  };
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
