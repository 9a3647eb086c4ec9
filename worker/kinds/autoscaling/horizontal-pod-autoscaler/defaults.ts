// Upstream's defaults: 80 % of the requested CPU, and the scaling rules.
import type {
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
} from "../../../../shared/k8s/api/autoscaling-v2.ts";

const periodSeconds = 15;

export function defaultAutoscaler(spec: HorizontalPodAutoscalerSpec): void {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [cpuUtilization(80)];
  const { behavior } = spec;
  if (!behavior) return;
  behavior.scaleUp = { ...fastUp(), ...behavior.scaleUp };
  behavior.scaleDown = { ...fastDown(), ...behavior.scaleDown };
}

export function cpuUtilization(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function fastUp(): HPAScalingRules {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds },
      { type: "Percent", value: 100, periodSeconds },
    ],
  };
}

/** Returns the default rules. The controller sets the stabilization window. */
function fastDown(): HPAScalingRules {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds }] };
}
