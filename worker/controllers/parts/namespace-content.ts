// Deletes what a namespace holds and says what is left: pods first and alone, then everything else.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/pods.ts";
import type { Client } from "../../registry/client.ts";

/** Upstream's estimate for finalizers to finish. */
const finalizerEstimateSeconds = 15;
/** Deletions in one turn; a namespace of thousands of objects takes several. */
const deletionsPerTurn = 500;

export interface ContentLeft {
  /** How many objects are left, by kind; kinds without any are absent. */
  readonly remaining: ReadonlyMap<Kind, number>;
  /** How many objects still have a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** What went wrong, as upstream words it. */
  readonly failures: readonly string[];
  /** Seconds until what is left should be gone. */
  readonly estimateSeconds: number;
  /** This turn's deletions are spent: go on at once. */
  readonly more: boolean;
}

/** One pass over the content; `sinceMs` is how long ago the namespace was deleted. */
export function deleteContent(client: Client, namespace: string, sinceMs: number): ContentLeft {
  const sum = new Sum(client, namespace, sinceMs);
  sum.purge(pods as Kind);
  // Upstream (OrderedNamespaceDeletion) leaves everything that pods may still need until they are gone.
  if (sum.remaining.size > 0) return sum;
  for (const kind of client.kinds()) {
    if (sum.more) break;
    const deletable = kind.verbs.includes("delete") && kind.verbs.includes("list");
    if (!kind.namespaced || !deletable || kind.otherVersionOf || kind.resource === pods.resource) continue;
    sum.purge(kind);
  }
  return sum;
}

class Sum implements ContentLeft {
  readonly remaining = new Map<Kind, number>();
  readonly finalizers = new Map<string, number>();
  readonly failures: string[] = [];
  estimateSeconds = 0;
  more = false;
  #budget = deletionsPerTurn;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #sinceMs: number;

  constructor(client: Client, namespace: string, sinceMs: number) {
    this.#client = client;
    this.#namespace = namespace;
    this.#sinceMs = sinceMs;
  }

  purge(kind: Kind): void {
    const found = this.#client.list(kind, { namespace: this.#namespace });
    if (found.length === 0) return;
    const grace = kind.resource === pods.resource ? graceSeconds(found as readonly Pod[], this.#sinceMs) : 0;
    if (!this.#deleteAll(kind, found)) return;
    const left = this.#client.list(kind, { namespace: this.#namespace });
    if (left.length === 0) return;
    this.remaining.set(kind, left.length);
    const holders = left.flatMap((object) => object.metadata.finalizers ?? []);
    for (const one of holders) this.finalizers.set(one, (this.finalizers.get(one) ?? 0) + 1);
    const estimate = grace > 0 ? grace : holders.length > 0 ? finalizerEstimateSeconds : 0;
    this.estimateSeconds = Math.max(this.estimateSeconds, holders.length > 0 && grace === 0 ? 0 : estimate);
    if (estimate === 0)
      this.failures.push(
        `unexpected items still remain in namespace: ${this.#namespace} for gvr: ${kind.group}/${kind.version}, Resource=${kind.plural}`,
      );
  }

  /** False when the turn's deletions ran out or one was refused. */
  #deleteAll(kind: Kind, found: readonly KubeObject[]): boolean {
    for (const object of found) {
      if (object.metadata.deletionTimestamp) continue;
      if (this.#budget-- <= 0) {
        this.more = true;
        return false;
      }
      try {
        this.#client.tryDelete(kind, this.#namespace, object.metadata.name ?? "", { propagation: "Background" });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.failures.push(error.message);
        this.remaining.set(kind, this.#client.list(kind, { namespace: this.#namespace }).length);
        return false;
      }
    }
    return true;
  }
}

/** Upstream's `estimateGracefulTerminationForPods`: the longest grace of a pod that runs, unless it is over already. */
function graceSeconds(found: readonly Pod[], sinceMs: number): number {
  const graces = found
    .filter((pod) => pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed")
    .map((pod) => pod.spec.terminationGracePeriodSeconds ?? 0);
  const longest = Math.max(0, ...graces);
  return sinceMs >= longest * 1000 ? 0 : longest;
}
