// The kind NodeMetrics of metrics.k8s.io, as a metrics server serves it: the usage of simulated nodes.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import type { NodeMetrics } from "../../../shared/k8s/api/metrics-v1beta1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { nameColumn } from "../common/printers.ts";
import { defineKindBeside, type Reads } from "../kind.ts";
import { amounts, total, usageColumn, windowColumn } from "./printers.ts";
import { type Sample, sampledMs, samples, scrapeMs } from "./samples.ts";
import { nodes } from "../core/node/node.ts";
import { isSimulated } from "../core/node/simulated.ts";
import { systemUsage } from "./usage.ts";

export const nodeMetrics = defineKindBeside<NodeMetrics>(
  {
    group: "metrics.k8s.io",
    version: "v1beta1",
    resource: "nodes",
    kind: "NodeMetrics",
    namespaced: false,
    verbs: ["get", "list"],
  },
  {
    computed: (reads) => {
      const byNode = Map.groupBy(samples(reads), ({ pod }) => pod.spec.nodeName ?? "");
      const measured = [...reads.list(nodes)].filter(isSimulated);
      return measured.map((node) => nodeMetricsOf(node, byNode.get(node.metadata.name ?? "") ?? [], reads));
    },
    columns: [
      nameColumn,
      usageColumn("cpu", (metrics: NodeMetrics) => [metrics]),
      usageColumn("memory", (metrics: NodeMetrics) => [metrics]),
      windowColumn,
    ],
  },
);

function nodeMetricsOf({ metadata }: Node, running: readonly Sample[], { nowMs }: Reads): NodeMetrics {
  const { name = "", labels } = metadata;
  const used = total([systemUsage(name), ...running.flatMap(({ containers }) => containers)]);
  return {
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "NodeMetrics",
    metadata: { name, creationTimestamp: rfc3339(nowMs), ...(labels ? { labels } : {}) },
    timestamp: rfc3339(sampledMs(nowMs)),
    window: `${scrapeMs / 1000}s`,
    usage: amounts(used),
  };
}
