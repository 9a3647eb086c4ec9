// A container's files as far as its processes know them: texts and folders by absolute path, in a tree of which copies share what is alike.
import { heapBytes } from "../../../shared/shell/meter.ts";
import { absolute } from "../../../shared/shell/paths.ts";

export { absolute };

/** The text of a file; `undefined` for a folder. */
export interface Entry {
  readonly text: string | undefined;
  /** With the bits of setuid, setgid and sticky. */
  readonly mode: number;
  readonly changedMs: number;
  /** Root, if it is not said. */
  readonly uid?: number;
  readonly gid?: number;
  /** Where a symbolic link leads, from its own folder; its text is undefined. */
  readonly link?: string;
  /** Its text is worked out when it is asked for, and counts for nothing before. */
  readonly isLazy?: true;
  /** In bytes, where its text is only the beginning of what was written: zeros, say. */
  readonly size?: number;
}

/** A change of one path at a moment: a text, a folder (`text` is undefined), or its removal. */
export interface Edit {
  readonly atMs: number;
  readonly path: string;
  readonly text: string | undefined;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly removed?: boolean;
  /** Where a symbolic link leads; its text is undefined. */
  readonly link?: string;
  /** See `Entry`. */
  readonly size?: number;
  /** The text goes behind what is there. */
  readonly appends?: boolean;
  /** The run that made it, where it is kept for others. */
  readonly by?: string;
  /** The run of another container whose request caused it: see `Visits`. */
  readonly from?: string;
}

interface Branch {
  entry: Entry | undefined;
  /** What the entry's text takes. */
  own: number;
  names: Map<string, Branch> | undefined;
  /** With everything below it. */
  bytes: number;
  /** Who may change it: another has it too. */
  readonly owner: object;
}

/** What an entry takes beside its text. */
const branchBytes = 256;
const namesPerUnit = 10;
/** Links that are followed on the way to one path; Linux follows 40. */
const mostLinks = 40;

/** Folders above an entry are there without being listed. */
export class Files {
  #owner = {};
  #root: Branch;
  #hasLinks = false;
  /** Told of work that grows with a folder's names, in units, before it is done. */
  pays: ((units: number) => void) | undefined;

  constructor(entries: Iterable<readonly [string, Entry]> = []) {
    this.#root = this.#branch();
    for (const [path, entry] of entries) this.set(path, entry);
  }

  /** What all of them take. */
  get bytes(): number {
    return this.#root.bytes;
  }

  /** Of a link, what it leads to. */
  get(path: string): Entry | undefined {
    return this.#find(path)?.entry;
  }

  /** Where a link leads; undefined for what is none. */
  link(path: string): string | undefined {
    return this.#hasLinks ? this.#find(path, false)?.entry?.link : undefined;
  }

