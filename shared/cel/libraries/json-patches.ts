// Helps to write JSON patches; for mutations only.
import type { Library } from "../functions.ts";

export const jsonPatches: Library = {
  "jsonpatch.escapeKey(string) string": (key: string) => key.replace(/[~/]/g, (char) => (char === "/" ? "~1" : "~0")),
};
