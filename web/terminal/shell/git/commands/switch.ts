// `git switch`, `git checkout` and `git restore`.
import { type GitCall, type GitCommand, parsed, pathSpec } from "../command.ts";
import { fatal, GitFailure, refusal } from "../failure.ts";
import { personOf } from "../identity.ts";
import { identText } from "../person.ts";
import { endOperation, lastMove, logMove, moveTo, overwrite, writeFile } from "../moves.ts";
import { subjectOf } from "../print/commit.ts";
import { type Repository, shortOf, type Tree } from "../repository.ts";
import { commitOf, findCommit } from "../revision.ts";
import { readStatus } from "../status.ts";
import { trackingText } from "../tracking.ts";
import { checkName, createBranch } from "./branch.ts";

export const switchCommands: Readonly<Record<string, GitCommand>> = { switch: switchTo, checkout, restore };

interface Target {
  readonly name: string;
  readonly creates?: boolean;
  readonly isForced?: boolean;
  readonly start?: string;
  readonly isDetached?: boolean;
  readonly isQuiet: boolean;
  /** Whether local changes are lost. */
  readonly discards: boolean;
}

export async function switchTo(git: GitCall): Promise<number> {
  const { repository } = git;
  const options = parsed(git, "c:C:dqf --create= --force-create= --detach --quiet --force --discard-changes");
  const isQuiet = options.has("q", "quiet");
  const discards = options.has("f", "force", "discard-changes");
  const created = options.value("c", "C", "create", "force-create");
  if (created !== undefined)
    return move(git, {
      name: created,
      creates: true,
      isForced: options.has("C", "force-create"),
      isQuiet,
      discards,
      ...startOf(options.rest[0]),
    });
  const [name] = options.rest;
  const isDetached = options.has("d", "detach");
  if (name === undefined && !isDetached) throw fatal("missing branch or commit argument");
  const target = previousOf(git, name ?? "HEAD");
  if (!isDetached && !(await isBranch(git, target))) {
    if ((await findCommit(repository, target)) === undefined) throw fatal(`invalid reference: ${target}`);
    throw fatal(
      `a branch is expected, got commit '${target}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
    );
  }
  if (repository.readState("MERGE_HEAD") !== undefined)
    throw fatal('cannot switch branch while merging\nConsider "git merge --quit" or "git worktree add".');
  return move(git, { name: target, isDetached, isQuiet, discards });
}

function startOf(start: string | undefined): { start?: string } {
  return start === undefined ? {} : { start };
}

/** Returns the branch before the last switch for `-`. */
function previousOf({ repository }: GitCall, name: string): string {
  if (name !== "-" && name !== "@{-1}") return name;
  const previous = lastMove(repository)?.from;
  if (previous === undefined) throw fatal("invalid reference: @{-1}");
  return previous;
}

/** Reports whether a branch has the name, or one of the remote from which it can be made. */
async function isBranch({ repository }: GitCall, name: string): Promise<boolean> {
  if (name === repository.branch || (await repository.ref(`refs/heads/${name}`)) !== undefined) return true;
  return (await repository.ref(`refs/remotes/origin/${name}`)) !== undefined;
}

async function checkout(git: GitCall): Promise<number> {
  const { repository } = git;
  const options = parsed(git, "b:B:qfd --detach --quiet --force --ours --theirs");
  const isQuiet = options.has("q", "quiet");
  const discards = options.has("f", "force");
  const created = options.value("b", "B");
  if (created !== undefined)
    return move(git, {
      name: created,
      creates: true,
      isForced: options.has("B"),
      isQuiet,
      discards,
      ...startOf(options.rest[0]),
    });
  const [first, ...rest] = options.rest;
  if (options.has("ours", "theirs"))
    return takeSide(git, [...options.rest, ...options.paths], options.has("ours") ? 2 : 3);
  if (first === undefined && !options.hasPaths) {
    if (discards) await discardChanges(repository, await repository.head());
    return 0;
  }
  const target = first === undefined ? undefined : previousOf(git, first);
  const isCommit =
    target !== undefined && ((await isBranch(git, target)) || (await findCommit(repository, target)) !== undefined);
  const names = [...(isCommit ? rest : options.rest), ...options.paths];
  if (names.length > 0) return checkoutFiles(git, isCommit ? target : undefined, names, isQuiet || options.hasPaths);
  if (target === undefined) return 0;
  if (!isCommit) throw refusal(`pathspec '${target}' did not match any file(s) known to git`);
  return move(git, { name: target, isDetached: !(await isBranch(git, target)), isQuiet, discards });
}

/** Restores files from the index, or from a commit into the index too. */
async function checkoutFiles(
  git: GitCall,
  source: string | undefined,
  names: readonly string[],
  isQuiet: boolean,
): Promise<number> {
  const { repository, err } = git;
  const tree: Tree =
    source === undefined ? repository.index() : await repository.treeOf(await commitOf(repository, source));
  const spec = pathSpec(git, names);
  const missing = spec.missing(tree.keys());
  if (missing !== undefined) throw refusal(`pathspec '${missing}' did not match any file(s) known to git`);
  const chosen = [...tree].filter(([path]) => spec.matches(path));
  if (source === undefined) refuseUnmerged(git, spec.matches);
  let updated = 0;
  const index = repository.index();
  for (const [path, oid] of chosen) {
    const text = repository.readWork(path);
    if (text !== undefined && (await repository.hash(text)) === oid && index.get(path) === oid) continue;
    updated++;
    await writeFile(repository, path, oid);
  }
  if (source !== undefined) await repository.stage(chosen);
  if (isQuiet) return 0;
  const plural = updated === 1 ? "" : "s";
  const head =
    source === undefined ? undefined : shortOf((await repository.commit(await commitOf(repository, source))).tree);
  err(`Updated ${updated} path${plural} from ${head ?? "the index"}\n`);
  return 0;
}

/** Throws if a file to restore from the index has several versions there. */
function refuseUnmerged({ repository }: GitCall, matches: (path: string) => boolean): void {
  const paths = [...repository.unmerged().keys()].filter(matches);
  if (paths.length > 0) throw new GitFailure(paths.map((path) => `error: path '${path}' is unmerged`).join("\n"), 1);
}

/** Takes our side or theirs of unmerged files. */
async function takeSide(git: GitCall, names: readonly string[], side: number): Promise<number> {
  const { repository } = git;
  const spec = pathSpec(git, names);
  const entries = repository.entries().filter(({ path, stage }) => stage === side && spec.matches(path));
  const missing = spec.missing(entries.map(({ path }) => path));
  if (missing !== undefined) throw refusal(`path '${missing}' does not have ${side === 2 ? "our" : "their"} version`);
  for (const { path, oid } of entries) await writeFile(repository, path, oid);
  git.err(`Updated ${entries.length} path${entries.length === 1 ? "" : "s"} from the index\n`);
  return 0;
}

const unknownPerson = { name: "user", email: "user@terminal", timestamp: 0, timezoneOffset: 0 };

async function move(git: GitCall, target: Target): Promise<number> {
  const { name, creates, isForced, start, isDetached, isQuiet, discards } = target;
  const { repository, out, err } = git;
  const before = await repository.head();
  const previousBranch = repository.branch;
  const say = (text: string) => isQuiet || err(text);
  if (!discards && repository.unmerged().size > 0) throw unmergedFailure(repository.unmerged().keys(), out);
  if (creates) {
    checkName(name);
    if (!isForced && (await repository.ref(`refs/heads/${name}`)) !== undefined)
      throw fatal(`a branch named '${name}' already exists`);
    if (before === undefined && start === undefined) {
      repository.writeState("HEAD", `ref: refs/heads/${name}\n`);
      say(`Switched to a new branch '${name}'\n`);
      return 0;
    }
  } else if (!isDetached && name === previousBranch) {
    if (discards) await discardChanges(repository, before);
    else if (before !== undefined && !isQuiet) out(await keptChanges(git));
    say(`Already on '${name}'\n`);
    out(await trackingText(repository, ""));
    return 0;
  }
  const isFromRemote = !creates && !isDetached && (await repository.ref(`refs/heads/${name}`)) === undefined;
  const oid = await commitOf(
    repository,
    isFromRemote ? `refs/remotes/origin/${name}` : creates ? (start ?? "HEAD") : name,
  );
  if (discards) await discardChanges(repository, oid);
  else await moveTo(git, { by: "checkout", from: await repository.treeOf(before), to: await repository.treeOf(oid) });
  const person = await personOf(git, "COMMITTER").catch(() => unknownPerson);
  logMove(repository, identText(person), previousBranch ?? before ?? "HEAD", name, [before ?? oid, oid]);
  if (isFromRemote) {
    await track(git, name, oid);
    out(`branch '${name}' set up to track 'origin/${name}'.\n`);
  }
  if (creates) await createBranch(repository, name, oid);
  repository.writeState("HEAD", isDetached ? `${oid}\n` : `ref: refs/heads/${name}\n`);
  if (!isQuiet && !discards && !(creates && start === undefined)) out(await keptChanges(git));
  if (previousBranch === undefined && before !== undefined && before !== oid) {
    const commit = await repository.commit(before);
    say(`Previous HEAD position was ${shortOf(before)} ${subjectOf(commit)}\n`);
  }
  if (isDetached) {
    if (previousBranch !== undefined) say(git.call.args.includes("switch") ? "" : detachedNote(name));
    say(`HEAD is now at ${shortOf(oid)} ${subjectOf(await repository.commit(oid))}\n`);
    return 0;
  }
  say(`Switched to ${creates || isFromRemote ? "a new branch" : "branch"} '${name}'\n`);
  if (!creates && !isFromRemote) out(await trackingText(repository, ""));
  return 0;
}

/** Makes index and working tree those of a commit, and ends a merge. */
async function discardChanges(repository: Repository, oid: string | undefined): Promise<void> {
  await overwrite(repository, await repository.treeOf(oid));
  endOperation(repository);
}

async function track({ repository }: GitCall, name: string, oid: string): Promise<void> {
  await repository.setRef(`refs/heads/${name}`, oid);
  const config = repository.readState("config") ?? "";
  repository.writeState("config", `${config}[branch "${name}"]\n\tremote = origin\n\tmerge = refs/heads/${name}\n`);
}

function unmergedFailure(paths: Iterable<string>, out: (text: string) => void): GitFailure {
  for (const path of paths) out(`${path}: needs merge\n`);
  return refusal("you need to resolve your current index first");
}

function detachedNote(name: string): string {
  return `Note: switching to '${name}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`;
}

/** Lists the local changes that a switch leaves as they are. */
async function keptChanges({ repository }: GitCall): Promise<string> {
  const { headTree, staged, unstaged } = await readStatus(repository);
  const kinds = new Map<string, string>();
  for (const { path, kind, oldPath } of staged) {
    kinds.set(path, kind === "R" ? "A" : kind);
    if (oldPath !== undefined) kinds.set(oldPath, "D");
  }
  for (const { path, kind } of unstaged) kinds.set(path, kind === "D" ? "D" : headTree.has(path) ? "M" : "A");
  return [...kinds]
    .sort()
    .map(([path, kind]) => `${kind}\t${path}\n`)
    .join("");
}

async function restore(git: GitCall): Promise<number> {
  const { repository } = git;
  const options = parsed(git, "SWs:q --staged --worktree --source= --quiet --ours --theirs");
  const names = [...options.rest, ...options.paths];
  if (names.length === 0) throw fatal("you must specify path(s) to restore");
  if (options.has("ours", "theirs")) return takeSide(git, names, options.has("ours") ? 2 : 3);
  const isStaged = options.has("S", "staged");
  const isWork = options.has("W", "worktree") || !isStaged;
  const source = options.value("s", "source") ?? (isStaged ? "HEAD" : undefined);
  const head = await repository.head();
  const oid = source === "HEAD" ? head : source === undefined ? undefined : await findCommit(repository, source);
  if (source !== undefined && oid === undefined)
    throw fatal(source === "HEAD" ? "could not resolve HEAD" : `could not resolve ${source}`);
  const tree = source === undefined ? repository.index() : await repository.treeOf(oid);
  const tracked = isStaged || source !== undefined ? repository.index().keys() : [];
  const spec = pathSpec(git, names);
  const paths = [...new Set([...tree.keys(), ...tracked])].filter(spec.matches);
  const missing = spec.missing(paths);
  if (missing !== undefined) throw refusal(`pathspec '${missing}' did not match any file(s) known to git`);
  if (source === undefined) refuseUnmerged(git, spec.matches);
  if (isWork) for (const path of paths) await writeFile(repository, path, tree.get(path));
  if (isStaged) await repository.stage(paths.map((path) => [path, tree.get(path)] as const));
  return 0;
}
