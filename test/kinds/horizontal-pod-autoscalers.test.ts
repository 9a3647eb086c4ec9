import { describe, expect, test } from "vitest";
import type { HorizontalPodAutoscaler as Old } from "../../shared/k8s/api/autoscaling-v1.ts";
import type { HorizontalPodAutoscaler } from "../../shared/k8s/api/autoscaling-v2.ts";
import { decode } from "../../shared/schema/decode.ts";
import { fromStorage, toStorage } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/conversion.ts";
import { horizontalPodAutoscalersV1 } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/v1.ts";
import { horizontalPodAutoscalers } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { printerRow } from "./row.ts";

const scaleTargetRef = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };

/** Decodes an autoscaler. */
function autoscaler(spec: object = {}, status: object = {}): HorizontalPodAutoscaler {
  const { type } = horizontalPodAutoscalers;
  const value = { metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 5, ...spec }, status };
  return decode(type, { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", ...value })
    .object as HorizontalPodAutoscaler;
}

function old(spec: object = {}, metadata: object = {}, status: object = {}): Old {
  const value = { metadata: { name: "web", ...metadata }, spec: { scaleTargetRef, maxReplicas: 5, ...spec }, status };
  return decode(horizontalPodAutoscalersV1.type, value).object as Old;
}

const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

describe("an autoscaler of autoscaling/v1", () => {
  test("has one field for the CPU metric of v2", () => {
    expect(toStorage(old({ targetCPUUtilizationPercentage: 50 })).spec.metrics).toEqual([cpu(50)]);
    expect(fromStorage(autoscaler({ metrics: [cpu(60)] })).spec.targetCPUUtilizationPercentage).toBe(60);
  });

  test("without CPU has the default of the stored version", () => {
    expect(toStorage(old()).spec.metrics).toBeUndefined();
  });

  test("has other metrics in an annotation, in their flat form", () => {
    const pods = { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1k" } };
    const { metadata, spec } = fromStorage(autoscaler({ metrics: [{ type: "Pods", pods }, cpu(60)] }));
    expect(spec.targetCPUUtilizationPercentage).toBe(60);
    expect(metadata.annotations).toEqual({
      "autoscaling.alpha.kubernetes.io/metrics":
        '[{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"1k"}}]',
    });
  });

  test("has the behavior in upstream's internal form", () => {
    const scaleDown = { stabilizationWindowSeconds: 60, policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] };
    expect(fromStorage(autoscaler({ behavior: { scaleDown } })).metadata.annotations).toEqual({
      "autoscaling.alpha.kubernetes.io/behavior":
        '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":15}],"Tolerance":null}}',
    });
  });

  test("ignores a malformed annotation", () => {
    const annotations = {
      "autoscaling.alpha.kubernetes.io/metrics": "[{",
      "autoscaling.alpha.kubernetes.io/behavior": '{"ScaleUp":{"Policies":7}}',
      "autoscaling.alpha.kubernetes.io/conditions": "{}",
      mine: "x",
    };
    const { metadata, spec, status } = toStorage(old({ targetCPUUtilizationPercentage: 50 }, { annotations }));
    expect(metadata.annotations).toEqual({ mine: "x" });
    expect(spec.behavior).toBeUndefined();
    expect(spec.metrics).toEqual([cpu(50)]);
    expect(status.conditions).toBeUndefined();
  });

  test("has the current CPU", () => {
    const current = { averageUtilization: 35, averageValue: "35m" };
    const status = { currentReplicas: 2, currentMetrics: [{ type: "Resource", resource: { name: "cpu", current } }] };
    expect(fromStorage(autoscaler({}, status)).status).toEqual({
      currentReplicas: 2,
      desiredReplicas: 0,
      currentCPUUtilizationPercentage: 35,
    });
  });

  test("has the row of the stored version", () => {
    const row = printerRow(horizontalPodAutoscalersV1, old({ targetCPUUtilizationPercentage: 50 }), 0);
    expect(row).toMatchObject({ Reference: "Deployment/web", Targets: "cpu: <unknown>/50%", MaxPods: 5 });
  });
});

test("converts v2 to v1 and back unchanged, except for the position of the CPU", () => {
  const selector = { matchLabels: { a: "b" } };
  const target = { type: "Value", value: "10" };
  const average = { type: "AverageValue", averageValue: "3" };
  const everything = autoscaler(
    {
      minReplicas: 2,
      metrics: [
        { type: "Object", object: { describedObject: scaleTargetRef, metric: { name: "rps", selector }, target } },
        {
          type: "Object",
          object: { describedObject: scaleTargetRef, metric: { name: "rps" }, target: { ...average, value: "7" } },
        },
        { type: "Pods", pods: { metric: { name: "hits", selector }, target: average } },
        { type: "Resource", resource: { name: "memory", target: average } },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "web", target: cpu(5).resource.target },
        },
        { type: "External", external: { metric: { name: "queue", selector }, target: average } },
        { type: "External", external: { metric: { name: "queue" }, target } },
        cpu(70),
      ],
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", tolerance: "100m", policies: [] },
        scaleDown: { policies: [{ type: "Percent", value: 10, periodSeconds: 60 }] },
      },
    },
    {
      currentReplicas: 3,
      desiredReplicas: 4,
      lastScaleTime: "2026-01-01T00:00:00Z",
      observedGeneration: 2,
      currentMetrics: [
        {
          type: "Object",
          object: { describedObject: scaleTargetRef, metric: { name: "rps" }, current: { value: "9" } },
        },
        { type: "Pods", pods: { metric: { name: "hits" }, current: { averageValue: "2" } } },
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 7, averageValue: "7m" } } },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "web", current: { averageValue: "1m" } },
        },
        { type: "External", external: { metric: { name: "queue" }, current: { value: "0", averageValue: "1" } } },
      ],
      conditions: [
        { type: "AbleToScale", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "m" },
      ],
    },
  );
  const back = decode(horizontalPodAutoscalers.type, toStorage(fromStorage(everything))).object;
  expect(back).toEqual(everything);
});
