// The kind ResourceQuota.
import type { ResourceQuota } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { invalid, path } from "../../shared/k8s/field.ts";
import { compareQuantities, parseQuantity } from "../../shared/k8s/quantity.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { roundUpToMilli } from "./pods/default-resources.ts";
import { validateQuotaAmounts, validateQuotaSpec } from "./resources/quota-spec.ts";

export const resourceQuotas = defineKind<ResourceQuota>("", "v1", "resourcequotas", {
  returnsDeleted: true,
  defaults({ spec, status }) {
    for (const list of [spec.hard, status.hard, status.used]) roundUpToMilli(list);
  },
  validate: ({ spec }) => validateQuotaSpec(spec, path("spec")),
  validateUpdate({ spec }, previous) {
    const setOf = (scopes: readonly string[] = []) => [...new Set(scopes)].sort();
    if (semanticEqual(setOf(spec.scopes), setOf(previous.spec.scopes))) return [];
    return [invalid(path("spec", "scopes"), spec.scopes, "field is immutable")];
  },
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

/** `pods: 2/10, services: 0/5`. */
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
    const name = names.find((one) => hard[one] !== undefined) ?? "";
    const [request, limit] = [hard[name], hard[`limits.${resource}`]];
    const [wanted, allowed] = [parseQuantity(request ?? ""), parseQuantity(limit ?? "")];
    if (!wanted || !allowed || compareQuantities(wanted, allowed) <= 0) return [];
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`];
  });
}
