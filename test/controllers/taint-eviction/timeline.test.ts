// Golden timelines of taint eviction: every event and every step, in order.
import { expect, test } from "vitest";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
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

test("a pod is evicted after its toleration's time, and stays if the taint is removed in time", () => {
  const cluster = quietCluster({ nodes: 1 });
  const tolerations = [
    { key: "old", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 30 },
  ];
  cluster.apply(pods, { metadata, spec: { containers, tolerations } });
  cluster.step(1000);
  const taint = (taints: Node["spec"]["taints"]) =>
    cluster.edit(nodes, "", "node-1", ({ spec }) => {
      spec.taints = taints ?? [];
    });
  const happen = (step: (ms?: number) => void) => {
    taint([{ key: "old", effect: "NoExecute" }]);
    step(20_000);
    taint([]);
    step();
    taint([{ key: "old", effect: "NoExecute" }]);
    step(31_000);
  };
  expect(story(cluster, happen, { describe: disruption })).toMatchInlineSnapshot(`
    [
      "Normal TaintManagerEviction: Cancelling deletion of Pod default/web",
      "Normal TaintManagerEviction: Marking for deletion Pod default/web",
      "Pod web has DeletionByTaintManager",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web gone",
    ]
  `);
});
