// Moves all data to the current value of a service's secret in batches, and reports whether the earlier value can be dropped.
import type { SecretMove } from "../../shared/contract/hosted/admin.ts";

type Part = SecretMove["part"];

const names: Readonly<Record<Part, string>> = {
  sandboxes: "sandboxes",
  keys: "keys of LTI tools",
  files: "files of snapshots and templates",
};

/** Moves everything. Returns whether nothing is left. `move` asks the service for one batch. */
export async function moveAll(
  move: (cursor: string | undefined) => Promise<SecretMove>,
  say: (line: string) => void,
): Promise<boolean> {
  const counts = { sandboxes: { moved: 0, failed: 0 }, keys: { moved: 0, failed: 0 }, files: { moved: 0, failed: 0 } };
  let answer = await move(undefined);
  for (;;) {
    const { part: moveStage, moved, failed, nextCursor } = answer;
    counts[moveStage].moved += moved;
    counts[moveStage].failed += failed;
    if (nextCursor === undefined) break;
    if (!nextCursor.startsWith(moveStage)) say(lineOf(moveStage, counts[moveStage]));
    answer = await move(nextCursor);
  }
  say(lineOf(answer.part, counts[answer.part]));
  const failures = Object.values(counts).reduce((sum, { failed }) => sum + failed, 0);
  if (answer.sandboxesLeft > 0 || failures > 0) {
    say(`Left: ${answer.sandboxesLeft} sandboxes, ${failures} failures. The service's log says why. Run this again.`);
    return false;
  }
  say(
    answer.values > 1
      ? "Everything is moved: SANDBAR_SECRET_OLD can be dropped."
      : "The service has one secret, and everything follows from it.",
  );
  for (const line of answer.values > 1 ? endings(answer) : []) say(line);
  return true;
}

function lineOf(moveStage: Part, { moved, failed }: { readonly moved: number; readonly failed: number }): string {
  return `${names[moveStage]}: ${moved} moved${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** Returns what clients hold themselves, and what ends with the earlier value. */
function endings({ links: { classes, runs } }: SecretMove): string[] {
  const until = (lastEndsAt: string | undefined) =>
    lastEndsAt === undefined ? "" : ` (the last ends at ${lastEndsAt})`;
  return [
    "These end when it is dropped, so wait or give out new ones:",
    "  tokens and kubeconfigs of sandboxes that were given out before; the service shows the new ones",
    `  links of ${classes.count} classes${until(classes.lastEndsAt)}, and of ${runs.count} learners${until(runs.lastEndsAt)}`,
    "  keys of webhooks: receivers need the secret that GET /v1/webhooks/{webhook} shows now",
    "  states that were exported to files: import them before, or export them again",
  ];
}
