// A repository among the terminal's files: its objects, index, working tree, references and configuration.
import type { Spend } from "../../../../shared/base/pattern.ts";
import { absolute } from "../../../../shared/shell/paths.ts";
import type { Files } from "../../../kubectl/files.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import type { ProgramCall } from "../program.ts";
import type { Shell } from "../shell.ts";
import { fatal } from "./failure.ts";
import { fileSystemOf, userConfigFolder } from "./file-system.ts";
import { type IndexEntry, readIndex, writeIndex } from "./index-file.ts";
import { IgnoredPaths, ignoreRules } from "./ignore.ts";
import type { GitLibrary } from "./library.ts";
import { identText } from "./person.ts";

/** The content of paths: of a commit, the index, or the working tree. */
export type Tree = ReadonlyMap<string, string>;

export type Commit = Awaited<ReturnType<GitLibrary["readCommit"]>>["commit"] & { readonly oid: string };

export type NewCommit = Pick<Commit, "tree" | "parent" | "author" | "committer" | "message">;

export const fileMode = 0o100644;
const shortLength = 7;
const mostCommits = 10_000;

export interface RepositoryOptions {
  /** The user's home folder. */
  readonly home: string;
  /** Charges the work of patterns. */
  readonly spend: Spend;
}

export class Repository {
  readonly api: GitLibrary;
  readonly files: Files;
  readonly dir: string;
  readonly gitdir: string;
  /** The arguments that each call of the library begins with. */
  readonly place;
  readonly #cache = {};
  readonly #texts = new Map<string, string>();
  readonly #home: string;
  readonly #spend: Spend;

