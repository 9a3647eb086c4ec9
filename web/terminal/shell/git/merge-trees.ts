// Merges the files of two trees that come from a third.
import type { IndexEntry } from "./index-file.ts";
import { mergeTexts } from "./lines/merge.ts";
import { byName, fileMode, type Repository, type Tree } from "./repository.ts";

export interface TreeSides {
  readonly base: Tree;
  readonly ours: Tree;
  readonly theirs: Tree;
  /** The name of their side, in the marks of conflicts. Ours is HEAD. */
  readonly name: string;
}

export interface MergedTrees {
  /** The merged tree; conflicting files with their marks. */
  readonly tree: Map<string, string>;
  readonly conflicts: IndexEntry[];
  readonly notes: string;
}

/** Merges files by their content. Renamed files are files that were deleted and added. */
export async function mergeTrees(repository: Repository, trees: TreeSides): Promise<MergedTrees> {
  const { base, ours, theirs, name } = trees;
  const tree = new Map(ours);
  const conflicts: IndexEntry[] = [];
  let notes = "";
  const paths = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort(byName);
  for (const path of paths) {
    const [b, o, t] = [base.get(path), ours.get(path), theirs.get(path)];
    if (o === t || t === b) continue;
    if (o === b) {
      if (t === undefined) tree.delete(path);
      else tree.set(path, t);
      continue;
    }
    const entries = [b, o, t].flatMap((oid, at) =>
      oid === undefined ? [] : [{ path, oid, mode: fileMode, stage: at + 1 }],
    );
    if (o === undefined || t === undefined) {
      const [deleter, keeper] = o === undefined ? ["HEAD", name] : [name, "HEAD"];
      notes += `CONFLICT (modify/delete): ${path} deleted in ${deleter} and modified in ${keeper}.  Version ${keeper} of ${path} left in tree.\n`;
      tree.set(path, o ?? t ?? "");
      conflicts.push(...entries);
      continue;
    }
    notes += `Auto-merging ${path}\n`;
    const [baseText, ourText, theirText] = [
      await repository.text(b),
      await repository.text(o),
      await repository.text(t),
    ];
    const merged = mergeTexts({ base: baseText, ours: ourText, theirs: theirText, ourName: "HEAD", theirName: name });
    tree.set(path, await repository.store(merged.text));
    if (!merged.hasConflict) continue;
    notes += `CONFLICT (${b === undefined ? "add/add" : "content"}): Merge conflict in ${path}\n`;
    conflicts.push(...entries);
  }
  return { tree, conflicts, notes };
}

/** Records conflicts in the index. Returns the lines of the commit's message that list them. */
export async function recordConflicts(repository: Repository, conflicts: readonly IndexEntry[]): Promise<string> {
  const paths = new Set(conflicts.map(({ path }) => path));
  await repository.writeEntries([...repository.entries().filter(({ path }) => !paths.has(path)), ...conflicts]);
  return `\n# Conflicts:\n${[...paths].map((path) => `#\t${path}\n`).join("")}`;
}
