// A bed for workload controllers: nodes, the real scheduler, and kubelets that tests control.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import type { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { cronJobController } from "../../worker/controllers/cron-job/controller.ts";
import { daemonSetController } from "../../worker/controllers/daemon-set/controller.ts";
import { disruptionController } from "../../worker/controllers/disruption/controller.ts";
import { jobController, jobOrphanController } from "../../worker/controllers/job/controller.ts";
import { replicationController } from "../../worker/controllers/replica-set/replication-controller.ts";
import { statefulSetController } from "../../worker/controllers/stateful-set/controller.ts";
import { schedulerController } from "../../worker/scheduler/controller.ts";
import { serviceAccountController } from "../../worker/controllers/service-account/controller.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { Client } from "../../worker/registry/client.ts";
import { type Controller, defineController, self } from "../../worker/runtime/controller.ts";
import { type TestCluster, newCluster } from "../cluster.ts";
import { overridden } from "../overridden.ts";

/** The controllers of apps, batch and policy. */
export const workloadControllers = [
  daemonSetController,
  statefulSetController,
  jobController,
  jobOrphanController,
  cronJobController,
  replicationController,
  disruptionController,
];

export interface Kubelets {
  /** Reports whether a running pod becomes ready. Default: every pod. */
  isReady(pod: Pod): boolean;
  /** Reports whether a bound pod starts. */
  starts(pod: Pod): boolean;
  /** Reports whether a pod that is being deleted stays. */
  lingers(pod: Pod): boolean;
  /** Returns the error of creating an object of this kind, if it is not allowed now. */
  refusal(kind: { readonly plural: string }): ApiError | undefined;
}

export interface Bed {
  readonly cluster: TestCluster;
  readonly kubelets: Kubelets;
}

/** Creates the bed. `names` are nodes that are ready from the start. */
export function bed(controllers: readonly Controller[], names: readonly string[] = ["n1", "n2", "n3"]): Bed {
  const kubelets: Kubelets = {
    isReady: () => true,
    starts: () => true,
    lingers: () => false,
    refusal: () => undefined,
  };
  const all = [
    ...controllers.map((controller) => refusing(controller, kubelets)),
    schedulerController,
    serviceAccountController,
    kubeletsController(kubelets),
  ];
  const cluster = newCluster({ nodes: 0, controllers: all });
  cluster.step(0);
  for (const name of names) addNode(cluster, name);
  cluster.step(0);
  return { cluster, kubelets };
}

export function addNode(cluster: TestCluster, name: string, labels: Record<string, string> = {}): Node {
  const amount = { cpu: "16", memory: "64Gi", pods: "500" };
  cluster.apply(nodes, {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    status: { capacity: amount, allocatable: amount, conditions: [{ type: "Ready", status: "True" }] },
  });
  // The change of the node controller to a new node that is ready.
  return cluster.edit(nodes, "", name, ({ spec }) => {
    delete spec.taints;
  });
}

export function taint(cluster: TestCluster, name: string, ...taints: Draft<NonNullable<Node["spec"]["taints"]>>): void {
  cluster.edit(nodes, "", name, ({ spec }) => {
    spec.taints = taints.map(({ key = "", effect = "NoSchedule" }) => ({ key, effect }));
  });
}

function refusing(controller: Controller, kubelets: Kubelets): Controller {
  const guarded = (client: Client): Client => {
    const create: Client["create"] = (kind, draft) => {
      const refusal = kubelets.refusal(kind);
      if (refusal) throw refusal;
      return client.create(kind, draft);
    };
    return overridden(client, { create });
  };
  return {
    ...controller,
    watches: controller.watches.map(({ kind, requests }) => ({
      kind,
      requests: (next, previous, client, memory) => requests(next, previous, guarded(client), memory),
    })),
    reconcile: (request, context) => controller.reconcile(request, { ...context, client: guarded(context.client) }),
  };
}

function kubeletsController(kubelets: Kubelets): Controller {
  return defineController({
    name: "test-kubelets",
    user: "admin-of-nodes",
    component: "test-kubelets",
    watches: [self(pods)],
    reconcile({ namespace, name }, { client, nowMs }) {
      const pod = client.get(pods, namespace, name);
      if (!pod) return undefined;
      if (pod.metadata.deletionTimestamp) {
        if (!kubelets.lingers(pod)) client.delete(pods, namespace, name, { gracePeriodSeconds: 0 });
        return undefined;
      }
      if (pod.spec.nodeName && pod.status.phase === "Pending" && kubelets.starts(pod)) {
        client.updateStatus(pods, withReady(running(pod), kubelets.isReady(pod), nowMs));
      }
      return undefined;
    },
  });
}

function running(pod: Pod): Pod {
  const ip = addressOf(pod.metadata.uid ?? "");
  return { ...pod, status: { ...pod.status, phase: "Running", podIP: ip, podIPs: [{ ip }] } };
}

/** Returns a unique address for each pod. */
function addressOf(uid: string): string {
  const number = Number.parseInt(uid.slice(0, 6), 16);
  return `10.${number >>> 16}.${(number >>> 8) & 0xff}.${number & 0xff}`;
}

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

function withPhase(pod: Pod, phase: Phase): Pod {
  return { ...pod, status: { ...pod.status, phase } };
}

function withReady(pod: Pod, ready: boolean, nowMs: number): Pod {
  const otherConditions = (pod.status.conditions ?? []).filter(({ type }) => type !== "Ready");
  const condition = { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: rfc3339(nowMs) };
  return { ...pod, status: { ...pod.status, conditions: [...otherConditions, condition] } };
}

export function setReady(cluster: TestCluster, pod: Pod, ready: boolean): void {
  cluster.client.updateStatus(pods, withReady(fresh(cluster, pod), ready, cluster.clock.nowMs()));
}

/** Ends a pod's only container with this code. */
export function finish(cluster: TestCluster, pod: Pod, exitCode = 0): void {
  const current = withReady(fresh(cluster, pod), false, cluster.clock.nowMs());
  const now = rfc3339(cluster.clock.nowMs());
  const containerStatuses = current.spec.containers.map(({ name, image = "" }) => ({
    name,
    image,
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode, startedAt: now, finishedAt: now } },
    lastState: {},
  }));
  const ended = withPhase(current, exitCode === 0 ? "Succeeded" : "Failed");
  cluster.client.updateStatus(pods, { ...ended, status: { ...ended.status, containerStatuses } });
}

function fresh(cluster: TestCluster, { metadata }: Pod): Pod {
  return cluster.get(pods, metadata.namespace ?? "", metadata.name ?? "");
}

/** Returns all pods of the namespace default, terminating ones included, ordered by name. */
export function allPods(cluster: TestCluster): readonly Pod[] {
  return cluster.client.list(pods, { namespace: "default" });
}

/** Returns the pods that are not being deleted. */
export function livePods(cluster: TestCluster): Pod[] {
  return allPods(cluster).filter(({ metadata }) => !metadata.deletionTimestamp);
}
