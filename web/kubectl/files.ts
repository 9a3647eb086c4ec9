// A small in-memory file system with a limit in bytes. It reports changes to its owner.

/** Files by absolute, normalized path (`/home/user/web.yaml`). A folder exists while it has files, or if it was created explicitly. */
export interface Files {
  /** Returns undefined if the file does not exist. */
  read(path: string): string | undefined;
  /** Throws if the limit is exceeded or the path is a folder. */
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Returns the sorted names in a folder, or undefined if it does not exist. */
  list(path: string): string[] | undefined;
  makeFolder(path: string): void;
  /** The working folder, which relative paths start from. */
  folder: string;
}

export interface FileBounds {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const defaultBounds: FileBounds = { maxBytes: 4 * 1024 * 1024, maxFiles: 500 };

/** Creates a file system. `entries` maps paths to texts; a path that ends in a slash is a folder. */
export function memoryFiles(
  entries: Readonly<Record<string, string>> = {},
  folder = "/",
  changed: (entries: Readonly<Record<string, string>>) => void = () => undefined,
  bounds: FileBounds = defaultBounds,
): Files {
  const texts = new Map(Object.entries(entries));
  const size = () => [...texts].reduce((total, [path, text]) => total + path.length + text.length, 0);
  const isFolder = (path: string) =>
    path === "/" || [...texts.keys()].some((entryPath) => entryPath.startsWith(`${path}/`));
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
      for (const entryPath of [...texts.keys()])
        if (entryPath === path || entryPath.startsWith(`${path}/`)) texts.delete(entryPath);
      tell();
    },
    list: (path) => {
      if (!isFolder(path)) return undefined;
      const start = path === "/" ? "/" : `${path}/`;
      const inside = [...texts.keys()].filter((entryPath) => entryPath.startsWith(start) && entryPath !== start);
      return [...new Set(inside.map((entryPath) => entryPath.slice(start.length).split("/")[0] ?? ""))].sort();
    },
    makeFolder: (path) => put(`${path}/`, ""),
  };
}
