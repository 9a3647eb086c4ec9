// The horizontal pod autoscaler in a whole cluster whose pods' usage is set by annotations.
import { describe, expect, test } from "vitest";
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { Container } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { seededRandom } from "../../../shared/base/random.ts";
import { plugins } from "../../../worker/admission/catalogue.ts";
import { openCluster } from "../../../worker/cluster/cluster.ts";
import { allControllers } from "../../../worker/cluster/controllers.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { horizontalPodAutoscalers } from "../../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { nodeMetrics } from "../../../worker/kinds/metrics/node-metrics.ts";
import { podMetrics } from "../../../worker/kinds/metrics/pod-metrics.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import type { Sql } from "../../../worker/store/sql.ts";
import { testAuthority } from "../../authority.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";
import { drainCarefully } from "../../runtime/careful-run.ts";
import { nodeSql } from "../../sqlite.ts";

const labels = { app: "web" };
const minuteMs = 60_000;

interface Setting {
  readonly sql?: Sql;
  readonly madeAfterMs?: number;
  readonly replicas?: number;
  readonly annotations?: Record<string, string>;
  readonly container?: Partial<Draft<Container>>;
  readonly spec?: Partial<Draft<HorizontalPodAutoscalerSpec>>;
  readonly hpaAnnotations?: Record<string, string>;
}

/** Returns a Deployment whose pods have run for six minutes, and a new autoscaler: between 1 and 10 replicas at 50 % of 100m. */
function autoscaled(setting: Setting = {}): TestCluster {
  const cluster = newCluster({ nodes: 3, ...(setting.sql ? { sql: setting.sql } : {}) });
  cluster.apply(deployments, {
    metadata: { name: "web", namespace: "default", annotations: setting.annotations ?? {} },
    spec: {
      replicas: setting.replicas ?? 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "c",
              image: "nginx",
              resources: { requests: { cpu: "100m", memory: "64Mi" } },
              ...setting.container,
            },
          ],
        },
      },
    },
  });
  cluster.step(setting.madeAfterMs ?? 6 * minuteMs);
  cluster.apply(horizontalPodAutoscalers, {
    metadata: { name: "web", namespace: "default", annotations: setting.hpaAnnotations ?? {} },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      metrics: [cpu(50)],
      ...setting.spec,
    },
  });
  return cluster;
}

function cpu(averageUtilization: number) {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function uses(cluster: TestCluster, usage: string): void {
  cluster.edit(deployments, "default", "web", ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, "sandbar.dev/cpu-usage": usage };
  });
}

function hpaOf(cluster: TestCluster): HorizontalPodAutoscaler {
  return cluster.get(horizontalPodAutoscalers, "default", "web");
}

function replicasOf(cluster: TestCluster): number | undefined {
  return cluster.get(deployments, "default", "web").spec.replicas;
}

function eventsOf(cluster: TestCluster): string[] {
  return cluster.eventsOf(hpaOf(cluster));
}

function conditionsOf(cluster: TestCluster): string[] {
  return (hpaOf(cluster).status.conditions ?? []).map(
    ({ type, status, reason = "", message = "" }) => `${type}=${status} ${reason}: ${message}`,
  );
}

describe("resource metrics", () => {
  test("contain a container's usage by annotation, by share of its request, by name, or a small default", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.step(0);
    const container = { image: "nginx", resources: { requests: { cpu: "200m" } } };
    const containers = ["a", "b"].map((name) => ({ ...container, name }));
    cluster.apply(pods, {
      metadata: { name: "told", namespace: "default", annotations: { "sandbar.dev/cpu-usage": "a=50%,5m" } },
      spec: { containers },
    });
    cluster.apply(pods, { metadata: { name: "idle", namespace: "default" }, spec: { containers } });
    cluster.step(minuteMs);
    const usage = (name: string) => {
      const sample = cluster.client
        .list(podMetrics, { namespace: "default" })
        .find((candidate) => candidate.metadata.name === name);
      return sample?.containers.map((usageEntry) => `${usageEntry.name}=${usageEntry.usage["cpu"] ?? ""}`);
    };
    expect(usage("told")).toEqual(["a=100000000n", "b=5000000n"]);
    expect(usage("idle")?.every((text) => /^[ab]=[12]\d{6}n$/.test(text))).toBe(true);
    const [node] = cluster.client.list(nodeMetrics);
    expect(node?.usage["cpu"]).toMatch(/^\d{9}n$/);
  });

  test("exist once a container has run for ten seconds at a measurement", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.step(10_000);
    cluster.apply(pods, {
      metadata: { name: "new", namespace: "default" },
      spec: { containers: [{ name: "c", image: "nginx" }] },
    });
    cluster.step(10_000);
    expect(cluster.client.list(podMetrics, { namespace: "default" })).toEqual([]);
    cluster.step(10_000);
    const [firstSample] = cluster.client.list(podMetrics, { namespace: "default" });
    expect(firstSample).toMatchObject({ window: "15s", timestamp: "2026-01-01T00:00:30Z" });
  });
});

