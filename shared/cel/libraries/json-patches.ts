// Functions that help to write JSON patches. Only mutations have them.
import type { Library } from "../functions.ts";

export const jsonPatches: Library = {
  "jsonpatch.escapeKey(string) string": (key: string) => key.replace(/[~/]/g, (char) => (char === "/" ? "~1" : "~0")),
};
