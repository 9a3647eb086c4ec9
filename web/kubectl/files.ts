// A small file system in memory, bounded in bytes; whoever keeps it is told of changes.

/** Paths are absolute and normal (`/home/user/web.yaml`); folders are there as long as something is in them, or as they were made. */
export interface Files {
  /** Undefined where there is no such file. */
  read(path: string): string | undefined;
  /** Throws where there is no room, or a folder is in the way. */
  write(path: string, text: string): void;
  remove(path: string): void;
  /** The names in a folder, sorted; undefined where there is no such folder. */
  list(path: string): string[] | undefined;
  makeFolder(path: string): void;
  /** The folder that relative paths begin at. */
  folder: string;
}

export interface FileBounds {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const defaultBounds: FileBounds = { maxBytes: 4 * 1024 * 1024, maxFiles: 500 };

/** `entries` are the texts of files by their paths; a path that ends in a slash is a folder. */
export function memoryFiles(
  entries: Readonly<Record<string, string>> = {},
  folder = "/",
  changed: (entries: Readonly<Record<string, string>>) => void = () => undefined,
  bounds: FileBounds = defaultBounds,
): Files {
  const texts = new Map(Object.entries(entries));
  const size = () => [...texts].reduce((total, [path, text]) => total + path.length + text.length, 0);
  const isFolder = (path: string) => path === "/" || [...texts.keys()].some((one) => one.startsWith(`${path}/`));
  const tell = () => changed(Object.fromEntries(texts));
  const put = (path: string, text: string) => {
    const before = texts.get(path);
    texts.set(path, text);
    if (size() <= bounds.maxBytes && texts.size <= bounds.maxFiles) return tell();
    if (before === undefined) texts.delete(path);
    else texts.set(path, before);
    throw new Error(`write ${path}: no space left on device`);
  };
  return {
    folder,
    read: (path) => texts.get(path),
    write: (path, text) => {
      if (isFolder(path)) throw new Error(`open ${path}: is a directory`);
      put(path, text);
    },
    remove: (path) => {
      for (const one of [...texts.keys()]) if (one === path || one.startsWith(`${path}/`)) texts.delete(one);
      tell();
    },
    list: (path) => {
      if (!isFolder(path)) return undefined;
      const start = path === "/" ? "/" : `${path}/`;
      const inside = [...texts.keys()].filter((one) => one.startsWith(start) && one !== start);
      return [...new Set(inside.map((one) => one.slice(start.length).split("/")[0] ?? ""))].sort();
    },
    makeFolder: (path) => put(`${path}/`, ""),
  };
}

/** A path as it was typed, from the folder that one stands in. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
