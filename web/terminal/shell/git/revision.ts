// Names of commits: branches, tags, ids, and their ancestors.
import { before } from "../../../../shared/base/trim.ts";
import { GitFailure } from "./failure.ts";
import { peeled } from "./print/commit.ts";
import type { Repository } from "./repository.ts";
import { stashes } from "./stashes.ts";

const places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

export function unknownRevision(name: string): GitFailure {
  return new GitFailure(
    `fatal: ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
    128,
  );
}

/** Returns the full name of a reference: `refs/heads/main` of `main`. */
export async function fullRef(repository: Repository, name: string): Promise<string | undefined> {
  if (!/^[\w./-]+$/.test(name) || name.startsWith(".git")) return undefined;
  const isFull = /^[A-Z_]+$/.test(name) || name.startsWith("refs/");
  if (isFull && (await repository.ref(name)) !== undefined) return name;
  for (const start of places) if ((await repository.ref(start + name)) !== undefined) return start + name;
  return undefined;
}

/** Returns the commit that a name means: `HEAD~2`, `v1^`, `stash@{0}`, `3f2a1c0`. Undefined if there is none. */
export async function findCommit(repository: Repository, name: string): Promise<string | undefined> {
  const bare = before(name, "~^");
  const after = name.slice(bare.length);
  const [start, steps] = /^(?:[~^]\d*)*$/.test(after) ? [bare, after] : [name, ""];
  let oid = await base(repository, start === "@" || start === "" ? "HEAD" : start);
  for (const [, kind, count = ""] of steps.matchAll(/([~^])(\d*)/g)) {
    if (oid === undefined) return undefined;
    if (kind === "^" && count === "0") continue;
    const first = kind === "^" ? Number(count || 1) - 1 : 0;
    for (let left = kind === "~" ? Number(count || 1) : 1; left > 0 && oid !== undefined; left--)
      oid = (await repository.commit(oid)).parent[first];
  }
  return oid;
}

async function base(repository: Repository, name: string): Promise<string | undefined> {
  const stash = /^stash@\{(\d+)\}$/.exec(name)?.[1];
  if (stash !== undefined) return stashes(repository)[Number(stash)]?.oid;
  const ref = await fullRef(repository, name);
  const named = ref === undefined ? undefined : await repository.ref(ref);
  if (named !== undefined) return peeled(repository, named);
  if (!/^[\da-f]{4,40}$/.test(name)) return undefined;
  const oid = await repository.api.expandOid({ ...repository.place, oid: name }).catch(() => undefined);
  if (oid === undefined) return undefined;
  const commit = await peeled(repository, oid);
  return repository.commit(commit).then(
    () => commit,
    () => undefined,
  );
}

export async function commitOf(repository: Repository, name: string): Promise<string> {
  const oid = await findCommit(repository, name);
  if (oid === undefined) throw unknownRevision(name);
  return oid;
}
