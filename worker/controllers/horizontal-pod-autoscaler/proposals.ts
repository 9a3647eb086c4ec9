// Computes the proposal of each metric of an autoscaler, with its status.
import type {
  HorizontalPodAutoscaler,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Selector } from "../../../shared/k8s/selectors/labels.ts";
import { formatQuantity, quantityMilliValue } from "../../../shared/k8s/quantity.ts";
import type { Client } from "../../registry/client.ts";
import { selectorForm } from "../common/selector-form.ts";
import { externalMetric, objectMetric, podsMetric, resourceMetrics } from "./metric-source.ts";
import { byPart, byTotal, byUtilization, byValue, type Scene, type Sizing } from "./replica-count.ts";
import type { Failure } from "./requests.ts";

export interface Proposal {
  readonly replicas: number;
  /** The description of the metric for conditions and events. */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** The reason why a metric has no proposal. */
export interface InvalidMetric {
  /** The reason of the condition and the event. */
  readonly reason: string;
  readonly message: string;
  /** The prefix of the message when all metrics are reported together. */
  readonly context: string;
}

export interface Sources extends Scene {
  readonly client: Client;
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly selector: Selector;
  /** The replicas in the target's status. */
  readonly statusReplicas: number;
}

export function propose(sources: Sources, spec: MetricSpec): Proposal | InvalidMetric {
  const { object, pods, resource, containerResource, external } = spec;
  if (resource) return ofResource(sources, resource.name, "", resource.target);
  if (containerResource) {
    const { name, container, target } = containerResource;
    return ofResource(sources, name, container, target);
  }
  if (pods) return ofPods(sources, pods);
  if (object) return ofObject(sources, object);
  if (external) return ofExternal(sources, external);
  const message = `unknown metric source type ${JSON.stringify(spec.type)}`;
  return { reason: "InvalidMetricSourceType", message, context: "" };
}

function ofResource(sources: Sources, name: string, container: string, target: MetricTarget): Proposal | InvalidMetric {
  const { client, autoscaler, selector } = sources;
  const namespace = autoscaler.metadata.namespace ?? "";
  const isPlain = target.averageValue !== undefined;
  const metrics = resourceMetrics(client, namespace, selector, name, container);
  const sizing = sizeAvailable(`unable to get metrics for resource ${name}`, metrics, (podMetrics) =>
    isPlain
      ? byValue(sources, podMetrics, name, quantityMilliValue(target.averageValue ?? "0"))
      : byUtilization(sources, podMetrics, name, container, target.averageUtilization ?? 0),
  );
  const reason = container === "" ? "FailedGetResourceMetric" : "FailedGetContainerResourceMetric";
  if ("failure" in sizing) {
    const message = `failed to get ${name} ${isPlain ? "usage" : "utilization"}: ${sizing.failure}`;
    const what = container === "" ? `${name} resource` : `${container} container`;
    return { reason, message, context: `failed to get ${what} metric value: ` };
  }
  const { replicas, usage, utilization } = sizing;
  const current: MetricValueStatus = {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    averageValue: quantity(usage, name),
  };
  const status: MetricStatus =
    container === ""
      ? { type: "Resource", resource: { name, current } }
      : { type: "ContainerResource", containerResource: { name, container, current } };
  const kind = container === "" ? "resource" : "container resource";
  const metric = isPlain ? `${name} resource` : `${name} ${kind} utilization (percentage of request)`;
  return { replicas, metric, status };
}

function ofPods(sources: Sources, { metric, target }: NonNullable<MetricSpec["pods"]>): Proposal | InvalidMetric {
  const metrics = podsMetric(sources.client, sources.pods, metric.name, sources.nowMs);
  const sizing = sizeAvailable(`unable to get metric ${metric.name}`, metrics, (podMetrics) =>
    byValue(sources, podMetrics, "", quantityMilliValue(target.averageValue ?? "0")),
  );
  if ("failure" in sizing) {
    return {
      reason: "FailedGetPodsMetric",
      message: sizing.failure,
      context: "failed to get pods metric value: ",
    };
  }
  const status = { type: "Pods", pods: { metric: identity(metric), current: average(sizing) } };
  return { replicas: sizing.replicas, metric: `pods metric ${metric.name}`, status };
}

function ofObject(
  sources: Sources,
  { describedObject, metric, target }: NonNullable<MetricSpec["object"]>,
): Proposal | InvalidMetric {
  const namespace = sources.autoscaler.metadata.namespace ?? "";
  const objectValue = objectMetric(sources.client, namespace, describedObject, metric.name);
  const reason = "FailedGetObjectMetric";
  const context = "failed to get object metric value: ";
  const isWhole = target.type === "Value" && target.value !== undefined;
  if (typeof objectValue !== "number") {
    const message = `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/${objectValue.failure}`;
    return { reason, message, context: isWhole ? context : `${context}failed to get ${metric.name} object metric: ` };
  }
  const sizing = isWhole
    ? byTotal(sources, objectValue, quantityMilliValue(target.value ?? "0"))
    : byPart(dividedScene(sources), objectValue, quantityMilliValue(target.averageValue ?? "0"));
  if ("failure" in sizing) return { reason, message: sizing.failure, context };
  const current = isWhole ? usageStatus(sizing) : average(sizing);
  return {
    replicas: sizing.replicas,
    metric: isWhole ? `${describedObject.kind} metric ${metric.name}` : outside(metric),
    status: { type: "Object", object: { metric: identity(metric), current, describedObject } },
  };
}

function ofExternal(
  sources: Sources,
  { metric, target }: NonNullable<MetricSpec["external"]>,
): Proposal | InvalidMetric {
  const { autoscaler } = sources;
  const externalValue = externalMetric(autoscaler, metric.name);
  const isPart = target.averageValue !== undefined;
  const reason = "FailedGetExternalMetric";
  const of = isPart ? `${metric.name} external metric` : `external metric ${metric.name}`;
  const context = `failed to get ${metric.name} external metric value: failed to get ${of}: `;
  if (typeof externalValue !== "number") {
    const path = `${autoscaler.metadata.namespace ?? ""}/${metric.name}/${selectorForm(metric.selector)}`;
    return { reason, message: `unable to get external metric ${path}: ${externalValue.failure}`, context };
  }
  const sizing = isPart
    ? byPart(dividedScene(sources), externalValue, quantityMilliValue(target.averageValue ?? "0"))
    : byTotal(sources, externalValue, quantityMilliValue(target.value ?? "0"));
  if ("failure" in sizing) return { reason, message: sizing.failure, context };
  const current = isPart ? average(sizing) : usageStatus(sizing);
  const status = { type: "External", external: { metric: identity(metric), current } };
  return { replicas: sizing.replicas, metric: outside(metric), status };
}

function sizeAvailable<T extends object>(what: string, metrics: T | Failure, size: (available: T) => Sizing | Failure) {
  return "failure" in metrics ? { failure: `${what}: ${metrics.failure}` } : size(metrics);
}

/** Returns the scene in which a value is divided by the current replicas. */
function dividedScene(sources: Sources): Scene {
  return { ...sources, currentReplicas: sources.statusReplicas };
}

function identity({ name, selector }: MetricIdentifier): MetricIdentifier {
  return { name, ...(selector ? { selector } : {}) };
}

function outside({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${selectorForm(selector)})`;
}

function average({ usage }: Sizing): MetricValueStatus {
  return { averageValue: quantity(usage, "") };
}

function usageStatus({ usage }: Sizing): MetricValueStatus {
  return { value: quantity(usage, "") };
}

/** Formats thousandths as a quantity. Memory uses powers of two. */
function quantity(milli: number, resource: string): string {
  const format = resource === "memory" ? "BinarySI" : "DecimalSI";
  return formatQuantity({ nanos: BigInt(milli) * 1_000_000n, format });
}
