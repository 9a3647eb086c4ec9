// The files of an image, as far as they are known.
import { knownImage } from "./catalogue.ts";
import { systemFiles } from "./files.ts";
import type { ImageReference } from "./reference.ts";

/** Returns texts by absolute path. */
export function imageFiles(reference: ImageReference): Readonly<Record<string, string>> {
  const known = knownImage(reference);
  if (!known || known.programs === "none") return known?.files ?? {};
  return { ...systemFiles(known, reference), ...known.files };
}
