// The variables that well-known images set for their programs, besides the path. Most of them are versions.
import { imageByBase } from "./catalogue.ts";
import { versionOfTag } from "./known-image.ts";
import type { ImageReference } from "./reference.ts";

/** Returns the variables of one of Docker's own images; none for other images. */
export function imageEnvironment({ name, base, tag = "latest" }: ImageReference): Readonly<Record<string, string>> {
  const officialImage = name.endsWith(`/library/${base}`) ? imageByBase(base) : undefined;
  return (officialImage?.versions && officialImage.environment?.(versionOfTag(tag, officialImage.versions))) ?? {};
}
