// Nodes, pods and snapshots for the scheduler's tests.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { Container, Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { type Labels, nothing } from "../../shared/k8s/selectors/labels.ts";
import { podInfoOf } from "../../worker/scheduler/pod-info.ts";
import type { Cycle } from "../../worker/scheduler/framework.ts";
import { Snapshot } from "../../worker/scheduler/snapshot.ts";

let createdCount = 0;

export interface NodeOptions {
  readonly labels?: Labels;
  readonly taints?: NonNullable<Node["spec"]["taints"]>;
  readonly unschedulable?: boolean;
  readonly allocatable?: Labels;
  readonly images?: NonNullable<Node["status"]["images"]>;
  readonly declaredFeatures?: string[];
}

/** Returns a node with 4 cores, 8Gi and 110 pods. */
export function aNode(name: string, options: NodeOptions = {}): Node {
  const { labels, taints, unschedulable, allocatable, images, declaredFeatures } = options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { ...(taints ? { taints } : {}), ...(unschedulable ? { unschedulable } : {}) },
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...allocatable },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {} as Node["status"]["nodeInfo"],
      ...(images ? { images } : {}),
      ...(declaredFeatures ? { declaredFeatures } : {}),
    },
  };
}

export interface PodOptions {
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly requests?: Labels;
  readonly spec?: Partial<Pod["spec"]>;
  readonly status?: Pod["status"];
  readonly metadata?: Partial<Pod["metadata"]>;
}

export function aContainer(requests?: Labels, more: Partial<Container> = {}): Container {
  return { name: "c", image: "nginx", resources: requests ? { requests } : {}, ...more };
}

export function aPod(name: string, options: PodOptions = {}): Pod {
  const { namespace = "default", labels, requests, spec, status, metadata } = options;
  createdCount += 1;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `uid-${createdCount}`,
      resourceVersion: String(createdCount),
      ...(labels ? { labels } : {}),
      ...metadata,
    },
    spec: { containers: [aContainer(requests)], schedulerName: "default-scheduler", ...spec },
    status: status ?? { phase: "Pending" },
  };
}

/** Returns a pod that runs on a node. */
export function onNode(nodeName: string, pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: "Running" } };
}

export function pictureOf(nodes: readonly Node[], pods: readonly Pod[] = []): Snapshot {
  const snapshot = new Snapshot();
  for (const node of nodes) snapshot.setNode(node);
  for (const pod of pods) snapshot.setPod(pod);
  return snapshot;
}

export function attempt(pod: Pod, snapshot: Snapshot, more: Partial<Cycle> = {}): Cycle {
  return {
    pod,
    snapshot,
    info: podInfoOf(pod),
    defaultSelector: noLike,
    storage: noStorage,
    devices: noDevices,
    meter: new WorkMeter(),
    namespaceLabels: () => ({}),
    podDisruptionBudgets: () => [],
    ...more,
  };
}

const noStorage = {
  claim: () => undefined,
  volume: () => undefined,
  volumes: () => [],
  storageClass: () => undefined,
  driver: () => undefined,
  csiNode: () => undefined,
  capacities: () => [],
  attachments: () => [],
};

const noDevices = {
  claim: () => undefined,
  claims: () => [],
  deviceClass: () => undefined,
  slices: () => [],
};

/** A default selector that matches nothing. */
const noLike = { ...nothing, empty: true };
