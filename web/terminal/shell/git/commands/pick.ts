// `git cherry-pick` and `git revert`.
import { changesBetween } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { subjectOf } from "../print/commit.ts";
import { type Repository, shortOf } from "../repository.ts";
import { findCommit } from "../revision.ts";
import {
  type Action,
  commitSummary,
  commitTree,
  currentPick,
  endPick,
  pick,
  type Picked,
  type PickOptions,
  readSequence,
  resetTo,
  writeSequence,
} from "../sequence.ts";
import { longStatus, readStatus } from "../status.ts";
import { trackingText } from "../tracking.ts";
import { editedMessage, withoutComments } from "./commit.ts";

export const pickCommands: Readonly<Record<string, GitCommand>> = {
  "cherry-pick": (git) => run(git, "pick"),
  revert: (git) => run(git, "revert"),
};

const commandNames = { pick: "cherry-pick", revert: "revert" } as const;

const pickSpec =
  "nexsm:qX:S --no-commit --edit --no-edit --signoff --mainline= --continue --abort --skip --quit --ff --allow-empty --keep-redundant-commits --strategy= --strategy-option=";

const leftOutOptions = "s X S signoff ff allow-empty keep-redundant-commits strategy strategy-option".split(" ");

/** The most commits of one sequence. */
const mostPicks = 1000;

async function run(git: GitCall, action: Action): Promise<number> {
  const { repository } = git;
  const name = commandNames[action];
  const options = parsed(git, pickSpec);
  refuse(name, options, leftOutOptions);
  const failure = (text: string, end = `fatal: ${name} failed`) => new GitFailure(`${text}\n${end}`, 128);
  if (options.has("quit")) {
    endPick(repository);
    await writeSequence(repository, undefined);
    return 0;
  }
  if (options.has("abort")) return abort(git, failure);
  if (options.has("skip")) return skip(git, action, failure);
  if (options.has("continue")) return goOn(git, action, failure);
  if (options.rest.length === 0)
    throw new GitFailure(
      `usage: git ${name} [--edit | --no-edit] [-n] [-m <parent-number>] ${action === "pick" ? "[-x] " : ""}<commit>...\n   or: git ${name} (--continue | --skip | --abort | --quit)`,
      129,
    );
  const oids = await picksOf(repository, options.rest, action);
  if (repository.unmerged().size > 0)
    throw failure(
      `error: ${action === "pick" ? "Cherry-picking" : "Reverting"} is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.`,
    );
  const commits = !options.has("n", "no-commit");
  const head = await repository.head();
  if (commits && changesBetween(await repository.treeOf(head), repository.index()).length > 0)
    throw failure(
      `error: your local changes would be overwritten by ${name}.\nhint: commit your changes or stash them to proceed.`,
    );
  if (oids.length > 1 && readSequence(repository)) throw inProgress(action, failure);
  const mainline = options.value("m", "mainline");
  const pickOptions: PickOptions = {
    action,
    commits,
    mainline: mainline === undefined ? undefined : Number(mainline),
    namesSource: options.has("x"),
    isQuiet: false,
    ...(edits(git, action, options) ? { edit: (message) => editedMessage(git, message) } : {}),
  };
  return applyAll(git, oids, pickOptions, head);
}

function edits(git: GitCall, action: Action, options: ReturnType<typeof parsed>): boolean {
  if (options.has("no-edit")) return false;
  return options.has("e", "edit") || (action === "revert" && git.call.out.isTerminal);
}

/** Returns the commits of names and ranges, in the order in which they are applied. */
async function picksOf(repository: Repository, words: readonly string[], action: Action): Promise<string[]> {
  const oids: string[] = [];
  for (const word of words) {
    const [, from, to] = /^(.*?)\.\.(?!\.)(.*)$/.exec(word) ?? [];
    const bad = fatal(`bad revision '${word}'`);
    if (from === undefined || to === undefined) {
      const oid = await findCommit(repository, word);
      if (oid === undefined) throw bad;
      oids.push(oid);
      continue;
    }
    const [hidden, start] = [await findCommit(repository, from), await findCommit(repository, to)];
    if (hidden === undefined || start === undefined) throw bad;
    const range = (await repository.history([start], [hidden])).map(({ oid }) => oid);
    oids.push(...(action === "pick" ? range.reverse() : range));
  }
  if (oids.length === 0)
    throw new GitFailure(`error: empty commit set passed\nfatal: ${commandNames[action]} failed`, 128);
  if (oids.length > mostPicks) throw fatal(`more than ${mostPicks} commits cannot be applied at once`);
  return oids;
}

