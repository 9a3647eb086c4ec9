// The signing keys of platforms from their JWKS, cached for a time and fetched again for an unknown key.
import { createLocalJWKSet, errors } from "jose";
import * as z from "zod";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import { type AskPlatform, jsonOf } from "./ask.ts";

/** The keys in the form for `jose`. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

interface Known {
  readonly keys: KeySet | undefined;
  readonly error: string;
  /** The times at which these keys were fetched, and at which the last attempt was. */
  readonly atMs: number;
  readonly triedMs: number;
}

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(ltiLimits.keys) });

export class PlatformKeys {
  readonly #known = new BoundedCache<string, Known>(ltiLimits.rememberedKeySets);

  /**
   * Runs a verification with the keys of a URL. If a key is missing, fetches the keys again once, unless they were just fetched. Rejects
   * with a sentence if there are none.
   */
  async use<T>(ask: AskPlatform, url: string, nowMs: number, verify: (keys: KeySet) => Promise<T>): Promise<T> {
    const cachedSet = await this.#get(ask, url, nowMs, ltiLimits.keysMs);
    try {
      return await verify(keysOf(cachedSet));
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const fresh = await this.#get(ask, url, nowMs, ltiLimits.keysPauseMs);
      if (fresh.keys === cachedSet.keys) throw error;
      return verify(keysOf(fresh));
    }
  }

  async #get(ask: AskPlatform, url: string, nowMs: number, forMs: number): Promise<Known> {
    const cachedSet = this.#known.get(url);
    const pauseMs = cachedSet?.keys ? ltiLimits.keysPauseMs : ltiLimits.keysRetryMs;
    const isFresh = cachedSet?.keys !== undefined && nowMs - cachedSet.atMs < forMs;
    if (cachedSet && (isFresh || nowMs - cachedSet.triedMs < pauseMs)) return cachedSet;
    const read = jsonOf(await ask({ url, headers: { accept: "application/json" } }));
    const fetchedSet = "error" in read ? { keys: undefined, error: read.error } : setOf(read.json);
    // If the platform is unreachable, the cached keys stay valid for their time.
    const holds = !fetchedSet.keys && cachedSet?.keys && nowMs - cachedSet.atMs < ltiLimits.keysMs;
    const nextSet = holds ? { ...cachedSet, triedMs: nowMs } : { ...fetchedSet, atMs: nowMs, triedMs: nowMs };
    this.#known.set(url, nextSet);
    return nextSet;
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
    // Errors of a key are reported when it is used.
    return { keys: createLocalJWKSet(read.data), error: "" };
  } catch {
    return { keys: undefined, error: "it did not answer a key set" };
  }
}
