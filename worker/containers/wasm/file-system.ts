// A container's files as the system calls of an interpreter see them, with its library beside them: descriptors, bytes, Linux' error numbers.
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { absolute } from "../shell/files.ts";
import { build, charge } from "../../../shared/shell/meter.ts";
import { edit } from "../shell/process.ts";
import { whyNotWritable } from "../shell/redirect.ts";
import type { Shell } from "../shell/shell.ts";

export const errors = { ENOENT: 2, EBADF: 9, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ESPIPE: 29, EROFS: 30 };
const notEmpty = 39;

/** Flags of `open` as musl has them. */
const flags = { access: 3, create: 0o100, exclusive: 0o200, truncate: 0o1000, append: 0o2000 };
const folderMode = 0o40755;
const fileType = 0o100000;
/** Descriptors below are the host's. */
const firstDescriptor = 4;

interface Descriptor {
  readonly path: string;
  bytes: Uint8Array;
  at: number;
  readonly appends: boolean;
  readonly names?: readonly string[];
}

export interface Stat {
  readonly mode: number;
  readonly size: number;
  readonly changedMs: number;
  readonly uid: number;
  readonly gid: number;
}

/** A failure is a negative number. */
export class FileSystem {
  readonly #shell: Shell;
  readonly #library: ReadonlyMap<string, string>;
  readonly #libraryFolders: ReadonlySet<string>;
  readonly #open = new Map<number, Descriptor>();
  folder: string;

  /** `library`: texts by absolute path, which are not the container's. */
  constructor(shell: Shell, library: ReadonlyMap<string, string>) {
    this.#shell = shell;
    this.#library = library;
    this.#libraryFolders = new Set(Array.from(library.keys(), (path) => path.slice(0, path.lastIndexOf("/"))));
    this.folder = shell.folder;
  }

  absolute(path: string): string {
    return absolute(path, this.folder);
  }

  textOf(path: string): string | undefined {
    return this.#shell.process.files.get(path)?.text ?? this.#library.get(path);
  }

  isFolder(path: string): boolean {
    return path === "/" || this.#shell.process.files.isFolder(path) || this.#libraryFolders.has(path);
  }

  stat(path: string): Stat | number {
    const { files } = this.#shell.process;
    const entry = files.get(path);
    const text = this.textOf(path);
    const { changedMs = 0, uid = 0, gid = 0 } = entry ?? {};
    if (text !== undefined) {
      const mode = fileType | (entry?.mode ?? 0o644);
      return { mode, size: bytesOfText(text).length, changedMs, uid, gid };
    }
    if (!this.isFolder(path)) return -errors.ENOENT;
    return { mode: entry ? (entry.mode & 0o7777) | 0o40000 : folderMode, size: 4096, changedMs, uid, gid };
  }

  open(path: string, wanted: number): number {
    const { process } = this.#shell;
    const text = this.textOf(path);
    const writes = (wanted & flags.access) !== 0;
    if (text === undefined && this.isFolder(path)) {
      return writes
        ? -errors.EISDIR
        : this.#add({ path, bytes: new Uint8Array(), at: 0, appends: false, names: process.files.names(path) });
    }
    if (text === undefined && !(wanted & flags.create)) return -errors.ENOENT;
    if (text !== undefined && wanted & flags.create && wanted & flags.exclusive) return -errors.EEXIST;
    if (writes) {
      const why = this.#whyNot(path);
      if (why !== undefined) return why;
      if (text === undefined || wanted & flags.truncate) edit(process, { path, text: "" });
    }
    const kept = text === undefined || wanted & flags.truncate ? "" : text;
    build(process, kept.length);
    return this.#add({ path, bytes: bytesOfText(kept), at: 0, appends: Boolean(wanted & flags.append) });
  }

  close(descriptor: number): number {
    return this.#open.delete(descriptor) ? 0 : errors.EBADF;
  }

  /** The next bytes, at most so many; a number if there is no such descriptor. */
  read(descriptor: number, length: number): Uint8Array | number {
    const found = this.#open.get(descriptor);
    if (!found) return -errors.EBADF;
    if (found.names) return -errors.EISDIR;
    const bytes = found.bytes.subarray(found.at, found.at + length);
    charge(this.#shell.process, 0.2 + bytes.length / 4096);
    found.at += bytes.length;
    return bytes;
  }

  write(descriptor: number, bytes: Uint8Array): number {
    const { process } = this.#shell;
    const found = this.#open.get(descriptor);
    if (!found) return -errors.EBADF;
    const at = found.appends ? found.bytes.length : found.at;
    const whole = new Uint8Array(Math.max(found.bytes.length, at + bytes.length));
    charge(process, 0.5 + whole.length / 4096);
    whole.set(found.bytes);
    whole.set(bytes, at);
    const isMore = at === found.bytes.length;
    found.bytes = whole;
    found.at = at + bytes.length;
    edit(process, {
      path: found.path,
      text: textOfBytes(isMore ? bytes : whole),
      ...(isMore ? { appends: true } : {}),
    });
    return bytes.length;
  }

  seek(descriptor: number, offset: number, from: number): number {
    const found = this.#open.get(descriptor);
    if (!found) return -errors.ESPIPE;
    const base = [0, found.at, found.bytes.length][from] ?? 0;
    if (base + offset < 0) return -errors.EINVAL;
    found.at = base + offset;
    return found.at;
  }

  /** The next names of a folder that is open. */
  names(descriptor: number, count: number): readonly { readonly name: string; readonly isFolder: boolean }[] {
    const found = this.#open.get(descriptor);
    if (!found?.names) return [];
    const some = found.names.slice(found.at, found.at + count);
    found.at += some.length;
    return some.map((name) => ({ name, isFolder: this.isFolder(absolute(name, found.path)) }));
  }

  makeFolder(path: string): number {
    const { process } = this.#shell;
    if (process.files.exists(path)) return -errors.EEXIST;
    const above = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!this.isFolder(above)) return -errors.ENOENT;
    const why = this.#whyNot(path);
    if (why !== undefined) return why;
    edit(process, { path, text: undefined });
    return 0;
  }

  /** A file, or an empty folder. */
  remove(path: string, isFolder: boolean): number {
    const { process } = this.#shell;
    if (!process.files.exists(path)) return -errors.ENOENT;
    if (isFolder !== this.isFolder(path)) return isFolder ? -errors.ENOTDIR : -errors.EISDIR;
    if (isFolder && process.files.names(path).length > 0) return -notEmpty;
    const why = this.#whyNot(path);
    if (why !== undefined && why !== -errors.EISDIR) return why;
    edit(process, { path, text: undefined, removed: true });
    return 0;
  }

  rename(from: string, to: string): number {
    const { process } = this.#shell;
    const text = process.files.get(from)?.text;
    if (text === undefined) return process.files.exists(from) ? -errors.EISDIR : -errors.ENOENT;
    const why = this.#whyNot(to) ?? this.#whyNot(from);
    if (why !== undefined) return why;
    build(process, text.length);
    edit(process, { path: to, text });
    edit(process, { path: from, text: undefined, removed: true });
    return 0;
  }

  #whyNot(path: string): number | undefined {
    const why = whyNotWritable(this.#shell, path);
    if (why === undefined) return undefined;
    if (why.startsWith("Read-only")) return -errors.EROFS;
    return why.startsWith("Is a") ? -errors.EISDIR : -errors.ENOENT;
  }

  #add(one: Descriptor): number {
    let descriptor = firstDescriptor;
    while (this.#open.has(descriptor)) descriptor++;
    this.#open.set(descriptor, one);
    return descriptor;
  }
}
