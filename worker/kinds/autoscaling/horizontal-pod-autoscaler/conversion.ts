// Between autoscaling/v1 and the stored v2: what v1 has no fields for travels in annotations, as upstream's conversion has it.
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
  const told = toldIn(old.metadata.annotations ?? {});
  const metrics = [...(told.metrics ?? []), ...(target === undefined ? [] : [cpuUtilization(target)])];
  const cpu: MetricStatus[] = current === undefined ? [] : [cpuStatus(current)];
  const currentMetrics = told.currentMetrics ?? cpu;
  const conditions = told.conditions ?? [];
  const metadata = { ...old.metadata };
  withoutAnnotations(metadata, roundTripAnnotations);
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: {
      ...spec,
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(told.behavior ? { behavior: told.behavior } : {}),
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
  const others = metrics.filter((metric) => cpuTarget(metric) === undefined);
  const annotations = {
    ...metadata.annotations,
    ...(others.length > 0 ? { [metricsAnnotation]: JSON.stringify(others.map(metricSpecToOld)) } : {}),
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

/** What the annotations hold; one that is malformed counts as absent. */
function toldIn(annotations: Readonly<Record<string, string>>): Told {
  const list = (key: string) => {
    const value = parsed(annotations[key]);
    return Array.isArray(value) ? value : undefined;
  };
  const current = list(currentMetricsAnnotation);
  const behavior = behaviorFromInternal(parsed(annotations[behaviorAnnotation]));
  return {
    metrics: checked({ spec: { metrics: list(metricsAnnotation)?.map(metricSpecFromOld) } })?.spec.metrics,
    behavior: behavior === undefined ? undefined : checked({ spec: { behavior } })?.spec.behavior,
    currentMetrics:
      current && checked({ status: { currentMetrics: current.map(metricStatusFromOld) } })?.status.currentMetrics,
    conditions: checked({ status: { conditions: list(conditionsAnnotation) } })?.status.conditions,
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In the form that decoding gives, or nothing where a type is wrong. */
function checked(part: unknown): HorizontalPodAutoscaler | undefined {
  try {
    // The type that is named.
    return decode(type, part).object as HorizontalPodAutoscaler;
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}

/** Mutates the metadata; none left means no annotations at all. */
export function withoutAnnotations(metadata: ObjectMeta, keys: readonly string[]): void {
  const entries = Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key));
  if (entries.length > 0) metadata.annotations = Object.fromEntries(entries);
  else delete metadata.annotations;
}

function behaviorToInternal({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): unknown {
  return { ScaleUp: rulesForm(scaleUp), ScaleDown: rulesForm(scaleDown) };
}

/** Nothing where there are no rules. Names count in any case, as Go's JSON has it. */
function behaviorFromInternal(value: unknown): unknown {
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
