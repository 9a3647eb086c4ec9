// Golden timelines of the scheduler: every event and every step, in order.
import { expect, test } from "vitest";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { quietCluster } from "../cluster.ts";
import { story } from "../controllers/story.ts";

const metadata = { name: "web", namespace: "default" };

const containers = [{ name: "c", image: "nginx:1" }];

test("a pod waits for a matching node, and is bound when one is added", () => {
  const cluster = quietCluster({ nodes: 1 });
  const happen = (step: () => void) => {
    cluster.apply(pods, { metadata, spec: { containers, nodeSelector: { disk: "fast" } } });
    step();
    cluster.edit(nodes, "", "node-1", (node) => {
      node.metadata.labels = { ...node.metadata.labels, disk: "fast" };
    });
  };
  expect(story(cluster, happen, { namespaces: ["default"] })).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Warning FailedScheduling: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
    ]
  `);
});
