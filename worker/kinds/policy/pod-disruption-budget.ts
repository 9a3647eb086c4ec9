// The kind PodDisruptionBudget of policy.
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../../shared/k8s/api/policy-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, invalid, notSupported, path } from "../../../shared/k8s/field.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { validateConditions } from "../../../shared/k8s/validate-conditions.ts";
import { validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { validateLabelSelectorValues } from "../common/checks.ts";
import { validateNoMoreThanAll, validateShare } from "../apps/int-or-percent.ts";
import type { Condition } from "../../../shared/k8s/api/meta-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";

const type = "DisruptionAllowed";

const policies = ["AlwaysAllow", "IfHealthyBudget"];

export const podDisruptionBudgets = defineKind<PodDisruptionBudget>("policy", "v1", "poddisruptionbudgets", {
  // Upstream only requires a valid path segment.
  validateName: pathSegmentName,
  metadataRules: "none",
  allowUnconditionalUpdate: false,
  validateUpdate: (_next, _previous, check) => [...check.validate()],
  validate,
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateStatus,
    },
  },
  columns: [
    nameColumn,
    {
      name: "Min Available",
      type: "string",
      description: "How many pods must stay available.",
      cell: ({ spec }) => String(spec.minAvailable ?? "N/A"),
    },
    {
      name: "Max Unavailable",
      type: "string",
      description: "How many pods may be unavailable.",
      cell: ({ spec }) => String(spec.maxUnavailable ?? "N/A"),
    },
    {
      name: "Allowed Disruptions",
      type: "integer",
      description: "How many pods may be evicted now.",
      cell: ({ status }) => status.disruptionsAllowed,
    },
    ageColumn,
  ],
});

function validate({ spec }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const at = path("spec");
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalid(at, internalForm(spec), "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    const value = spec[field];
    if (value === undefined) continue;
    errors.push(...validateShare(value, at.child(field)), ...validateNoMoreThanAll(value, at.child(field)));
  }
  errors.push(...validateLabelSelectorValues(selector, at.child("selector")));
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported(at.child("unhealthyPodEvictionPolicy"), policy, policies));
  }
  return errors;
}

function validateStatus({ status }: PodDisruptionBudget): FieldError[] {
  const at = path("status");
  const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;
  return [
    ...validateConditions(status.conditions ?? [], at.child("conditions")),
    ...counts.flatMap((field) => validateNonNegative(status[field], at.child(field))),
  ];
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalForm(spec: PodDisruptionBudgetSpec): unknown {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

export function disruptionCondition({ conditions = [] }: PodDisruptionBudgetStatus): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function updateDisruptionAllowedCondition(
  status: PodDisruptionBudgetStatus,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const isAllowed = status.disruptionsAllowed > 0;
  return setStatusCondition(
    status,
    { isSatisfied: isAllowed },
    isAllowed ? "SufficientPods" : "InsufficientPods",
    "",
    nowMs,
  );
}

/** Sets the status for a failed sync, which allows no disruptions. */
export function withSyncFailed(
  status: PodDisruptionBudgetStatus,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  return setStatusCondition({ ...status, disruptionsAllowed: 0 }, { isSatisfied: false }, "SyncFailed", message, nowMs);
}

/** Sets a condition. The transition time changes only with the status. */
function setStatusCondition(
  status: PodDisruptionBudgetStatus,
  { isSatisfied }: { readonly isSatisfied: boolean },
  reason: string,
  message: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const old = disruptionCondition(status);
  const value = isSatisfied ? "True" : "False";
  const { observedGeneration = 0 } = status;
  const next: Condition = {
    type,
    status: value,
    ...(observedGeneration > 0 ? { observedGeneration } : {}),
    lastTransitionTime: old?.status === value ? old.lastTransitionTime : rfc3339(nowMs),
    reason,
    message,
  };
  const current = status.conditions ?? [];
  return {
    ...status,
    conditions: old ? current.map((candidate) => (candidate === old ? next : candidate)) : [...current, next],
  };
}
