// Golden timelines of node lifecycle: every event and every step, in order.
import { expect, test } from "vitest";
import { leases } from "../../../worker/kinds/coordination/lease.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { atRest, timeline } from "../timeline.ts";

const metadata = { name: "web", namespace: "default" };

const labelled = (spec: object) => ({ metadata: { labels: { app: "web" } }, spec });

const nginx = (tag: string) => labelled({ containers: [{ name: "web", image: `nginx:${tag}` }] });

test("a silent node's pods become unready and are evicted, and are deleted with the node", () => {
  const { cluster } = atRest();
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
  cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions, allocatable } });
  cluster.apply(leases, {
    metadata: { name: "mine", namespace: "kube-node-lease" },
    spec: { holderIdentity: "mine", leaseDurationSeconds: 40 },
  });
  cluster.step(0);
  const from = cluster.registry.store.revision;
  const pod = cluster.apply(pods, { metadata, spec: { ...nginx("1.27").spec, nodeName: "mine" } });
  const ready = { type: "Ready", status: "True" };
  cluster.client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Running", conditions: [ready] } });
  cluster.step(400_000);
  cluster.client.delete(nodes, "", "mine");
  cluster.step(60_000);
  expect(timeline(cluster, from, ["", "default"])).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web Running",
      "Node mine: conditions [Ready=Unknown/NodeStatusUnknown MemoryPressure=Unknown/NodeStatusNeverUpdated DiskPressure=Unknown/NodeStatusNeverUpdated PIDPressure=Unknown/NodeStatusNeverUpdated]",
      "Normal NodeNotReady: Node mine status is now: NodeNotReady",
      "Warning NodeNotReady: Node is not ready",
      "Normal TaintManagerEviction: Marking for deletion Pod default/web",
      "Pod web terminating",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
      "Pod web Failed",
      "Pod web gone",
    ]
  `);
});
