// The history of a sandbox's changes, without unrelated resources, and a wait until the changes stop.
import { masksIn } from "./final-state.ts";
import type { ChangeList, Sandbar } from "../index.ts";

export type RecordedChange = ChangeList["changes"][number];

/** The resources whose changes do not show what an operator does. */
const noise = new Set([
  ...["leases.coordination.k8s.io", "events", "events.events.k8s.io", "ipaddresses.networking.k8s.io"],
]);
const pollMs = 150;

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

/** Returns the newest revision of a change by an operator or a user. */
async function newestRevision(client: Sandbar, sandbox: string): Promise<number> {
  const { changes } = await client.listChanges(sandbox);
  return changes.find(({ resource, name }) => !noise.has(resource) && !isLock({ resource, name }))?.revision ?? 0;
}

/** Reports whether an object is a ConfigMap of leader election, which is renewed continuously. */
function isLock({ resource, name }: Pick<RecordedChange, "resource" | "name">): boolean {
  return resource === "configmaps" && /leader|lock|election/.test(name);
}

export interface QuietOptions {
  readonly quietMs: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Reports whether work is in progress that causes no changes yet, such as the start of the operator. */
  isBusy?(): boolean;
}

/** Waits until nothing has changed for `quietMs`. Returns false after `limitMs`. */
export async function becomesQuiet(
  client: Sandbar,
  sandbox: string,
  { quietMs, limitMs, signal, isBusy = () => false }: QuietOptions,
): Promise<boolean> {
  const beganMs = Date.now();
  let [revision, changedMs] = [await newestRevision(client, sandbox), Date.now()];
  while (Date.now() - beganMs < limitMs && !signal.aborted) {
    await new Promise((resolve) => void setTimeout(resolve, pollMs));
    const newest = await newestRevision(client, sandbox);
    if (newest !== revision || isBusy()) [revision, changedMs] = [newest, Date.now()];
    else if (Date.now() - changedMs >= quietMs) return true;
  }
  return false;
}

/** Counts the creations and deletions of each object, by which runs are compared. */
export function lifeCounts(changes: readonly RecordedChange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { change, resource, namespace, name } of changes) {
    if (change === "changed" || isLock({ resource, name })) continue;
    const key = `${change} ${resource} ${namespace ? `${namespace}/` : ""}${masksIn(name)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
