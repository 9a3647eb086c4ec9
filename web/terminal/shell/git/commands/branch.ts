// `git branch`: lists, creates, renames and deletes branches.
import { type GitCall, type GitCommand, parsed } from "../command.ts";
import { fatal, refusal } from "../failure.ts";
import { detachedPlace } from "../moves.ts";
import { rebasedBranch } from "../operation.ts";
import { subjectOf } from "../print/commit.ts";
import { byName, type Repository, shortOf } from "../repository.ts";
import { findCommit } from "../revision.ts";
import { trackingOf } from "../tracking.ts";

type Options = ReturnType<typeof parsed>;

export const branchCommands: Readonly<Record<string, GitCommand>> = { branch };

const branchSpec =
  "arvdDmMfq --all --remotes --verbose --delete --move --force --list --show-current --merged --no-merged --quiet --no-color --color";

async function branch(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, branchSpec);
  if (options.has("show-current")) {
    if (repository.branch !== undefined) out(`${repository.branch}\n`);
    return 0;
  }
  if (options.has("d", "D", "delete")) return remove(git, options.rest, options.has("D", "f", "force"));
  if (options.has("m", "M", "move")) return rename(git, options.rest, options.has("M", "f", "force"));
  const [name, start = "HEAD"] = options.rest;
  if (name === undefined || options.has("list", "a", "r", "all", "remotes")) return list(git, options);
  checkName(name);
  if ((await repository.ref(`refs/heads/${name}`)) !== undefined && !options.has("f", "force"))
    throw fatal(`a branch named '${name}' already exists`);
  await createBranch(repository, name, start);
  return 0;
}

export async function createBranch(repository: Repository, name: string, start: string): Promise<string> {
  checkName(name);
  const oid = await findCommit(repository, start);
  if (oid === undefined)
    throw fatal(
      start === "HEAD"
        ? `Not a valid object name: '${repository.branch ?? "HEAD"}'.`
        : `Not a valid object name: '${start}'.`,
    );
  await repository.setRef(`refs/heads/${name}`, oid);
  return oid;
}

export function checkName(name: string): void {
  if (!isRefName(name)) throw fatal(`'${name}' is not a valid branch name`);
}

