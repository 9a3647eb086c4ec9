// Deletes the contents of a namespace and reports what remains: pods first, then everything else.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";

/** The maximum number of deletions in one turn. A namespace with thousands of objects takes several turns. */
const deletionsPerTurn = 500;

/** The result of a pass over a namespace, collected kind by kind. */
export interface ContentLeft {
  /** The number of remaining objects by kind. Kinds without any are missing. */
  readonly remaining: Map<Kind, number>;
  /** The number of remaining objects by finalizer. */
  readonly finalizers: Map<string, number>;
  /** Failures with upstream's messages. */
  readonly failures: string[];
  /** Whether a deletion was rejected, so that waiting is not enough. */
  refused: boolean;
  /** Seconds until the remaining pods should be gone. */
  estimateSeconds: number;
  /** The remaining deletions of this turn. Below 0, another turn is needed at once. */
  budget: number;
}

/** Runs one pass. `sinceMs` is the time since the deletion of the namespace. */
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
  // As upstream (OrderedNamespaceDeletion), objects that pods may need stay until all pods are gone.
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
  for (const holder of holders) left.finalizers.set(holder, (left.finalizers.get(holder) ?? 0) + 1);
  const expected = holders.length > 0 || (kind.resource === pods.resource && left.estimateSeconds > 0);
  if (!done || expected) return;
  const resource = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
  left.failures.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource}`);
}

/** Deletes objects. Returns false if a deletion was rejected. */
function deleteAll(client: Client, kind: Kind, objects: Iterable<KubeObject>, left: ContentLeft): boolean {
  for (const { metadata } of objects) {
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

/** Returns the longest grace period of a running pod, unless it is over already. */
function estimateGracefulTerminationForPods(namespacePods: Iterable<Pod>, sinceMs: number): number {
  let longest = 0;
  for (const { spec, status } of namespacePods) {
    if (status.phase === "Succeeded" || status.phase === "Failed") continue;
    longest = Math.max(longest, spec.terminationGracePeriodSeconds ?? 0);
  }
  return sinceMs >= longest * 1000 ? 0 : longest;
}