function inProgress(action: Action, failure: (text: string) => GitFailure): GitFailure {
  const name = commandNames[action];
  return failure(
    `error: ${name} is already in progress\nhint: try "git ${name} (--continue | --skip | --abort | --quit)"`,
  );
}

/** Applies the commits until one conflicts or is empty. Those that are left are stored then. */
async function applyAll(
  git: GitCall,
  oids: readonly string[],
  options: PickOptions,
  start: string | undefined,
): Promise<number> {
  const { repository, err } = git;
  const name = commandNames[options.action];
  const isSequence = oids.length > 1 || readSequence(repository) !== undefined;
  for (const [at, oid] of oids.entries()) {
    if (isSequence && start !== undefined && options.commits)
      await writeSequence(repository, { action: options.action, head: start, todo: oids.slice(at) });
    let result: Picked;
    try {
      result = await pick(git, oid, options);
    } catch (error) {
      if (error instanceof GitFailure) throw new GitFailure(`${error.message}\nfatal: ${name} failed`, 128);
      throw error;
    }
    if (result === "done") continue;
    if (result === "empty") return reportEmpty(git, options.action);
    const verb = options.action === "pick" ? "apply" : "revert";
    err(
      `error: could not ${verb} ${shortOf(oid)}... ${subjectOf(await repository.commit(oid))}\n${conflictHint(name)}`,
    );
    return 1;
  }
  if (isSequence) await writeSequence(repository, undefined);
  return 0;
}

function conflictHint(name: string): string {
  return [
    "After resolving the conflicts, mark them with",
    '"git add/rm <pathspec>", then run',
    `"git ${name} --continue".`,
    `You can instead skip this commit with "git ${name} --skip".`,
    `To abort and get back to the state before "git ${name}",`,
    `run "git ${name} --abort".`,
  ]
    .map((line) => `hint: ${line}\n`)
    .join("");
}

async function reportEmpty(git: GitCall, action: Action): Promise<number> {
  const { repository, out, err } = git;
  out(await longStatus(git, await readStatus(repository), await trackingText(repository)));
  if (action === "pick")
    err(
      "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'\n",
    );
  return 1;
}

type Failing = (text: string, end?: string) => GitFailure;

async function abort({ repository }: GitCall, failure: Failing): Promise<number> {
  const sequence = readSequence(repository);
  if (!sequence && !currentPick(repository)) throw failure("error: no cherry-pick or revert in progress");
  await resetTo(repository, sequence?.head ?? (await repository.head()));
  await writeSequence(repository, undefined);
  return 0;
}

async function skip(git: GitCall, action: Action, failure: Failing): Promise<number> {
  const { repository } = git;
  const name = commandNames[action];
  const sequence = readSequence(repository);
  const current = currentPick(repository);
  if (!sequence && current?.action !== action) throw failure(`error: no ${name} in progress`);
  await resetTo(repository, await repository.head());
  return sequence ? applyAll(git, sequence.todo.slice(1), plainOptions(action), sequence.head) : 0;
}

const plainOptions = (action: Action): PickOptions => ({ action, commits: true, namesSource: false, isQuiet: false });

/** Commits the resolved conflict, and applies the commits that are left. */
async function goOn(git: GitCall, action: Action, failure: Failing): Promise<number> {
  const { repository, out } = git;
  const name = commandNames[action];
  const sequence = readSequence(repository);
  const current = currentPick(repository);
  if (!sequence && !current) throw failure(`error: no cherry-pick or revert in progress`);
  if (current) {
    const unmerged = [...repository.unmerged().keys()];
    if (unmerged.length > 0) {
      out(unmerged.map((path) => `U\t${path}\n`).join(""));
      throw new GitFailure(
        `error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.`,
        sequence ? 1 : 128,
      );
    }
    const head = await repository.head();
    const [from, tree] = [await repository.treeOf(head), repository.index()];
    if (changesBetween(from, tree).length === 0) return reportEmpty(git, action);
    const source = action === "pick" ? { source: await repository.commit(current.oid) } : {};
    const message = withoutComments(repository.readState("MERGE_MSG") ?? "").trim();
    const commit = await commitTree(git, { tree, head, message, ...source });
    out(await commitSummary(git, commit, from, tree));
    endPick(repository);
  }
  if (!sequence) return 0;
  if (sequence.action !== action) throw failure(`error: no ${name} in progress`);
  return applyAll(git, sequence.todo.slice(1), plainOptions(action), sequence.head);
}