  /** The path without links; of one that leads nowhere, as far as there is something. */
  real(path: string, followsLast = true): string {
    let parts = partsOf(path);
    for (let at = 0, folder: Branch | undefined = this.#root, links = 0; at < parts.length; at++) {
      folder = folder?.names?.get(parts[at] ?? "");
      const to = folder?.entry?.link;
      if (to === undefined || (!followsLast && at === parts.length - 1)) continue;
      if (++links > mostLinks) return "/proc/self/loop";
      parts = [...partsOf(absolute(to, `/${parts.slice(0, at).join("/")}`)), ...parts.slice(at + 1)];
      [at, folder] = [-1, this.#root];
    }
    return `/${parts.join("/")}`;
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** An entry, or a folder above one. */
  exists(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  isFolder(path: string): boolean {
    const found = this.#find(path);
    return found !== undefined && (found.entry === undefined || found.entry.text === undefined);
  }

  /** The names in a folder, sorted. */
  names(path: string): string[] {
    const names = this.#find(path)?.names;
    if (!names) return [];
    this.pays?.(names.size / 4);
    return [...names.keys()].sort();
  }

  set(given: string, entry: Entry): void {
    const path = this.#hasLinks ? this.real(given, entry.link === undefined) : given;
    this.#hasLinks ||= entry.link !== undefined;
    this.#put(path, entry, entry.isLazy || entry.text === undefined ? 0 : heapBytes(entry.text));
  }

  /** Adds to a text; what it was is not looked at. */
  append(given: string, text: string, more: Omit<Entry, "text">): void {
    const path = this.#hasLinks ? this.real(given) : given;
    const found = this.#find(path);
    const before = found?.entry?.text;
    const own = (before === undefined ? 0 : (found?.own ?? 0)) + heapBytes(text);
    this.#put(path, { text: (before ?? "") + text, ...more }, own);
  }

  /** Takes an entry away, and everything below it. */
  remove(given: string): void {
    const path = this.#hasLinks ? this.real(given, false) : given;
    const found = this.#find(path, false);
    if (!found) return;
    const parts = partsOf(path);
    const last = parts.pop();
    if (last === undefined) {
      this.#root = this.#branch();
      return;
    }
    const trail = this.#trail(parts);
    trail.at(-1)?.names?.delete(last);
    for (const one of trail) one.bytes -= found.bytes;
    // Folders that nobody made go with the last that was in them.
    for (let at = trail.length - 1; at > 0; at--) {
      const one = trail[at];
      if (!one || one.entry || (one.names?.size ?? 0) > 0) break;
      const bytes = one.bytes;
      trail[at - 1]?.names?.delete(parts[at - 1] ?? "");
      for (const above of trail.slice(0, at)) above.bytes -= bytes;
    }
  }

  /** Entries below a folder, in the order of their paths; with `""` all. A link stands for the file that it leads to; links to folders are not gone into. */
  below(path: string): [string, Entry][] {
    const start = this.#find(path);
    const found: [string, Entry][] = [];
    const left: [string, Branch][] = start ? [[path === "/" ? "" : path, start]] : [];
    for (let next; (next = left.pop()); ) {
      const [folder, { names }] = next;
      this.pays?.((names?.size ?? 0) / 2 + 0.5);
      for (const [name, branch] of names ?? []) {
        const whole = `${folder}/${name}`;
        const file = branch.entry?.link === undefined ? undefined : this.#find(whole)?.entry;
        if (branch.entry) found.push([whole, file?.text === undefined ? branch.entry : file]);
        if (branch.names) left.push([whole, branch]);
      }
    }
    return found.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Costs nothing until one of the two is changed. */
  copy(): Files {
    const copy = new Files();
    copy.#root = this.#root;
    copy.#hasLinks = this.#hasLinks;
    this.#owner = {};
    return copy;
  }

  #find(given: string, followsLast = true): Branch | undefined {
    if (given === "/" || given === "") return this.#root;
    if (!given.startsWith("/")) return undefined;
    const path = this.#hasLinks ? this.real(given, followsLast) : given;
    let at: Branch | undefined = this.#root;
    for (const part of partsOf(path)) at = at?.names?.get(part);
    return at;
  }

  #put(path: string, entry: Entry, own: number): void {
    const trail = this.#trail(partsOf(path));
    const last = trail.at(-1);
    if (!last) return;
    const more = own - last.own;
    last.entry = entry;
    last.own = own;
    for (const one of trail) one.bytes += more;
  }

  /** The way to a path, made where it is not there, and all its own. */
  #trail(parts: readonly string[]): Branch[] {
    this.#root = this.#mine(this.#root);
    const trail = [this.#root];
    let at = this.#root;
    let made = 0;
    for (const part of parts) {
      at.names ??= new Map();
      const found = at.names.get(part);
      const next = found ? this.#mine(found) : this.#branch();
      at.names.set(part, next);
      trail.push(next);
      at = next;
      if (!found) made++;
    }
    // What was made is at the end, and counts above itself.
    for (let index = trail.length - 2, bytes = branchBytes; made > 0 && index >= 0; index--) {
      const one = trail[index];
      if (one) one.bytes += bytes;
      if (index >= trail.length - made) bytes += branchBytes;
    }
    return trail;
  }

  #mine(branch: Branch): Branch {
    if (branch.owner === this.#owner) return branch;
    this.pays?.((branch.names?.size ?? 0) / namesPerUnit);
    return { ...branch, names: branch.names && new Map(branch.names), owner: this.#owner };
  }

  #branch(): Branch {
    return { entry: undefined, own: 0, names: undefined, bytes: branchBytes, owner: this.#owner };
  }
}

function partsOf(path: string): string[] {
  const parts = path.split("/");
  parts.shift();
  return parts.length === 1 && parts[0] === "" ? [] : parts;
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

/** The names in a folder, sorted. */
export function namesIn(files: Files, path: string): string[] {
  return files.names(path);
}

export function applyEdit(files: Files, made: Edit): void {
  const { atMs, path, text, removed, appends, link } = made;
  // What is written below is no file: see `from-outside.ts`.
  if (path.startsWith("/proc/")) return;
  if (removed) return files.remove(path);
  if (link !== undefined) files.remove(path);
  const before = files.get(path);
  const mode = made.mode ?? before?.mode ?? (text === undefined ? 0o755 : 0o644);
  const uid = made.uid ?? before?.uid;
  const gid = made.gid ?? before?.gid;
  const size = made.size === undefined ? {} : { size: made.size };
  const more = { mode, changedMs: atMs, ...size, ...(uid ? { uid } : {}), ...(gid ? { gid } : {}) };
  if (appends && text !== undefined) files.append(path, text, more);
  else files.set(path, { text, ...more, ...(link === undefined ? {} : { link }) });
}
