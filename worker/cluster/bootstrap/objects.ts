// What a fresh cluster holds, in the order in which it is created.
import type { Client } from "../../registry/client.ts";
import type { ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { defaultServiceCidr, serviceCidrs } from "../../kinds/networking/service-cidr.ts";
import { serviceCidrFinalizer } from "../../controllers/service-cidr.ts";
import { localProvisioner } from "../../controllers/volume/volume-provisioner.ts";
import { storageClasses } from "../../kinds/storage/storage-class.ts";
import { priorityClasses, systemPriorityClasses } from "../../kinds/scheduling/priority-class.ts";
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import { podMetrics } from "../../kinds/metrics/pod-metrics.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import type { NodeSpec } from "../../../shared/contract/node-spec.ts";
import { accessPolicy } from "./access-policy.ts";
import { coreDns } from "./core-dns.ts";
import { apiServer, type ApiServerAddress } from "./api-server.ts";
import { nodeSeeds } from "./nodes.ts";
import { flowControl } from "./flow-control.ts";
import { localApis } from "./local-apis.ts";
import { nodeBootstrap } from "./node-bootstrap.ts";
import { type Seed, seed } from "./seed.ts";
import { systemPods } from "./system/system-pods.ts";

export interface FreshCluster {
  readonly nowMs: number;
  /** How many nodes; each is schedulable. */
  readonly nodes: number;
  /** The specifications of the nodes, if they differ from the default. */
  readonly machines?: readonly NodeSpec[] | undefined;
  /**
   * Whether kube-system has CoreDNS and the pods of a control plane, kube-proxy, a network and a metrics server. Undefined: CoreDNS
   * alone.
   */
  readonly systemPods?: boolean | undefined;
  /** True if nothing is installed beside the API server. */
  readonly isApiServerAlone?: boolean;
  /** The address at which pods reach the API server: the endpoint of `default/kubernetes`. */
  readonly apiServer?: ApiServerAddress;
  /** The content of `kube-public/cluster-info`. Undefined: the ConfigMap is not created. */
  readonly info?: { readonly server: string; readonly certificateAuthority: string };
}

/** Made one at a time, since nodes may be thousands: `for (const { kind, draft } of freshCluster(cluster, client)) client.create(kind, draft)`. */
export function* freshCluster(cluster: FreshCluster, client: Pick<Client, "network" | "release">): Generator<Seed> {
  const { network, release } = client;
  yield* systemNamespaces();
  yield defaultServiceRange(network);
  if (!cluster.isApiServerAlone) yield defaultStorageClass();
  yield* priorityClassSeeds();
  yield* flowControl();
  yield* accessPolicy(release);
  if (!cluster.isApiServerAlone) yield* nodeBootstrap();
  yield* localApis(release);
  yield metricsApi();
  yield tokenTracking(cluster.nowMs);
  yield* apiServer(network, cluster.apiServer);
  yield* nodeSeeds(client, { to: cluster.nodes, nowMs: cluster.nowMs, machines: cluster.machines });
  if (cluster.info && !cluster.isApiServerAlone) yield clusterInfo(cluster.info);
  if (cluster.systemPods !== false) yield* coreDns(client);
  if (cluster.systemPods) yield* systemPods(cluster, client);
}

/** The namespaces that an API server makes by itself. */
function systemNamespaces(): Seed[] {
  return ["kube-system", "kube-public", "kube-node-lease", "default"].map((name) =>
    seed(namespaces, { metadata: { name } }),
  );
}

/** The range that services get their addresses of, as the API server publishes it. */
function defaultServiceRange({ serviceCidr }: ClusterNetwork): Seed {
  return seed(serviceCidrs, {
    // The finalizer that its controller would add.
    metadata: { name: defaultServiceCidr, finalizers: [serviceCidrFinalizer] },
    spec: { cidrs: [serviceCidr] },
  });
}

/** The default storage class, as kind installs it: directories on the node that a pod was placed on. */
function defaultStorageClass(): Seed {
  return seed(storageClasses, {
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: localProvisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
  });
}

/** The priority classes that an API server makes by itself. */
function priorityClassSeeds(): Seed[] {
  return systemPriorityClasses.map(({ name, value, description }) =>
    seed(priorityClasses, { metadata: { name }, value, description }),
  );
}

/** The registration of the metrics API, which is served here and by a server of its own in other clusters. */
function metricsApi(): Seed {
  const { group, version } = podMetrics;
  return seed(apiServices, {
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 100, versionPriority: 100 },
  });
}

/** Since when the API server notes who uses old tokens of service accounts: it makes this ConfigMap at its first start. */
function tokenTracking(nowMs: number): Seed {
  return seed(configMaps, {
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" },
    data: { since: rfc3339(nowMs).slice(0, 10) },
  });
}

/** `kube-public/cluster-info`: how to reach the cluster and which authority to trust, for who has no kubeconfig yet. */
function clusterInfo(info: { readonly server: string; readonly certificateAuthority: string }): Seed {
  const lines = [
    "apiVersion: v1",
    "clusters:",
    "- cluster:",
    `    certificate-authority-data: ${info.certificateAuthority}`,
    `    server: ${info.server}`,
    '  name: ""',
    "contexts: null",
    'current-context: ""',
    "kind: Config",
    "preferences: {}",
    "users: null",
    "",
  ];
  return seed(configMaps, {
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig: lines.join("\n") },
  });
}
