// Images whose contents are known: what they run when no command is given, which programs they have, and how large they are.
import { products } from "../products/catalogue.ts";
import { hasOfficialTag, isOfficial } from "./official.ts";
import type { KnownImage } from "./known-image.ts";
import { isMisspelled } from "./misspelled.ts";
import { hub, type ImageReference } from "./reference.ts";

/** By the last part of the name, or the last two. */
const images: ReadonlyMap<string, KnownImage> = new Map(
  products.flatMap(({ images: own = {} }) => Object.entries(own)),
);

/** The names of images that are known, without their organisations. */
export const knownNames: readonly string[] = [...images.keys()].map((name) => name.slice(name.lastIndexOf("/") + 1));

export function knownImage({ name, base }: ImageReference): KnownImage | undefined {
  return images.get(name.split("/").slice(-2).join("/")) ?? images.get(base);
}

/** Returns the known image by the last part of a name, whatever the organisation. */
export function imageByBase(base: string): KnownImage | undefined {
  return images.get(base);
}

/**
 * Reports whether the known contents of an image are those of the image by this name. Another organisation's build of a program of Docker's
 * official images has other paths, users and ports.
 */
export function isExact({ name, base }: ImageReference): boolean {
  const [host = "", ...path] = name.split("/");
  if (/^(registry\.k8s\.io|k8s\.gcr\.io|gcr\.io)$/.test(host) || path.at(-2) === "library") return true;
  return !isOfficial(base) || images.has(path.slice(-2).join("/"));
}

/** Reports whether a tag exists, as far as tags are known; a misspelling of `latest` does not. */
export function hasTag(reference: ImageReference): boolean {
  const { name, tag = "latest" } = reference;
  if (name.startsWith(`${hub}/library/`)) return hasOfficialTag(reference);
  return knownImage(reference)?.tags?.includes(tag) ?? !isMisspelled(tag, ["latest"]);
}
