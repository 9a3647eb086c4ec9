// How a kind counts towards quotas (upstream: `quota.Evaluator`).
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "../../../../shared/k8s/api/core-v1.ts";
import { labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { Amounts } from "./amounts.ts";

/** A write, as far as quotas care. */
export interface QuotaWrite<T> {
  readonly operation: "CREATE" | "UPDATE";
  readonly subresource: string;
  readonly object: T;
  readonly previous: T | undefined;
}

export interface Evaluator<T extends KubeObject = KubeObject> {
  /** Whether a creation or an update may use more, and is to be checked. */
  handles(write: QuotaWrite<T>): boolean;
  /** Whether a resource of a quota counts objects of this kind. */
  counts(resource: string): boolean;
  usage(object: T, nowMs: number): Amounts;
  /** Whether an update may free something or use more. */
  isAffected(next: T, previous: T, nowMs: number): boolean;
  inScope(object: T, scope: ScopedResourceSelectorRequirement): boolean;
  /** What an object must say about the resources that a quota limits; undefined if it does. */
  lack?(object: T, resources: readonly string[]): string | undefined;
}

export function getScopeSelectorsFromQuota({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const scopes = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" as const }));
  return [...scopes, ...(spec.scopeSelector?.matchExpressions ?? [])];
}

/** Upstream's `ScopedResourceSelectorRequirementsAsSelector`, asked of the one value that there is, or of none. */
export function scopeMatches(
  { scopeName, operator, values }: ScopedResourceSelectorRequirement,
  value: string | undefined,
): boolean {
  const requirement = { key: scopeName, operator, ...(values ? { values } : {}) };
  return labelSelectorAsSelector({ matchExpressions: [requirement] }).matches(value ? { [scopeName]: value } : {});
}
