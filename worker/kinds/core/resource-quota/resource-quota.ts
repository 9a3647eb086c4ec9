// The kind ResourceQuota.
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { invalid, path, type FieldError, type FieldPath, required } from "../../../../shared/k8s/field.ts";
import { compareQuantities, parseQuantity } from "../../../../shared/k8s/quantity.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import { defineKind } from "../../kind.ts";
import { setDefaultsResourceList } from "../pod/resource-defaults.ts";
import { validateResourceName, validateResourceQuantity } from "../pod/validation/resources.ts";

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
/** The resources that each scope can limit. */
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

export const resourceQuotas = defineKind<ResourceQuota>("", "v1", "resourcequotas", {
  deletion: { returnsObject: true },
  defaults({ spec, status }) {
    for (const list of [spec.hard, status.hard, status.used]) setDefaultsResourceList(list);
  },
  validate: ({ spec }) => validateQuotaSpec(spec, path("spec")),
  validateUpdate: (next, previous, check) => [
    ...check.objectMetaUpdate(),
    ...check.validate(),
    ...validateScopesUpdate(next.spec.scopes, previous.spec.scopes),
  ],
  warnings: (next, previous) => (previous ? [] : requestsAboveLimits(next)),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: ({ status }) => [
        ...validateQuotaAmounts(status.hard, path("status", "hard")),
        ...validateQuotaAmounts(status.used, path("status", "used")),
      ],
    },
  },
  columns: [
    nameColumn,
    {
      name: "Request",
      type: "string",
      description: "What is used, of what may be, but for limits.",
      cell: (quota) => amounts(quota, (name) => !name.startsWith("limits.")),
    },
    {
      name: "Limit",
      type: "string",
      description: "What the limits come to, of what they may.",
      cell: (quota) => amounts(quota, (name) => name.startsWith("limits.")),
    },
    ageColumn,
  ],
});

/** Validates that the scopes do not change. */
function validateScopesUpdate(next: readonly string[] = [], previous: readonly string[] = []): FieldError[] {
  const setOf = (scopes: readonly string[]) => [...new Set(scopes)].sort();
  if (semanticEqual(setOf(next), setOf(previous))) return [];
  return [invalid(path("spec", "scopes"), next, "field is immutable")];
}

function amounts({ status }: ResourceQuota, counts: (name: string) => boolean): string {
  return Object.entries(status.hard ?? {})
    .filter(([name]) => counts(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${status.used?.[name] ?? "0"}/${hard}`)
    .join(", ");
}

function requestsAboveLimits({ spec: { hard = {} } }: ResourceQuota): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((resource) => {
    const hasShortName = resource === "cpu" || resource === "memory";
    const names = [`requests.${resource}`, ...(hasShortName ? [resource] : [])];
    const name = names.find((candidate) => hard[candidate] !== undefined) ?? "";
    const [request, limit] = [hard[name], hard[`limits.${resource}`]];
    const [requested, allowed] = [parseQuantity(request ?? ""), parseQuantity(limit ?? "")];
    if (!requested || !allowed || compareQuantities(requested, allowed) <= 0) return [];
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`];
  });
}

function validateQuotaSpec(spec: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  return [
    ...validateQuotaAmounts(spec.hard, at.child("hard")),
    ...validateScopes(spec, at.child("scopes")),
    ...validateScopeSelector(spec, at.child("scopeSelector", "matchExpressions")),
  ];
}

function validateQuotaAmounts(list: Readonly<Record<string, string>> | undefined, at: FieldPath): FieldError[] {
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

/** Reports whether a resource can be limited. Huge pages are limited by requests. */
function isQuotaResource(name: string): boolean {
  return quotaResources.includes(name) || /^(requests\.)?hugepages-/.test(name);
}

function validateScopes({ scopes = [], hard }: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  if (scopes.length === 0) return [];
  const errors = scopes.flatMap((scope) => [
    ...(resourcesOfScopes[scope] ? [] : [invalid(at, scopes, "unsupported scope")]),
    ...unlimitableResources(scope, hard).map(() => invalid(at, scopes, "unsupported scope applied to resource")),
  ]);
  return [...errors, ...conflicting(scopes).map(() => invalid(at, scopes, "conflicting scopes"))];
}

function validateScopeSelector({ scopeSelector, hard, scopes }: ResourceQuotaSpec, at: FieldPath): FieldError[] {
  if (!scopeSelector) return [];
  const { matchExpressions = [] } = scopeSelector;
  const errors: FieldError[] = [];
  // Upstream prints its internal struct, whose fields have no JSON names.
  const form = { MatchExpressions: matchExpressions.map(internalForm) };
  for (const requirement of matchExpressions) {
    const { scopeName } = requirement;
    if (!resourcesOfScopes[scopeName]) errors.push(invalid(at.child("scopeName"), scopeName, "unsupported scope"));
    for (const _ of unlimitableResources(scopeName, hard)) {
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

/** Returns the resources of the quota that the scope cannot limit. */
function unlimitableResources(scope: string, hard: Readonly<Record<string, string>> = {}): string[] {
  const limitable = resourcesOfScopes[scope];
  return Object.keys(hard).filter((name) => isQuotaResource(name) && limitable && !limitable.includes(name));
}

function conflicting(scopes: readonly string[]): readonly (readonly string[])[] {
  return conflicts.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function internalForm({ scopeName, operator, values }: ScopedResourceSelectorRequirement): unknown {
  return { ScopeName: scopeName, Operator: operator, Values: values ?? null };
}
