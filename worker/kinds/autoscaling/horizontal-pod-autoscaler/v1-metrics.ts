// Metrics in the flat form of autoscaling/v1, in which annotations carry them.
import type { MetricSpec, MetricStatus } from "../../../../shared/k8s/api/autoscaling-v2.ts";

/** A value of that form from outside: nothing is known of it. */
type Old = Readonly<Record<string, unknown>>;

export function metricSpecToOld(metric: MetricSpec): Old {
  const { type, object, pods, resource, containerResource, external } = metric;
  return compact({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  });
}

export function metricSpecFromOld(value: unknown): Old {
  const { type, object, pods, resource, containerResource, external } = fieldsOf(value);
  return compact({
    type,
    object: mapped(object, (old) => {
      const isAverage = old.averageValue !== undefined && old.averageValue !== null;
      // v1 cannot leave out the value, and writes it as 0.
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
    pods: mapped(pods, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      target: { type: "AverageValue", averageValue: old.targetAverageValue ?? "0" },
    })),
    resource: mapped(resource, (old) => ({ name: old.name, target: usageTarget(old) })),
    containerResource: mapped(containerResource, (old) => ({
      name: old.name,
      target: usageTarget(old),
      container: old.container,
    })),
    external: mapped(external, (old) => ({
      metric: { name: old.metricName, selector: old.metricSelector },
      target: {
        type: old.targetValue === undefined ? "AverageValue" : "Value",
        value: old.targetValue,
        averageValue: old.targetAverageValue,
      },
    })),
  });
}

export function metricStatusToOld(metric: MetricStatus): Old {
  const { type, object, pods, resource, containerResource, external } = metric;
  return compact({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? "0",
    },
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? "0",
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    },
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
    object: mapped(object, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      current: { value: old.currentValue ?? "0", averageValue: old.averageValue },
      describedObject: old.target,
    })),
    pods: mapped(pods, (old) => ({
      metric: { name: old.metricName, selector: old.selector },
      current: { averageValue: old.currentAverageValue ?? "0" },
    })),
    resource: mapped(resource, (old) => ({ name: old.name, current: usage(old) })),
    containerResource: mapped(containerResource, (old) => ({
      name: old.name,
      current: usage(old),
      container: old.container,
    })),
    external: mapped(external, (old) => ({
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

function mapped(value: unknown, map: (old: Old) => unknown): unknown {
  return value === undefined || value === null ? undefined : map(fieldsOf(value));
}

/** Without what is undefined, at any depth: the text is what Go would write. */
function compact(value: Old): Old {
  return JSON.parse(JSON.stringify(value)) as Old;
}
