// Images whose contents are known: the default command, the programs and the size.
import { products } from "../products/catalogue.ts";
import { hasOfficialTag, isOfficial } from "./official.ts";
import type { KnownImage } from "./known-image.ts";
import { isMisspelled } from "./misspelled.ts";
import { hub, type ImageReference } from "./reference.ts";

/** Known images by the last part of their name, or the last two. */
const images: ReadonlyMap<string, KnownImage> = new Map(
  products.flatMap(({ images: productImages = {} }) => Object.entries(productImages)),
);

/** The names of known images, without their organisations. */
export const knownNames: readonly string[] = [...images.keys()].map((name) => name.slice(name.lastIndexOf("/") + 1));

export function knownImage({ name, base }: ImageReference): KnownImage | undefined {
  return images.get(name.split("/").slice(-2).join("/")) ?? images.get(base);
}

/** Returns the known image by the last part of a name, whatever the organisation. */
export function imageByBase(base: string): KnownImage | undefined {
  return images.get(base);
}

/**
 * Reports whether the known contents are those of exactly this image. Another organisation's build of a program from Docker's official images
 * has other paths, users and ports.
 */
export function isExact({ name, base }: ImageReference): boolean {
  const [host = "", ...path] = name.split("/");
  if (/^(registry\.k8s\.io|k8s\.gcr\.io|gcr\.io)$/.test(host) || path.at(-2) === "library") return true;
  return !isOfficial(base) || images.has(path.slice(-2).join("/"));
}

/** Reports whether a tag exists, as far as tags are known. A misspelling of `latest` does not exist. */
export function hasTag(reference: ImageReference): boolean {
  const { name, tag = "latest" } = reference;
  if (name.startsWith(`${hub}/library/`)) return hasOfficialTag(reference);
  return knownImage(reference)?.tags?.includes(tag) ?? !isMisspelled(tag, ["latest"]);
}
