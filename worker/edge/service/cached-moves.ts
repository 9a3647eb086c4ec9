// Caches whether data was ever moved to another secret. Only then does D1 receive queries about ids and keys without a valid tag.
import type { SecretDirectory } from "../db/secrets.ts";
import type { ExpiringCache } from "../expiring-cache.ts";

export function rememberedMoves(
  secrets: SecretDirectory,
  cache: ExpiringCache<boolean>,
  nowMs: () => number,
): SecretDirectory {
  return {
    ...secrets,
    hasMoved: async () => {
      const remembered = cache.get("", nowMs());
      if (remembered !== undefined) return remembered;
      const since = cache.now();
      const hasMoved = await secrets.hasMoved();
      cache.keep("", hasMoved, nowMs(), since);
      return hasMoved;
    },
  };
}
