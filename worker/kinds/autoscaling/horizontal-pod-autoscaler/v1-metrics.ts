// Converts metrics to and from the flat form of autoscaling/v1, which annotations hold.
import type { MetricSpec, MetricStatus } from "../../../../shared/k8s/api/autoscaling-v2.ts";

/** An unvalidated value of the v1 form. */
type Old = Readonly<Record<string, unknown>>;

export function metricSpecToOld(metric: MetricSpec): Old {
  return metricToOld(metric, "target");
}

export function metricStatusToOld(metric: MetricStatus): Old {
  return metricToOld(metric, "current");
}

/** Converts a metric to v1. Its names start with the word under which v2 nests the values: `target` or `current`. */
function metricToOld(metric: MetricSpec | MetricStatus, word: "target" | "current"): Old {
  const { type, object, pods, resource, containerResource, external } = fieldsOf(metric);
  // In v1, the values of a status are not pointers.
  const unset = word === "current" ? "0" : undefined;
  const usage = (source: Old, value: Old) => ({
    name: source.name,
    [`${word}AverageUtilization`]: value.averageUtilization,
    [`${word}AverageValue`]: value.averageValue ?? unset,
  });
  const mappedWith = (source: unknown, map: (metricSource: Old, value: Old, metric: Old) => unknown) =>
    mapPresent(source, (fields) => map(fields, fieldsOf(fields[word]), fieldsOf(fields.metric)));
  return compact({
    type,
    object: mappedWith(object, (objectSource, value, metric) => ({
      target: objectSource.describedObject,
      metricName: metric.name,
      [`${word}Value`]: value.value ?? "0",
      selector: metric.selector,
      averageValue: value.averageValue,
    })),
    pods: mappedWith(pods, (_one, value, metric) => ({
      metricName: metric.name,
      [`${word}AverageValue`]: value.averageValue ?? "0",
      selector: metric.selector,
    })),
    resource: mappedWith(resource, usage),
    containerResource: mappedWith(containerResource, (containerSource, value) => ({
      ...usage(containerSource, value),
      container: containerSource.container,
    })),
    external: mappedWith(external, (_one, value, metric) => ({
      metricName: metric.name,
      metricSelector: metric.selector,
      [`${word}Value`]: value.value ?? unset,
      [`${word}AverageValue`]: value.averageValue,
    })),
  });
}

export function metricSpecFromOld(value: unknown): Old {
  const { type, object, pods, resource, containerResource, external } = fieldsOf(value);
  return compact({
    type,
    object: mapPresent(object, (old) => {
      const isAverage = old.averageValue !== undefined && old.averageValue !== null;
      // v1 cannot omit the value, and writes 0.
      const hasValue =
        !isAverage || (old.targetValue !== undefined && old.targetValue !== "0" && old.targetValue !== 0);
      return {
        describedObject: old.target,
        target: {
          type: isAverage ? "AverageValue" : "Value",
          value: hasValue ? (old.targetValue ?? "0") : undefined,
          averageValue: old.averageValue,
        },
        metric: { name: old.metricName, selector: old.selector },
      };
    }),
    pods: mapPresent(pods, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      target: { type: "AverageValue", averageValue: old.targetAverageValue ?? "0" },
    })),
    resource: mapPresent(resource, (old) => ({ name: old.name, target: usageTarget(old) })),
    containerResource: mapPresent(containerResource, (old) => ({
      name: old.name,
      target: usageTarget(old),
      container: old.container,
    })),
    external: mapPresent(external, (old) => ({
      metric: { name: old.metricName, selector: old.metricSelector },
      target: {
        type: old.targetValue === undefined ? "AverageValue" : "Value",
        value: old.targetValue,
        averageValue: old.targetAverageValue,
      },
    })),
  });
}

export function metricStatusFromOld(value: unknown): Old {
  const { type, object, pods, resource, containerResource, external } = fieldsOf(value);
  const usage = (old: Old) => ({
    averageValue: old.currentAverageValue ?? "0",
    averageUtilization: old.currentAverageUtilization,
  });
  return compact({
    type,
    object: mapPresent(object, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      current: { value: old.currentValue ?? "0", averageValue: old.averageValue },
      describedObject: old.target,
    })),
    pods: mapPresent(pods, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      current: { averageValue: old.currentAverageValue ?? "0" },
    })),
    resource: mapPresent(resource, (old) => ({ name: old.name, current: usage(old) })),
    containerResource: mapPresent(containerResource, (old) => ({
      name: old.name,
      current: usage(old),
      container: old.container,
    })),
    external: mapPresent(external, (old) => ({
      metric: { name: old.metricName, selector: old.metricSelector },
      current: { value: old.currentValue ?? "0", averageValue: old.currentAverageValue },
    })),
  });
}

function usageTarget(old: Old): unknown {
  return {
    type: old.targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: old.targetAverageValue,
    averageUtilization: old.targetAverageUtilization,
  };
}

function fieldsOf(value: unknown): Old {
  // Any object has this form.
  return typeof value === "object" && value !== null ? (value as Old) : {};
}

function mapPresent(value: unknown, map: (old: Old) => unknown): unknown {
  return value === undefined || value === null ? undefined : map(fieldsOf(value));
}

/** Removes undefined fields at any depth, so that the text equals Go's. */
function compact(value: Old): Old {
  return JSON.parse(JSON.stringify(value)) as Old;
}
