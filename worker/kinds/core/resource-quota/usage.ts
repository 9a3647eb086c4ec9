// Sums the usage of a namespace's objects for quotas.
import type { ResourceQuota } from "../../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { type Quantity, zeroQuantity } from "../../../../shared/k8s/quantity.ts";
import { type Amounts, addTo } from "./amounts.ts";
import { type Evaluator, getScopeSelectorsFromQuota } from "./evaluator.ts";

/** Returns the usage by all objects of one kind, for the resources among `names` that count it. */
export function usageOfKind(
  quota: ResourceQuota,
  evaluator: Evaluator,
  objects: Iterable<KubeObject>,
  names: readonly string[],
  nowMs: number,
): Amounts {
  const counted = names.filter((name) => evaluator.counts(name));
  const sums = new Map<string, Quantity>();
  for (const object of objects) {
    if (isInScopes(quota, evaluator, object)) addTo(sums, usageOf(evaluator, object, nowMs));
  }
  return new Map(counted.map((name) => [name, sums.get(name) ?? zeroQuantity]));
}

export function isInScopes(quota: ResourceQuota, evaluator: Evaluator, object: KubeObject): boolean {
  return getScopeSelectorsFromQuota(quota).every((scope) => evaluator.inScope(object, scope));
}

/** A cache of amounts by stored object, which never changes. Objects that are being deleted depend on the clock and are not cached. */
const cache = new WeakMap<KubeObject, Amounts>();

function usageOf(evaluator: Evaluator, object: KubeObject, nowMs: number): Amounts {
  if (object.metadata.deletionTimestamp) return evaluator.usage(object, nowMs);
  const amounts = cache.get(object) ?? evaluator.usage(object, nowMs);
  cache.set(object, amounts);
  return amounts;
}