  constructor(api: GitLibrary, files: Files, { home, spend }: RepositoryOptions, dir: string) {
    this.api = api;
    this.files = files;
    this.#home = home;
    this.#spend = spend;
    this.dir = dir;
    this.gitdir = `${dir}/.git`.replace("//", "/");
    this.place = { fs: fileSystemOf(files, home), dir, gitdir: this.gitdir, cache: this.#cache };
  }

  // --- References ---

  /** Returns the full name of the branch, or undefined if the head is detached. */
  get branchRef(): string | undefined {
    return /^ref: (\S+)/.exec(this.readState("HEAD") ?? "")?.[1];
  }

  get branch(): string | undefined {
    return this.branchRef?.replace(/^refs\/heads\//, "");
  }

  /** Returns the commit of the head, or undefined before the first commit. */
  async head(): Promise<string | undefined> {
    return this.ref("HEAD");
  }

  async ref(name: string): Promise<string | undefined> {
    return this.api.resolveRef({ ...this.place, ref: name }).catch(() => undefined);
  }

  setRef(name: string, oid: string): Promise<void> {
    return this.api.writeRef({ ...this.place, ref: name, value: oid, force: true });
  }

  /** Moves the branch, or the detached head. */
  async moveHead(oid: string): Promise<void> {
    const { branchRef } = this;
    if (branchRef !== undefined) await this.setRef(branchRef, oid);
    else this.writeState("HEAD", `${oid}\n`);
  }

  /** Reads a file of the repository's own folder. */
  readState(name: string): string | undefined {
    return this.files.read(`${this.gitdir}/${name}`);
  }

  writeState(name: string, text: string | undefined): void {
    if (text !== undefined) this.files.write(`${this.gitdir}/${name}`, text);
    else if (this.readState(name) !== undefined) this.files.remove(`${this.gitdir}/${name}`);
  }

  // --- Objects ---

  async commit(oid: string): Promise<Commit> {
    const { commit } = await this.api.readCommit({ ...this.place, oid });
    return { ...commit, oid };
  }

  /** Returns the files of a commit; undefined stands for no commit. */
  async treeOf(oid: string | undefined): Promise<Tree> {
    const tree = new Map<string, string>();
    const add = async (treeOid: string, start: string): Promise<void> => {
      const { tree: entries } = await this.api.readTree({ ...this.place, oid: treeOid });
      for (const { path, oid: entryOid, type } of entries) {
        if (type === "tree") await add(entryOid, `${start}${path}/`);
        else tree.set(start + path, entryOid);
      }
    };
    if (oid !== undefined) await add((await this.commit(oid)).tree, "");
    return tree;
  }

  /** Returns the text of a blob; none for undefined. */
  async text(oid: string | undefined): Promise<string> {
    if (oid === undefined) return "";
    const before = this.#texts.get(oid);
    if (before !== undefined) return before;
    const { blob } = await this.api.readBlob({ ...this.place, oid });
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(blob);
    this.#texts.set(oid, text);
    return text;
  }

  /** Returns the id of a text without storing it. `text()` can read it until the command ends. */
  async hash(text: string): Promise<string> {
    const { oid } = await this.api.hashBlob({ object: text });
    this.#texts.set(oid, text);
    return oid;
  }

  store(text: string): Promise<string> {
    return this.api.writeBlob({ ...this.place, blob: new TextEncoder().encode(text) });
  }

  /** Stores a commit. The message is stored as it is. */
  writeCommit({ tree, parent, author, committer, message }: NewCommit): Promise<string> {
    const parents = parent.map((oid) => `parent ${oid}\n`).join("");
    const text = `tree ${tree}\n${parents}author ${identText(author)}\ncommitter ${identText(committer)}\n\n${message}`;
    return this.api.writeObject({
      ...this.place,
      type: "commit",
      format: "content",
      object: new TextEncoder().encode(text),
    });
  }

  /** Stores the folders of these files, and returns the id of the root. */
  async storeTree(tree: Tree): Promise<string> {
    const folders = new Map<string, Map<string, string>>();
    const entries: { mode: string; path: string; oid: string; type: "blob" | "tree" }[] = [];
    for (const [path, oid] of tree) {
      const slash = path.indexOf("/");
      if (slash < 0) entries.push({ mode: "100644", path, oid, type: "blob" });
      else {
        const inside = folders.get(path.slice(0, slash)) ?? new Map<string, string>();
        folders.set(path.slice(0, slash), inside.set(path.slice(slash + 1), oid));
      }
    }
    for (const [path, inside] of folders)
      entries.push({ mode: "040000", path, oid: await this.storeTree(inside), type: "tree" });
    return this.api.writeTree({ ...this.place, tree: entries });
  }

  /** Returns a commit and all before it, the newest first. */
  async history(oids: readonly string[], without: readonly string[] = []): Promise<Commit[]> {
    const hidden = new Set(without.length > 0 ? (await this.history(without)).map(({ oid }) => oid) : []);
    const entered = new Set(hidden);
    const waiting: Commit[] = [];
    const enter = async (oid: string) => {
      if (entered.has(oid)) return;
      entered.add(oid);
      const commit = await this.commit(oid);
      const after = waiting.findIndex(({ committer }) => committer.timestamp < commit.committer.timestamp);
      waiting.splice(after < 0 ? waiting.length : after, 0, commit);
    };
    for (const oid of oids) await enter(oid);
    const commits: Commit[] = [];
    for (let next; commits.length < mostCommits && (next = waiting.shift()); commits.push(next))
      for (const parent of next.parent) await enter(parent);
    return commits;
  }

  // --- Index and working tree ---

  entries(): IndexEntry[] {
    return readIndex(this.readState("index"));
  }

  /** Returns the index; of unmerged paths our side. */
  index(): Map<string, string> {
    return new Map(this.entries().flatMap(({ path, oid, stage }) => (stage === 0 || stage === 2 ? [[path, oid]] : [])));
  }

  /** Returns the stages of each unmerged path. */
  unmerged(): Map<string, number[]> {
    const stages = new Map<string, number[]>();
    for (const { path, stage } of this.entries()) if (stage > 0) stages.set(path, [...(stages.get(path) ?? []), stage]);
    return stages;
  }

  /** Sets paths in the index, or removes those without an id. They are merged then. */
  async stage(changes: Iterable<readonly [path: string, oid: string | undefined]>): Promise<void> {
    const changed = new Map(changes);
    const rest = this.entries().filter(({ path }) => !changed.has(path));
    const added = [...changed].flatMap(([path, oid]) =>
      oid === undefined ? [] : [{ path, oid, mode: fileMode, stage: 0 }],
    );
    await this.writeEntries([...rest, ...added]);
  }

  async writeEntries(entries: readonly IndexEntry[]): Promise<void> {
    this.writeState("index", await writeIndex(entries));
  }

  /** Replaces the index. */
  async stageAll(tree: Tree): Promise<void> {
    await this.writeEntries([...tree].map(([path, oid]) => ({ path, oid, mode: fileMode, stage: 0 })));
  }

  /** Returns the paths of all files of the working tree, sorted as git does. */
  workPaths(): string[] {
    const paths: string[] = [];
    const add = (folder: string, start: string) => {
      for (const name of this.files.list(folder) ?? []) {
        if (name === ".git" || name === "") continue;
        const path = absolute(name, folder);
        if (this.files.read(path) !== undefined) paths.push(start + name);
        // A repository inside of this one is its own.
        else if (!this.files.list(`${path}/.git`)) add(path, `${start}${name}/`);
      }
    };
    add(this.dir, "");
    return paths.sort(byName);
  }

  readWork(path: string): string | undefined {
    return this.files.read(absolute(path, this.dir));
  }

  writeWork(path: string, text: string | undefined): void {
    const place = absolute(path, this.dir);
    if (text !== undefined) return this.files.write(place, text);
    this.files.remove(place);
    // Folders that are empty now go too, except the working tree itself.
    for (let folder = absolute("..", place); folder.length > this.dir.length; folder = absolute("..", folder))
      if ((this.files.list(folder) ?? []).every((name) => name === "")) this.files.remove(`${folder}/`);
  }

  /** Returns the content of these paths in the working tree, without those that are missing there. */
  async work(paths: Iterable<string>): Promise<Map<string, string>> {
    const tree = new Map<string, string>();
    for (const path of paths) {
      const text = this.readWork(path);
      if (text !== undefined) tree.set(path, await this.hash(text));
    }
    return tree;
  }

  /** Returns the files that are neither in the index nor ignored. */
  async untracked(): Promise<string[]> {
    const tracked = new Set(this.entries().map(({ path }) => path));
    const ignored = await this.ignored();
    return this.workPaths().filter((path) => !tracked.has(path) && !ignored.isIgnored(path));
  }

  /** Returns the rules of the ignored files: of each folder's `.gitignore`, the repository's `info/exclude`, and the user's own. */
  async ignored(): Promise<IgnoredPaths> {
    const setting = (await this.setting("core.excludesfile")) ?? "~/.config/git/ignore";
    const path = absolute(setting.replace(/^~(?=\/)/, this.#home), this.dir);
    const rules = [
      ...ignoreRules(this.files.read(path) ?? "", setting.replace(/^~(?=\/)/, this.#home)),
      ...ignoreRules(this.readState("info/exclude") ?? "", ".git/info/exclude"),
    ];
    return new IgnoredPaths((name) => this.readWork(name), rules, this.#spend);
  }

  // --- Configuration ---

  /** Returns a setting of the repository, or else of the user. */
  async setting(name: string): Promise<string | undefined> {
    for (const gitdir of [this.gitdir, userConfigFolder]) {
      const value: unknown = await this.api.getConfig({ ...this.place, gitdir, path: name });
      if (value !== undefined && value !== null) return typeof value === "string" ? value : JSON.stringify(value);
    }
    return undefined;
  }
}

export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function shortOf(oid: string): string {
  return oid.slice(0, shortLength);
}

/** Returns the repository that the shell's folder is in. */
export function repositoryAt(api: GitLibrary, files: Files, options: RepositoryOptions, folder: string): Repository {
  for (let dir = folder; ; dir = absolute("..", dir)) {
    if (files.read(absolute(".git/HEAD", dir)) !== undefined) return new Repository(api, files, options, dir);
    if (dir === "/") throw fatal("not a git repository (or any of the parent directories): .git");
  }
}

export function repositoryOptions({ shell, process }: Pick<ProgramCall, "shell" | "process">): RepositoryOptions {
  return { home: homeOf(shell), spend: (units) => charge(process, units) };
}

export function homeOf(shell: Shell): string {
  return shell.variables.get("HOME") ?? "/";
}
