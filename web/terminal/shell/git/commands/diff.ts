// `git diff`: between commits, the index and the working tree.
import { changesBetween } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, pathSpec } from "../command.ts";
import { GitFailure } from "../failure.ts";
import { commitOf, findCommit, unknownRevision } from "../revision.ts";
import type { Tree } from "../repository.ts";
import { changesText, isPath } from "./log.ts";

export const diffCommands: Readonly<Record<string, GitCommand>> = { diff };

const diffSpec =
  "pU: --cached --staged --stat --name-only --name-status --quiet --exit-code --patch --no-color --color --unified=";

async function diff(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, diffSpec, (word) => new GitFailure(`error: invalid option: ${word}`, 129));
  const { revisions, names } = await operands(git, options);
  const isCached = options.has("cached", "staged");
  const [from, to] = await treesOf(git, revisions, isCached);
  const spec = pathSpec(git, names);
  const unmerged = revisions.length === 0 ? repository.unmerged() : new Map<string, number[]>();
  const all = changesBetween(from, to, (path) => spec.matches(path) && !unmerged.has(path));
  for (const path of [...unmerged.keys()].sort())
    if (spec.matches(path)) out(options.has("name-only") ? `${path}\n${path}\n` : `* Unmerged path ${path}\n`);
  if (!options.has("quiet")) out(await changesText(git, all, options));
  return options.has("quiet", "exit-code") && all.length > 0 ? 1 : 0;
}

/** Separates commits from paths: words are commits as long as they name one. */
async function operands(
  git: GitCall,
  options: ReturnType<typeof parsed>,
): Promise<{ revisions: string[]; names: string[] }> {
  const { repository } = git;
  const revisions: string[] = [];
  const names = [...options.paths];
  for (const word of options.rest) {
    const at = word.indexOf("..");
    if (at >= 0 && !isPath(git, word)) {
      const sides = [word.slice(0, at), word.slice(at).replace(/^\.{2,3}/, "")];
      const [left = "", right = ""] = await Promise.all(sides.map((side) => commitOf(repository, side || "HEAD")));
      revisions.push(word.includes("...") ? await mergeBase(git, left, right) : left, right);
    } else {
      const oid = names.length > options.paths.length ? undefined : await findCommit(repository, word);
      if (oid !== undefined) revisions.push(oid);
      else if (options.hasPaths || !isPath(git, word)) throw unknownRevision(word);
      else names.push(word);
    }
  }
  return { revisions, names };
}

async function mergeBase({ repository }: GitCall, left: string, right: string): Promise<string> {
  const bases: unknown[] = await repository.api.findMergeBase({ ...repository.place, oids: [left, right] });
  const [base] = bases;
  return typeof base === "string" ? base : left;
}

async function treesOf(
  { repository }: GitCall,
  revisions: readonly string[],
  isCached: boolean,
): Promise<[Tree, Tree]> {
  const [first, second] = revisions;
  if (first !== undefined && second !== undefined)
    return [await repository.treeOf(first), await repository.treeOf(second)];
  const index = repository.index();
  if (isCached) return [await repository.treeOf(first ?? (await repository.head())), index];
  return [first === undefined ? index : await repository.treeOf(first), await repository.work(index.keys())];
}
