// The facts of an image whose contents are known.
import type { ImageReference } from "./reference.ts";

/** The distribution that an image is made of. */
export type Family = "busybox" | "alpine" | "debian" | "redhat";

export interface KnownImage {
  readonly sizeBytes: number;
  /** The command if the pod names none. */
  readonly command: readonly string[];
  /** Arguments are those of its own program; otherwise they are a command. `unlessProgram`: those that begin with one are. */
  readonly entrypoint?: boolean | "unlessProgram";
  /** `none`: its own program alone. `busybox`, `alpine`, `debian`: what those have. Absent: whatever is asked for. */
  readonly programs?: "none" | "busybox" | "alpine" | "debian";
  /** The programs that it has, if they are listed: those of what it is made of, and its own. */
  readonly installed?: Installation;
  /** The distribution of its `/etc/os-release`; `debian` if absent. */
  readonly release?: "none" | "alpine" | "debian" | "ubuntu" | "fedora";
  /** The family whose shell `sh` is, also in images of other organisations by this name. */
  readonly family?: Family;
  /** Groups of the image's user, as the runtime reports them. */
  readonly groups?: readonly number[];
  readonly uid?: number;
  /** Other users: their own group, and those that they are in besides. */
  readonly users?: Readonly<Record<number, { readonly gid: number; readonly groups: readonly number[] }>>;
  /** The user of its worker processes, in `/etc/passwd` with the number 101. */
  readonly worker?: string;
  /** Files that examples read or replace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Versions by what tags say; the variables of the official image are made of the version. */
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
  /** Whole versions by the beginnings that tags name. */
  readonly whole: Readonly<Record<string, string>>;
}

/** Returns the facts of an image by its size and its command, in which `%20` stands for a blank in a word. */
export function image(sizeBytes: number, command: string, more: Partial<KnownImage> = {}): KnownImage {
  return { sizeBytes, command: command.split(" ").map((word) => word.replace("%20", " ")), ...more };
}

/** An image with nothing but its own program. */
export const ownProgram = { entrypoint: true, programs: "none" } as const;

/** Returns the whole version that a tag names, or the newest. */
export function versionOfTag(tag: string, { newest, whole }: Versions): string {
  const [first = ""] = tag.replace(/^v(?=\d)/, "").split("-");
  if (Object.hasOwn(whole, first)) return whole[first] ?? newest;
  return /^\d+(\.\d+)+$/.test(first) ? first : newest;
}

/** Returns the whole version that the tag of an image names, or the newest. */
export function versionOfImage(text: string, versions: Versions): string {
  return versionOfTag(tagOf(text), versions);
}

/** Returns what follows the last colon of a reference, unless it is a registry's port. */
export function tagOf(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1).split("@", 1)[0] ?? "";
  return name.slice(name.indexOf(":") + 1 || name.length);
}

/** Reports whether an image is made of Alpine, by its tag. */
export function isAlpineTag({ tag = "" }: Pick<ImageReference, "tag">): boolean {
  return /(^|-)alpine/.test(tag);
}
