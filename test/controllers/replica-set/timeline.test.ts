// Golden timelines of replica set: every event and every step, in order.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

const labels = { app: "web" };

const containers = [{ name: "c", image: "nginx:1" }];

test("a ReplicaSet adopts a matching pod, and creates no other", () => {
  const cluster = quietCluster({ nodes: 1 });
  const happen = (step: () => void) => {
    cluster.apply(pods, { metadata: { ...metadata, name: "alone", labels }, spec: { containers } });
    step();
    const template = { metadata: { labels }, spec: { containers } };
    cluster.apply(replicaSets, { metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  };
  const describe = ({ kind, metadata: { ownerReferences = [] } }: KubeObject) =>
    kind === "Pod" ? ownerReferences.map((owner) => `owner ${owner.kind} ${owner.name}`).join() : "";
  expect(story(cluster, happen, { namespaces: ["default"], describe })).toMatchInlineSnapshot(`
    [
      "Pod alone made",
      "Pod alone bound",
      "Normal Scheduled: Successfully assigned default/alone to a node",
      "Pod alone Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web made",
      "Pod alone has owner ReplicaSet web",
      "ReplicaSet web: replicas 1, fullyLabeledReplicas 1, readyReplicas 1, availableReplicas 1, terminatingReplicas 0, observedGeneration 1",
    ]
  `);
});
