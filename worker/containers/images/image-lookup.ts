// Looks an image up by its name: first among the images that the sandbox defines, then in the catalogue. A defined image has the software of the
// catalogue's image that it is built on.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import type { Entry } from "../shell/files.ts";
import { isExact, knownImage } from "./catalogue.ts";
import type { KnownImage } from "./known-image.ts";
import { type ImageConfiguration, imageConfiguration } from "./configurations.ts";
import { imageEnvironment } from "./environments.ts";
import { imageFiles } from "./image-files.ts";
import { isOfficial } from "./official.ts";
import type { ImageSource, OwnImage } from "./own-images.ts";
import { hub, type ImageReference, parseImage } from "./reference.ts";
import { notFoundProblem, type PulledImage, pulledImage, pullProblem } from "./registry.ts";

export interface NamedImage {
  readonly reference: ImageReference;
  /** The image of the catalogue whose software it has; undefined if it has none. */
  readonly software: ImageReference | undefined;
  /** The sandbox's definition of the image. */
  readonly ownImage: OwnImage | undefined;
}

/** Parsed references. A run of a container parses the same one many times. */
const references = new BoundedCache<string, ReturnType<typeof parseImage>>(200);
const longestCached = 256;

/** Looks up an image. Returns undefined if the text is not a valid reference. */
export function imageNamed(image: string | undefined, source: ImageSource): NamedImage | undefined {
  const reference = referenceOf(image ?? "");
  return "error" in reference ? undefined : imageOf(reference, source);
}

function referenceOf(image: string): ReturnType<typeof parseImage> {
  const cachedReference = references.get(image);
  if (cachedReference) return cachedReference;
  const reference = parseImage(image);
  if (image.length <= longestCached) references.set(image, reference);
  return reference;
}

export function imageOf(reference: ImageReference, { ownImages }: ImageSource): NamedImage {
  const ownImage = ownImages?.find(reference);
  return { reference, software: ownImage ? ownImage.below : reference, ownImage };
}

/** Returns the name by which an image's programs identify their version: `python:3.12-slim`. */
export function softwareName(image: string | undefined, source: ImageSource): string {
  return imageNamed(image, source)?.ownImage?.belowText ?? image ?? "";
}

/** Returns the facts of the catalogue, if they are those of exactly this image. */
export function exactImage({ software }: Pick<NamedImage, "software">): KnownImage | undefined {
  return software && isExact(software) ? knownImage(software) : undefined;
}

/** Returns the configuration of an image; undefined if neither the catalogue nor the sandbox has it. */
export function configurationOf({ ownImage, software }: NamedImage): ImageConfiguration | undefined {
  const below = software && imageConfiguration(software);
  if (!ownImage) return below;
  const { user, workingDir, exposedPorts, entrypoint, command } = ownImage;
  const exact = exactImage({ software });
  const uid = below?.uid ?? exact?.uid ?? 0;
  return {
    user: user?.text ?? below?.user ?? (exact?.uid === undefined ? "" : String(exact.uid)),
    uid: user?.uid ?? uid,
    gid: user?.gid ?? below?.gid ?? uid,
    exposedPorts: [...new Set([...(below?.exposedPorts ?? []), ...exposedPorts])],
    workingDir: workingDir ?? below?.workingDir ?? "",
    entrypoint: entrypoint ?? below?.entrypoint ?? [],
    cmd: command ?? (entrypoint === undefined ? (below?.cmd ?? []) : []),
  };
}

/** Returns the variables that an image sets for its programs. */
export function environmentOfImage({ ownImage, software }: NamedImage): Readonly<Record<string, string>> {
  return { ...(software ? imageEnvironment(software) : {}), ...ownImage?.environment };
}

/** Returns the known files of an image by absolute path. */
export function* filesOfImage({ ownImage, software }: NamedImage): Generator<readonly [path: string, entry: Entry]> {
  const below = software ? imageFiles(software) : {};
  for (const [path, text] of Object.entries(below)) yield [path, fileOf(text)];
  if (!ownImage) return;
  if (ownImage.users.length > 0) {
    const userLines = ownImage.users.map(
      ({ name, uid, gid = uid }) => `${name}:x:${uid}:${gid}::/home/${name}:/bin/sh\n`,
    );
    const groupLines = ownImage.users.map(({ name, uid, gid = uid }) => `${name}:x:${gid}:\n`);
    yield ["/etc/passwd", fileOf(`${below["/etc/passwd"] ?? ""}${userLines.join("")}`)];
    yield ["/etc/group", fileOf(`${below["/etc/group"] ?? ""}${groupLines.join("")}`)];
  }
  yield* ownImage.files;
}

function fileOf(text: string): Entry {
  return { text, mode: 0o644, changedMs: 0 };
}

/** Returns the digest and the size of an existing image. */
export function pulledImageOf({ reference, ownImage, software }: NamedImage): PulledImage {
  if (!ownImage) return pulledImage(reference);
  return {
    id: `${reference.name}@${ownImage.digest}`,
    sizeBytes: ownImage.ownBytes + (software ? pulledImage(software).sizeBytes : 0),
  };
}

/** Returns why an image cannot be pulled, in the kubelet's words. `isTrusted`: reports whether a user declared that an image exists. */
export function pullProblemOf(
  { reference, ownImage, software }: NamedImage,
  { ownImages }: ImageSource,
  isTrusted: (reference: ImageReference) => boolean,
): string | undefined {
  // Without its base image an image cannot have been built.
  if (ownImage) return software && pullProblem(software, () => isTrusted(software));
  const isOwnRepository = ownImages?.hasRepository(reference.name) ?? false;
  const isInCatalogue = reference.name === `${hub}/library/${reference.base}` && isOfficial(reference.base);
  if (isOwnRepository && !isInCatalogue) return notFoundProblem(reference);
  return pullProblem(reference, () => isTrusted(reference));
}
