// The files that name an image's distribution and its users.
import { isAlpineTag, type KnownImage } from "./known-image.ts";
import type { ImageReference } from "./reference.ts";

const release = (id: string, name: string, version: string, more = "") =>
  `PRETTY_NAME="${name} ${version}"\nNAME="${name}"\nVERSION="${version}"\nVERSION_ID="${version.split(" ")[0] ?? ""}"\nID=${id}\n${more}`;

const debian = release("debian", "Debian GNU/Linux", "13 (trixie)", "VERSION_CODENAME=trixie\n");
const alpine = release("alpine", "Alpine Linux", "3.23.0");
const ubuntu = release("ubuntu", "Ubuntu", "24.04", "ID_LIKE=debian\n");
const fedora = release("fedora", "Fedora Linux", "43");

const releases = { none: undefined, ubuntu, fedora, alpine, debian } as const;

/** Returns `/etc/os-release` if the image has one, and `/etc/passwd` and `/etc/group` with its known users. */
export function systemFiles(
  { release: imageRelease = "debian", worker }: KnownImage,
  reference: ImageReference,
): Readonly<Record<string, string>> {
  const name = imageRelease === "debian" && isAlpineTag(reference) ? "alpine" : imageRelease;
  const text = releases[name];
  const shell = name === "alpine" || name === "none" ? "/bin/sh" : "/bin/bash";
  const more = worker === undefined ? "" : `${worker}:x:101:101:${worker} user:/nonexistent:/bin/false\n`;
  return {
    ...(text === undefined ? {} : { "/etc/os-release": text }),
    "/etc/passwd": `root:x:0:0:root:/root:${shell}\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n${more}`,
    "/etc/group": `root:x:0:\ndaemon:x:1:\nnogroup:x:65534:\n${worker === undefined ? "" : `${worker}:x:101:\n`}`,
  };
}
