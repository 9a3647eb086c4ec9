// A container's files as its processes know them: texts and folders by absolute path, in a tree whose copies share equal branches.
import { heapBytes } from "../../../shared/shell/meter.ts";
import { absolute } from "../../../shared/shell/paths.ts";

export { absolute };

/** A file, a folder or a symbolic link. The text of a folder is undefined. */
export interface Entry {
  readonly text: string | undefined;
  /** The mode, with the bits of setuid, setgid and sticky. */
  readonly mode: number;
  readonly changedMs: number;
  /** Default: root. */
  readonly uid?: number;
  readonly gid?: number;
  /** The target of a symbolic link, relative to its own folder; its text is undefined. */
  readonly link?: string;
  /** Whether the text is computed when it is read. Until then its size counts as 0. */
  readonly isLazy?: true;
  /** The size in bytes, if the text is only the beginning of what was written (zeros, for example). */
  readonly size?: number;
}

/** A change of one path at a time: a text, a folder (`text` is undefined), or its removal. */
export interface Edit {
  readonly atMs: number;
  readonly path: string;
  readonly text: string | undefined;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly removed?: boolean;
  /** The target of a symbolic link; its text is undefined. */
  readonly link?: string;
  /** See `Entry`. */
  readonly size?: number;
  /** Whether the text is appended. */
  readonly appends?: boolean;
  /** The run that made the edit, if it is stored for others. */
  readonly by?: string;
  /** The run of another container whose request caused it: see `Visits`. */
  readonly from?: string;
}

interface Branch {
  entry: Entry | undefined;
  /** The bytes of the entry's text. */
  textBytes: number;
  names: Map<string, Branch> | undefined;
  /** The bytes of the entry and of everything below it. */
  bytes: number;
  /** The tree that may change the branch. Other trees copy it first. */
  readonly owner: object;
}

/** The bytes of an entry in addition to its text. */
const branchBytes = 256;
const namesPerUnit = 10;
/** The maximum number of links in one path, as in Linux. */
const mostLinks = 40;

/** The entry of a folder without one whose last file was removed. */
const emptiedFolder: Entry = { text: undefined, mode: 0o755, changedMs: 0 };

/** A tree of files. Folders above an entry exist without an entry of their own. */
export class Files {
  #owner = {};
  #root: Branch;
  #hasLinks = false;
  /** Charges work that grows with the number of names in a folder, before it is done. */
  pays: ((units: number) => void) | undefined;

  constructor(entries: Iterable<readonly [string, Entry]> = []) {
    this.#root = this.#branch();
    for (const [path, entry] of entries) this.set(path, entry);
  }

  /** The bytes of all entries. */
  get bytes(): number {
    return this.#root.bytes;
  }

  /** Returns the entry at a path. Follows links. */
  get(path: string): Entry | undefined {
    return this.#find(path)?.entry;
  }

  /** Returns the target of a link; undefined if the path is not a link. */
  link(path: string): string | undefined {
    return this.#hasLinks ? this.#find(path, false)?.entry?.link : undefined;
  }

  /** Returns the path without links. If a link leads nowhere, the existing beginning of the path is resolved. */
  real(path: string, followsLast = true): string {
    return `/${this.#realNames(path, followsLast).join("/")}`;
  }

