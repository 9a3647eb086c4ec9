// How fast to scale, as an annotation of autoscaling/v1 tells it: upstream's internal form, whose fields have no JSON names.
import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from "../../../shared/k8s/api/autoscaling-v2.ts";

/** Every field of the form, as v2 names it. */
const fields = [
  "scaleUp",
  "scaleDown",
  "stabilizationWindowSeconds",
  "selectPolicy",
  "policies",
  "tolerance",
  "type",
  "value",
  "periodSeconds",
];

export function behaviorToInternal({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): unknown {
  return { ScaleUp: rulesForm(scaleUp), ScaleDown: rulesForm(scaleDown) };
}

/** Nothing where there are no rules. Names count in any case, as Go's JSON has it. */
export function behaviorFromInternal(value: unknown): unknown {
  const behavior = renamed(value);
  const isEmpty =
    typeof behavior !== "object" || behavior === null || !("scaleUp" in behavior || "scaleDown" in behavior);
  return isEmpty ? undefined : behavior;
}

function rulesForm(rules: HPAScalingRules | undefined): unknown {
  if (!rules) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: tolerance ?? null,
  };
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const field = fields.find((name) => name.toLowerCase() === key.toLowerCase());
    return field && member !== null ? [[field, renamed(member)]] : [];
  });
  return Object.fromEntries(entries);
}
