// Golden timelines of horizontal pod autoscaler: every event and every step, in order.
import { expect, test } from "vitest";
import { horizontalPodAutoscalers } from "../../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import { newCluster } from "../../cluster.ts";
import { timeline } from "../timeline.ts";

const selector = { matchLabels: { app: "web" } };

const metadata = { name: "web", namespace: "default" };

test("an autoscaler follows a load up and down", () => {
  const cluster = newCluster({ nodes: 1 });
  cluster.apply(statefulSets, {
    metadata,
    spec: {
      replicas: 1,
      serviceName: "web",
      podManagementPolicy: "Parallel",
      selector,
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "web:1", resources: { requests: { cpu: "100m" } } }] },
      },
    },
  });
  cluster.step(360_000);
  const from = cluster.registry.store.revision;
  const uses = (usage: string) =>
    cluster.edit(statefulSets, "default", "web", (draft) => {
      draft.metadata.annotations = { "sandbar.dev/cpu-usage": usage };
    });
  cluster.apply(horizontalPodAutoscalers, {
    metadata,
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" }, maxReplicas: 5 },
  });
  cluster.step(20_000);
  uses("150m");
  cluster.step(30_000);
  uses("10m");
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "HorizontalPodAutoscaler web made",
      "HorizontalPodAutoscaler web: desiredReplicas 1, currentMetrics [Resource=/], currentReplicas 1, conditions [AbleToScale=True/ReadyForNewScale ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange]",
      "Normal SuccessfulRescale: New size: 2; reason: cpu resource utilization (percentage of request) above target",
      "HorizontalPodAutoscaler web: desiredReplicas 2, currentMetrics [Resource=/], conditions [AbleToScale=True/SucceededRescale ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange], lastScaleTime 2026-01-01T00:06:30Z",
      "Pod web-1 made",
      "Normal SuccessfulCreate: Create Pod web-1 in StatefulSet web successful",
      "StatefulSet web: observedGeneration 2, replicas 2, currentReplicas 2, updatedReplicas 2",
      "Pod web-1 bound",
      "Normal Scheduled: Successfully assigned default/web-1 to a node",
      "Pod web-1 Running",
      "Normal Pulled: Container image "web:1" already present on machine and can be accessed by the pod",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "StatefulSet web: readyReplicas 2, availableReplicas 2",
      "Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
      "HorizontalPodAutoscaler web: lastScaleTime 2026-01-01T00:06:45Z, currentReplicas 2, desiredReplicas 4, conditions [AbleToScale=True/SucceededRescale ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange]",
      "Pod web-2 made",
      "Normal SuccessfulCreate: Create Pod web-2 in StatefulSet web successful",
      "Pod web-3 made",
      "Normal SuccessfulCreate: Create Pod web-3 in StatefulSet web successful",
      "StatefulSet web: observedGeneration 3, replicas 4, currentReplicas 4, updatedReplicas 4",
      "Pod web-2 bound",
      "Normal Scheduled: Successfully assigned default/web-2 to a node",
      "Pod web-3 bound",
      "Normal Scheduled: Successfully assigned default/web-3 to a node",
      "Pod web-2 Running",
      "Normal Pulled: Container image "web:1" already present on machine and can be accessed by the pod",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Pod web-3 Running",
      "Normal Pulled: Container image "web:1" already present on machine and can be accessed by the pod",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "StatefulSet web: readyReplicas 4, availableReplicas 4",
      "HorizontalPodAutoscaler web: currentReplicas 4, currentMetrics [Resource=/], conditions [AbleToScale=True/ScaleDownStabilized ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange]",
      "Normal SuccessfulRescale: New size: 1; reason: All metrics below target",
      "HorizontalPodAutoscaler web: lastScaleTime 2026-01-01T00:12:00Z, desiredReplicas 1, conditions [AbleToScale=True/SucceededRescale ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange]",
      "Pod web-3 terminating",
      "Normal SuccessfulDelete: Delete Pod web-3 in StatefulSet web successful",
      "Pod web-2 terminating",
      "Normal SuccessfulDelete: Delete Pod web-2 in StatefulSet web successful",
      "Pod web-1 terminating",
      "Normal SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful",
      "StatefulSet web: observedGeneration 4, currentReplicas 1, updatedReplicas 1",
      "Pod web-3 Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web-3 gone",
      "Pod web-2 Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web-2 gone",
      "Pod web-1 Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web-1 gone",
      "StatefulSet web: replicas 1, readyReplicas 1, availableReplicas 1",
      "HorizontalPodAutoscaler web: currentReplicas 1, conditions [AbleToScale=True/ReadyForNewScale ScalingActive=True/ValidMetricFound ScalingLimited=False/DesiredWithinRange]",
    ]
  `);
});
