// A container's files as far as its processes know them: texts and folders by absolute path.

/** The text of a file; `undefined` for a folder. */
export interface Entry {
  readonly text: string | undefined;
  readonly mode: number;
  readonly changedMs: number;
}

/** By absolute path without a closing slash. Folders above an entry are there without being listed. */
export type Files = Map<string, Entry>;

/** A change of one path at a moment: a text, a folder (`text` is undefined), or its removal. */
export interface Edit {
  readonly atMs: number;
  readonly path: string;
  readonly text: string | undefined;
  readonly mode?: number;
  readonly removed?: boolean;
}

/** The folders that every image has. */
const folders =
  "/bin /dev /dev/shm /etc /home /lib /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/local /usr/local/bin /usr/sbin /usr/share /var /var/cache /var/lib /var/log /var/run /var/spool /var/tmp /var/www".split(
    " ",
  );

export function newFiles(): Files {
  return new Map(folders.map((path) => [path, { text: undefined, mode: 0o755, changedMs: 0 }]));
}

/** An absolute path without `.`, `..` and doubled slashes. */
export function absolute(path: string, folder: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function isFolder(files: Files, path: string): boolean {
  if (path === "/") return true;
  const entry = files.get(path);
  if (entry) return entry.text === undefined;
  const prefix = `${path}/`;
  for (const one of files.keys()) if (one.startsWith(prefix)) return true;
  return false;
}

export function exists(files: Files, path: string): boolean {
  return files.has(path) || isFolder(files, path);
}

/** The names in a folder, sorted. */
export function namesIn(files: Files, path: string): string[] {
  const prefix = path === "/" ? "/" : `${path}/`;
  const names = new Set<string>();
  for (const one of files.keys()) {
    if (!one.startsWith(prefix) || one === path) continue;
    names.add(one.slice(prefix.length).split("/", 1)[0] ?? "");
  }
  return [...names].sort();
}

export function applyEdit(files: Files, { atMs, path, text, mode, removed }: Edit): void {
  if (!removed) {
    files.set(path, {
      text,
      mode: mode ?? files.get(path)?.mode ?? (text === undefined ? 0o755 : 0o644),
      changedMs: atMs,
    });
    return;
  }
  files.delete(path);
  const prefix = `${path}/`;
  for (const one of [...files.keys()]) if (one.startsWith(prefix)) files.delete(one);
}
