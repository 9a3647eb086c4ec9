// Versions of a deployed Worker: a share of the traffic for a new one, and the way back to an earlier one.
import { storedVersions, unreadableBy, versionsIn } from "./schema.ts";
import type { Deployment } from "./steps.ts";
import { type Deployed, deploymentsOf, versionOf } from "./wrangler.ts";

type Rollout = Pick<Deployment, "settings" | "isDry" | "wrangler" | "say">;

/** The deployment that serves now. Throws if the Worker was never deployed. */
async function currentOf({ wrangler, settings: { name } }: Rollout): Promise<Deployed> {
  const [current] = await deploymentsOf(wrangler, name);
  if (!current) throw new Error(`the Worker ${name} does not exist yet: deploy it without --percent first`);
  return current;
}

/** Returns the version that has all of the traffic. Throws if two share it. */
export async function onlyVersion(rollout: Rollout): Promise<string> {
  const { versions } = await currentOf(rollout);
  const [first, second] = versions.filter(({ percentage }) => percentage > 0);
  if (!first || second) {
    const shares = versions.map(({ version_id: id, percentage }) => `${id} has ${percentage} %`).join(", ");
    throw new Error(`a roll-out is in progress (${shares}): finish it with --promote, or end it with --rollback`);
  }
  return first.version_id;
}

/** Gives a share of the traffic to a new version, and the rest to the one that served all. Each sandbox stays with its version. */
export async function share(
  { wrangler, settings: { name }, say }: Rollout,
  { before, next, percent }: { readonly before: string; readonly next: string; readonly percent: number },
): Promise<void> {
  await wrangler(["versions", "deploy", `${next}@${percent}`, `${before}@${100 - percent}`, "--name", name, "--yes"]);
  say(`version ${next} has ${percent} % of the traffic; --promote raises it, --rollback ends it`);
}

/** Raises the share of the newer of two versions. Returns its id. */
export async function promote(rollout: Rollout, percent: number): Promise<string> {
  const { wrangler, settings, say, isDry } = rollout;
  const { versions } = await currentOf(rollout);
  const [next, before] = await newestFirst(rollout, versions);
  if (!next || !before) throw new Error("no roll-out is in progress: one version has all of the traffic");
  if (percent < next.percentage)
    throw new Error(`version ${next.version_id} has ${next.percentage} % already: end the roll-out with --rollback`);
  const verb = isDry ? "would get" : "gets";
  say(`version ${next.version_id}: ${verb} ${percent} % of the traffic in place of ${next.percentage} %`);
  if (isDry) return next.version_id;
  // In the order of the previous deployment, so that no sandbox changes its version twice.
  const shares = versions.map(({ version_id: id }) => [id, id === next.version_id ? percent : 100 - percent] as const);
  const words = shares.filter(([, share]) => share > 0).map(([id, share]) => `${id}@${share}`);
  await wrangler(["versions", "deploy", ...words, "--name", settings.name, "--yes"]);
  return next.version_id;
}

async function newestFirst({ wrangler, settings }: Rollout, versions: Deployed["versions"]) {
  const dated = await Promise.all(
    versions.map(async (version) => ({
      ...version,
      createdOn: (await versionOf(wrangler, settings.name, version.version_id)).createdOn,
    })),
  );
  return dated.sort((a, b) => b.createdOn.localeCompare(a.createdOn));
}

/**
 * Returns to an earlier version: the named one, or the one before the newest. Refuses a version that cannot read what is stored by now,
 * unless `isForced`.
 */
export async function rollback(
  rollout: Rollout,
  { to, isForced }: { readonly to: string | undefined; readonly isForced: boolean },
): Promise<void> {
  const { wrangler, settings, say, isDry } = rollout;
  const deployments = await deploymentsOf(wrangler, settings.name);
  const { versions } = await currentOf(rollout);
  const serving = (await newestFirst(rollout, versions)).map(({ version_id: id }) => id);
  const target = to ?? previousVersion(deployments, serving);
  if (target === undefined) throw new Error("there is no earlier version among the last ten deployments: name one");
  const stored = await Promise.all(serving.map((id) => versionOf(wrangler, settings.name, id)));
  const { message } = await versionOf(wrangler, settings.name, target);
  const problems = problemsOf(message, [...stored.map((version) => version.message)]);
  for (const problem of problems) say(`version ${target} ${problem}`);
  if (problems.length > 0 && !isForced)
    throw new Error(
      "not rolled back: sandboxes that the newer version has opened would answer 503; --force does it anyway",
    );
  say(
    `the Worker ${settings.name}: ${isDry ? "would be" : "is"} rolled back to version ${target} (${message || "without a message"})`,
  );
  if (isDry) return;
  await wrangler(["versions", "deploy", `${target}@100`, "--name", settings.name, "--message", "rollback", "--yes"]);
}

/** Returns the version of the newest deployment that did not serve what serves now; in a roll-out, the one that served before. */
function previousVersion(deployments: readonly Deployed[], serving: readonly string[]): string | undefined {
  const [, before] = serving;
  if (before !== undefined) return before;
  for (const { versions } of deployments) {
    const [first, second] = versions;
    if (first && !second && !serving.includes(first.version_id)) return first.version_id;
  }
  return undefined;
}

/** Returns what a version cannot read of the data that the serving versions may have stored. */
function problemsOf(target: string, serving: readonly string[]): string[] {
  const readable = versionsIn(target);
  if (!readable) return ["does not say which stored data it reads"];
  // A version without a message may be of this checkout.
  const stored = serving.map((message) => versionsIn(message) ?? storedVersions);
  return [...new Set(stored.flatMap((versions) => unreadableBy(readable, versions)))].map(
    (text) => `cannot read ${text}`,
  );
}