describe("an autoscaler", () => {
  test("scales up to its metric's recommendation, fifteen seconds after its creation", () => {
    const cluster = autoscaled({ annotations: { "sandbar.dev/cpu-usage": "90m" } });
    cluster.step(14_000);
    expect(replicasOf(cluster)).toBe(2);
    cluster.step(1000);
    expect(replicasOf(cluster)).toBe(4);
    expect(hpaOf(cluster).status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: "2026-01-01T00:06:15Z",
      currentMetrics: [
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 90, averageValue: "90m" } } },
      ],
    });
    expect(conditionsOf(cluster)).toEqual([
      "AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to 4",
      "ScalingActive=True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
      "ScalingLimited=False DesiredWithinRange: the desired count is within the acceptable range",
    ]);
    expect(eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ]);
  });

  test("grows at most twofold at once, and never past its maximum", () => {
    const cluster = autoscaled({ annotations: { "sandbar.dev/cpu-usage": "400m" } });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(4);
    expect(conditionsOf(cluster)).toContain(
      "ScalingLimited=True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate",
    );
    cluster.step(10 * minuteMs);
    expect(replicasOf(cluster)).toBe(10);
    expect(conditionsOf(cluster)).toContain(
      "ScalingLimited=True TooManyReplicas: the desired replica count is more than the maximum replica count",
    );
  });

  test("ignores deviations within a tenth of its target", () => {
    const cluster = autoscaled({ annotations: { "sandbar.dev/cpu-usage": "54m" } });
    cluster.step(minuteMs);
    expect(replicasOf(cluster)).toBe(2);
    expect(conditionsOf(cluster)).toContain("AbleToScale=True ReadyForNewScale: recommended size matches current size");
    expect(eventsOf(cluster)).toEqual([]);
  });

  test("has its own tolerance for each direction", () => {
    const behavior = { scaleUp: { tolerance: "0.5" }, scaleDown: { tolerance: "0.01" } };
    const cluster = autoscaled({ annotations: { "sandbar.dev/cpu-usage": "70m" }, spec: { behavior } });
    cluster.step(minuteMs);
    expect(replicasOf(cluster)).toBe(2);
    uses(cluster, "80m");
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(4);
  });

  test("scales down only if no recommendation of the last five minutes was higher", () => {
    const cluster = autoscaled({ replicas: 4, annotations: { "sandbar.dev/cpu-usage": "50m" } });
    cluster.step(minuteMs);
    uses(cluster, "10m");
    cluster.step(4 * minuteMs);
    expect(replicasOf(cluster)).toBe(4);
    expect(conditionsOf(cluster)).toContain(
      "AbleToScale=True ScaleDownStabilized: recent recommendations were higher than current one, applying the highest recent recommendation",
    );
    cluster.step(2 * minuteMs);
    expect(replicasOf(cluster)).toBe(1);
    expect(eventsOf(cluster)).toEqual(["SuccessfulRescale: New size: 1; reason: All metrics below target"]);
  });

  test("stays between its minimum and maximum for any measurement", () => {
    const cluster = autoscaled({ replicas: 5, spec: { minReplicas: 2, maxReplicas: 3 } });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(3);
    cluster.edit(deployments, "default", "web", ({ spec }) => {
      spec.replicas = 1;
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(2);
    expect(eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 3; reason: Current number of replicas above Spec.MaxReplicas",
      "SuccessfulRescale: New size: 2; reason: Current number of replicas below Spec.MinReplicas",
    ]);
    cluster.step(7 * minuteMs);
    expect(conditionsOf(cluster)).toContain(
      "ScalingLimited=True TooFewReplicas: the desired replica count is less than the minimum replica count",
    );
  });

  test("does nothing for a target that was scaled to zero", () => {
    const cluster = autoscaled({ replicas: 0 });
    cluster.runUntilQuiet();
    expect(replicasOf(cluster)).toBe(0);
    expect(conditionsOf(cluster)).toEqual([
      "AbleToScale=True SucceededGetScale: the HPA controller was able to get the target's current scale",
      "ScalingActive=False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
    ]);
  });

  test("uses the highest recommendation of its metrics", () => {
    const memory = { name: "memory", target: { type: "AverageValue", averageValue: "10Mi" } };
    const cluster = autoscaled({
      annotations: { "sandbar.dev/cpu-usage": "50m", "sandbar.dev/memory-usage": "20Mi" },
      spec: { metrics: [cpu(50), { type: "Resource", resource: memory }] },
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(4);
    expect(eventsOf(cluster)).toEqual(["SuccessfulRescale: New size: 4; reason: memory resource above target"]);
    expect(hpaOf(cluster).status.currentMetrics[1]).toEqual({
      type: "Resource",
      resource: { name: "memory", current: { averageValue: "20Mi" } },
    });
  });

  test("follows one container", () => {
    const target = { type: "Utilization", averageUtilization: 50 };
    const cluster = autoscaled({
      annotations: { "sandbar.dev/cpu-usage": "c=75m" },
      spec: { metrics: [{ type: "ContainerResource", containerResource: { name: "cpu", container: "c", target } }] },
    });
    cluster.step(15_000);
    expect(eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 3; reason: cpu container resource utilization (percentage of request) above target",
    ]);
  });

  test("converges on a load that its pods share", () => {
    const cluster = autoscaled({ replicas: 1, annotations: { "sandbar.dev/cpu-load": "240m" } });
    cluster.step(10 * minuteMs);
    expect(replicasOf(cluster)).toBe(5);
    expect(hpaOf(cluster).status.currentMetrics[0]?.resource?.current.averageUtilization).toBe(48);
  });

  test("ignores the CPU of starting pods, and counts it as zero while it grows", () => {
    const cluster = autoscaled({
      replicas: 1,
      annotations: { "sandbar.dev/cpu-usage": "150m" },
      madeAfterMs: 6 * minuteMs + 5000,
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(3);
    // Two new pods have no measurement yet: 150 % of one pod and 0 of two is 50 % of three.
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(3);
    cluster.step(minuteMs);
    expect(replicasOf(cluster)).toBeGreaterThan(3);
  });

  test("sleeps until a change, and wakes up for it", () => {
    const cluster = autoscaled({ annotations: { "sandbar.dev/cpu-usage": "50m" } });
    cluster.runUntilQuiet();
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
    cluster.step(60 * minuteMs + 3000);
    uses(cluster, "100m");
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(4);
    cluster.runUntilQuiet();
    expect(replicasOf(cluster)).toBe(10);
  });

  test("keeps its stabilization windows across evictions of the cluster", () => {
    const sql = nodeSql();
    const cluster = autoscaled({ replicas: 4, annotations: { "sandbar.dev/cpu-usage": "50m" }, sql });
    cluster.step(20_000);
    uses(cluster, "10m");
    const awake = () => {
      const { clock } = cluster;
      const controllers = allControllers({ zeroDelays: true, caPem: "test", authority: testAuthority });
      const report = (error: unknown) => {
        throw error;
      };
      const opened = openCluster({ sql, clock, random: seededRandom(1), kinds, plugins, controllers, report });
      drainCarefully(opened);
      opened.runtime.drain(10_000);
      return opened.system.get(deployments, "default", "web")?.spec.replicas;
    };
    const replicaCounts: (number | undefined)[] = [];
    for (let tick = 1; tick <= 24; tick++) {
      cluster.clock.step(15_000);
      replicaCounts.push(awake());
    }
    expect(replicaCounts.indexOf(1)).toBeGreaterThan(17);
    expect(new Set(replicaCounts)).toEqual(new Set([4, 1]));
  });
});

describe("scaling policies", () => {
  test("limit growth by pods in a period", () => {
    const policies = [{ type: "Pods", value: 1, periodSeconds: 60 }];
    const cluster = autoscaled({
      annotations: { "sandbar.dev/cpu-usage": "500m" },
      spec: { behavior: { scaleUp: { policies } } },
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(3);
    cluster.step(45_000);
    expect(replicasOf(cluster)).toBe(3);
    cluster.step(30_000);
    expect(replicasOf(cluster)).toBe(4);
  });

  test("limit shrinking by percent, and may use the smaller of two", () => {
    const policies = [
      { type: "Percent", value: 50, periodSeconds: 60 },
      { type: "Pods", value: 1, periodSeconds: 60 },
    ];
    const scaleDown = { policies, selectPolicy: "Min", stabilizationWindowSeconds: 0 };
    const cluster = autoscaled({
      replicas: 8,
      annotations: { "sandbar.dev/cpu-usage": "1m" },
      spec: { behavior: { scaleDown } },
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(7);
    expect(conditionsOf(cluster)).toContain(
      "ScalingLimited=True ScaleDownLimit: the desired replica count is decreasing faster than the maximum scale rate",
    );
    cluster.step(minuteMs + 15_000);
    expect(replicasOf(cluster)).toBe(6);
  });

  test("can forbid a direction", () => {
    const cluster = autoscaled({
      replicas: 8,
      annotations: { "sandbar.dev/cpu-usage": "1m" },
      spec: { behavior: { scaleDown: { selectPolicy: "Disabled" } } },
    });
    cluster.runUntilQuiet();
    expect(replicasOf(cluster)).toBe(8);
  });

  test("stabilize growth with the lowest recommendation of a window", () => {
    const cluster = autoscaled({
      annotations: { "sandbar.dev/cpu-usage": "50m" },
      spec: { behavior: { scaleUp: { stabilizationWindowSeconds: 120 } } },
    });
    cluster.step(30_000);
    uses(cluster, "200m");
    cluster.step(90_000);
    expect(replicasOf(cluster)).toBe(2);
    expect(conditionsOf(cluster)).toContain(
      "AbleToScale=True ScaleUpStabilized: recent recommendations were lower than current one, applying the lowest recent recommendation",
    );
    cluster.step(30_000);
    expect(replicasOf(cluster)).toBe(6);
  });
});

describe("conditions of an autoscaler", () => {
  test("report a target that is missing, of an unknown kind, or without scale", () => {
    const cluster = autoscaled({ spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "no" } } });
    cluster.step(15_000);
    expect(eventsOf(cluster)).toEqual(['FailedGetScale: deployments/scale.apps "no" not found']);
    expect(conditionsOf(cluster)).toEqual([
      'AbleToScale=False FailedGetScale: the HPA controller was unable to get the target\'s current scale: deployments/scale.apps "no" not found',
    ]);
    const point = (kind: string) =>
      cluster.edit(horizontalPodAutoscalers, "default", "web", ({ spec }) => {
        spec.scaleTargetRef.kind = kind;
      });
    point("Nothing");
    cluster.step(15_000);
    expect(eventsOf(cluster)).toContain('FailedGetScale: no matches for kind "Nothing" in group "apps"');
    cluster.apply(daemonSets, {
      metadata: { name: "no", namespace: "default" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "c" }] } },
      },
    });
    point("DaemonSet");
    cluster.step(15_000);
    expect(eventsOf(cluster)).toContain("FailedGetScale: the server could not find the requested resource");
  });

  test("report missing requests", () => {
    const cluster = autoscaled({ replicas: 1, container: { resources: {} } });
    cluster.step(15_000);
    const [pod] = cluster.client.list(pods, { namespace: "default" });
    const why = `failed to get cpu utilization: missing request for cpu in container c of Pod ${pod?.metadata.name ?? ""}`;
    expect(eventsOf(cluster)).toEqual([
      `FailedGetResourceMetric: ${why}`,
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${why}`,
    ]);
    expect(conditionsOf(cluster)).toContain(
      `ScalingActive=False FailedGetResourceMetric: the HPA was unable to compute the replica count: ${why}`,
    );
  });

  test("report missing measurements", () => {
    const cluster = autoscaled({ container: { command: ["false"] } });
    cluster.step(15_000);
    const why =
      "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API";
    expect(eventsOf(cluster)[0]).toBe(`FailedGetResourceMetric: ${why}`);
  });

  test("report metrics without an adapter in upstream's words, with backoff", () => {
    const value = { type: "Value", value: "10" };
    const average = { type: "AverageValue", averageValue: "10" };
    const metric = { name: "load" };
    const describedObject = { apiVersion: "v1", kind: "Service", name: "web" };
    const cluster = autoscaled({
      spec: {
        metrics: [
          { type: "External", external: { metric, target: average } },
          { type: "Object", object: { metric, describedObject, target: value } },
          { type: "Pods", pods: { metric, target: average } },
        ],
      },
    });
    cluster.step(15_000);
    const external =
      "unable to get external metric default/load/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get load.external.metrics.k8s.io)";
    const custom =
      "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
    expect(eventsOf(cluster)).toEqual([
      `FailedGetExternalMetric: ${external}`,
      `FailedGetObjectMetric: unable to get metric load: Service on default web/${custom}`,
      `FailedGetPodsMetric: unable to get metric load: ${custom}`,
      `FailedComputeMetricsReplicas: invalid metrics (3 invalid out of 3), first error is: failed to get load external metric value: failed to get load external metric: ${external}`,
    ]);
    cluster.step(60 * minuteMs);
    const [waiting] = cluster.runtime.pending().filter(({ controller }) => controller === "horizontal-pod-autoscaler");
    expect((waiting?.dueMs ?? 0) - cluster.clock.nowMs()).toBeGreaterThan(15_000);
  });

  test("report a failed metric, while the others scale up, but not down", () => {
    const external = { metric: { name: "load" }, target: { type: "Value", value: "10" } };
    const cluster = autoscaled({
      annotations: { "sandbar.dev/cpu-usage": "75m" },
      spec: { metrics: [{ type: "External", external }, cpu(50)] },
    });
    cluster.step(15_000);
    expect(replicasOf(cluster)).toBe(3);
    uses(cluster, "1m");
    cluster.step(15 * minuteMs);
    expect(replicasOf(cluster)).toBe(3);
    expect(hpaOf(cluster).status.currentMetrics.map(({ type }) => type)).toEqual(["", "Resource"]);
  });

  test("report pods that another autoscaler also selects", () => {
    const cluster = autoscaled();
    cluster.apply(horizontalPodAutoscalers, {
      metadata: { name: "other", namespace: "default" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
    });
    cluster.step(15_000);
    const why = "pods by selector app=web are controlled by multiple HPAs: [default/other default/web]";
    expect(eventsOf(cluster)).toEqual([`AmbiguousSelector: ${why}`, `FailedComputeMetricsReplicas: ${why}`]);
    expect(conditionsOf(cluster)).toContain(`ScalingActive=False AmbiguousSelector: ${why}`);
  });
});

describe("custom and external metrics", () => {
  const metric = { name: "queue" };

  test("are shared by all pods, or divided among them, for the type External", () => {
    const totalMetric = { type: "External", external: { metric, target: { type: "Value", value: "10" } } };
    const cluster = autoscaled({
      hpaAnnotations: { "metrics.sandbar.dev/queue": "15" },
      spec: { metrics: [totalMetric] },
    });
    cluster.step(15_000);
    expect(eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 3; reason: external metric queue(nil) above target",
    ]);
    expect(hpaOf(cluster).status.currentMetrics[0]?.external?.current).toEqual({ value: "15" });

    const averageMetric = {
      type: "External",
      external: { metric, target: { type: "AverageValue", averageValue: "5" } },
    };
    const averaged = autoscaled({
      hpaAnnotations: { "metrics.sandbar.dev/queue": "19" },
      spec: { metrics: [averageMetric] },
    });
    averaged.step(15_000);
    expect(replicasOf(averaged)).toBe(4);
    expect(hpaOf(averaged).status.currentMetrics[0]?.external?.current).toEqual({ averageValue: "9500m" });
  });

  test("are used for an object and for each pod", () => {
    const describedObject = { apiVersion: "v1", kind: "Service", name: "web" };
    const object = { metric, describedObject, target: { type: "Value", value: "2" } };
    const cluster = autoscaled({ spec: { metrics: [{ type: "Object", object }] } });
    cluster.apply(services, {
      metadata: { name: "web", namespace: "default", annotations: { "metrics.sandbar.dev/queue": "3" } },
      spec: { ports: [{ port: 80 }] },
    });
    cluster.step(15_000);
    expect(eventsOf(cluster)).toEqual(["SuccessfulRescale: New size: 3; reason: Service metric queue above target"]);

    const each = { metric, target: { type: "AverageValue", averageValue: "10" } };
    const annotations = { "metrics.sandbar.dev/queue": "20" };
    const perPod = autoscaled({ annotations, spec: { metrics: [{ type: "Pods", pods: each }] } });
    perPod.step(15_000);
    expect(eventsOf(perPod)).toEqual(["SuccessfulRescale: New size: 4; reason: pods metric queue above target"]);
  });
});
