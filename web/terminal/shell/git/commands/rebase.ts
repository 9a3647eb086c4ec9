// `git rebase`: applies the commits of a branch to another one.
import { changesBetween } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { personOf } from "../identity.ts";
import { identText } from "../person.ts";
import { logMove, moveTo, overwrite } from "../moves.ts";
import { subjectOf } from "../print/commit.ts";
import { patchText } from "../print/patch.ts";
import { plain } from "../paint.ts";
import type { Person } from "../person.ts";
import { type Commit, type Repository, shortOf } from "../repository.ts";
import { findCommit } from "../revision.ts";
import { commitSummary, commitTree, endPick, pick, resetTo, todoText } from "../sequence.ts";
import { readStatus } from "../status.ts";
import { zoneText } from "../dates.ts";
import { editedMessage } from "./commit.ts";
import { switchTo } from "./switch.ts";

export const rebaseCommands: Readonly<Record<string, GitCommand>> = { rebase };

const rebaseSpec =
  "iqvfX:sr: --interactive --onto= --continue --abort --skip --quit --quiet --root --autosquash --autostash --no-ff --force-rebase --edit-todo --exec= --strategy= --keep-base --rebase-merges --merge --apply";

const leftOutOptions =
  "i v f X s r interactive quit root autosquash autostash no-ff force-rebase edit-todo exec strategy keep-base rebase-merges apply".split(
    " ",
  );

const folder = "rebase-merge";
const mostPicks = 1000;

async function rebase(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, rebaseSpec);
  refuse("rebase", options, leftOutOptions);
  const action = ["continue", "skip", "abort"].find((name) => options.has(name));
  const state = readRebase(repository);
  if (action !== undefined) {
    if (!state) throw fatal("No rebase in progress?");
    if (action === "abort") return abort(git, state);
    return action === "skip" ? skip(git, state) : goOn(git, state);
  }
  if (state)
    throw fatal(
      `It seems that there is already a ${folder} directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr ".git/${folder}"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n`,
    );
  const [name, branch] = options.rest;
  if (name === undefined) {
    out(noUpstream(repository));
    return 1;
  }
  const upstream = await findCommit(repository, name);
  if (upstream === undefined) throw fatal(`invalid upstream '${name}'`);
  const ontoName = options.value("onto");
  const onto = ontoName === undefined ? upstream : await findCommit(repository, ontoName);
  if (onto === undefined) throw fatal(`Does not point to a valid commit '${ontoName ?? ""}'`);
  if (branch !== undefined && (await findCommit(repository, branch)) === undefined)
    throw fatal(`no such branch/commit '${branch}'`);
  await refuseChanges(repository);
  if (branch !== undefined && branch !== repository.branch) {
    const isBranch = (await repository.ref(`refs/heads/${branch}`)) !== undefined;
    await switchTo({ ...git, args: isBranch ? ["-q", branch] : ["-q", "-d", branch] });
  }
  return begin(git, { upstream, onto, isQuiet: options.has("q", "quiet") });
}

function noUpstream({ branch }: Repository): string {
  const place =
    branch === undefined
      ? "You are not currently on a branch."
      : "There is no tracking information for the current branch.";
  const advice = `Please specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n`;
  return `${place}\n${advice}${branch === undefined ? "" : `If you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=<remote>/<branch> ${branch}\n\n`}`;
}

async function refuseChanges(repository: Repository): Promise<void> {
  const { staged, unstaged } = await readStatus(repository);
  const problems = [
    unstaged.length > 0 && "cannot rebase: You have unstaged changes.",
    staged.length > 0 &&
      (unstaged.length > 0
        ? "additionally, your index contains uncommitted changes."
        : "cannot rebase: Your index contains uncommitted changes."),
  ].filter((text) => text !== false);
  if (problems.length > 0)
    throw new GitFailure([...problems, "Please commit or stash them."].map((text) => `error: ${text}`).join("\n"), 1);
}

// --- State ---

interface Rebase {
  /** The full name of the branch, or undefined if the head was detached. */
  readonly branchRef: string | undefined;
  readonly onto: string;
  readonly start: string;
  readonly done: readonly string[];
  readonly todo: readonly string[];
}

const files = [
  "head-name",
  "onto",
  "orig-head",
  "git-rebase-todo",
  "done",
  "msgnum",
  "end",
  "interactive",
  "message",
  "author-script",
  "stopped-sha",
  "drop_redundant_commits",
  "no-reschedule-failed-exec",
];

function readRebase(repository: Repository): Rebase | undefined {
  const read = (name: string) => repository.readState(`${folder}/${name}`)?.trim();
  const [name, onto, start] = [read("head-name"), read("onto"), read("orig-head")];
  if (name === undefined || onto === undefined || start === undefined) return undefined;
  const oids = (text = "") =>
    text
      .split("\n")
      .filter((line) => /^pick /.test(line))
      .map((line) => line.split(" ")[1] ?? "");
  const branchRef = name === "detached HEAD" ? undefined : name;
  return { branchRef, onto, start, done: oids(read("done")), todo: oids(read("git-rebase-todo")) };
}