  /** Returns the names of `real`. */
  #realNames(path: string, followsLast: boolean): readonly string[] {
    let names: readonly string[] = namesOf(path);
    if (!this.#hasLinks) return names;
    for (let at = 0, folder: Branch | undefined = this.#root, links = 0; at < names.length; at++) {
      folder = folder?.names?.get(names[at] ?? "");
      const to = folder?.entry?.link;
      if (to === undefined || (!followsLast && at === names.length - 1)) continue;
      if (++links > mostLinks) return ["proc", "self", "loop"];
      names = [...namesOf(absolute(to, `/${names.slice(0, at).join("/")}`)), ...names.slice(at + 1)];
      [at, folder] = [-1, this.#root];
    }
    return names;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** Reports whether there is an entry, or a folder above one. */
  exists(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  isFolder(path: string): boolean {
    const branch = this.#find(path);
    return branch !== undefined && (branch.entry === undefined || branch.entry.text === undefined);
  }

  /** Returns the names in a folder, sorted. */
  names(path: string): string[] {
    const names = this.#find(path)?.names;
    if (!names) return [];
    this.pays?.(names.size / 4);
    return [...names.keys()].sort();
  }

  set(path: string, entry: Entry): void {
    const names = this.#realNames(path, entry.link === undefined);
    this.#hasLinks ||= entry.link !== undefined;
    this.#put(names, entry, entry.isLazy || entry.text === undefined ? 0 : heapBytes(entry.text));
  }

  /** Appends to a text without reading it. */
  append(anyPath: string, text: string, more: Omit<Entry, "text">): void {
    const path = this.#hasLinks ? this.real(anyPath) : anyPath;
    const branch = this.#find(path);
    const before = branch?.entry?.text;
    const textBytes = (before === undefined ? 0 : (branch?.textBytes ?? 0)) + heapBytes(text);
    this.#put(namesOf(path), { text: (before ?? "") + text, ...more }, textBytes);
  }

  /** Removes an entry and everything below it. The folder above stays. */
  remove(anyPath: string): void {
    const path = this.#hasLinks ? this.real(anyPath, false) : anyPath;
    const branch = this.#find(path, false);
    if (!branch) return;
    const names = namesOf(path);
    const last = names.pop();
    if (last === undefined) {
      this.#root = this.#branch();
      return;
    }
    const trail = this.#trail(names);
    trail.at(-1)?.names?.delete(last);
    for (const ancestor of trail) ancestor.bytes -= branch.bytes;
    // An emptied folder stays. Only an entry lets `below` list it, so that it can be copied and moved.
    const folder = trail.at(-1);
    if (folder?.names?.size === 0) folder.entry ??= emptiedFolder;
  }

  /** Returns the entries below a folder, sorted by path; all entries for `""`. A link counts as its target file; links to folders are not followed. */
  below(path: string): [string, Entry][] {
    const start = this.#find(path);
    const entries: [string, Entry][] = [];
    const left: [string, Branch][] = start ? [[path === "/" ? "" : path, start]] : [];
    for (let next; (next = left.pop()); ) {
      const [folder, { names }] = next;
      this.pays?.((names?.size ?? 0) / 2 + 0.5);
      for (const [name, branch] of names ?? []) {
        const fullPath = `${folder}/${name}`;
        const file = branch.entry?.link === undefined ? undefined : this.#find(fullPath)?.entry;
        if (branch.entry) entries.push([fullPath, file?.text === undefined ? branch.entry : file]);
        if (branch.names) left.push([fullPath, branch]);
      }
    }
    return entries.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Copies the tree. The copy shares all branches until one of the two trees changes. */
  copy(): Files {
    const copy = new Files();
    copy.#root = this.#root;
    copy.#hasLinks = this.#hasLinks;
    this.#owner = {};
    return copy;
  }

  #find(anyPath: string, followsLast = true): Branch | undefined {
    if (anyPath === "/" || anyPath === "") return this.#root;
    if (!anyPath.startsWith("/")) return undefined;
    let at: Branch | undefined = this.#root;
    for (const name of this.#realNames(anyPath, followsLast)) at = at?.names?.get(name);
    return at;
  }

  #put(names: readonly string[], entry: Entry, textBytes: number): void {
    const trail = this.#trail(names);
    const last = trail.at(-1);
    if (!last) return;
    const more = textBytes - last.textBytes;
    last.entry = entry;
    last.textBytes = textBytes;
    for (const ancestor of trail) ancestor.bytes += more;
  }

  /** Returns the branches on the way to a path. Creates missing ones and makes this tree the owner of all. */
  #trail(names: readonly string[]): Branch[] {
    this.#root = this.#mine(this.#root);
    const trail = [this.#root];
    let at = this.#root;
    let createdCount = 0;
    for (const name of names) {
      at.names ??= new Map();
      const child = at.names.get(name);
      const next = child ? this.#mine(child) : this.#branch();
      at.names.set(name, next);
      trail.push(next);
      at = next;
      if (!child) createdCount++;
    }
    // Created branches are at the end of the trail. Each counts in all branches above it.
    for (let index = trail.length - 2, bytes = branchBytes; createdCount > 0 && index >= 0; index--) {
      const branch = trail[index];
      if (branch) branch.bytes += bytes;
      if (index >= trail.length - createdCount) bytes += branchBytes;
    }
    return trail;
  }

  #mine(branch: Branch): Branch {
    if (branch.owner === this.#owner) return branch;
    this.pays?.((branch.names?.size ?? 0) / namesPerUnit);
    return { ...branch, names: branch.names && new Map(branch.names), owner: this.#owner };
  }

  #branch(): Branch {
    return { entry: undefined, textBytes: 0, names: undefined, bytes: branchBytes, owner: this.#owner };
  }
}

function namesOf(path: string): string[] {
  const names = path.split("/");
  names.shift();
  return names.length === 1 && names[0] === "" ? [] : names;
}

/** The folders that every image has. */
const folders =
  "/bin /dev /dev/shm /etc /home /lib /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin /usr/local /usr/local/bin /usr/sbin /usr/share /var /var/cache /var/lib /var/log /var/run /var/spool /var/tmp /var/www".split(
    " ",
  );
const usual = new Files(folders.map((path) => [path, { text: undefined, mode: 0o755, changedMs: 0 }]));

export function newFiles(): Files {
  return usual.copy();
}

export function isFolder(files: Files, path: string): boolean {
  return files.isFolder(path);
}

export function exists(files: Files, path: string): boolean {
  return files.exists(path);
}

/** Returns the names in a folder, sorted. */
export function namesIn(files: Files, path: string): string[] {
  return files.names(path);
}

export function applyEdit(files: Files, edit: Edit): void {
  const { atMs, path, text, removed, appends, link } = edit;
  // Paths below /proc are not files: see `outside-input.ts`.
  if (path.startsWith("/proc/")) return;
  if (removed) return files.remove(path);
  if (link !== undefined) files.remove(path);
  const before = files.get(path);
  const mode = edit.mode ?? before?.mode ?? (text === undefined ? 0o755 : 0o644);
  const uid = edit.uid ?? before?.uid;
  const gid = edit.gid ?? before?.gid;
  const size = edit.size === undefined ? {} : { size: edit.size };
  const more = { mode, changedMs: atMs, ...size, ...(uid ? { uid } : {}), ...(gid ? { gid } : {}) };
  if (appends && text !== undefined) files.append(path, text, more);
  else files.set(path, { text, ...more, ...(link === undefined ? {} : { link }) });
}
