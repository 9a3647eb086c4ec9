// How a branch stands beside the branch that it was cloned from.
import type { Repository } from "./repository.ts";

export interface Tracking {
  readonly upstream: string;
  readonly ahead: number;
  readonly behind: number;
}

export async function trackingOf(repository: Repository, branch: string | undefined): Promise<Tracking | undefined> {
  if (branch === undefined) return undefined;
  const merge = await repository.setting(`branch.${branch}.merge`);
  const remote = await repository.setting(`branch.${branch}.remote`);
  const upstream = merge === undefined ? "" : `${remote ?? "origin"}/${merge.replace("refs/heads/", "")}`;
  const [ours, theirs] = [
    await repository.ref(`refs/heads/${branch}`),
    await repository.ref(`refs/remotes/${upstream}`),
  ];
  if (ours === undefined || theirs === undefined) return undefined;
  return {
    upstream,
    ahead: (await repository.history([ours], [theirs])).length,
    behind: (await repository.history([theirs], [ours])).length,
  };
}

/** Returns the lines of `git status` and `git switch` about it. */
export async function trackingText(repository: Repository, end = "\n"): Promise<string> {
  const tracking = await trackingOf(repository, repository.branch);
  if (!tracking) return "";
  const { upstream, ahead, behind } = tracking;
  const commits = (count: number) => `${count} commit${count === 1 ? "" : "s"}`;
  if (ahead > 0 && behind > 0)
    return `Your branch and '${upstream}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n${end}`;
  if (ahead > 0)
    return `Your branch is ahead of '${upstream}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n${end}`;
  if (behind > 0)
    return `Your branch is behind '${upstream}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n${end}`;
  return `Your branch is up to date with '${upstream}'.\n${end}`;
}
