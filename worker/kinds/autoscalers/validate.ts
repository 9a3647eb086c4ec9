// What an autoscaler must be: what it scales, within which bounds, and how fast.
import type {
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { parseQuantity } from "../../../shared/k8s/quantity.ts";
import { validateReference } from "./reference.ts";
import { validateMetric } from "./validate-metrics.ts";

const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];
const windowSecondsMax = 3600;
const periodSecondsMax = 1800;

export function validateAutoscaler(spec: HorizontalPodAutoscalerSpec): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  const at = path("spec");
  const maxAt = at.child("maxReplicas");
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 1) {
    errors.push(invalid(at.child("minReplicas"), minReplicas, "must be greater than or equal to 1"));
  }
  if (maxReplicas === 0) errors.push(required(maxAt, "must be set and greater than 0"));
  if (maxReplicas < 0) errors.push(invalid(maxAt, maxReplicas, "must be greater than or equal to 1"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalid(maxAt, maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  const isOfCore = scaleTargetRef.kind === "ReplicationController";
  errors.push(...validateReference(scaleTargetRef, at.child("scaleTargetRef"), isOfCore));
  const metricsAt = at.child("metrics");
  errors.push(...metrics.flatMap((metric, index) => validateMetric(metric, metricsAt.index(index))));
  const hasOutside = metrics.some(({ type }) => type === "Object" || type === "External");
  if (minReplicas === 0 && !hasOutside) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(forbidden(metricsAt, why));
  }
  for (const field of ["scaleUp", "scaleDown"] as const) {
    const rules = behavior?.[field];
    if (rules) errors.push(...validateRules(rules, at.child("behavior", field)));
  }
  return errors;
}

function validateRules(rules: HPAScalingRules, at: FieldPath): FieldError[] {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const windowAt = at.child("stabilizationWindowSeconds");
  const errors: FieldError[] = [];
  if (window !== undefined && window < 0) {
    errors.push(invalid(windowAt, window, "must be greater than or equal to zero"));
  }
  if (window !== undefined && window > windowSecondsMax) {
    errors.push(invalid(windowAt, window, `must be less than or equal to ${windowSecondsMax}`));
  }
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    errors.push(notSupported(at.child("selectPolicy"), selectPolicy, selectPolicies));
  }
  const policiesAt = at.child("policies");
  if (policies.length === 0) errors.push(required(policiesAt, "must specify at least one Policy"));
  errors.push(...policies.flatMap((policy, index) => validatePolicy(policy, policiesAt.index(index))));
  if (tolerance !== undefined && (parseQuantity(tolerance)?.nanos ?? 0n) < 0n) {
    errors.push(invalid(at.child("tolerance"), tolerance, "must be greater than or equal to 0"));
  }
  return errors;
}

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, at: FieldPath): FieldError[] {
  const errors = policyTypes.includes(type) ? [] : [notSupported(at.child("type"), type, policyTypes)];
  if (value <= 0) errors.push(invalid(at.child("value"), value, "must be greater than zero"));
  const periodAt = at.child("periodSeconds");
  if (periodSeconds <= 0) errors.push(invalid(periodAt, periodSeconds, "must be greater than zero"));
  if (periodSeconds > periodSecondsMax) {
    errors.push(invalid(periodAt, periodSeconds, `must be less than or equal to ${periodSecondsMax}`));
  }
  return errors;
}
