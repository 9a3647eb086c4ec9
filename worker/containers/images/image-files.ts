// The files of an image, as far as they are known.
import { knownImage } from "./catalogue.ts";
import { systemFiles } from "./files.ts";
import type { ImageReference } from "./reference.ts";

/** Texts by absolute path. */
export function imageFiles(reference: ImageReference): Readonly<Record<string, string>> {
  const known = knownImage(reference);
  if (!known || known.programs === "none") return known?.files ?? {};
  const worker = reference.base.startsWith("nginx") ? "nginx" : undefined;
  return { ...systemFiles(reference.base, reference.tag ?? "", worker), ...known.files };
}
