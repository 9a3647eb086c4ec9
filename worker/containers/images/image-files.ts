// The files of an image, as far as they are known.
import { knownImage } from "./catalogue.ts";
import { systemFiles } from "./system-files.ts";
import type { ImageReference } from "./reference.ts";

/** Returns texts by absolute path. */
export function imageFiles(reference: ImageReference): Readonly<Record<string, string>> {
  const facts = knownImage(reference);
  if (!facts || facts.programs === "none") return facts?.files ?? {};
  return { ...systemFiles(facts, reference), ...facts.files };
}