async function writeRebase(repository: Repository, { branchRef, onto, start, done, todo }: Rebase): Promise<void> {
  const write = (name: string, text: string) => repository.writeState(`${folder}/${name}`, text);
  write("head-name", `${branchRef ?? "detached HEAD"}\n`);
  write("onto", `${onto}\n`);
  write("orig-head", `${start}\n`);
  write("git-rebase-todo", await todoText(repository, "pick", todo));
  write("done", await todoText(repository, "pick", done));
  write("msgnum", `${done.length}\n`);
  write("end", `${done.length + todo.length}\n`);
  for (const name of ["interactive", "drop_redundant_commits", "no-reschedule-failed-exec"]) write(name, "");
}

function removeRebase(repository: Repository): void {
  for (const name of files) repository.writeState(`${folder}/${name}`, undefined);
  repository.files.remove(`${repository.gitdir}/${folder}/`);
  endPick(repository);
}

// --- Steps ---

interface Begin {
  readonly upstream: string;
  readonly onto: string;
  readonly isQuiet: boolean;
}

async function begin(git: GitCall, { upstream, onto, isQuiet }: Begin): Promise<number> {
  const { repository, out, err } = git;
  const head = await repository.head();
  const { branch, branchRef } = repository;
  if (head === undefined) throw fatal("no such branch/commit 'HEAD'");
  const commits = await repository.history([head], [upstream]);
  const isLinear = commits.every(({ parent }) => parent.length === 1);
  const bases: unknown[] = await repository.api.findMergeBase({ ...repository.place, oids: [onto, head] });
  if (
    isLinear &&
    bases.length === 1 &&
    bases[0] === onto &&
    (upstream === onto || commits.length === 0 || commits.at(-1)?.parent[0] === onto)
  ) {
    if (!isQuiet) out(branch === undefined ? "HEAD is up to date.\n" : `Current branch ${branch} is up to date.\n`);
    return 0;
  }
  const { picks, skipped } = await picksOf(
    repository,
    commits.filter(({ parent }) => parent.length < 2).reverse(),
    upstream,
    head,
  );
  for (const { oid } of skipped) err(`warning: skipped previously applied commit ${shortOf(oid)}\n`);
  if (skipped.length > 0)
    err(
      'hint: use --reapply-cherry-picks to include skipped commits\nhint: Disable this message with "git config advice.skippedCherryPicks false"\n',
    );
  if (picks.length > mostPicks) throw fatal(`more than ${mostPicks} commits cannot be applied at once`);
  const person = identText(await personOf(git, "COMMITTER"));
  // Commits that follow the new base already are not applied again.
  let base = onto;
  let first = 0;
  while (picks[first]?.parent[0] === base) base = picks[first++]?.oid ?? base;
  await moveTo(git, { by: "checkout", from: await repository.treeOf(head), to: await repository.treeOf(base) });
  repository.writeState("ORIG_HEAD", `${head}\n`);
  logMove(repository, person, branch ?? head, base, [head, base]);
  repository.writeState("HEAD", `${base}\n`);
  const oids = picks.map(({ oid }) => oid);
  const state = { branchRef, onto, start: head, done: oids.slice(0, first), todo: oids.slice(first) };
  return applyAll(isQuiet ? { ...git, err: () => undefined } : git, state);
}

/** Leaves out commits whose changes the upstream has already. */
async function picksOf(
  repository: Repository,
  commits: readonly Commit[],
  upstream: string,
  head: string,
): Promise<{ picks: Commit[]; skipped: Commit[] }> {
  const applied = await repository.history([upstream], [head]);
  const patches = new Set<string>();
  for (const commit of applied) if (commit.parent.length < 2) patches.add(await patchOf(repository, commit));
  const picks: Commit[] = [];
  const skipped: Commit[] = [];
  for (const commit of commits) {
    const isThere = patches.size > 0 && patches.has(await patchOf(repository, commit));
    (isThere ? skipped : picks).push(commit);
  }
  return { picks, skipped };
}

/** Returns the changes of a commit without the places of lines and ids, to compare them with those of others. */
async function patchOf(repository: Repository, commit: Commit): Promise<string> {
  const changes = changesBetween(await repository.treeOf(commit.parent[0]), await repository.treeOf(commit.oid));
  const text = await patchText(repository, changes, { paint: plain, context: 3 });
  return text.replaceAll(/^(?:index|@@) .*\n/gm, "").replaceAll(/[ \t\r]/g, "");
}

