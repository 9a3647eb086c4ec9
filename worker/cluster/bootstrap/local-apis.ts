// The registrations of what this server serves itself: one for each version of each built-in group, with upstream's priorities.
import type { Release } from "../../../shared/k8s/settings/release.ts";
import { kinds as newestKinds } from "../../kinds/catalogue.ts";
import { kindsOfRelease } from "../../kinds/release-kinds.ts";
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import { podMetrics } from "../../kinds/metrics/pod-metrics.ts";
import { type Seed, seed } from "./seed.ts";

interface Priority {
  readonly group: number;
  /** The priorities by version. Default: `usual`. */
  readonly versions?: Readonly<Record<string, number>>;
}

const priorities: Readonly<Record<string, Priority>> = {
  "": { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800 },
  "events.k8s.io": { group: 17_750 },
  "authentication.k8s.io": { group: 17_700 },
  "authorization.k8s.io": { group: 17_600 },
  autoscaling: { group: 17_500, versions: { v2: 30 } },
  batch: { group: 17_400 },
  "certificates.k8s.io": { group: 17_300 },
  "networking.k8s.io": { group: 17_200 },
  policy: { group: 17_100 },
  "rbac.authorization.k8s.io": { group: 17_000 },
  "storage.k8s.io": { group: 16_800 },
  "apiextensions.k8s.io": { group: 16_700 },
  "admissionregistration.k8s.io": { group: 16_700 },
  "scheduling.k8s.io": { group: 16_600 },
  "coordination.k8s.io": { group: 16_500 },
  "node.k8s.io": { group: 16_300 },
  "discovery.k8s.io": { group: 16_200 },
  "resource.k8s.io": { group: 16_200, versions: { v1: 21 } },
  "flowcontrol.apiserver.k8s.io": { group: 16_100, versions: { v1: 21 } },
};
const usual = 15;
/** The groups without a registration here: the one of registrations itself, and the metrics API, which has one as in other clusters. */
const unregisteredGroups = new Set([apiServices.group, podMetrics.group]);
/** Groups of which nothing is stored: their kinds are no part of the catalogue. */
const reviewed = ["authentication.k8s.io/v1", "authorization.k8s.io/v1"];

export function* localApis(release: Release): Generator<Seed> {
  const { kinds } = kindsOfRelease(newestKinds, release, {});
  const apiVersions = new Set([...kinds.map(({ apiVersion }) => apiVersion), ...reviewed]);
  for (const apiVersion of [...apiVersions].sort()) {
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    if (unregisteredGroups.has(group)) continue;
    const { group: groupPriorityMinimum, versions = {} } = priorities[group] ?? { group: 1000 };
    yield seed(apiServices, {
      metadata: { name: `${version}.${group}`, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: {
        ...(group ? { group } : {}),
        version,
        groupPriorityMinimum,
        versionPriority: versions[version] ?? usual,
      },
    });
  }
}
