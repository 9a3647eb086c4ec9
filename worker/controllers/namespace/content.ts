// Deletes what a namespace holds and says what is left: pods first and alone, then everything else.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";

/** Deletions in one turn; a namespace of thousands of objects takes several. */
const deletionsPerTurn = 500;

/** What a pass over a namespace found; filled in kind by kind. */
export interface ContentLeft {
  /** How many objects are left, by kind; kinds without any are absent. */
  readonly remaining: Map<Kind, number>;
  /** How many objects still have a finalizer, by finalizer. */
  readonly finalizers: Map<string, number>;
  /** What went wrong, as upstream words it. */
  readonly failures: string[];
  /** A deletion was refused, so waiting is not enough. */
  refused: boolean;
  /** Seconds until the pods that are left should be gone. */
  estimateSeconds: number;
  /** Deletions that this turn may still do; below 0: there is more to do at once. */
  budget: number;
}

/** One pass over the content; `sinceMs` is how long ago the namespace was deleted. */
export function deleteContent(client: Client, namespace: string, sinceMs: number): ContentLeft {
  const left: ContentLeft = {
    remaining: new Map(),
    finalizers: new Map(),
    failures: [],
    refused: false,
    estimateSeconds: 0,
    budget: deletionsPerTurn,
  };
  const podKind = pods as Kind;
  left.estimateSeconds = estimateGracefulTerminationForPods(client.each(pods, { namespace }), sinceMs);
  purge(client, podKind, namespace, left);
  // Upstream (OrderedNamespaceDeletion) leaves everything that pods may still need until they are gone.
  if (left.remaining.size > 0 || left.budget < 0) return left;
  for (const kind of client.kinds()) {
    if (left.budget < 0) break;
    if (isContent(kind)) purge(client, kind, namespace, left);
  }
  return left;
}

function isContent(kind: Kind): boolean {
  const deletable = kind.verbs.includes("delete") && kind.verbs.includes("list");
  return kind.namespaced && deletable && kind.resource !== pods.resource && kind.conversion?.hub === undefined;
}

function purge(client: Client, kind: Kind, namespace: string, left: ContentLeft): void {
  const done = deleteAll(client, kind, client.each(kind, { namespace }), left);
  if (left.budget < 0) return;
  const holders: string[] = [];
  let still = 0;
  for (const { metadata } of client.each(kind, { namespace })) {
    still++;
    holders.push(...(metadata.finalizers ?? []));
  }
  if (still === 0) return;
  left.remaining.set(kind, still);
  for (const one of holders) left.finalizers.set(one, (left.finalizers.get(one) ?? 0) + 1);
  const expected = holders.length > 0 || (kind.resource === pods.resource && left.estimateSeconds > 0);
  if (!done || expected) return;
  const resource = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
  left.failures.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource}`);
}

/** False when a deletion was refused. */
function deleteAll(client: Client, kind: Kind, found: Iterable<KubeObject>, left: ContentLeft): boolean {
  for (const { metadata } of found) {
    if (metadata.deletionTimestamp) continue;
    left.budget--;
    if (left.budget < 0) return true;
    try {
      client.tryDelete(kind, metadata.namespace ?? "", metadata.name ?? "", { propagation: "Background" });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      left.failures.push(error.message);
      left.refused = true;
      return false;
    }
  }
  return true;
}

/** The longest grace of a pod that runs, unless it is over already. */
function estimateGracefulTerminationForPods(found: Iterable<Pod>, sinceMs: number): number {
  let longest = 0;
  for (const { spec, status } of found) {
    if (status.phase === "Succeeded" || status.phase === "Failed") continue;
    longest = Math.max(longest, spec.terminationGracePeriodSeconds ?? 0);
  }
  return sinceMs >= longest * 1000 ? 0 : longest;
}
