// Bounds failed authentication, by the address that it comes from and by what is guessed at. Only what failed is counted and refused: right
// credentials are accepted from a throttled address too, so that nobody is locked out by a neighbour behind the same address.
import { accessLimits } from "../../../shared/base/request-limits.ts";

/** One failure: what was shown, and from where. */
export interface Failure {
  /** Empty if the platform does not say: then it is not counted by. */
  readonly address: string;
  /** Empty if it says nothing of what is guessed at. */
  readonly credential: string;
}

/** Counts by key beyond this isolate; false where a key is over the bound. */
export interface SharedCount {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

export interface Throttle {
  /** Counts a failure. Returns the seconds after which to come again if there were too many; undefined: it is answered. */
  failed(failure: Failure, nowMs: number): Promise<number | undefined>;
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

/** A leaky bucket for each address and each prefix. An isolate has one throttle; `shared` counts for all isolates of a place. */
export function newThrottle(shared?: SharedCount): Throttle {
  const buckets = new Map<string, Bucket>();
  const { failuresBurst: burst, failureLeakMs: leakMs, failuresCounted: most, keptFailures: kept } = accessLimits;
  const count = (key: string, nowMs: number): number | undefined => {
    const { level, atMs } = buckets.get(key) ?? { level: 0, atMs: nowMs };
    const next = Math.min(most, Math.max(0, level - (nowMs - atMs) / leakMs) + 1);
    // Last in the order: whoever failed longest ago is forgotten first.
    buckets.delete(key);
    buckets.set(key, { level: next, atMs: nowMs });
    if (buckets.size > kept) buckets.delete(buckets.keys().next().value ?? "");
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

/** Returns whether an address, as `addressOf` gives it, tells clients apart: all programs of one machine have its own. */
function isOneClient(address: string): boolean {
  return address !== "" && !address.startsWith("127.") && address !== "0:0:0:0";
}

/**
 * Returns what a guess aims at: all that a token says before its last part, such as its sandbox, and of a key the first characters. Tokens
 * of issuers begin alike, whoever sends them, and have none.
 */
export function prefixOf(credential: string): string | undefined {
  const at = credential.lastIndexOf("_") + 1;
  if (at === 0) return undefined;
  const end = credential.indexOf("_") + 1 === at ? at + accessLimits.failurePrefixCharacters : at;
  return credential.slice(0, Math.min(end, accessLimits.failureKeyCharacters));
}
