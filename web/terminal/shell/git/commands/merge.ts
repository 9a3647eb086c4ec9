// `git merge` of two branches with one common ancestor.
import { changesBetween, countLines } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { personOf } from "../identity.ts";
import { mergeTrees, recordConflicts } from "../merge-trees.ts";
import { moveTo, overwrite } from "../moves.ts";
import { statText, summaryText } from "../print/stat.ts";
import { type Repository, shortOf, type Tree } from "../repository.ts";
import { findCommit, fullRef } from "../revision.ts";
import { editedMessage } from "./commit.ts";

export const mergeCommands: Readonly<Record<string, GitCommand>> = { merge };

/** The depth to which common ancestors of common ancestors are merged. */
const deepestBases = 10;

const mergeSpec =
  "m:qX:s: --message= --no-ff --ff --ff-only --no-edit --edit --abort --continue --quit --squash --no-commit --quiet --stat --no-stat --strategy= --allow-unrelated-histories";

const leftOutOptions = "X s no-stat strategy squash no-commit continue quit allow-unrelated-histories".split(" ");

async function merge(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, mergeSpec);
  refuse("merge", options, leftOutOptions);
  if (options.has("abort")) return abort(git);
  if (repository.unmerged().size > 0)
    throw new GitFailure(
      "error: Merging is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    );
  if (repository.readState("MERGE_HEAD") !== undefined)
    throw fatal(
      "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
    );
  const [name] = options.rest;
  if (name === undefined || options.rest.length > 1) throw fatal("No remote for the current branch.");
  const theirs = await findCommit(repository, name);
  if (theirs === undefined) throw new GitFailure(`merge: ${name} - not something we can merge`, 1);
  const say = options.has("q", "quiet") ? () => undefined : out;
  const ours = await repository.head();
  if (ours === undefined) return adopt(git, theirs);
  const bases = await basesOf(repository, ours, theirs);
  const [base] = bases;
  if (base === undefined) throw fatal("refusing to merge unrelated histories");
  if (base === theirs) {
    say("Already up to date.\n");
    return 0;
  }
  if (base === ours && !options.has("no-ff")) return fastForward({ ...git, out: say }, ours, theirs);
  if (options.has("ff-only")) throw fatal("Not possible to fast-forward, aborting.");
  return mergeCommits(git, {
    bases,
    ours,
    theirs,
    name,
    message: options.value("m", "message"),
    edits: options.has("edit"),
    say,
  });
}

async function basesOf({ api, place }: Repository, ours: string, theirs: string): Promise<string[]> {
  const bases: unknown[] = await api.findMergeBase({ ...place, oids: [ours, theirs] });
  return bases.map(String);
}

/** Returns the tree that both sides come from. Several common ancestors are merged first. */
async function baseTree(repository: Repository, bases: readonly string[], depth: number): Promise<Tree> {
  const [first, ...rest] = bases;
  let tree = await repository.treeOf(first);
  if (first === undefined || depth > deepestBases) return tree;
  for (const oid of rest) {
    const base = await baseTree(repository, await basesOf(repository, first, oid), depth + 1);
    tree = (await mergeTrees(repository, { base, ours: tree, theirs: await repository.treeOf(oid), name: "other" }))
      .tree;
  }
  return tree;
}

/** Makes a branch without commits the other one. */
async function adopt(git: GitCall, theirs: string): Promise<number> {
  const { repository } = git;
  await moveTo(git, { by: "merge", from: new Map(), to: await repository.treeOf(theirs) });
  await repository.moveHead(theirs);
  return 0;
}

async function fastForward(git: GitCall, ours: string, theirs: string): Promise<number> {
  const { repository, out } = git;
  out(`Updating ${shortOf(ours)}..${shortOf(theirs)}\n`);
  const [from, to] = [await repository.treeOf(ours), await repository.treeOf(theirs)];
  await moveTo(git, { by: "merge", from, to });
  await repository.moveHead(theirs);
  repository.writeState("ORIG_HEAD", `${ours}\n`);
  out(`Fast-forward\n${await mergedText(git, from, to)}`);
  return 0;
}

async function mergedText({ repository, paint }: GitCall, from: Tree, to: Tree): Promise<string> {
  const changes = await countLines(repository, changesBetween(from, to));
  return statText(changes, paint) + summaryText(changes);
}

interface Merge {
  readonly bases: readonly string[];
  readonly ours: string;
  readonly theirs: string;
  readonly name: string;
  readonly message: string | undefined;
  readonly edits: boolean;
  /** Prints what `--quiet` leaves out. */
  readonly say: (text: string) => void;
}

async function mergeCommits(git: GitCall, merge: Merge): Promise<number> {
  const { repository, out } = git;
  const base = await baseTree(repository, merge.bases, 0);
  const [ours, theirs] = [await repository.treeOf(merge.ours), await repository.treeOf(merge.theirs)];
  const { tree, conflicts, notes } = await mergeTrees(repository, { base, ours, theirs, name: merge.name });
  await moveTo(git, { by: "merge", from: ours, to: tree }).catch((error: unknown) => {
    if (error instanceof GitFailure) throw new GitFailure(`${error.message}\nMerge with strategy ort failed.`, 2);
    throw error;
  });
  repository.writeState("ORIG_HEAD", `${merge.ours}\n`);
  const usual = await usualMessage(repository, merge.name);
  out(notes);
  if (conflicts.length > 0) {
    const list = await recordConflicts(repository, conflicts);
    repository.writeState("MERGE_HEAD", `${merge.theirs}\n`);
    repository.writeState("MERGE_MSG", `${merge.message ?? usual}\n${list}`);
    out("Automatic merge failed; fix conflicts and then commit the result.\n");
    return 1;
  }
  const message = merge.message ?? (merge.edits ? await editedMessage(git, usual) : usual);
  const oid = await repository.writeCommit({
    tree: await repository.storeTree(tree),
    parent: [merge.ours, merge.theirs],
    author: await personOf(git, "AUTHOR"),
    committer: await personOf(git, "COMMITTER"),
    message: `${message.trim()}\n`,
  });
  await repository.moveHead(oid);
  merge.say(`Merge made by the 'ort' strategy.\n${await mergedText(git, ours, tree)}`);
  return 0;
}

async function usualMessage(repository: Repository, name: string): Promise<string> {
  const ref = await fullRef(repository, name);
  const kind = ref?.startsWith("refs/heads/")
    ? "branch"
    : ref?.startsWith("refs/tags/")
      ? "tag"
      : ref?.startsWith("refs/remotes/")
        ? "remote-tracking branch"
        : "commit";
  const { branch } = repository;
  const into = branch === undefined ? " into HEAD" : branch === "master" || branch === "main" ? "" : ` into ${branch}`;
  return `Merge ${kind} '${name}'${into}`;
}

async function abort({ repository }: GitCall): Promise<number> {
  if (repository.readState("MERGE_HEAD") === undefined) throw fatal("There is no merge to abort (MERGE_HEAD missing).");
  await overwrite(repository, await repository.treeOf(await repository.head()));
  for (const name of ["MERGE_HEAD", "MERGE_MSG"]) repository.writeState(name, undefined);
  return 0;
}
