// Limits failed authentication by address and by the target of the guesses.
// Only failures are counted and refused. Correct credentials are accepted from a throttled address too, so that nobody is locked out by a
// neighbor behind the same address.
import { accessLimits } from "../../../shared/base/request-limits.ts";

/** A failed authentication: the credential and the address. */
export interface Failure {
  /** The address; empty if the platform does not send it, which is not counted. */
  readonly address: string;
  /** The credential; empty if it does not identify a target. */
  readonly credential: string;
}

/** Counts by key beyond this isolate. Returns false if a key is over the limit. */
export interface SharedCount {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

export interface Throttle {
  /** Counts a failure. Returns the seconds of `Retry-After` if there were too many, or undefined. */
  failed(failure: Failure, nowMs: number): Promise<number | undefined>;
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/** Creates a leaky bucket for each address and each prefix. An isolate has one throttle; `shared` counts for all isolates of a location. */
export function newThrottle(shared?: SharedCount): Throttle {
  const buckets = new Map<string, Bucket>();
  const { failuresBurst: burst, failureLeakMs: leakMs, failuresCounted: most, keptFailures: maxBuckets } = accessLimits;
  const count = (key: string, nowMs: number): number | undefined => {
    const { level, atMs } = buckets.get(key) ?? { level: 0, atMs: nowMs };
    const next = Math.min(most, Math.max(0, level - (nowMs - atMs) / leakMs) + 1);
    // Reinsert at the end, so that the longest unused bucket is evicted first.
    buckets.delete(key);
    buckets.set(key, { level: next, atMs: nowMs });
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value ?? "");
    return next <= burst ? undefined : Math.max(1, Math.ceil(((next - burst) * leakMs) / 1000));
  };
  return {
    failed: async ({ address, credential }, nowMs) => {
      const prefix = prefixOf(credential);
      const keys = [
        ...(isOneClient(address) ? [`address ${address}`] : []),
        ...(prefix === undefined ? [] : [`prefix ${prefix}`]),
      ];
      const seconds = Math.max(0, ...keys.map((key) => count(key, nowMs) ?? 0));
      if (seconds > 0) return seconds;
      for (const key of shared ? keys : []) {
        if (!(await shared?.limit({ key }))?.success) return accessLimits.sharedFailuresSeconds;
      }
      return undefined;
    },
  };
}

/** The throttle of this isolate. */
let throttle: Throttle | undefined;

export function throttleOf({ FAILURES }: { readonly FAILURES?: SharedCount }): Throttle {
  return (throttle ??= newThrottle(FAILURES));
}

/** Reports whether an address (of `addressOf`) identifies one client. All programs of one machine share the loopback address. */
function isOneClient(address: string): boolean {
  return address !== "" && !address.startsWith("127.") && address !== "0:0:0:0";
}

/**
 * Returns the target of a guess: everything in a token before its last part, or the first characters of a key. Tokens of issuers share
 * their beginnings and have no target.
 */
export function prefixOf(credential: string): string | undefined {
  const at = credential.lastIndexOf("_") + 1;
  if (at === 0) return undefined;
  const end = credential.indexOf("_") + 1 === at ? at + accessLimits.failurePrefixCharacters : at;
  return credential.slice(0, Math.min(end, accessLimits.failureKeyCharacters));
}
