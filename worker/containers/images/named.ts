// Looks an image up by its name: first among the sandbox's own images, then in the catalogue. An image of the sandbox's own has the
// software of the catalogue's image that it is built on.
import type { Entry } from "../shell/files.ts";
import { isExact, knownImage } from "./catalogue.ts";
import type { KnownImage } from "./known-image.ts";
import { type ImageConfiguration, imageConfiguration } from "./configurations.ts";
import { imageEnvironment } from "./environments.ts";
import { imageFiles } from "./image-files.ts";
import { isOfficial } from "./official.ts";
import type { ImageSource, OwnImage } from "./own.ts";
import { hub, type ImageReference, parseImage } from "./reference.ts";
import { notFoundProblem, type PulledImage, pulledImage, pullProblem } from "./registry.ts";

export interface NamedImage {
  readonly reference: ImageReference;
  /** The image of the catalogue whose software it has; undefined if it has none. */
  readonly software: ImageReference | undefined;
  /** The additions of the sandbox's definition. */
  readonly own: OwnImage | undefined;
}

/** Returns undefined if the text is no name of an image. */
export function imageNamed(image: string | undefined, source: ImageSource): NamedImage | undefined {
  const reference = parseImage(image ?? "");
  return "error" in reference ? undefined : imageOf(reference, source);
}

export function imageOf(reference: ImageReference, { ownImages }: ImageSource): NamedImage {
  const own = ownImages?.find(reference);
  return { reference, software: own ? own.below : reference, own };
}

/** Returns the name of the image by which programs tell what they are a part of: `python:3.12-slim`. */
export function softwareName(image: string | undefined, source: ImageSource): string {
  return imageNamed(image, source)?.own?.belowText ?? image ?? "";
}

/** The facts of the catalogue, if they are those of this very image. */
export function exactImage({ software }: Pick<NamedImage, "software">): KnownImage | undefined {
  return software && isExact(software) ? knownImage(software) : undefined;
}

/** Returns undefined if neither the catalogue nor the sandbox knows it. */
export function configurationOf({ own, software }: NamedImage): ImageConfiguration | undefined {
  const below = software && imageConfiguration(software);
  if (!own) return below;
  const { user, workingDir, exposedPorts, entrypoint, command } = own;
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
export function environmentOfImage({ own, software }: NamedImage): Readonly<Record<string, string>> {
  return { ...(software ? imageEnvironment(software) : {}), ...own?.environment };
}

/** Returns what lies in an image, as far as it is known, by absolute path. */
export function* filesOfImage({ own, software }: NamedImage): Generator<readonly [path: string, entry: Entry]> {
  const below = software ? imageFiles(software) : {};
  for (const [path, text] of Object.entries(below)) yield [path, fileOf(text)];
  if (!own) return;
  if (own.users.length > 0) {
    const userLines = own.users.map(({ name, uid, gid = uid }) => `${name}:x:${uid}:${gid}::/home/${name}:/bin/sh\n`);
    const groupLines = own.users.map(({ name, uid, gid = uid }) => `${name}:x:${gid}:\n`);
    yield ["/etc/passwd", fileOf(`${below["/etc/passwd"] ?? ""}${userLines.join("")}`)];
    yield ["/etc/group", fileOf(`${below["/etc/group"] ?? ""}${groupLines.join("")}`)];
  }
  yield* own.files;
}

function fileOf(text: string): Entry {
  return { text, mode: 0o644, changedMs: 0 };
}

/** Returns the digest and the size of an image that is there. */
export function pulledImageOf({ reference, own, software }: NamedImage): PulledImage {
  if (!own) return pulledImage(reference);
  return {
    id: `${reference.name}@${own.digest}`,
    sizeBytes: own.ownBytes + (software ? pulledImage(software).sizeBytes : 0),
  };
}

/** Returns why an image cannot be pulled, in the kubelet's words. `isTrusted`: reports whether somebody says that an image is there. */
export function pullProblemOf(
  { reference, own, software }: NamedImage,
  { ownImages }: ImageSource,
  isTrusted: (reference: ImageReference) => boolean,
): string | undefined {
  // Without its base image an image cannot have been built.
  if (own) return software && pullProblem(software, () => isTrusted(software));
  const isOwnRepository = ownImages?.hasRepository(reference.name) ?? false;
  const isInCatalogue = reference.name === `${hub}/library/${reference.base}` && isOfficial(reference.base);
  if (isOwnRepository && !isInCatalogue) return notFoundProblem(reference);
  return pullProblem(reference, () => isTrusted(reference));
}
