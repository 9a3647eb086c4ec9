// The kind PodMetrics of metrics.k8s.io, as a metrics server serves it: the usage of pods' containers.
import type { PodMetrics } from "../../../shared/k8s/api/metrics-v1beta1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { nameColumn } from "../common/printers.ts";
import { defineKindBeside, type Reads } from "../kind.ts";
import { amounts, total, usageColumn, windowColumn } from "./printers.ts";
import { type Sample, sampledMs, samples, scrapeMs } from "./samples.ts";

export const podMetrics = defineKindBeside<PodMetrics>(
  {
    group: "metrics.k8s.io",
    version: "v1beta1",
    resource: "pods",
    kind: "PodMetrics",
    namespaced: true,
    verbs: ["get", "list"],
  },
  {
    showsMeasurements: true,
    computed: (reads, namespace) => samples(reads, namespace).map((sample) => podMetricsOf(sample, reads)),
    columns: [
      nameColumn,
      usageColumn("cpu", ({ containers }: PodMetrics) => containers),
      usageColumn("memory", ({ containers }: PodMetrics) => containers),
      windowColumn,
    ],
  },
);

function podMetricsOf({ pod, containers, atMs }: Sample, { nowMs }: Reads): PodMetrics {
  const { name = "", namespace = "", labels } = pod.metadata;
  return {
    apiVersion: "metrics.k8s.io/v1beta1",
    kind: "PodMetrics",
    metadata: { name, namespace, creationTimestamp: rfc3339(nowMs), ...(labels ? { labels } : {}) },
    timestamp: rfc3339(atMs ?? sampledMs(nowMs)),
    window: `${scrapeMs / 1000}s`,
    containers: containers.map((container) => ({ name: container.name, usage: amounts(total([container])) })),
  };
}
