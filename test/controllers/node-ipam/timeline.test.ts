// Golden timelines of node ipam: every event and every step, in order.
import { expect, test } from "vitest";
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

test("a user's node joins, and gets a range and a TTL", () => {
  const cluster = quietCluster({ nodes: 1 });
  const happen = (step: (ms: number) => void) => {
    cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions: [{ type: "Ready", status: "False" }] } });
    step(1000);
    const node = cluster.get(nodes, "", "mine");
    const conditions = [{ type: "Ready", status: "True" as const, reason: "KubeletReady" }];
    cluster.client.updateStatus(nodes, { ...node, status: { ...node.status, conditions } });
    step(1000);
    cluster.client.delete(nodes, "", "mine");
  };
  const describe = (object: KubeObject) => {
    if (object.kind !== "Node" || object.metadata.name !== "mine") return "";
    const { spec, metadata: nodeMeta } = object as Node;
    const taints = (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
    const ttl = nodeMeta.annotations?.["node.alpha.kubernetes.io/ttl"];
    return [spec.podCIDR ?? "", ...(ttl ? [`ttl=${ttl}`] : []), ...taints].filter(Boolean).join(" ");
  };
  expect(story(cluster, happen, { describe })).toMatchInlineSnapshot(`
    [
      "Node mine made",
      "Node mine has node.kubernetes.io/not-ready:NoSchedule",
      "Normal RegisteredNode: Node mine event: Registered Node mine in Controller",
      "Node mine has 10.244.2.0/24 node.kubernetes.io/not-ready:NoSchedule",
      "Node mine has 10.244.2.0/24 ttl=0 node.kubernetes.io/not-ready:NoSchedule",
      "Node mine has 10.244.2.0/24 ttl=0 node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute",
      "Node mine: conditions [Ready=True/KubeletReady]",
      "Node mine has 10.244.2.0/24 ttl=0",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
    ]
  `);
});
