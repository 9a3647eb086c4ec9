// `git stash`: puts the changes of tracked files aside.
import { changesBetween, countLines } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, refuse } from "../command.ts";
import { fatal, GitFailure, refusal } from "../failure.ts";
import { personOf } from "../identity.ts";
import { identText } from "../person.ts";
import type { IndexEntry } from "../index-file.ts";
import { mergeTexts } from "../lines/merge.ts";
import { moveTo, overwrite } from "../moves.ts";
import { subjectOf } from "../print/commit.ts";
import { patchText } from "../print/patch.ts";
import { statText } from "../print/stat.ts";
import { fileMode, shortOf } from "../repository.ts";
import { type Stash, stashes, writeStashes } from "../stashes.ts";
import { trackingText } from "../tracking.ts";
import { longStatus, readStatus } from "../status.ts";

export const stashCommands: Readonly<Record<string, GitCommand>> = { stash };

const context = 3;

async function stash(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const [first = "push", ...rest] = git.args;
  const [name, args] = first.startsWith("-") ? ["push", git.args] : [first, rest];
  const inner = { ...git, args };
  if (name === "list") {
    out(
      stashes(repository)
        .map(({ message }, at) => `stash@{${at}}: ${message}\n`)
        .join(""),
    );
    return 0;
  }
  if (name === "push" || name === "save") return push(inner);
  if (name === "show") return show(inner);
  if (name === "pop" || name === "apply") return apply(inner, name === "pop");
  if (name === "drop") {
    const { at } = chosen(inner);
    return drop(inner, at);
  }
  if (name === "clear") {
    await writeStashes(repository, [], "");
    return 0;
  }
  throw new GitFailure(
    `fatal: subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${name}'`,
    128,
  );
}

async function push(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "m:q --message= --quiet");
  if (options.rest.length + options.paths.length > 0) throw fatal("stashing single paths is not in this terminal");
  const status = await readStatus(repository);
  const { head, headTree, index } = status;
  if (head === undefined) throw new GitFailure("You do not have the initial commit yet", 1);
  if (status.staged.length + status.unstaged.length === 0) {
    out("No local changes to save\n");
    return 0;
  }
  const work = await repository.work(index.keys());
  for (const path of work.keys()) await repository.store(repository.readWork(path) ?? "");
  const start = `${repository.branch ?? "(no branch)"}: ${shortOf(head)} ${subjectOf(await repository.commit(head))}`;
  const label = options.value("m", "message");
  const message = label === undefined ? `WIP on ${start}` : `On ${repository.branch ?? "(no branch)"}: ${label}`;
  const [author, committer] = [await personOf(git, "AUTHOR"), await personOf(git, "COMMITTER")];
  const write = async (tree: ReadonlyMap<string, string>, parent: string[], text: string) =>
    repository.writeCommit({ tree: await repository.storeTree(tree), parent, author, committer, message: text });
  const indexOid = await write(index, [head], `index on ${start}\n`);
  const oid = await write(work, [head, indexOid], message);
  await writeStashes(repository, [{ oid, message }, ...stashes(repository)], identText(committer));
  await overwrite(repository, headTree);
  if (!options.has("q", "quiet")) out(`Saved working directory and index state ${message}\n`);
  return 0;
}

/** Returns the stash that the arguments name. */
function chosen(git: GitCall): Stash & { readonly at: number } {
  const options = parsed(git, "pq --index --quiet --stat --patch");
  refuse("stash", options, ["index"]);
  const [name = "0"] = options.rest;
  const at = Number(/^(?:stash@\{)?(\d+)\}?$/.exec(name)?.[1] ?? "-1");
  const list = stashes(git.repository);
  if (list.length === 0) throw new GitFailure("No stash entries found.", 1);
  const stash = list[at];
  if (!stash) throw refusal(at < 0 ? `${name} is not a valid reference` : `stash@{${at}} is not a valid reference`);
  return { ...stash, at };
}

async function show(git: GitCall): Promise<number> {
  const { repository, out, paint } = git;
  const { oid } = chosen(git);
  const { parent } = await repository.commit(oid);
  const changes = changesBetween(await repository.treeOf(parent[0]), await repository.treeOf(oid));
  if (git.args.includes("-p")) out(await patchText(repository, changes, { paint, context }));
  else out(statText(await countLines(repository, changes), paint));
  return 0;
}

async function apply(git: GitCall, drops: boolean): Promise<number> {
  const { repository, out } = git;
  const { oid, at } = chosen(git);
  const { parent } = await repository.commit(oid);
  const [base, stashed] = [await repository.treeOf(parent[0]), await repository.treeOf(oid)];
  const index = repository.index();
  const target = new Map(index);
  const conflicts: IndexEntry[] = [];
  for (const path of new Set([...base.keys(), ...stashed.keys()])) {
    const [before, after, here] = [base.get(path), stashed.get(path), index.get(path)];
    if (before === after || here === after) continue;
    if (here === before) {
      if (after === undefined) target.delete(path);
      else target.set(path, after);
      continue;
    }
    const [baseText, ours, theirs] = [
      await repository.text(before),
      await repository.text(here),
      await repository.text(after),
    ];
    const merged = mergeTexts({
      base: baseText,
      ours,
      theirs,
      ourName: "Updated upstream",
      theirName: "Stashed changes",
    });
    out(`Auto-merging ${path}\n`);
    if (merged.hasConflict) {
      for (const [stage, entry] of [before, here, after].entries())
        if (entry !== undefined) conflicts.push({ path, oid: entry, mode: fileMode, stage: stage + 1 });
      out(`CONFLICT (content): Merge conflict in ${path}\n`);
    }
    target.set(path, await repository.store(merged.text));
  }
  await moveTo(git, { by: "merge", from: index, to: target });
  const added = [...target].filter(([path]) => !index.has(path));
  // Only new files are staged again, as without `--index`.
  await repository.stageAll(new Map([...index, ...added]));
  if (conflicts.length > 0) {
    const paths = new Set(conflicts.map(({ path }) => path));
    await repository.writeEntries([...repository.entries().filter(({ path }) => !paths.has(path)), ...conflicts]);
  }
  if (!git.args.some((arg) => arg === "-q" || arg === "--quiet"))
    out(await longStatus(git, await readStatus(repository), await trackingText(repository)));
  if (conflicts.length > 0) {
    out("The stash entry is kept in case you need it again.\n");
    return 1;
  }
  return drops ? drop(git, at) : 0;
}

async function drop(git: GitCall, at: number): Promise<number> {
  const { repository, out } = git;
  const list = stashes(repository);
  const dropped = list[at];
  const person = await personOf(git, "COMMITTER");
  await writeStashes(
    repository,
    list.filter((_, place) => place !== at),
    identText(person),
  );
  out(`Dropped refs/stash@{${at}} (${dropped?.oid ?? ""})\n`);
  return 0;
}
