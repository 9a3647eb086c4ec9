// The terminal's files as the git library reads and writes them. Objects and the index are bytes, stored as one character each.
import { lettersOfBytes } from "../../../../shared/base/byte-text.ts";
import type { Files } from "../../../kubectl/files.ts";

/** The folder whose `config` is the user's own configuration, `~/.gitconfig`. */
export const userConfigFolder = "/dev/git-user";

type Stat = ReturnType<typeof statOf>;

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function isBytes(path: string): boolean {
  return /\/\.git\/(objects\/|index$)/.test(path);
}

function statOf(text: string | undefined) {
  const isFile = text !== undefined;
  return {
    type: isFile ? "file" : "dir",
    mode: isFile ? 0o100644 : 0o40755,
    size: isFile ? new TextEncoder().encode(text).length : 0,
    ino: 0,
    mtimeMs: 0,
    ctimeMs: 0,
    uid: 1000,
    gid: 1000,
    dev: 1,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
  };
}

export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export function fileSystemOf(files: Files, home: string) {
  const place = (path: string) =>
    path === `${userConfigFolder}/config` ? `${home}/.gitconfig` : path.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");
  const stat = async (name: string): Promise<Stat> => {
    const path = place(name);
    const text = files.read(path);
    if (text === undefined && !files.list(path)) throw failure("ENOENT", path);
    return statOf(text);
  };
  const promises = {
    readFile: async (name: string, options?: string | { readonly encoding?: string }) => {
      const path = place(name);
      const text = files.read(path);
      if (text === undefined) throw failure(files.list(path) ? "EISDIR" : "ENOENT", path);
      const isText = (typeof options === "string" ? options : options?.encoding) === "utf8";
      if (isText) return text;
      return isBytes(path) ? bytesOf(text) : new TextEncoder().encode(text);
    },
    writeFile: async (name: string, content: string | Uint8Array) => {
      const path = place(name);
      const text = typeof content === "string" ? content : (isBytes(path) ? lettersOfBytes : decoded)(content);
      files.write(path, text);
    },
    unlink: async (name: string) => {
      if (files.read(place(name)) === undefined) throw failure("ENOENT", name);
      files.remove(place(name));
    },
    readdir: async (name: string) => {
      const names = files.list(place(name));
      if (names) return names.filter((entry) => entry !== "");
      throw failure(files.read(place(name)) === undefined ? "ENOENT" : "ENOTDIR", name);
    },
    mkdir: async (name: string) => {
      const path = place(name);
      if (files.list(path) || files.read(path) !== undefined) throw failure("EEXIST", path);
      // Folders of objects come to be with their files, which saves an entry each.
      if (!/\/\.git\/(objects\/|hooks|info)/.test(path)) files.makeFolder(path);
    },
    rmdir: async (name: string) => {
      const inside = files.list(place(name));
      if (!inside) throw failure("ENOENT", name);
      if (inside.some((entry) => entry !== "")) throw failure("ENOTEMPTY", name);
      files.remove(place(name));
    },
    stat,
    lstat: stat,
    readlink: (name: string) => Promise.reject(failure("EINVAL", name)),
    symlink: (_target: string, name: string) => Promise.reject(failure("EPERM", name)),
    chmod: () => Promise.resolve(),
  };
  return { promises };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
