// A cluster for the scheduler's tests: ready nodes, pods with CPU requests, and kubelets that terminate pods.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { schedulerController } from "../../worker/scheduler/controller.ts";
import { serviceAccountController } from "../../worker/controllers/service-account/controller.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { priorityClasses } from "../../worker/kinds/scheduling/priority-class.ts";
import type { Controller } from "../../worker/runtime/controller.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

/** Admission of pods requires a service account. */
export function clusterWith(names: readonly string[], more: readonly Controller[] = []): TestCluster {
  const cluster = newCluster({ nodes: 0, controllers: [schedulerController, serviceAccountController, ...more] });
  cluster.runUntilQuiet();
  for (const name of names) addNode(cluster, name);
  for (const [name, value] of Object.entries({ low: 1, middle: 50, high: 100 })) {
    cluster.apply(priorityClasses, { metadata: { name }, value });
  }
  cluster.apply(priorityClasses, { metadata: { name: "polite" }, value: 100, preemptionPolicy: "Never" });
  cluster.runUntilQuiet();
  return cluster;
}

export interface NodeShape {
  readonly cpu?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: Draft<Node["spec"]>;
}

/** Adds a node, by default with 2 cores. */
export function addNode(
  cluster: TestCluster,
  name: string,
  { cpu = "2", labels = {}, spec = {} }: NodeShape = {},
): void {
  const amount = { cpu, memory: "4Gi", pods: "110" };
  cluster.apply(nodes, {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { capacity: amount, allocatable: amount, conditions: [{ type: "Ready", status: "True" }] },
  });
  // The change of the node controller to a new node that is ready.
  cluster.edit(nodes, "", name, (draft) => {
    draft.spec.taints = draft.spec.taints?.filter(({ key }) => key !== "node.kubernetes.io/not-ready") ?? [];
  });
}

export interface PodShape {
  readonly cpu?: string;
  readonly priority?: "low" | "middle" | "high" | "polite";
  readonly labels?: Record<string, string>;
  readonly spec?: Draft<Pod["spec"]>;
}

/** Adds a pod, by default with 1 core. */
export function addPod(cluster: TestCluster, name: string, { cpu = "1", priority, labels, spec }: PodShape = {}): Pod {
  const container = { name: "c", image: "nginx", resources: { requests: { cpu } } };
  return cluster.apply(pods, {
    metadata: { namespace: "default", name, ...(labels ? { labels } : {}) },
    spec: { containers: [container], ...(priority ? { priorityClassName: priority } : {}), ...spec },
  });
}

/** Sets the status of a started pod, as a kubelet does. */
export function start(cluster: TestCluster, name: string): void {
  const pod = podOf(cluster, name);
  const startTime = rfc3339(cluster.clock.nowMs());
  cluster.client.updateStatus(pods, { ...pod, status: { ...pod.status, phase: "Running", startTime } });
}

/** Removes a terminating pod, as a kubelet does. */
export function remove(cluster: TestCluster, name: string): void {
  cluster.client.delete(pods, "default", name, { gracePeriodSeconds: 0 });
  cluster.runUntilQuiet();
}

export function podOf(cluster: TestCluster, name: string): Pod {
  return cluster.get(pods, "default", name);
}

export function nodeOf(cluster: TestCluster, name: string): string | undefined {
  return podOf(cluster, name).spec.nodeName;
}

export function conditionOf(cluster: TestCluster, name: string, type = "PodScheduled") {
  return podOf(cluster, name).status.conditions?.find((condition) => condition.type === type);
}

export function isLeaving(cluster: TestCluster, name: string): boolean {
  return podOf(cluster, name).metadata.deletionTimestamp !== undefined;
}
