// Converts between autoscaling/v1 and the stored v2. Fields that v1 does not have are in annotations, as in upstream's conversion.
import type { HorizontalPodAutoscaler as Old } from "../../../../shared/k8s/api/autoscaling-v1.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
  HPAScalingRules,
} from "../../../../shared/k8s/api/autoscaling-v2.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { decode } from "../../../../shared/schema/decode.ts";
import { cpuUtilization } from "./defaults.ts";
import { metricSpecFromOld, metricSpecToOld, metricStatusFromOld, metricStatusToOld } from "./v1-metrics.ts";
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";

/** The fields of v2. */
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

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
export const roundTripAnnotations: readonly string[] = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
  "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

const type = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler";

export function toStorage(old: Old): HorizontalPodAutoscaler {
  const { targetCPUUtilizationPercentage: target, ...spec } = old.spec;
  const { currentCPUUtilizationPercentage: current, ...status } = old.status;
  const annotated = toldIn(old.metadata.annotations ?? {});
  const metrics = [...(annotated.metrics ?? []), ...(target === undefined ? [] : [cpuUtilization(target)])];
  const cpu: MetricStatus[] = current === undefined ? [] : [cpuStatus(current)];
  const currentMetrics = annotated.currentMetrics ?? cpu;
  const conditions = annotated.conditions ?? [];
  const metadata = { ...old.metadata };
  withoutAnnotations(metadata, roundTripAnnotations);
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: {
      ...spec,
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(annotated.behavior ? { behavior: annotated.behavior } : {}),
    },
    status: {
      ...status,
      currentMetrics,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
  };
}

export function fromStorage(stored: HorizontalPodAutoscaler): Old {
  const { metrics = [], behavior, ...spec } = stored.spec;
  const { currentMetrics = [], conditions = [], currentReplicas = 0, desiredReplicas, ...status } = stored.status;
  const metadata = { ...stored.metadata };
  withoutAnnotations(metadata, roundTripAnnotations);
  const otherMetrics = metrics.filter((metric) => cpuTarget(metric) === undefined);
  const annotations = {
    ...metadata.annotations,
    ...(otherMetrics.length > 0 ? { [metricsAnnotation]: JSON.stringify(otherMetrics.map(metricSpecToOld)) } : {}),
    ...(currentMetrics.length > 0
      ? { [currentMetricsAnnotation]: JSON.stringify(currentMetrics.map(metricStatusToOld)) }
      : {}),
    ...(behavior ? { [behaviorAnnotation]: JSON.stringify(behaviorToInternal(behavior)) } : {}),
    ...(conditions.length > 0 ? { [conditionsAnnotation]: JSON.stringify(conditions) } : {}),
  };
  const sorted = Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length > 0) metadata.annotations = Object.fromEntries(sorted);
  const target = metrics.map(cpuTarget).find((percent) => percent !== undefined);
  const current = currentMetrics.map(cpuCurrent).findLast((percent) => percent !== undefined);
  return {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      ...status,
      currentReplicas,
      desiredReplicas,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  };
}

function cpuTarget({ type: source, resource }: MetricSpec): number | undefined {
  return source === "Resource" && resource?.name === "cpu" ? resource.target.averageUtilization : undefined;
}

function cpuCurrent({ type: source, resource }: MetricStatus): number | undefined {
  return source === "Resource" && resource?.name === "cpu" ? resource.current.averageUtilization : undefined;
}

function cpuStatus(averageUtilization: number): MetricStatus {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
}

interface Told {
  readonly metrics?: MetricSpec[] | undefined;
  readonly behavior?: HorizontalPodAutoscalerBehavior | undefined;
  readonly currentMetrics?: MetricStatus[] | undefined;
  readonly conditions?: HorizontalPodAutoscalerCondition[] | undefined;
}

/** Parses the annotations. A malformed one counts as absent. */
function toldIn(annotations: Readonly<Record<string, string>>): Told {
  const list = (key: string) => {
    const value = parseJson(annotations[key]);
    return Array.isArray(value) ? value : undefined;
  };
  const current = list(currentMetricsAnnotation);
  const behavior = behaviorFromInternal(parseJson(annotations[behaviorAnnotation]));
  return {
    metrics: decodeChecked({ spec: { metrics: list(metricsAnnotation)?.map(metricSpecFromOld) } })?.spec.metrics,
    behavior: behavior === undefined ? undefined : decodeChecked({ spec: { behavior } })?.spec.behavior,
    currentMetrics:
      current && decodeChecked({ status: { currentMetrics: current.map(metricStatusFromOld) } })?.status.currentMetrics,
    conditions: decodeChecked({ status: { conditions: list(conditionsAnnotation) } })?.status.conditions,
  };
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes a value. Returns undefined if a type is wrong. */
function decodeChecked(value: unknown): HorizontalPodAutoscaler | undefined {
  try {
    // Decoding returns this type.
    return decode(type, value).object as HorizontalPodAutoscaler;
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}

/** Removes annotations in place. An empty map is removed too. */
export function withoutAnnotations(metadata: ObjectMeta, keys: readonly string[]): void {
  const entries = Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key));
  if (entries.length > 0) metadata.annotations = Object.fromEntries(entries);
  else delete metadata.annotations;
}

function behaviorToInternal({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): unknown {
  return { ScaleUp: rulesForm(scaleUp), ScaleDown: rulesForm(scaleDown) };
}

/** Converts rules; undefined if there are none. Names match case-insensitively, as in Go's JSON decoder. */
function behaviorFromInternal(value: unknown): unknown {
  const behavior = renameFields(value);
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

function renameFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameFields);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const field = fields.find((name) => name.toLowerCase() === key.toLowerCase());
    return field && member !== null ? [[field, renameFields(member)]] : [];
  });
  return Object.fromEntries(entries);
}
