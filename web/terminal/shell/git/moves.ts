// Changes of the working tree and the index from one commit to another.
import { type Change, changesBetween } from "./changes.ts";
import type { GitCall } from "./command.ts";
import { GitFailure } from "./failure.ts";
import { byName, type Repository, shortOf, type Tree } from "./repository.ts";
import { fullRef } from "./revision.ts";

export interface Move {
  /** The command that errors name. */
  readonly by: "checkout" | "merge";
  readonly from: Tree;
  readonly to: Tree;
}

/** Moves index and working tree from one tree to another. Local changes stay; throws if they are in the way. */
export async function moveTo({ repository }: GitCall, { by, from, to }: Move): Promise<void> {
  const changes = plainChanges(from, to);
  const index = repository.index();
  const work = await repository.work(changes.map(({ path }) => path));
  const lost: string[] = [];
  const untracked: string[] = [];
  const staged: [string, string | undefined][] = [];
  for (const { path, from: before, to: after } of changes) {
    const isThere = index.get(path) === after && (work.get(path) === after || after === undefined);
    if (isThere && index.has(path)) continue;
    if (!index.has(path) && before === undefined && work.has(path) && work.get(path) !== after) untracked.push(path);
    else if (index.get(path) !== before || (work.has(path) && before !== undefined && work.get(path) !== before))
      lost.push(path);
    else staged.push([path, after]);
  }
  const before = by === "checkout" ? "switch branches" : "merge";
  const list = (paths: readonly string[]) =>
    [...paths]
      .sort(byName)
      .map((path) => `\t${path}\n`)
      .join("");
  const problems = [
    lost.length > 0 &&
      `error: Your local changes to the following files would be overwritten by ${by}:\n${list(lost)}Please commit your changes or stash them before you ${before}.\n`,
    untracked.length > 0 &&
      `error: The following untracked working tree files would be overwritten by ${by}:\n${list(untracked)}Please move or remove them before you ${before}.\n`,
  ].filter((text) => text !== false);
  if (problems.length > 0) throw new GitFailure(`${problems.join("")}Aborting`, 1);
  for (const [path, oid] of staged) await writeFile(repository, path, oid);
  await repository.stage(staged);
}

/** Returns the changes without looking for renamed files. */
function plainChanges(from: Tree, to: Tree): Change[] {
  return changesBetween(from, to).flatMap((change): Change[] => {
    const { path, kind, oldPath, from: before, to: after } = change;
    if (kind !== "R" || oldPath === undefined || before === undefined || after === undefined) return [change];
    return [
      { path: oldPath, kind: "D", from: before },
      { path, kind: "A", to: after },
    ];
  });
}

export async function writeFile(repository: Repository, path: string, oid: string | undefined): Promise<void> {
  if (oid !== undefined) repository.writeWork(path, await repository.text(oid));
  else if (repository.readWork(path) !== undefined) repository.writeWork(path, undefined);
}

/** Makes index and working tree equal to a tree. Untracked files stay. */
export async function overwrite(repository: Repository, to: Tree): Promise<void> {
  const tracked = new Set(repository.entries().map(({ path }) => path));
  for (const path of tracked) if (!to.has(path)) await writeFile(repository, path, undefined);
  for (const [path, oid] of to) {
    const text = repository.readWork(path);
    if (text === undefined || (await repository.hash(text)) !== oid) await writeFile(repository, path, oid);
  }
  await repository.stageAll(to);
}

/** Forgets a merge, cherry-pick or revert that is not concluded. */
export function endOperation(repository: Repository): void {
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
    repository.writeState(name, undefined);
}

const headLog = "logs/HEAD";
const mostLogLines = 100;

/** Records that the head moved to another branch, as git does in the log of HEAD. */
export function logMove(
  repository: Repository,
  person: string,
  from: string,
  to: string,
  oids: readonly [string, string],
): void {
  const lines = (repository.readState(headLog) ?? "")
    .split("\n")
    .filter(Boolean)
    .slice(1 - mostLogLines);
  lines.push(`${oids[0]} ${oids[1]} ${person}\tcheckout: moving from ${from} to ${to}`);
  repository.writeState(headLog, `${lines.join("\n")}\n`);
}

interface HeadMove {
  readonly from: string;
  readonly to: string;
  /** The commit that the head moved to. */
  readonly oid: string;
}

/** Returns the last move of the head between branches. */
export function lastMove(repository: Repository): HeadMove | undefined {
  const log = repository.readState(headLog) ?? "";
  const [, oid, from, to] =
    /^\S+ (\S+) .*checkout: moving from (\S+) to (\S+)\n$/m.exec(log.split("\n").at(-2)?.concat("\n") ?? "") ?? [];
  return oid === undefined || from === undefined || to === undefined ? undefined : { from, to, oid };
}

/** Returns where a detached head is: ` at v1` or ` from 3f2a1c0`. */
export async function detachedPlace(repository: Repository): Promise<string> {
  const move = lastMove(repository);
  const head = (await repository.head()) ?? "";
  if (!move) return ` at ${shortOf(head)}`;
  const isName = (await fullRef(repository, move.to)) !== undefined && !/^(HEAD|[A-Z_]+)$/.test(move.to);
  return ` ${move.oid === head ? "at" : "from"} ${isName ? move.to : shortOf(move.oid)}`;
}
