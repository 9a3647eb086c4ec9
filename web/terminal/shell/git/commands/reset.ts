// `git reset`: moves the branch, the index and the working tree, or unstages files.
import { changesBetween } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, pathSpec } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { endOperation, overwrite } from "../moves.ts";
import { subjectOf } from "../print/commit.ts";
import { shortOf } from "../repository.ts";
import { commitOf, findCommit } from "../revision.ts";
import { isPath } from "./log.ts";

export const resetCommands: Readonly<Record<string, GitCommand>> = { reset };

async function reset(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "q --soft --mixed --hard --quiet");
  const [first, ...rest] = options.rest;
  const oid = first === undefined ? undefined : await findCommit(repository, first);
  const names = [...(oid === undefined ? options.rest : rest), ...options.paths];
  if (
    first !== undefined &&
    oid === undefined &&
    !options.hasPaths &&
    !isPath(git, first) &&
    !repository.index().has(first)
  )
    await commitOf(repository, first);
  const mode = ["soft", "hard", "mixed"].find((name) => options.has(name)) ?? "mixed";
  if (names.length > 0) {
    if (mode !== "mixed" || options.has("mixed")) throw fatal(`Cannot do ${mode} reset with paths.`);
    return unstage(git, oid, names, options.has("q", "quiet"));
  }
  const target = oid ?? (await repository.head());
  if (mode === "soft" && repository.unmerged().size > 0)
    throw fatal("Cannot do a soft reset in the middle of a merge.");
  const before = await repository.head();
  if (before !== undefined) repository.writeState("ORIG_HEAD", `${before}\n`);
  const tree = await repository.treeOf(target);
  if (mode === "hard") await overwrite(repository, tree);
  if (mode === "mixed") await repository.stageAll(tree);
  if (target !== undefined) await repository.moveHead(target);
  endOperation(repository);
  if (options.has("q", "quiet")) return 0;
  if (mode === "hard" && target !== undefined)
    out(`HEAD is now at ${shortOf(target)} ${subjectOf(await repository.commit(target))}\n`);
  if (mode === "mixed") out(await unstagedText(git));
  return 0;
}

async function unstage(
  git: GitCall,
  source: string | undefined,
  names: readonly string[],
  isQuiet: boolean,
): Promise<number> {
  const { repository, out } = git;
  const tree = await repository.treeOf(source ?? (await repository.head()));
  const spec = pathSpec(git, names);
  const paths = [...new Set([...tree.keys(), ...repository.index().keys()])].filter(spec.matches);
  const missing = spec.missing(paths);
  if (missing !== undefined && !isPath(git, missing))
    throw new GitFailure(
      `fatal: ambiguous argument '${missing}': unknown revision or path not in the working tree.`,
      128,
    );
  await repository.stage(paths.map((path) => [path, tree.get(path)] as const));
  if (!isQuiet) out(await unstagedText(git));
  return 0;
}

async function unstagedText({ repository }: GitCall): Promise<string> {
  const index = repository.index();
  const changes = changesBetween(index, await repository.work(index.keys()));
  if (changes.length === 0) return "";
  return `Unstaged changes after reset:\n${changes.map(({ kind, path }) => `${kind}\t${path}\n`).join("")}`;
}
