// A sequence of commits that are applied one after the other: `git cherry-pick`, `git revert` and `git rebase`. Its state is stored as git
// stores it, so that `git status` reads it, and the real git can continue.
import { changesBetween, countLines } from "./changes.ts";
import type { GitCall } from "./command.ts";
import { GitFailure } from "./failure.ts";
import { personOf } from "./identity.ts";
import { mergeTrees, recordConflicts } from "./merge-trees.ts";
import { moveTo, overwrite } from "./moves.ts";
import { subjectOf } from "./print/commit.ts";
import { summaryText, totalText } from "./print/stat.ts";
import { type Commit, type Repository, shortOf, type Tree } from "./repository.ts";
import { headingOf } from "./print/heading.ts";

export type Action = "pick" | "revert";

/** The files that name the commit that is applied, and its message. */
export const sequenceStates = ["CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "MERGE_MSG"] as const;

const sequencer = "sequencer";

export interface PickOptions {
  readonly action: Action;
  /** The parent of a merge whose changes are taken, counted from 1. */
  readonly mainline?: number | undefined;
  readonly commits: boolean;
  /** Whether the message names the source. */
  readonly namesSource: boolean;
  readonly isQuiet: boolean;
  edit?(message: string): Promise<string>;
}

/** The result of applying a commit. */
export type Picked = "done" | "conflict" | "empty";

export function nameOf(commit: Commit): string {
  return `${shortOf(commit.oid)} (${subjectOf(commit)})`;
}

/** Returns the parent whose changes are taken; undefined for a first commit. */
function parentOf({ oid, parent }: Commit, mainline: number | undefined): string | undefined {
  const failure = (text: string) => new GitFailure(`error: ${text}`, 128);
  if (mainline === undefined) {
    if (parent.length > 1) throw failure(`commit ${oid} is a merge but no -m option was given.`);
    return parent[0];
  }
  if (parent.length < 2 && mainline !== 1) throw failure(`commit ${oid} does not have parent ${mainline}`);
  if (mainline > parent.length) throw failure(`commit ${oid} does not have parent ${mainline}`);
  return parent[mainline - 1];
}

function messageOf(commit: Commit, parent: string | undefined, { action, namesSource, mainline }: PickOptions): string {
  if (action === "pick")
    return namesSource ? `${commit.message.trimEnd()}\n\n(cherry picked from commit ${commit.oid})\n` : commit.message;
  const reversing = mainline === undefined ? "" : `, reversing\nchanges made to ${parent ?? ""}`;
  return `Revert "${subjectOf(commit)}"\n\nThis reverts commit ${commit.oid}${reversing}.\n`;
}

/** Applies the changes of a commit, or their opposite, to the head. */
export async function pick(git: GitCall, oid: string, options: PickOptions): Promise<Picked> {
  const { repository, out } = git;
  const { action } = options;
  const commit = await repository.commit(oid);
  const parent = parentOf(commit, options.mainline);
  const head = await repository.head();
  const ours = options.commits ? await repository.treeOf(head) : repository.index();
  const [before, after] = [await repository.treeOf(parent), await repository.treeOf(oid)];
  const [base, theirs] = action === "pick" ? [before, after] : [after, before];
  const name = action === "pick" ? nameOf(commit) : `parent of ${nameOf(commit)}`;
  const { tree, conflicts, notes } = await mergeTrees(repository, { base, ours, theirs, name });
  await moveTo(git, { by: "merge", from: ours, to: tree });
  out(notes);
  const stateFile = action === "pick" ? "CHERRY_PICK_HEAD" : "REVERT_HEAD";
  const message = messageOf(commit, parent, options);
  if (conflicts.length > 0) {
    const list = await recordConflicts(repository, conflicts);
    repository.writeState("MERGE_MSG", `${message.trimEnd()}\n${list}`);
    repository.writeState(stateFile, `${oid}\n`);
    return "conflict";
  }
  if (!options.commits) {
    repository.writeState("MERGE_MSG", message);
    if (action === "revert") repository.writeState(stateFile, `${oid}\n`);
    return "done";
  }
  if (changesBetween(ours, tree).length === 0) {
    if (action === "pick" && !readSequence(repository)) {
      repository.writeState(stateFile, `${oid}\n`);
      repository.writeState("MERGE_MSG", message);
    }
    return "empty";
  }
  const edited = options.edit ? await options.edit(message) : message;
  if (edited.trim() === "") throw new GitFailure("Aborting commit due to empty commit message.", 1);
  const written = await commitTree(git, {
    tree,
    head,
    message: edited,
    ...(action === "pick" ? { source: commit } : {}),
  });
  endPick(repository);
  if (!options.isQuiet) out(await commitSummary(git, written, ours, tree));
  return "done";
}

interface NewPick {
  readonly tree: Tree;
  readonly head: string | undefined;
  readonly message: string;
  /** The commit whose author stays. */
  readonly source?: Commit;
}

export async function commitTree(git: GitCall, { tree, head, message, source }: NewPick): Promise<Commit> {
  const { repository } = git;
  const oid = await repository.writeCommit({
    tree: await repository.storeTree(tree),
    parent: head === undefined ? [] : [head],
    author: source?.author ?? (await personOf(git, "AUTHOR")),
    committer: await personOf(git, "COMMITTER"),
    message: `${message.trimEnd()}\n`,
  });
  await repository.moveHead(oid);
  return repository.commit(oid);
}

export async function commitSummary(
  { repository }: GitCall,
  commit: Commit,
  from: Tree,
  to: Tree,
  showsDate = true,
): Promise<string> {
  const changes = await countLines(repository, changesBetween(from, to));
  const place = repository.branch ?? "detached HEAD";
  return headingOf(commit, place, showsDate) + (changes.length > 0 ? totalText(changes) + summaryText(changes) : "");
}

// --- State ---

export function endPick(repository: Repository): void {
  for (const name of sequenceStates) repository.writeState(name, undefined);
}

export interface Sequence {
  readonly action: Action;
  /** The head before the first commit. */
  readonly head: string;
  /** The commits that are left, the current one first. */
  readonly todo: readonly string[];
}

export function readSequence(repository: Repository): Sequence | undefined {
  const head = repository.readState(`${sequencer}/head`)?.trim();
  const lines = (repository.readState(`${sequencer}/todo`) ?? "").split("\n").filter(Boolean);
  if (head === undefined) return undefined;
  const todo = lines.map((line) => line.split(" ")[1] ?? "");
  return { action: lines[0]?.startsWith("revert") ? "revert" : "pick", head, todo };
}

export async function writeSequence(repository: Repository, sequence: Sequence | undefined): Promise<void> {
  if (!sequence) {
    for (const name of ["head", "todo", "abort-safety", "opts"])
      repository.writeState(`${sequencer}/${name}`, undefined);
    repository.files.remove(`${repository.gitdir}/${sequencer}/`);
    return;
  }
  const { action, head, todo } = sequence;
  repository.writeState(`${sequencer}/head`, `${head}\n`);
  repository.writeState(`${sequencer}/todo`, await todoText(repository, action, todo));
  repository.writeState(`${sequencer}/abort-safety`, `${(await repository.head()) ?? ""}\n`);
}

export async function todoText(repository: Repository, action: Action, oids: readonly string[]): Promise<string> {
  const lines = await Promise.all(
    oids.map(async (oid) => `${action} ${oid} ${subjectOf(await repository.commit(oid))}\n`),
  );
  return lines.join("");
}

/** Makes index and working tree those of a commit, and forgets the commit that was applied. */
export async function resetTo(repository: Repository, oid: string | undefined): Promise<void> {
  await overwrite(repository, await repository.treeOf(oid));
  if (oid !== undefined) await repository.moveHead(oid);
  endPick(repository);
}

/** Returns the commit that is applied now. */
export function currentPick(repository: Repository): { action: Action; oid: string } | undefined {
  const picked = repository.readState("CHERRY_PICK_HEAD")?.trim();
  if (picked !== undefined) return { action: "pick", oid: picked };
  const reverted = repository.readState("REVERT_HEAD")?.trim();
  return reverted === undefined ? undefined : { action: "revert", oid: reverted };
}
