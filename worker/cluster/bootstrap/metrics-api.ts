// The registration of the metrics API, which is served here and by a server of its own in other clusters.
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import { podMetrics } from "../../kinds/metrics/pod-metrics.ts";
import { type Seed, seed } from "./seed.ts";

export function metricsApi(): Seed {
  const { group, version } = podMetrics;
  return seed(apiServices, {
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 100, versionPriority: 100 },
  });
}
