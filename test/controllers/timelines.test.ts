// The common story of each workload, golden: every event, every step of its pods and of its status, in order.
import { expect, test } from "vitest";
import { cronJobController } from "../../worker/controllers/cron-job.ts";
import { daemonSetController } from "../../worker/controllers/daemon-set.ts";
import { disruptionController } from "../../worker/controllers/disruption.ts";
import { jobController, jobOrphanController } from "../../worker/controllers/job.ts";
import { replicationController } from "../../worker/controllers/replication-controller.ts";
import { statefulSetController } from "../../worker/controllers/stateful-set.ts";
import { certificateSigningRequests } from "../../worker/kinds/certificates/certificate-signing-request.ts";
import { cronJobs } from "../../worker/kinds/batch/cron-job.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { horizontalPodAutoscalers } from "../../worker/kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { podDisruptionBudgets } from "../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicationControllers } from "../../worker/kinds/core/replication-controller.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import { newCluster } from "../cluster.ts";
import { bed, finish, livePods } from "./bed.ts";
import { timeline } from "./timeline.ts";

const controllers = [
  daemonSetController,
  statefulSetController,
  jobController,
  jobOrphanController,
  cronJobController,
  replicationController,
  disruptionController,
];
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };
const selector = { matchLabels: { app: "web" } };
const metadata = { name: "web", namespace: "default" };

test("a DaemonSet is made and updated", () => {
  const { cluster } = bed(controllers, ["n1", "n2"]);
  const from = cluster.registry.store.revision;
  cluster.apply(daemonSets, { metadata, spec: { selector, template } });
  cluster.runUntilQuiet();
  cluster.edit(daemonSets, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "web:2";
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "DaemonSet web made",
      "ControllerRevision web-56bc84c78 made",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: currentNumberScheduled 2, desiredNumberScheduled 2, observedGeneration 1, updatedNumberScheduled 2, numberUnavailable 2",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "DaemonSet web: numberReady 2, -numberUnavailable, numberAvailable 2",
      "ControllerRevision web-64c6d7fb89 made",
      "Pod web-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-?",
      "DaemonSet web: observedGeneration 2, -updatedNumberScheduled",
      "Pod web-? gone",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: numberReady 1, numberAvailable 1, updatedNumberScheduled 1, numberUnavailable 1",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "Pod web-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-?",
      "DaemonSet web: numberReady 2, numberAvailable 2, -numberUnavailable",
      "Pod web-? gone",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "DaemonSet web: numberReady 1, updatedNumberScheduled 2, numberAvailable 1, numberUnavailable 1",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "DaemonSet web: numberReady 2, numberAvailable 2, -numberUnavailable",
    ]
  `);
});

test("a StatefulSet is made, updated and scaled down", () => {
  const { cluster } = bed(controllers);
  const from = cluster.registry.store.revision;
  cluster.apply(statefulSets, { metadata, spec: { replicas: 2, serviceName: "web", selector, template } });
  cluster.runUntilQuiet();
  cluster.edit(statefulSets, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "web:2";
  });
  cluster.runUntilQuiet();
  cluster.edit(statefulSets, "default", "web", ({ spec }) => {
    spec.replicas = 1;
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "StatefulSet web made",
      "ControllerRevision web-5fbc746d77 made",
      "Pod web-0 made",
      "Normal SuccessfulCreate: Create Pod web-0 in StatefulSet web successful",
      "StatefulSet web: replicas 1, observedGeneration 1, currentReplicas 1, updatedReplicas 1, currentRevision web-#, updateRevision web-#, collisionCount 0",
      "Pod web-0 bound",
      "Normal Scheduled: Successfully assigned default/web-0 to a node",
      "Pod web-0 Running",
      "Pod web-1 made",
      "Normal SuccessfulCreate: Create Pod web-1 in StatefulSet web successful",
      "StatefulSet web: replicas 2, currentReplicas 2, updatedReplicas 2, availableReplicas 1, readyReplicas 1",
      "Pod web-1 bound",
      "Normal Scheduled: Successfully assigned default/web-1 to a node",
      "Pod web-1 Running",
      "StatefulSet web: readyReplicas 2, availableReplicas 2",
      "ControllerRevision web-68865f4bdd made",
      "Pod web-1 terminating",
      "Normal SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful",
      "StatefulSet web: observedGeneration 2, currentReplicas 1, -updatedReplicas, updateRevision web-#",
      "Pod web-1 gone",
      "Pod web-1 made",
      "Normal SuccessfulCreate (x2): Create Pod web-1 in StatefulSet web successful",
      "StatefulSet web: readyReplicas 1, availableReplicas 1, updatedReplicas 1",
      "Pod web-1 bound",
      "Normal Scheduled: Successfully assigned default/web-1 to a node",
      "Pod web-1 Running",
      "Pod web-0 terminating",
      "Normal SuccessfulDelete: Delete Pod web-0 in StatefulSet web successful",
      "StatefulSet web: readyReplicas 2, -currentReplicas, availableReplicas 2",
      "Pod web-0 gone",
      "Pod web-0 made",
      "Normal SuccessfulCreate (x2): Create Pod web-0 in StatefulSet web successful",
      "StatefulSet web: readyReplicas 1, updatedReplicas 2, availableReplicas 1",
      "Pod web-0 bound",
      "Normal Scheduled: Successfully assigned default/web-0 to a node",
      "Pod web-0 Running",
      "StatefulSet web: readyReplicas 2, currentRevision web-#, availableReplicas 2, currentReplicas 2",
      "Pod web-1 terminating",
      "Normal SuccessfulDelete (x2): Delete Pod web-1 in StatefulSet web successful",
      "StatefulSet web: observedGeneration 3, currentReplicas 1, updatedReplicas 1",
      "Pod web-1 gone",
      "StatefulSet web: replicas 1, readyReplicas 1, availableReplicas 1",
    ]
  `);
});

