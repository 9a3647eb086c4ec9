// The variables that well-known images set for their programs, beside the path: their versions, mostly.
import { imageByBase } from "./catalogue.ts";
import { versionOfTag } from "./known-image.ts";
import type { ImageReference } from "./reference.ts";

/** Returns the variables of one of Docker's own images; none of others. */
export function imageEnvironment({ name, base, tag = "latest" }: ImageReference): Readonly<Record<string, string>> {
  const known = name.endsWith(`/library/${base}`) ? imageByBase(base) : undefined;
  return (known?.versions && known.environment?.(versionOfTag(tag, known.versions))) ?? {};
}