async function applyAll(git: GitCall, state: Rebase): Promise<number> {
  const { repository, err } = git;
  const done = [...state.done];
  const todo = [...state.todo];
  const count = done.length + todo.length;
  for (let oid = todo.shift(); oid !== undefined; oid = todo.shift()) {
    done.push(oid);
    err(`Rebasing (${done.length}/${count})\r`);
    await writeRebase(repository, { ...state, done, todo });
    const commit = await repository.commit(oid);
    const isNext = commit.parent[0] === (await repository.head());
    if (isNext) {
      await resetTo(repository, oid);
      continue;
    }
    const result = await pick(git, oid, { action: "pick", commits: true, namesSource: false, isQuiet: true });
    if (result === "empty" && !(await isEmpty(repository, commit))) {
      err(`dropping ${oid} ${subjectOf(commit)} -- patch contents already upstream\n`);
      endPick(repository);
    } else if (result === "empty") {
      const head = await repository.head();
      await commitTree(git, { tree: await repository.treeOf(head), head, message: commit.message, source: commit });
      endPick(repository);
    } else if (result === "conflict") {
      await stop(git, commit);
      return 1;
    }
  }
  const head = (await repository.head()) ?? state.start;
  const { branchRef } = state;
  if (branchRef !== undefined) {
    await repository.setRef(branchRef, head);
    repository.writeState("HEAD", `ref: ${branchRef}\n`);
  }
  removeRebase(repository);
  err(`\r\u001b[KSuccessfully rebased and updated ${branchRef ?? "detached HEAD"}.\n`);
  return 0;
}

async function isEmpty(repository: Repository, { oid, parent }: Commit): Promise<boolean> {
  return changesBetween(await repository.treeOf(parent[0]), await repository.treeOf(oid)).length === 0;
}

function authorScript({ name, email, timestamp, timezoneOffset }: Person): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `GIT_AUTHOR_NAME=${quoted(name)}\nGIT_AUTHOR_EMAIL=${quoted(email)}\nGIT_AUTHOR_DATE='@${timestamp} ${zoneText(timezoneOffset)}'\n`;
}

/** Leaves a conflict to the user. */
async function stop({ repository, err }: GitCall, commit: Commit): Promise<void> {
  const { oid, author, message } = commit;
  repository.writeState("CHERRY_PICK_HEAD", undefined);
  repository.writeState("REBASE_HEAD", `${oid}\n`);
  repository.writeState(`${folder}/stopped-sha`, `${oid}\n`);
  repository.writeState(`${folder}/message`, `${message.trimEnd()}\n\n`);
  repository.writeState(`${folder}/author-script`, authorScript(author));
  const text = `${shortOf(oid)}... ${subjectOf(commit)}\n`;
  const hints = [
    "Resolve all conflicts manually, mark them as resolved with",
    '"git add/rm <conflicted_files>", then run "git rebase --continue".',
    'You can instead skip this commit: run "git rebase --skip".',
    'To abort and get back to the state before "git rebase", run "git rebase --abort".',
  ];
  err(`error: could not apply ${text}${hints.map((hint) => `hint: ${hint}\n`).join("")}Could not apply ${text}`);
}

async function abort({ repository }: GitCall, { branchRef, start }: Rebase): Promise<number> {
  await overwrite(repository, await repository.treeOf(start));
  repository.writeState("HEAD", branchRef === undefined ? `${start}\n` : `ref: ${branchRef}\n`);
  removeRebase(repository);
  return 0;
}

async function skip(git: GitCall, state: Rebase): Promise<number> {
  const { repository } = git;
  await resetTo(repository, await repository.head());
  return applyAll(git, state);
}

async function goOn(git: GitCall, state: Rebase): Promise<number> {
  const { repository, out } = git;
  const unmerged = [...repository.unmerged().keys()];
  if (unmerged.length > 0) {
    out(unmerged.map((path) => `${path}: needs merge\n`).join(""));
    out("You must edit all merge conflicts and then\nmark them as resolved using git add\n");
    return 1;
  }
  const head = await repository.head();
  const [from, tree] = [await repository.treeOf(head), repository.index()];
  const { unstaged } = await readStatus(repository);
  if (unstaged.length > 0) throw new GitFailure("error: you have staged changes in your working tree", 1);
  const stopped = state.done.at(-1);
  if (changesBetween(from, tree).length > 0 && stopped !== undefined) {
    const source = await repository.commit(stopped);
    const stored = repository.readState("MERGE_MSG") ?? source.message;
    const message = (await editedMessage(git, stored)).trim();
    if (message === "")
      throw new GitFailure("Aborting commit due to empty commit message.\nerror: could not commit staged changes.", 1);
    const commit = await commitTree(git, { tree, head, message, source });
    out(await commitSummary(git, commit, from, tree, false));
  }
  endPick(repository);
  return applyAll(git, state);
}