test("an indexed Job fails once and completes", () => {
  const { cluster } = bed(controllers);
  const from = cluster.registry.store.revision;
  cluster.apply(jobs, {
    metadata,
    spec: {
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } },
    },
  });
  cluster.step(0);
  const [first] = livePods(cluster);
  if (first) finish(cluster, first, 1);
  cluster.step(10_000);
  for (const pod of livePods(cluster)) if (pod.status.phase === "Running") finish(cluster, pod);
  cluster.step(0);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Job web made",
      "Pod web-0-? made",
      "Normal SuccessfulCreate: Created pod: web-0-?",
      "Pod web-1-? made",
      "Normal SuccessfulCreate: Created pod: web-1-?",
      "Job web: startTime 2026-01-01T00:00:00Z, active 2, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-0-? bound",
      "Normal Scheduled: Successfully assigned default/web-0-? to a node",
      "Pod web-0-? Running",
      "Pod web-1-? bound",
      "Normal Scheduled: Successfully assigned default/web-1-? to a node",
      "Pod web-1-? Running",
      "Job web: ready 2",
      "Pod web-0-? Failed",
      "Job web: active 1, uncountedTerminatedPods {failed 1}, ready 1",
      "Pod web-0-? released",
      "Job web: uncountedTerminatedPods {}, failed 1",
      "Pod web-0-? made",
      "Normal SuccessfulCreate: Created pod: web-0-?",
      "Job web: active 2",
      "Pod web-0-? bound",
      "Normal Scheduled: Successfully assigned default/web-0-? to a node",
      "Pod web-0-? Running",
      "Job web: ready 2",
      "Pod web-0-? Succeeded",
      "Pod web-1-? Succeeded",
      "Job web: -active, ready 0, conditions [SuccessCriteriaMet=True/CompletionsReached], succeeded 2, completedIndexes 0,1",
      "Pod web-0-? released",
      "Pod web-1-? released",
      "Job web: conditions [SuccessCriteriaMet=True/CompletionsReached Complete=True/CompletionsReached], completionTime 2026-01-01T00:00:10Z",
      "Normal Completed: Job completed",
    ]
  `);
});

test("a CronJob makes a job, which completes", () => {
  const { cluster } = bed(controllers);
  const from = cluster.registry.store.revision;
  cluster.apply(cronJobs, {
    metadata,
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
      },
    },
  });
  cluster.step(61_000);
  for (const pod of livePods(cluster)) finish(cluster, pod);
  cluster.step(0);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "CronJob web made",
      "Job web-29453761 made",
      "Normal SuccessfulCreate: Created job web-29453761",
      "CronJob web: active [item], lastScheduleTime 2026-01-01T00:01:00Z",
      "Pod web-29453761-? made",
      "Normal SuccessfulCreate: Created pod: web-29453761-?",
      "Job web-29453761: startTime 2026-01-01T00:01:00Z, active 1, terminating 0, uncountedTerminatedPods {}, ready 0",
      "Pod web-29453761-? bound",
      "Normal Scheduled: Successfully assigned default/web-29453761-? to a node",
      "Pod web-29453761-? Running",
      "Job web-29453761: ready 1",
      "Pod web-29453761-? Succeeded",
      "Job web-29453761: -active, uncountedTerminatedPods {succeeded 1}, ready 0, conditions [SuccessCriteriaMet=True/CompletionsReached]",
      "Pod web-29453761-? released",
      "Job web-29453761: conditions [SuccessCriteriaMet=True/CompletionsReached Complete=True/CompletionsReached], uncountedTerminatedPods {}, completionTime 2026-01-01T00:01:01Z, succeeded 1",
      "Normal Completed: Job completed",
      "Normal SawCompletedJob: Saw completed job: web-29453761, condition: Complete",
      "CronJob web: -active, lastSuccessfulTime 2026-01-01T00:01:01Z",
    ]
  `);
});

