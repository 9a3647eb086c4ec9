// Golden timelines of deployment: every event and every step, in order.
import { expect, test } from "vitest";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { atRest, timeline } from "../timeline.ts";

const metadata = { name: "web", namespace: "default" };

const selector = { matchLabels: { app: "web" } };

const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });

const nginx = (tag: string) => labelled({ containers: [{ name: "web", image: `nginx:${tag}` }] });

test("a Deployment is created and rolled out", () => {
  const { cluster, from } = atRest();
  cluster.apply(deployments, { metadata, spec: { replicas: 1, selector, template: nginx("1.26") } });
  cluster.runUntilQuiet();
  cluster.edit(deployments, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = "nginx:1.27";
  });
  cluster.runUntilQuiet();
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Deployment web made",
      "ReplicaSet web-5f5794754f made",
      "Normal ScalingReplicaSet: Scaled up replica set web-5f5794754f from 0 to 1",
      "Deployment web: observedGeneration 1, unavailableReplicas 1, terminatingReplicas 0, conditions [Progressing=True/NewReplicaSetCreated Available=False/MinimumReplicasUnavailable]",
      "Pod web-5f5794754f-? made",
      "Normal SuccessfulCreate: Created pod: web-5f5794754f-?",
      "ReplicaSet web-5f5794754f: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1",
      "Pod web-5f5794754f-? bound",
      "Normal Scheduled: Successfully assigned default/web-5f5794754f-? to a node",
      "Deployment web: conditions [Available=False/MinimumReplicasUnavailable Progressing=True/ReplicaSetUpdated], replicas 1, updatedReplicas 1",
      "Pod web-5f5794754f-? Running",
      "Normal Pulling: Pulling image "nginx:1.26"",
      "Normal Pulled: Successfully pulled image "nginx:1.26" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web-5f5794754f: readyReplicas 1, availableReplicas 1",
      "Deployment web: -unavailableReplicas, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetAvailable], readyReplicas 1, availableReplicas 1",
      "ReplicaSet web-8448b6f544 made",
      "Normal ScalingReplicaSet: Scaled up replica set web-8448b6f544 from 0 to 1",
      "Deployment web: observedGeneration 2, -updatedReplicas, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetCreated], unavailableReplicas 1",
      "Pod web-8448b6f544-? made",
      "Normal SuccessfulCreate: Created pod: web-8448b6f544-?",
      "ReplicaSet web-8448b6f544: replicas 1, fullyLabeledReplicas 1, terminatingReplicas 0, observedGeneration 1",
      "Pod web-8448b6f544-? bound",
      "Normal Scheduled: Successfully assigned default/web-8448b6f544-? to a node",
      "Deployment web: replicas 2, conditions [Available=True/MinimumReplicasAvailable Progressing=True/ReplicaSetUpdated], updatedReplicas 1",
      "Pod web-8448b6f544-? Running",
      "Normal Pulling: Pulling image "nginx:1.27"",
      "Normal Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web-8448b6f544: readyReplicas 1, availableReplicas 1",
      "Normal ScalingReplicaSet: Scaled down replica set web-5f5794754f from 1 to 0",
      "Deployment web: readyReplicas 2, availableReplicas 2, -unavailableReplicas",
      "Pod web-5f5794754f-? terminating",
      "Normal SuccessfulDelete: Deleted pod: web-5f5794754f-?",
      "ReplicaSet web-5f5794754f: replicas 0, -fullyLabeledReplicas, -readyReplicas, -availableReplicas, terminatingReplicas 1, observedGeneration 2",
      "Pod web-5f5794754f-? Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web-5f5794754f-? gone",
      "Deployment web: replicas 1, readyReplicas 1, availableReplicas 1, terminatingReplicas 1, conditions [Available=True/MinimumReplicasAvailable Progressing=True/NewReplicaSetAvailable]",
      "ReplicaSet web-5f5794754f: terminatingReplicas 0",
      "Deployment web: terminatingReplicas 0",
    ]
  `);
});
