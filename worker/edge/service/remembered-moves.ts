// Whether anything was ever moved to another secret, remembered for a time: only then is D1 asked about ids and keys that have no valid tag.
import type { SecretDirectory } from "../db/secrets.ts";
import type { Remembered } from "../remembered.ts";

export function rememberedMoves(
  secrets: SecretDirectory,
  known: Remembered<boolean>,
  nowMs: () => number,
): SecretDirectory {
  return {
    ...secrets,
    hasMoved: async () => {
      const remembered = known.get("", nowMs());
      if (remembered !== undefined) return remembered;
      const since = known.now();
      const hasMoved = await secrets.hasMoved();
      known.keep("", hasMoved, nowMs(), since);
      return hasMoved;
    },
  };
}
