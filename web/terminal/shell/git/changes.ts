// The changed files between two trees.
import { byName, type Repository, type Tree } from "./repository.ts";
import { editsOf, splitLines } from "./lines/edits.ts";

export interface Change {
  /** The path in the new tree; of a deleted file in the old one. */
  readonly path: string;
  readonly kind: "A" | "D" | "M" | "R";
  readonly from?: string;
  readonly to?: string;
  /** The path in the old tree of a renamed file. */
  readonly oldPath?: string;
}

/** Returns the changes, sorted by path. A deleted and an added file with the same content are a renamed file. */
export function changesBetween(from: Tree, to: Tree, matches: (path: string) => boolean = () => true): Change[] {
  const changes: Change[] = [];
  for (const [path, oid] of to) {
    const before = from.get(path);
    if (!matches(path) || before === oid) continue;
    changes.push(before === undefined ? { path, kind: "A", to: oid } : { path, kind: "M", from: before, to: oid });
  }
  for (const [path, oid] of from) if (matches(path) && !to.has(path)) changes.push({ path, kind: "D", from: oid });
  return withRenames(changes.sort((a, b) => byName(a.path, b.path)));
}

/** The id of an empty file, which is never renamed. */
const emptyFile = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

function withRenames(changes: readonly Change[]): Change[] {
  const deleted = changes.filter(({ kind }) => kind === "D");
  const renamed = new Set<string>();
  const named = changes.map((change): Change => {
    const { path, kind, to } = change;
    if (kind !== "A" || to === undefined || to === emptyFile) return change;
    const source = deleted.find(({ path: oldPath, from }) => from === to && !renamed.has(oldPath));
    if (!source) return change;
    renamed.add(source.path);
    return { path, kind: "R", from: to, to, oldPath: source.path };
  });
  return named.filter(({ path, kind }) => kind !== "D" || !renamed.has(path));
}

export interface CountedChange extends Change {
  readonly added: number;
  readonly removed: number;
}

export async function countLines(repository: Repository, changes: readonly Change[]): Promise<CountedChange[]> {
  return Promise.all(
    changes.map(async (change) => {
      const edits = editsOf(
        splitLines(await repository.text(change.from)),
        splitLines(await repository.text(change.to)),
      );
      return {
        ...change,
        added: edits.reduce((sum, { toStart, toEnd }) => sum + toEnd - toStart, 0),
        removed: edits.reduce((sum, { fromStart, fromEnd }) => sum + fromEnd - fromStart, 0),
      };
    }),
  );
}
