// What a fresh cluster holds, in the order in which it is created.
import type { NodeSpec } from "../../../shared/contract/node-spec.ts";
import { accessPolicy } from "./access-policy.ts";
import { coreDns } from "./core-dns.ts";
import { apiServer, type ApiServerAddress } from "./api-server.ts";
import { clusterInfo } from "./cluster-info.ts";
import { systemNamespaces } from "./namespaces.ts";
import { systemPriorityClasses } from "./priority-classes.ts";
import { nodeSeeds } from "./nodes.ts";
import { flowControl } from "./flow-control.ts";
import { localApis } from "./local-apis.ts";
import { metricsApi } from "./metrics-api.ts";
import { nodeBootstrap } from "./node-bootstrap.ts";
import type { Seed } from "./seed.ts";
import { defaultServiceRange } from "./service-range.ts";
import { tokenTracking } from "./token-tracking.ts";
import { systemPods } from "./system/system-pods.ts";
import { defaultStorageClass } from "./storage-class.ts";

export interface FreshCluster {
  readonly nowMs: number;
  /** How many nodes; each is schedulable. */
  readonly nodes: number;
  /** What is particular about them. */
  readonly machines?: readonly NodeSpec[] | undefined;
  /** Whether kube-system has the pods of a control plane, kube-proxy, a network and a metrics server. Default: no. */
  readonly systemPods?: boolean;
  /** Where pods reach the API server: the endpoint of `default/kubernetes`. */
  readonly apiServer?: ApiServerAddress;
  /** What `kube-public/cluster-info` tells: absent, no such ConfigMap is made. */
  readonly info?: { readonly server: string; readonly certificateAuthority: string };
}

/** Made one at a time, since nodes may be thousands: `for (const { kind, draft } of freshCluster(...)) client.create(kind, draft)`. */
export function* freshCluster(cluster: FreshCluster): Generator<Seed> {
  yield* systemNamespaces();
  yield defaultServiceRange();
  yield defaultStorageClass();
  yield* systemPriorityClasses();
  yield* flowControl();
  yield* accessPolicy();
  yield* nodeBootstrap();
  yield* localApis();
  yield metricsApi();
  yield tokenTracking(cluster.nowMs);
  yield* apiServer(cluster.apiServer);
  yield* nodeSeeds(cluster.nodes, cluster.nowMs, 1, cluster.machines);
  if (cluster.info) yield clusterInfo(cluster.info);
  yield* coreDns();
  if (cluster.systemPods) yield* systemPods(cluster);
}
