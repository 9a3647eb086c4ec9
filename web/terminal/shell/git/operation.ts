// The operation that is not concluded, as `git status` shows it: a merge, a cherry-pick, a revert or a rebase.
import { type Repository, shortOf } from "./repository.ts";
import { currentPick, readSequence } from "./sequence.ts";

/** Reports whether a commit concludes a merge or a cherry-pick, which hides the advice to unstage. */
export function isConcluding(repository: Repository): boolean {
  return repository.readState("MERGE_HEAD") !== undefined || repository.readState("CHERRY_PICK_HEAD") !== undefined;
}

/** Returns the branch that is rebased: `(no branch, rebasing main)`. Undefined without a rebase. */
export function rebasedBranch(repository: Repository): string | undefined {
  const name = repository.readState("rebase-merge/head-name")?.trim();
  return name?.replace(/^refs\/heads\//, "");
}

/** Returns the line that replaces the name of the branch during a rebase. */
export function rebaseHeading(repository: Repository): string | undefined {
  const onto = repository.readState("rebase-merge/onto")?.trim();
  return onto === undefined ? undefined : `interactive rebase in progress; onto ${shortOf(onto)}`;
}

/** Returns the paragraph about the operation; empty without one. */
export function operationText(repository: Repository, hasUnmerged: boolean): string {
  if (repository.readState("MERGE_HEAD") !== undefined)
    return hasUnmerged
      ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n'
      : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n';
  const rebase = rebaseText(repository, hasUnmerged);
  if (rebase !== "") return rebase;
  const current = currentPick(repository);
  const action = current?.action ?? readSequence(repository)?.action;
  if (action === undefined) return "";
  const [name, verb, noun] =
    action === "pick"
      ? (["cherry-pick", "cherry-picking", "Cherry-pick"] as const)
      : (["revert", "reverting", "Revert"] as const);
  const next = current
    ? hasUnmerged
      ? `(fix conflicts and run "git ${name} --continue")`
      : `(all conflicts fixed: run "git ${name} --continue")`
    : `(run "git ${name} --continue" to continue)`;
  return [
    current ? `You are currently ${verb} commit ${shortOf(current.oid)}.` : `${noun} currently in progress.`,
    `  ${next}`,
    `  (use "git ${name} --skip" to skip this patch)`,
    `  (use "git ${name} --abort" to cancel the ${name} operation)`,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The most commands that are listed. */
const mostCommands = 2;

function rebaseText(repository: Repository, hasUnmerged: boolean): string {
  const onto = repository.readState("rebase-merge/onto")?.trim();
  const branch = rebasedBranch(repository);
  if (onto === undefined || branch === undefined) return "";
  const commands = (name: string) =>
    (repository.readState(`rebase-merge/${name}`) ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace(/[\da-f]{40}/, shortOf));
  const [done, todo] = [commands("done"), commands("git-rebase-todo")];
  const words = (count: number) => `command${count === 1 ? "" : "s"}`;
  const list = (lines: readonly string[]) => lines.map((line) => `   ${line}\n`).join("");
  const isBranch = branch !== "detached HEAD";
  const subject = isBranch
    ? `You are currently rebasing branch '${branch}' on '${shortOf(onto)}'.`
    : "You are currently rebasing.";
  return [
    `Last ${words(done.length)} done (${done.length} ${words(done.length)} done):\n${list(done.slice(-mostCommands))}`,
    done.length > mostCommands ? "  (see more in file .git/rebase-merge/done)\n" : "",
    todo.length === 0
      ? "No commands remaining.\n"
      : `Next ${words(todo.length)} to do (${todo.length} remaining ${words(todo.length)}):\n${list(todo.slice(0, mostCommands))}  (use "git rebase --edit-todo" to view and edit)\n`,
    `${subject}\n`,
    hasUnmerged
      ? '  (fix conflicts and then run "git rebase --continue")\n  (use "git rebase --skip" to skip this patch)\n  (use "git rebase --abort" to check out the original branch)\n'
      : '  (all conflicts fixed: run "git rebase --continue")\n',
  ].join("");
}
