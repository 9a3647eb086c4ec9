// The state of the working tree, in the forms of `git status`.
import { type Change, changesBetween } from "./changes.ts";
import { type GitCall, nameFrom } from "./command.ts";
import { detachedPlace } from "./moves.ts";
import { isConcluding, operationText, rebaseHeading } from "./operation.ts";
import { pathText } from "./print/path.ts";
import { byName, type Repository, type Tree } from "./repository.ts";

export interface Status {
  readonly head: string | undefined;
  readonly headTree: Tree;
  readonly index: Tree;
  readonly staged: readonly Change[];
  readonly unstaged: readonly Change[];
  /** Untracked files; a folder without tracked ones is one entry with a slash. */
  readonly untracked: readonly string[];
  readonly unmerged: ReadonlyMap<string, readonly number[]>;
}

export async function readStatus(repository: Repository): Promise<Status> {
  const head = await repository.head();
  const headTree = await repository.treeOf(head);
  const index = repository.index();
  const unmerged = repository.unmerged();
  const isMerged = (path: string) => !unmerged.has(path);
  const tracked = repository.entries().map(({ path }) => path);
  const work = await repository.work(index.keys());
  return {
    head,
    headTree,
    index,
    staged: changesBetween(headTree, index, isMerged),
    unstaged: changesBetween(index, work, isMerged),
    untracked: folded(await repository.untracked(), tracked),
    unmerged: new Map([...unmerged].sort(([a], [b]) => byName(a, b))),
  };
}

function folded(untracked: readonly string[], tracked: readonly string[]): string[] {
  const entries = untracked.map((path) => {
    const segments = path.split("/");
    for (let depth = 1; depth < segments.length; depth++) {
      const folder = `${segments.slice(0, depth).join("/")}/`;
      if (!tracked.some((name) => name.startsWith(folder))) return folder;
    }
    return path;
  });
  return [...new Set(entries)];
}

const stageNames: Readonly<Record<string, readonly [string, string]>> = {
  "1": ["both deleted:", "DD"],
  "2": ["added by us:", "AU"],
  "3": ["added by them:", "UA"],
  "12": ["deleted by them:", "UD"],
  "13": ["deleted by us:", "DU"],
  "23": ["both added:", "AA"],
  "123": ["both modified:", "UU"],
};

const kindNames = { A: "new file:", D: "deleted:", M: "modified:", R: "renamed:" } as const;
const labelWidth = 12;
const conflictWidth = 17;

/** Returns the long form. `isCommitting` is the form that `git commit` prints. */
export async function longStatus(git: GitCall, status: Status, tracking: string): Promise<string> {
  const { repository, paint } = git;
  const { branch } = repository;
  const place = branch === undefined ? await detachedPlace(repository) : "";
  const rebase = rebaseHeading(repository);
  const at =
    rebase !== undefined
      ? paint("red", rebase)
      : branch === undefined
        ? `${paint("red", `HEAD detached ${place.trim().split(" ")[0] ?? ""} `)}${place.trim().split(" ")[1] ?? ""}`
        : `On branch ${branch}`;
  const operation = operationText(repository, status.unmerged.size > 0);
  const initial = status.head === undefined ? "\nNo commits yet\n" : "";
  return `${at}\n${tracking}${operation}${initial}${sections(git, status, operation !== "")}${advice(status, repository)}`;
}

function sections(
  git: GitCall,
  { head, staged, unstaged, untracked, unmerged }: Status,
  hasOperation: boolean,
): string {
  const { paint, repository } = git;
  const name = (path: string) => pathText(nameFrom(git, path));
  const line = (color: "red" | "green", label: string, text: string, width: number) =>
    `\t${paint(color, `${label.padEnd(width)}${text}`)}\n`;
  const changed = (color: "red" | "green", changes: readonly Change[]) =>
    changes
      .map(({ kind, path, oldPath }) =>
        line(
          color,
          kindNames[kind],
          oldPath === undefined ? name(path) : `${name(oldPath)} -> ${name(path)}`,
          labelWidth,
        ),
      )
      .join("");
  const unstage = isConcluding(repository)
    ? ""
    : head === undefined
      ? '  (use "git rm --cached <file>..." to unstage)\n'
      : '  (use "git restore --staged <file>..." to unstage)\n';
  const hasDeleted = unstaged.some(({ kind }) => kind === "D");
  const paragraphs = [
    staged.length > 0 && `Changes to be committed:\n${unstage}${changed("green", staged)}`,
    unmerged.size > 0 &&
      `Unmerged paths:\n${unstage}${resolveAdvice(unmerged)}${[...unmerged].map(([path, stages]) => line("red", stageNames[stages.join("")]?.[0] ?? "", name(path), conflictWidth)).join("")}`,
    unstaged.length > 0 &&
      `Changes not staged for commit:\n  (use "git add${hasDeleted ? "/rm" : ""} <file>..." to update what will be committed)\n  (use "git restore <file>..." to discard changes in working directory)\n${changed("red", unstaged)}`,
    untracked.length > 0 &&
      `Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n${untracked.map((path) => `\t${paint("red", name(path))}\n`).join("")}`,
  ].filter((text): text is string => text !== false);
  const isSpaced = head === undefined || hasOperation;
  return `${isSpaced ? "\n" : ""}${paragraphs.map((text) => `${text}\n`).join("")}`;
}

function resolveAdvice(unmerged: Status["unmerged"]): string {
  const hasDeleted = [...unmerged.values()].some((stages) => !stages.includes(2) || !stages.includes(3));
  return `  (use "git add${hasDeleted ? "/rm" : ""} <file>..." ${hasDeleted ? "as appropriate " : ""}to mark resolution)\n`;
}

function advice({ head, staged, unstaged, untracked, unmerged }: Status, repository: Repository): string {
  if (staged.length > 0) return "";
  if (unstaged.length > 0 || unmerged.size > 0)
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n';
  if (untracked.length > 0) return 'nothing added to commit but untracked files present (use "git add" to track)\n';
  if (head === undefined) return 'nothing to commit (create/copy files and use "git add" to track)\n';
  return repository.readState("MERGE_HEAD") === undefined ? "nothing to commit, working tree clean\n" : "";
}

/** Returns the short form, one line for each path. */
export function shortStatus(git: GitCall, { staged, unstaged, untracked, unmerged }: Status): string {
  const { paint } = git;
  const rows = new Map<string, { index: string; work: string; name: string }>();
  for (const { path, kind, oldPath } of staged)
    rows.set(path, { index: kind, work: " ", name: oldPath === undefined ? path : `${oldPath}\0${path}` });
  for (const { path, kind } of unstaged) {
    const row = rows.get(path);
    rows.set(path, { index: row?.index ?? " ", work: kind, name: row?.name ?? path });
  }
  for (const [path, stages] of unmerged) {
    const [index = "U", work = "U"] = stageNames[stages.join("")]?.[1] ?? "";
    rows.set(path, { index, work, name: path });
  }
  const lines = [...rows]
    .sort(([a], [b]) => byName(a, b))
    .map(([path, { index, work, name }]) => {
      const names = unmerged.has(path)
        ? paint("red", index + work)
        : paint("green", index.trim()) + (index === " " ? " " : "") + (work === " " ? " " : paint("red", work));
      return `${names} ${name
        .split("\0")
        .map((each) => pathText(nameFrom(git, each), true))
        .join(" -> ")}\n`;
    });
  return (
    lines.join("") + untracked.map((path) => `${paint("red", "??")} ${pathText(nameFrom(git, path), true)}\n`).join("")
  );
}
