// Golden timelines of disruption: every event and every step, in order.
import { expect, test } from "vitest";
import { podDisruptionBudgets } from "../../../worker/kinds/policy/pod-disruption-budget.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicationControllers } from "../../../worker/kinds/core/replication-controller.ts";
import { workloadControllers, bed, livePods } from "../bed.ts";
import { timeline } from "../timeline.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };

const selector = { matchLabels: { app: "web" } };

const metadata = { name: "web", namespace: "default" };

test("a ReplicationController under a budget loses a pod to an eviction", () => {
  const { cluster } = bed(workloadControllers);
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
