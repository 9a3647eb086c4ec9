// The facts of an image whose contents are known.
import type { ImageReference } from "./reference.ts";

/** The distribution that an image is based on. */
export type Family = "busybox" | "alpine" | "debian" | "redhat";

export interface KnownImage {
  readonly sizeBytes: number;
  /** The command if the pod has none. */
  readonly command: readonly string[];
  /** Whether arguments belong to the image's own program instead of being a command. `unlessProgram`: unless the first one is a program. */
  readonly entrypoint?: boolean | "unlessProgram";
  /** `none`: only the image's own program. `busybox`, `alpine`, `debian`: the programs of that image. Undefined: every program exists. */
  readonly programs?: "none" | "busybox" | "alpine" | "debian";
  /** The image's programs, if they are listed: those of its base, and its own. */
  readonly installed?: Installation;
  /** The distribution in `/etc/os-release`; default: `debian`. */
  readonly release?: "none" | "alpine" | "debian" | "ubuntu" | "fedora";
  /** The family whose shell `sh` is, also in images of other organisations by this name. */
  readonly family?: Family;
  /** The groups of the image's user, as the runtime reports them. */
  readonly groups?: readonly number[];
  readonly uid?: number;
  /** Other users, each with its group and its supplementary groups. */
  readonly users?: Readonly<Record<number, { readonly gid: number; readonly groups: readonly number[] }>>;
  /** The user of its worker processes, in `/etc/passwd` with the number 101. */
  readonly worker?: string;
  /** Files that examples read or replace. */
  readonly files?: Readonly<Record<string, string>>;
  /** The versions for tags. The variables of the official image are computed from the version. */
  readonly versions?: Versions;
  readonly environment?: (version: string) => Readonly<Record<string, string>>;
  /** The tags that exist, if they are known. */
  readonly tags?: readonly string[];
}

export interface Installation {
  readonly base: "busybox" | "alpine" | "debian" | "ubuntu" | "building" | "fetching" | "fedora";
  /** The programs that its author added. */
  readonly added?: string;
}

export interface Versions {
  readonly newest: string;
  /** Complete versions by the prefixes that tags name. */
  readonly fullByPrefix: Readonly<Record<string, string>>;
}

/** Returns the facts of an image by its size and its command, in which `%20` stands for a blank in a word. */
export function image(sizeBytes: number, command: string, more: Partial<KnownImage> = {}): KnownImage {
  return { sizeBytes, command: command.split(" ").map((word) => word.replace("%20", " ")), ...more };
}

/** An image that contains only its own program. */
export const ownProgram = { entrypoint: true, programs: "none" } as const;

/** Returns the complete version that a tag names, or the newest. */
export function versionOfTag(tag: string, { newest, fullByPrefix }: Versions): string {
  const [first = ""] = tag.replace(/^v(?=\d)/, "").split("-");
  if (Object.hasOwn(fullByPrefix, first)) return fullByPrefix[first] ?? newest;
  return /^\d+(\.\d+)+$/.test(first) ? first : newest;
}

/** Returns the complete version that the tag of an image names, or the newest. */
export function versionOfImage(text: string, versions: Versions): string {
  return versionOfTag(tagOf(text), versions);
}

/** Returns what follows the last colon of a reference, unless it is a registry's port. */
export function tagOf(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1).split("@", 1)[0] ?? "";
  return name.slice(name.indexOf(":") + 1 || name.length);
}

/** Reports whether an image is based on Alpine, by its tag. */
export function isAlpineTag({ tag = "" }: Pick<ImageReference, "tag">): boolean {
  return /(^|-)alpine/.test(tag);
}
