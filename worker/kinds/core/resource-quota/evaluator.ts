// The interface that counts objects of a kind towards quotas (upstream: `quota.Evaluator`).
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "../../../../shared/k8s/api/core-v1.ts";
import { labelSelectorAsSelector } from "../../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { Amounts } from "./amounts.ts";

/** The properties of a write that quotas need. */
export interface QuotaWrite<T> {
  readonly operation: "CREATE" | "UPDATE";
  readonly subresource: string;
  readonly object: T;
  readonly previous: T | undefined;
}

export interface Evaluator<T extends KubeObject = KubeObject> {
  /** Reports whether a write may increase usage and must be checked. */
  handles(write: QuotaWrite<T>): boolean;
  /** Reports whether a resource of a quota counts objects of this kind. */
  counts(resource: string): boolean;
  usage(object: T, nowMs: number): Amounts;
  /** Reports whether an update may change the usage. */
  isAffected(next: T, previous: T, nowMs: number): boolean;
  inScope(object: T, scope: ScopedResourceSelectorRequirement): boolean;
  /** Returns which of the limited resources an object must specify and does not; undefined if it specifies all. */
  lack?(object: T, resources: readonly string[]): string | undefined;
}

export function getScopeSelectorsFromQuota({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  const scopes = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" as const }));
  return [...scopes, ...(spec.scopeSelector?.matchExpressions ?? [])];
}

/** Matches a scope selector against its only value, or against none (upstream's `ScopedResourceSelectorRequirementsAsSelector`). */
export function scopeMatches(
  { scopeName, operator, values }: ScopedResourceSelectorRequirement,
  value: string | undefined,
): boolean {
  const requirement = { key: scopeName, operator, ...(values ? { values } : {}) };
  return labelSelectorAsSelector({ matchExpressions: [requirement] }).matches(value ? { [scopeName]: value } : {});
}
