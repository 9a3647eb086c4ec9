// The keys that platforms sign with, from their JWKS: remembered for a time, and looked for again where one signs with a new key.
import { createLocalJWKSet, errors } from "jose";
import { z } from "zod";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import { type AskPlatform, jsonOf } from "./ask.ts";

/** As `jose` verifies with it. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

interface Known {
  readonly keys: KeySet | undefined;
  readonly error: string;
  /** When these keys were had, and when they were asked for last. */
  readonly atMs: number;
  readonly triedMs: number;
}

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(ltiLimits.keys) });

export class PlatformKeys {
  readonly #known = new Map<string, Known>();

  /**
   * Does something with the keys at an address; where it fails for want of a key, once more with keys that are asked for anew, unless that
   * was done just now. Rejects with a sentence where there are none.
   */
  async use<T>(ask: AskPlatform, url: string, nowMs: number, verify: (keys: KeySet) => Promise<T>): Promise<T> {
    const known = await this.#get(ask, url, nowMs, ltiLimits.keysMs);
    try {
      return await verify(keysOf(known));
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const fresh = await this.#get(ask, url, nowMs, ltiLimits.keysPauseMs);
      if (fresh.keys === known.keys) throw error;
      return verify(keysOf(fresh));
    }
  }

  async #get(ask: AskPlatform, url: string, nowMs: number, forMs: number): Promise<Known> {
    const known = this.#known.get(url);
    const pauseMs = known?.keys ? ltiLimits.keysPauseMs : ltiLimits.keysRetryMs;
    const isFresh = known?.keys !== undefined && nowMs - known.atMs < forMs;
    if (known && (isFresh || nowMs - known.triedMs < pauseMs)) return known;
    const read = jsonOf(await ask({ url, headers: { accept: "application/json" } }));
    const found = "error" in read ? { keys: undefined, error: read.error } : setOf(read.json);
    // Where a platform cannot be reached, what was known holds for as long as it would have.
    const holds = !found.keys && known?.keys && nowMs - known.atMs < ltiLimits.keysMs;
    const kept = holds ? { ...known, triedMs: nowMs } : { ...found, atMs: nowMs, triedMs: nowMs };
    if (this.#known.size >= ltiLimits.rememberedKeySets) this.#known.clear();
    this.#known.set(url, kept);
    return kept;
  }
}

function keysOf({ keys, error }: Known): KeySet {
  if (!keys) throw new Error(`the platform's keys cannot be had: ${error}`);
  return keys;
}

function setOf(json: unknown): Pick<Known, "keys" | "error"> {
  const read = jwks.safeParse(json);
  if (!read.success) return { keys: undefined, error: "it did not answer a key set" };
  try {
    // What is wrong with a key is told when it is used.
    return { keys: createLocalJWKSet(read.data), error: "" };
  } catch {
    return { keys: undefined, error: "it did not answer a key set" };
  }
}
