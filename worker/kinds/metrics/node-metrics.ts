// The kind NodeMetrics of metrics.k8s.io, as a metrics server serves it: the usage of simulated nodes, and of machines that are measured.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import type { NodeMetrics } from "../../../shared/k8s/api/metrics-v1beta1.ts";
import type { Usage } from "./node-measurement.ts";
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
    showsMeasurements: true,
    computed: (reads) => {
      const byNode = Map.groupBy(samples(reads), ({ pod }) => pod.spec.nodeName ?? "");
      return [...reads.list(nodes)].flatMap((node) => {
        const { name = "" } = node.metadata;
        if (isSimulated(node)) return [simulatedMetrics(node, byNode.get(name) ?? [], reads)];
        const { usage, atMs = 0 } = reads.measured?.(name) ?? {};
        return usage ? [nodeMetricsOf(node, usage, atMs, reads)] : [];
      });
    },
    columns: [
      nameColumn,
      usageColumn("cpu", (metrics: NodeMetrics) => [metrics]),
      usageColumn("memory", (metrics: NodeMetrics) => [metrics]),
      windowColumn,
    ],
  },
);

function simulatedMetrics(node: Node, running: readonly Sample[], reads: Reads): NodeMetrics {
  const { name = "" } = node.metadata;
  const used = total([systemUsage(name), ...running.flatMap(({ containers }) => containers)]);
  return nodeMetricsOf(node, used, sampledMs(reads.nowMs), reads);
}

function nodeMetricsOf({ metadata }: Node, used: Usage, atMs: number, { nowMs }: Reads): NodeMetrics {
  const { name = "", labels } = metadata;
  return {
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "NodeMetrics",
    metadata: { name, creationTimestamp: rfc3339(nowMs), ...(labels ? { labels } : {}) },
    timestamp: rfc3339(atMs),
    window: `${scrapeMs / 1000}s`,
    usage: amounts(used),
  };
}
