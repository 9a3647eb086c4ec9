// Golden timelines of pod gc: every event and every step, in order.
import { expect, test } from "vitest";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

const metadata = { name: "web", namespace: "default" };

const containers = [{ name: "c", image: "nginx:1" }];

function disruption(object: KubeObject): string {
  const { status } = object as Pod;
  if (object.kind !== "Pod") return "";
  return status.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason ?? "";
}

test("a pod of a deleted node is failed and deleted, and a pod of a node that never existed immediately", () => {
  const cluster = quietCluster({ nodes: 0 });
  cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions: [{ type: "Ready", status: "True" }] } });
  cluster.step(0);
  cluster.apply(pods, { metadata, spec: { containers, nodeName: "mine" } });
  const finalizers = ["example.com/hold"];
  const nodeSelector = { nowhere: "true" };
  cluster.apply(pods, { metadata: { ...metadata, name: "held", finalizers }, spec: { containers, nodeSelector } });
  cluster.step(0);
  const happen = (step: (ms: number) => void) => {
    cluster.client.delete(pods, "default", "held");
    step(1000);
    cluster.client.delete(nodes, "", "mine");
  };
  expect(story(cluster, happen, { describe: disruption })).toMatchInlineSnapshot(`
    [
      "Pod held terminating",
      "Pod held Failed",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
      "Pod web Failed",
      "Pod web has DeletionByPodGC",
      "Pod web terminating",
      "Pod web gone",
    ]
  `);
});
