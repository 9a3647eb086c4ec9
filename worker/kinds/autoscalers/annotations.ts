// The annotations in which autoscaling/v1 carries what it has no fields for.
import type { ObjectMeta } from "../../../shared/k8s/api/meta-v1.ts";

export const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
export const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
export const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
export const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

export const roundTripAnnotations: readonly string[] = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
  "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

/** Mutates the metadata; none left means no annotations at all. */
export function withoutAnnotations(metadata: ObjectMeta, keys: readonly string[]): void {
  const entries = Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key));
  if (entries.length > 0) metadata.annotations = Object.fromEntries(entries);
  else delete metadata.annotations;
}
