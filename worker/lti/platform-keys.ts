// The signing keys of platforms from their JWKS, cached for a time and fetched again for an unknown key.
import { createLocalJWKSet, errors } from "jose";
import * as z from "zod";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import { type AskPlatform, jsonOf } from "./ask.ts";

/** The keys in the form for `jose`. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

interface CachedKeySet {
  readonly keys: KeySet | undefined;
  readonly error: string;
  /** The time at which these keys were fetched. */
  readonly fetchedMs: number;
  /** The time of the last attempt to fetch them. */
  readonly attemptedMs: number;
}

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(ltiLimits.platformKeys) });

export class PlatformKeys {
  readonly #cachedSets = new BoundedCache<string, CachedKeySet>(ltiLimits.rememberedKeySets);

  /**
   * Runs a verification with the keys of a URL. If a key is missing, fetches the keys again once, unless they were just fetched. Rejects
   * with a sentence if there are none.
   */
  async use<T>(ask: AskPlatform, url: string, nowMs: number, verify: (keys: KeySet) => Promise<T>): Promise<T> {
    const cachedSet = await this.#get(ask, url, nowMs, ltiLimits.platformKeysMs);
    try {
      return await verify(keysOf(cachedSet));
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const fresh = await this.#get(ask, url, nowMs, ltiLimits.platformKeysPauseMs);
      if (fresh.keys === cachedSet.keys) throw error;
      return verify(keysOf(fresh));
    }
  }

  /**
   * Returns the keys of a URL. Cached keys are used if they are younger than `maxAgeMs`, or if the last attempt to fetch them was recent. The
   * pause between two attempts is shorter after a failure.
   */
  async #get(ask: AskPlatform, url: string, nowMs: number, maxAgeMs: number): Promise<CachedKeySet> {
    const cachedSet = this.#cachedSets.get(url);
    const minPauseMs = cachedSet?.keys ? ltiLimits.platformKeysPauseMs : ltiLimits.platformKeysRetryMs;
    const isFresh = cachedSet?.keys !== undefined && nowMs - cachedSet.fetchedMs < maxAgeMs;
    if (cachedSet && (isFresh || nowMs - cachedSet.attemptedMs < minPauseMs)) return cachedSet;
    const read = jsonOf(await ask({ url, headers: { accept: "application/json" } }));
    const fetchedSet = "error" in read ? { keys: undefined, error: read.error } : setOf(read.json);
    // If the platform is unreachable, the cached keys stay valid for their time.
    const keepsCached = !fetchedSet.keys && cachedSet?.keys && nowMs - cachedSet.fetchedMs < ltiLimits.platformKeysMs;
    const nextSet = keepsCached
      ? { ...cachedSet, attemptedMs: nowMs }
      : { ...fetchedSet, fetchedMs: nowMs, attemptedMs: nowMs };
    this.#cachedSets.set(url, nextSet);
    return nextSet;
  }
}

function keysOf({ keys, error }: CachedKeySet): KeySet {
  if (!keys) throw new Error(`the platform's keys cannot be had: ${error}`);
  return keys;
}

function setOf(json: unknown): Pick<CachedKeySet, "keys" | "error"> {
  const read = jwks.safeParse(json);
  if (!read.success) return { keys: undefined, error: "it did not answer a key set" };
  try {
    // Errors of a key are reported when it is used.
    return { keys: createLocalJWKSet(read.data), error: "" };
  } catch {
    return { keys: undefined, error: "it did not answer a key set" };
  }
}