export function isRefName(name: string): boolean {
  return (
    !/^[-/.]|[\s~^:?*[\\\u0000-\u001f]|\.\.|@\{|\/\/|\/\.|\/$|\.$|\.lock$|^@$/.test(name) &&
    name !== "" &&
    name !== "HEAD"
  );
}

interface Row {
  readonly name: string;
  readonly ref: string;
  readonly isCurrent?: boolean;
  readonly isRemote?: boolean;
}

async function list(git: GitCall, options: Options): Promise<number> {
  const { repository, out } = git;
  const head = await repository.head();
  const merged =
    options.has("merged", "no-merged") && head !== undefined
      ? new Set((await repository.history([head])).map(({ oid }) => oid))
      : undefined;
  const rows = await rowsOf(repository, options);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const oid = (await repository.ref(row.ref)) ?? "";
    if (merged && merged.has(oid) === options.has("no-merged")) continue;
    out(await rowText(git, row, { oid, width, verbosity: options.values("v", "verbose").length }));
  }
  return 0;
}

async function rowsOf(repository: Repository, options: Options): Promise<Row[]> {
  const { api, place } = repository;
  const isRemote = options.has("r", "remotes");
  const rows: Row[] = [];
  if (repository.branch === undefined && !isRemote)
    rows.push({ name: await detachedName(repository), ref: "HEAD", isCurrent: true });
  const branches = (await api.listBranches(place)).sort(byName);
  if (!isRemote)
    for (const name of branches) rows.push({ name, ref: `refs/heads/${name}`, isCurrent: name === repository.branch });
  if (!isRemote && !options.has("a", "all")) return rows;
  const remotes = await api.listBranches({ ...place, remote: "origin" }).catch(() => []);
  for (const name of remotes.sort(byName))
    rows.push({
      name: `${isRemote ? "" : "remotes/"}origin/${name}`,
      ref: `refs/remotes/origin/${name}`,
      isRemote: true,
    });
  return rows;
}

async function detachedName(repository: Repository): Promise<string> {
  const rebased = rebasedBranch(repository);
  return rebased === undefined
    ? `(HEAD detached${await detachedPlace(repository)})`
    : `(no branch, rebasing ${rebased})`;
}

interface RowOptions {
  readonly oid: string;
  readonly width: number;
  /** The number of options `-v`. */
  readonly verbosity: number;
}

async function rowText(
  { repository, paint }: GitCall,
  row: Row,
  { oid, width, verbosity }: RowOptions,
): Promise<string> {
  const { name, ref, isCurrent, isRemote } = row;
  const start = `${isCurrent ? "* " : "  "}${isCurrent ? paint("green", name) : isRemote ? paint("red", name) : name}`;
  const target = /^ref: refs\/remotes\/(.*)\n$/.exec(repository.readState(ref) ?? "")?.[1];
  if (isRemote && target !== undefined) return `${start} -> ${target}\n`;
  if (verbosity === 0) return `${start}\n`;
  const commit = await repository.commit(oid);
  const tracking = isRemote || ref === "HEAD" ? undefined : await trackingOf(repository, name);
  const counts = [tracking?.ahead && `ahead ${tracking.ahead}`, tracking?.behind && `behind ${tracking.behind}`].filter(
    Boolean,
  );
  const place = [verbosity > 1 ? tracking?.upstream : undefined, counts.join(", ")].filter(Boolean).join(": ");
  return `${start}${" ".repeat(width - name.length)} ${shortOf(oid)} ${place && `[${place}] `}${subjectOf(commit)}\n`;
}

async function remove(git: GitCall, names: readonly string[], isForced: boolean): Promise<number> {
  const { repository, out } = git;
  const { api, place } = repository;
  if (names.length === 0) throw fatal("branch name required");
  const head = await repository.head();
  const reachable = new Set(head === undefined ? [] : (await repository.history([head])).map(({ oid }) => oid));
  let code = 0;
  const complain = (text: string) => {
    git.err(`error: ${text}\n`);
    code = 1;
  };
  for (const name of names) {
    const oid = await repository.ref(`refs/heads/${name}`);
    if (oid === undefined) complain(`branch '${name}' not found.`);
    else if (name === repository.branch) complain(`Cannot delete branch '${name}' checked out at '${repository.dir}'`);
    else if (!isForced && !reachable.has(oid))
      complain(
        `The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
      );
    else {
      await api.deleteBranch({ ...place, ref: name });
      out(`Deleted branch ${name} (was ${shortOf(oid)}).\n`);
    }
  }
  return code;
}

async function rename(git: GitCall, names: readonly string[], isForced: boolean): Promise<number> {
  const { repository } = git;
  const [first, second] = names;
  const [from, to] = second === undefined ? [repository.branch, first] : [first, second];
  if (to === undefined) throw fatal("branch name required");
  checkName(to);
  if (from === undefined) throw fatal("cannot rename the current branch while not on any.");
  const oid = await repository.ref(`refs/heads/${from}`);
  const isCurrent = from === repository.branch;
  if (oid === undefined && !isCurrent)
    throw refusal(`refname refs/heads/${from} not found\nfatal: Branch rename failed`, 128);
  if (from !== to && !isForced && (await repository.ref(`refs/heads/${to}`)) !== undefined)
    throw fatal(`a branch named '${to}' already exists`);
  if (oid !== undefined) {
    await repository.setRef(`refs/heads/${to}`, oid);
    if (from !== to) repository.writeState(`refs/heads/${from}`, undefined);
  }
  if (isCurrent) repository.writeState("HEAD", `ref: refs/heads/${to}\n`);
  const config = repository.readState("config") ?? "";
  repository.writeState("config", config.replace(`[branch "${from}"]`, `[branch "${to}"]`));
  return 0;
}
