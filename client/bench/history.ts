// The history of a sandbox's changes, without unrelated resources.
import { masksIn } from "./final-state.ts";
import type { ChangeList, Sandbar } from "../index.ts";

export type RecordedChange = ChangeList["changes"][number];

/** The resources whose changes do not show what an operator does. */
const noise = new Set([
  ...["leases.coordination.k8s.io", "events", "events.events.k8s.io", "ipaddresses.networking.k8s.io"],
]);

/** Returns the changes after a revision, the oldest first. */
export async function changesSince(client: Sandbar, sandbox: string, revision: number): Promise<RecordedChange[]> {
  const changes: RecordedChange[] = [];
  for (let before: number | undefined; ; ) {
    const page = await client.listChanges(sandbox, before === undefined ? {} : { before });
    changes.push(...page.changes.filter((entry) => entry.revision > revision));
    before = page.next;
    if (before === undefined || before <= revision) break;
  }
  return changes.filter(({ resource, name }) => !noise.has(resource) && !isLock({ resource, name })).reverse();
}

/** Reports whether an object is a ConfigMap of leader election, which is renewed continuously. */
export function isLock({ resource, name }: Pick<RecordedChange, "resource" | "name">): boolean {
  return resource === "configmaps" && /leader|lock|election/.test(name);
}

/** Counts the creations and deletions of each object, by which runs are compared. */
export function lifeCounts(changes: readonly RecordedChange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { change, resource, namespace, name } of changes) {
    if (change === "changed" || isLock({ resource, name })) continue;
    const key = `${change} ${resource} ${namespace ? `${namespace}/` : ""}${masksIn(name)}`;
    if (isGenerated(key)) continue;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Reports whether an object has a name that differs in each run. */
function isGenerated(key: string): boolean {
  return /-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(key) || / pods /.test(key);
}