test("a ReplicationController under a budget loses a pod to an eviction", () => {
  const { cluster } = bed(controllers);
  const from = cluster.registry.store.revision;
  cluster.apply(replicationControllers, { metadata, spec: { replicas: 2, selector: { app: "web" }, template } });
  cluster.apply(podDisruptionBudgets, { metadata, spec: { maxUnavailable: 1, selector } });
  cluster.runUntilQuiet();
  const name = livePods(cluster)[0]?.metadata.name ?? "";
  cluster.client.act(pods, "eviction", "default", name, { metadata: { name } });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "ReplicationController web made",
      "PodDisruptionBudget web made",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "ReplicationController web: replicas 2, fullyLabeledReplicas 2, observedGeneration 1",
      "PodDisruptionBudget web: desiredHealthy 1, expectedPods 2, observedGeneration 1, conditions [DisruptionAllowed=False/InsufficientPods]",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "PodDisruptionBudget web: disruptionsAllowed 1, currentHealthy 2, conditions [DisruptionAllowed=True/SufficientPods]",
      "ReplicationController web: readyReplicas 2, availableReplicas 2",
      "PodDisruptionBudget web: disruptionsAllowed 0, conditions [DisruptionAllowed=False/InsufficientPods], disruptedPods {web-? 1}",
      "Pod web-? terminating",
      "PodDisruptionBudget web: -disruptedPods, currentHealthy 1",
      "Pod web-? made",
      "Normal SuccessfulCreate: Created pod: web-?",
      "ReplicationController web: readyReplicas 1, availableReplicas 1",
      "Pod web-? gone",
      "Pod web-? bound",
      "Normal Scheduled: Successfully assigned default/web-? to a node",
      "Pod web-? Running",
      "ReplicationController web: readyReplicas 2, availableReplicas 2",
      "PodDisruptionBudget web: disruptionsAllowed 1, currentHealthy 2, conditions [DisruptionAllowed=True/SufficientPods]",
    ]
  `);
});

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

test("a certificate is asked for, approved and signed, and its request goes", () => {
  const cluster = newCluster({ nodes: 0 });
  const from = cluster.registry.store.revision;
  const made = cluster.apply(certificateSigningRequests, {
    metadata: { name: "anna" },
    spec: { request: btoa(anna), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
  });
  cluster.step(0);
  const conditions = [{ type: "Approved", status: "True", reason: "KubectlApprove", message: "" }];
  const approved = { ...made, status: { ...made.status, conditions } };
  cluster.client.updateSubresource(certificateSigningRequests, "approval", approved);
  cluster.runUntilQuiet(7_200_000);
  const lines = timeline(cluster, from, [""]).filter((line) => line.startsWith("CertificateSigningRequest"));
  expect(lines.map((line) => line.replace(/certificate \S+/, "certificate issued"))).toMatchInlineSnapshot(`
    [
      "CertificateSigningRequest anna made",
      "CertificateSigningRequest anna: conditions [Approved=True/KubectlApprove]",
      "CertificateSigningRequest anna: certificate issued",
      "CertificateSigningRequest anna gone",
    ]
  `);
});

/** `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=anna` */
const anna = `-----BEGIN CERTIFICATE REQUEST-----
MIHIMHECAQAwDzENMAsGA1UEAwwEYW5uYTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABFjoTuDa1kx2yPT2CquDUtPpRZRUNCDVBfE9qgY2mgA3UIPd9Kx5+Dt5Swr+
FIEAvEyEvbgY9rT3HeED9FlDy/GgADAKBggqhkjOPQQDAgNHADBEAiBJ2p+KFLUn
6kL7XnkKSD1cy+2hdyGvMMSrp+4QOGRr3gIgWEPjG9Uy4Mj/ewgoQFESEizd1+zA
PbO9HyD3RYswBAA=
-----END CERTIFICATE REQUEST-----
`;
