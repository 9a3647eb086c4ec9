// Golden timelines of stateful set: every event and every step, in order.
import { expect, test } from "vitest";
import { statefulSets } from "../../../worker/kinds/apps/stateful-set.ts";
import { bed, workloadControllers } from "../bed.ts";
import { timeline } from "../timeline.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } };

const selector = { matchLabels: { app: "web" } };

const metadata = { name: "web", namespace: "default" };

test("a StatefulSet is created, updated and scaled down", () => {
  const { cluster } = bed(workloadControllers);
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
