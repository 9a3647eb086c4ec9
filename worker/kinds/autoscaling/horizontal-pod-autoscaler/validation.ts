// Validates autoscalers: target, bounds, metrics and behavior.
import type {
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  ResourceMetricSource,
  CrossVersionObjectReference,
} from "../../../../shared/k8s/api/autoscaling-v2.ts";
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  path,
  required,
} from "../../../../shared/k8s/field.ts";
import { parseQuantity } from "../../../../shared/k8s/quantity.ts";
import { dns1123Label, pathSegmentName } from "../../../../shared/k8s/names.ts";
import { each } from "../../common/checks.ts";
import { validateContainerResourceName } from "../../core/pod/validation/resources.ts";

const sourceOfTypes = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;
type Source = (typeof sourceOfTypes)[keyof typeof sourceOfTypes];
const types = Object.keys(sourceOfTypes);
/** The metric sources in upstream's order. */
const sources: readonly Source[] = ["object", "external", "pods", "resource", "containerResource"];
const targetTypes = ["Utilization", "Value", "AverageValue"];

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
  errors.push(...validateReference(scaleTargetRef, at.child("scaleTargetRef"), { allowsCore: isOfCore }));
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

function validateMetric(metric: MetricSpec, at: FieldPath): FieldError[] {
  const { type } = metric;
  const errors: FieldError[] = [];
  const typeAt = at.child("type");
  const expected = isType(type) ? sourceOfTypes[type] : undefined;
  if (!type) errors.push(required(typeAt, "must specify a metric source type"));
  if (!expected) errors.push(notSupported(typeAt, type, types));
  const presentSources = sources.filter((source) => metric[source] !== undefined);
  const [first] = presentSources;
  if (first) errors.push(...validateSource(metric, first, at.child(first)));
  if (!expected) errors.push(notSupported(typeAt, type, types));
  else if (!metric[expected]) {
    errors.push(required(at.child(expected), "must populate information for the given metric source"));
  }
  const extraSources = presentSources.length === 1 ? [] : presentSources.filter((source) => source !== expected);
  return [
    ...errors,
    ...extraSources.map((source) => forbidden(at.child(source), "must populate the given metric source only")),
  ];
}

function isType(type: string): type is keyof typeof sourceOfTypes {
  return Object.hasOwn(sourceOfTypes, type);
}

function validateSource(metric: MetricSpec, source: Source, at: FieldPath): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  if (source === "object" && object) return validateObject(object, at);
  if (source === "external" && external) return validateExternal(external, at);
  if (source === "pods" && pods) {
    const errors = [...validateIdentifier(pods.metric, at), ...validateTarget(pods.target, at)];
    if (pods.target.averageValue !== undefined) return errors;
    const why = "must specify a positive target averageValue";
    return [...errors, required(at.child("target", "averageValue"), why)];
  }
  if (source === "resource" && resource) {
    const named = resource.name ? [] : [required(at.child("name"), "must specify a resource name")];
    return [...named, ...validateUsage(resource, at)];
  }
  if (source === "containerResource" && containerResource) {
    const { name, container } = containerResource;
    const [nameAt, containerAt] = [at.child("name"), at.child("container")];
    return [
      ...(name ? validateContainerResourceName(name, nameAt) : [required(nameAt, "must specify a resource name")]),
      ...(container
        ? each(dns1123Label(container), containerAt, container)
        : [required(containerAt, "must specify a container")]),
      ...validateUsage(containerResource, at),
    ];
  }
  return [];
}

function validateObject({ describedObject, metric, target }: ObjectMetricSource, at: FieldPath): FieldError[] {
  const errors = [
    ...validateReference(describedObject, at.child("describedObject"), { allowsCore: true }),
    ...validateIdentifier(metric, at),
    ...validateTarget(target, at),
  ];
  if (target.value !== undefined || target.averageValue !== undefined) return errors;
  const why = "must set either a target value or averageValue";
  return [...errors, required(at.child("target", "averageValue"), why)];
}

function validateExternal({ metric, target }: { metric: MetricIdentifier; target: MetricTarget }, at: FieldPath) {
  const errors = [...validateIdentifier(metric, at), ...validateTarget(target, at)];
  const [hasValue, hasAverage] = [target.value !== undefined, target.averageValue !== undefined];
  if (!hasValue && !hasAverage) {
    const why = "must set either a target value for metric or a per-pod target";
    errors.push(required(at.child("target", "averageValue"), why));
  }
  if (hasValue && hasAverage) {
    const why = "may not set both a target value for metric and a per-pod target";
    errors.push(forbidden(at.child("target", "value"), why));
  }
  return errors;
}

function validateUsage({ target }: ResourceMetricSource, at: FieldPath): FieldError[] {
  const errors = validateTarget(target, at);
  const [hasShare, hasAverage] = [target.averageUtilization !== undefined, target.averageValue !== undefined];
  if (!hasShare && !hasAverage) {
    const why = "must set either a target raw value or a target utilization";
    errors.push(required(at.child("target", "averageUtilization"), why));
  }
  if (hasShare && hasAverage) {
    const why = "may not set both a target raw value and a target utilization";
    errors.push(forbidden(at.child("target", "averageValue"), why));
  }
  return errors;
}

/** Validates a target. `at` is the path of the source. */
function validateTarget({ type, value, averageValue, averageUtilization }: MetricTarget, at: FieldPath): FieldError[] {
  const where = at.child("target");
  const errors: FieldError[] = [];
  if (!type) errors.push(required(where.child("type"), "must specify a metric target type"));
  if (!targetTypes.includes(type)) {
    errors.push(invalid(where.child("type"), type, "must be either Utilization, Value, or AverageValue"));
  }
  const isPositive = (text: string) => (parseQuantity(text)?.nanos ?? 0n) > 0n;
  if (value !== undefined && !isPositive(value)) errors.push(invalid(where.child("value"), value, "must be positive"));
  if (averageValue !== undefined && !isPositive(averageValue)) {
    errors.push(invalid(where.child("averageValue"), averageValue, "must be positive"));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalid(where.child("averageUtilization"), averageUtilization, "must be greater than 0"));
  }
  return errors;
}

function validateIdentifier({ name }: MetricIdentifier, at: FieldPath): FieldError[] {
  const where = at.child("metric", "name");
  return name ? each(pathSegmentName(name), where, name) : [required(where, "must specify a metric name")];
}

/** Validates a reference. `allowsCore`: the apiVersion may be empty or of the core group. */
function validateReference(
  { kind, name, apiVersion = "" }: CrossVersionObjectReference,
  at: FieldPath,
  { allowsCore }: { readonly allowsCore: boolean },
): FieldError[] {
  const validatePathName = (value: string, where: FieldPath) =>
    value ? each(pathSegmentName(value), where, value) : [required(where)];
  const errors = [...validatePathName(kind, at.child("kind")), ...validatePathName(name, at.child("name"))];
  const segments = apiVersion.split("/");
  const hasGroup = segments.length === 2 && segments[0] !== "";
  if (segments.length > 2) {
    errors.push(invalid(at.child("apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (!allowsCore && !hasGroup) {
    errors.push(invalid(at.child("apiVersion"), apiVersion, "apiVersion must specify API group"));
  }
  return errors;
}
