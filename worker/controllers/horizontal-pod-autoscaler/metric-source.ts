// The metrics of autoscalers: the metrics API, and values of annotations.
//
// A cluster without adapters serves no custom and no external metrics. The annotation `metrics.sandbar.dev/<metric>` replaces them: on pods
// or their controllers, on the described object, or, for an external metric, on the autoscaler.
import type { CrossVersionObjectReference, HorizontalPodAutoscaler } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Selector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { parseQuantity, quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { podMetrics } from "../../kinds/metrics/pod-metrics.ts";
import type { Client } from "../../registry/client.ts";
import type { Measured, Metrics } from "./pod-groups.ts";
import type { Failure } from "./requests.ts";

const annotationPrefix = "metrics.sandbar.dev/";
/** Upstream's default for metrics without a window. */
const windowMs = 60_000;
const noCustom: Failure = {
  failure: "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
};

/** Returns the pods' usage of a resource, or that of one container of each. */
export function resourceMetrics(
  client: Client,
  namespace: string,
  labels: Selector,
  resource: string,
  container: string,
): Metrics | Failure {
  const all = client.list(podMetrics, { namespace, labels });
  if (all.length === 0) return { failure: "no metrics returned from resource metrics API" };
  const metrics = new Map<string, Measured>();
  for (const { metadata, containers, timestamp, window } of all) {
    const selected = container === "" ? containers : containers.filter(({ name }) => name === container);
    const used = selected.map(({ usage }) => usage[resource]);
    if (used.length === 0 || used.includes(undefined)) continue;
    const value = used.reduce((sum, text) => sum + quantityMilliValue(text ?? "0"), 0);
    const measured = { value, atMs: timestamp ? parseTime(timestamp) : 0, windowMs: Number.parseFloat(window) * 1000 };
    metrics.set(metadata.name ?? "", measured);
  }
  return metrics;
}

/** Returns a metric of each pod. */
export function podsMetric(client: Client, pods: readonly Pod[], metric: string, nowMs: number): Metrics | Failure {
  const metrics = new Map<string, Measured>();
  for (const pod of pods) {
    const value = annotatedValue(pod, metric) ?? annotatedValue(controllerOf(client, pod), metric);
    if (value !== undefined) metrics.set(pod.metadata.name ?? "", { value, atMs: nowMs, windowMs });
  }
  return metrics.size > 0 ? metrics : noCustom;
}

export function objectMetric(
  client: Client,
  namespace: string,
  { apiVersion = "v1", kind: name, name: objectName }: CrossVersionObjectReference,
  metric: string,
): number | Failure {
  const kind = client.kindOf(apiVersion, name);
  // For Namespaces, it is always the autoscaler's own.
  const isNamespace = kind?.resource === namespaces.resource;
  const object = kind && client.get(kind, kind.namespaced ? namespace : "", isNamespace ? namespace : objectName);
  return annotatedValue(object, metric) ?? noCustom;
}

export function externalMetric(autoscaler: HorizontalPodAutoscaler, metric: string): number | Failure {
  const failure = `unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`;
  return annotatedValue(autoscaler, metric) ?? { failure };
}

function annotatedValue(object: KubeObject | undefined, metric: string): number | undefined {
  const text = object?.metadata.annotations?.[`${annotationPrefix}${metric}`];
  return text !== undefined && parseQuantity(text) ? quantityMilliValue(text) : undefined;
}

function controllerOf(client: Client, { metadata }: Pod): KubeObject | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const kind = owner && client.kindOf(owner.apiVersion, owner.kind);
  return kind && client.get(kind, metadata.namespace ?? "", owner.name);
}
