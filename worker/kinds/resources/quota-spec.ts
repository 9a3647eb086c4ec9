// What a ResourceQuota may count, and for which objects.
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { validateResourceName, validateResourceQuantity } from "../pods/validate-resources.ts";

const compute = ["cpu", "memory"];
const podCompute = [
  ...compute,
  ...compute.map((name) => `limits.${name}`),
  ...compute.map((name) => `requests.${name}`),
];
const quotaResources = [
  ...podCompute,
  "ephemeral-storage",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
];
/** What each scope can be told of. */
const resourcesOfScopes: Readonly<Record<string, readonly string[]>> = {
  Terminating: ["pods", ...podCompute],
  NotTerminating: ["pods", ...podCompute],
  BestEffort: ["pods"],
  NotBestEffort: ["pods", ...podCompute],
  PriorityClass: ["pods", ...podCompute],
  CrossNamespacePodAffinity: ["pods", ...podCompute],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const scopesThatOnlyExist = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];
const conflicts = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

export function validateQuotaSpec(spec: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  return [
    ...validateQuotaAmounts(spec.hard, at.child("hard")),
    ...validateScopes(spec, at.child("scopes")),
    ...validateScopeSelector(spec, at.child("scopeSelector", "matchExpressions")),
  ];
}

export function validateQuotaAmounts(list: Readonly<Record<string, string>> | undefined, at: FieldPath): FieldError[] {
  return Object.entries(list ?? {}).flatMap(([name, text]) => [
    ...validateQuotaResourceName(name, at.key(name)),
    ...validateResourceQuantity(name, text, at.key(name)),
  ]);
}

function validateQuotaResourceName(name: string, at: FieldPath): FieldError[] {
  const wrong = validateResourceName(name, at);
  if (name.includes("/") || isQuotaResource(name)) return wrong;
  return [...wrong, invalid(at, name, "must be a standard resource for quota")];
}

/** Huge pages count by their requests. */
function isQuotaResource(name: string): boolean {
  return quotaResources.includes(name) || /^(requests\.)?hugepages-/.test(name);
}

function validateScopes({ scopes = [], hard }: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  if (scopes.length === 0) return [];
  const errors = scopes.flatMap((scope) => [
    ...(resourcesOfScopes[scope] ? [] : [invalid(at, scopes, "unsupported scope")]),
    ...misplaced(scope, hard).map(() => invalid(at, scopes, "unsupported scope applied to resource")),
  ]);
  return [...errors, ...conflicting(scopes).map(() => invalid(at, scopes, "conflicting scopes"))];
}

function validateScopeSelector({ scopeSelector, hard, scopes }: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  if (!scopeSelector) return [];
  const { matchExpressions = [] } = scopeSelector;
  const errors: FieldError[] = [];
  for (const requirement of matchExpressions) {
    const { scopeName } = requirement;
    if (!resourcesOfScopes[scopeName]) errors.push(invalid(at.child("scopeName"), scopeName, "unsupported scope"));
    // Upstream prints its internal struct, whose fields have no JSON names.
    const form = { MatchExpressions: matchExpressions.map(internalForm) };
    for (const _ of misplaced(scopeName, hard)) {
      errors.push(invalid(at, form, "unsupported scope applied to resource"));
    }
    errors.push(...validateRequirement(requirement, at));
  }
  const names = matchExpressions.map(({ scopeName }) => scopeName);
  return [...errors, ...conflicting(names).map(() => invalid(at, scopes, "conflicting scopes"))];
}

function validateRequirement(requirement: ScopedResourceSelectorRequirement, at: FieldPath): FieldError[] {
  const { scopeName, operator, values = [] } = requirement;
  const errors: FieldError[] = [];
  if (scopesThatOnlyExist.includes(scopeName) && operator !== "Exists") {
    const scopes =
      "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(at.child("operator"), operator, `must be 'Exists' when scope is any of ${scopes}`));
  }
  if (operator === "In" || operator === "NotIn") {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) errors.push(required(at.child("values"), why));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) errors.push(invalid(at.child("values"), values, why));
  } else {
    errors.push(invalid(at.child("operator"), operator, "not a valid selector operator"));
  }
  return errors;
}

/** Resources of the quota that the scope cannot be told of. */
function misplaced(scope: string, hard: Readonly<Record<string, string>> = {}): string[] {
  const known = resourcesOfScopes[scope];
  return Object.keys(hard).filter((name) => isQuotaResource(name) && known && !known.includes(name));
}

function conflicting(scopes: readonly string[]): readonly (readonly string[])[] {
  return conflicts.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function internalForm({ scopeName, operator, values }: ScopedResourceSelectorRequirement): unknown {
  return { ScopeName: scopeName, Operator: operator, Values: values ?? null };
}
