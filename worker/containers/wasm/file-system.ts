// An interpreter's system calls for files: a container's files with the interpreter's library, descriptors, bytes, and Linux' error numbers.
import { bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";
import { absolute } from "../shell/files.ts";
import { chargeForBuilding, charge } from "../../../shared/shell/meter.ts";
import { edit } from "../shell/process.ts";
import { whyNotWritable } from "../shell/redirect.ts";
import type { Shell } from "../shell/shell.ts";

export const errors = { ENOENT: 2, EBADF: 9, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ESPIPE: 29, EROFS: 30 };
const notEmpty = 39;

/** Flags of `open` in musl. */
const flags = { access: 3, create: 0o100, exclusive: 0o200, truncate: 0o1000, append: 0o2000 };
const folderMode = 0o40755;
const fileType = 0o100000;
/** Descriptors below this one belong to the host. */
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

/** The file system of an interpreter. Its methods return a negative number if they fail. */
export class FileSystem {
  readonly #shell: Shell;
  readonly #library: ReadonlyMap<string, string>;
  readonly #libraryFolders: ReadonlySet<string>;
  readonly #open = new Map<number, Descriptor>();
  folder: string;

  /** `library`: texts by absolute path that are not files of the container. */
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

  open(path: string, openFlags: number): number {
    const { process } = this.#shell;
    const text = this.textOf(path);
    const writes = (openFlags & flags.access) !== 0;
    if (text === undefined && this.isFolder(path)) {
      return writes
        ? -errors.EISDIR
        : this.#add({ path, bytes: new Uint8Array(), at: 0, appends: false, names: process.files.names(path) });
    }
    if (text === undefined && !(openFlags & flags.create)) return -errors.ENOENT;
    if (text !== undefined && openFlags & flags.create && openFlags & flags.exclusive) return -errors.EEXIST;
    if (writes) {
      const why = this.#whyNot(path);
      if (why !== undefined) return why;
      if (text === undefined || openFlags & flags.truncate) edit(process, { path, text: "" });
    }
    const existingText = text === undefined || openFlags & flags.truncate ? "" : text;
    chargeForBuilding(process, existingText.length);
    return this.#add({ path, bytes: bytesOfText(existingText), at: 0, appends: Boolean(openFlags & flags.append) });
  }

  close(descriptor: number): number {
    return this.#open.delete(descriptor) ? 0 : errors.EBADF;
  }

  /** Reads up to `length` bytes. Returns a negative number if there is no such descriptor. */
  read(descriptor: number, length: number): Uint8Array | number {
    const file = this.#open.get(descriptor);
    if (!file) return -errors.EBADF;
    if (file.names) return -errors.EISDIR;
    const bytes = file.bytes.subarray(file.at, file.at + length);
    charge(this.#shell.process, 0.2 + bytes.length / 4096);
    file.at += bytes.length;
    return bytes;
  }

  write(descriptor: number, bytes: Uint8Array): number {
    const { process } = this.#shell;
    const file = this.#open.get(descriptor);
    if (!file) return -errors.EBADF;
    const at = file.appends ? file.bytes.length : file.at;
    const newBytes = new Uint8Array(Math.max(file.bytes.length, at + bytes.length));
    charge(process, 0.5 + newBytes.length / 4096);
    newBytes.set(file.bytes);
    newBytes.set(bytes, at);
    const isMore = at === file.bytes.length;
    file.bytes = newBytes;
    file.at = at + bytes.length;
    edit(process, {
      path: file.path,
      text: textOfBytes(isMore ? bytes : newBytes),
      ...(isMore ? { appends: true } : {}),
    });
    return bytes.length;
  }

  seek(descriptor: number, offset: number, from: number): number {
    const file = this.#open.get(descriptor);
    if (!file) return -errors.ESPIPE;
    const base = [0, file.at, file.bytes.length][from] ?? 0;
    if (base + offset < 0) return -errors.EINVAL;
    file.at = base + offset;
    return file.at;
  }

  /** Returns the next names of an open folder. */
  names(descriptor: number, count: number): readonly { readonly name: string; readonly isFolder: boolean }[] {
    const folder = this.#open.get(descriptor);
    if (!folder?.names) return [];
    const some = folder.names.slice(folder.at, folder.at + count);
    folder.at += some.length;
    return some.map((name) => ({ name, isFolder: this.isFolder(absolute(name, folder.path)) }));
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

  /** Removes a file or an empty folder. */
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
    chargeForBuilding(process, text.length);
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

  #add(entry: Descriptor): number {
    let descriptor = firstDescriptor;
    while (this.#open.has(descriptor)) descriptor++;
    this.#open.set(descriptor, entry);
    return descriptor;
  }
}
