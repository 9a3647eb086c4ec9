// A stand-in for scheduler and kubelet, so that a test decides which pods become ready and which linger.
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import { controllerOf } from "../../shared/k8s/meta.ts";
import type { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { deploymentAdoption, deploymentController } from "../../worker/controllers/deployment.ts";
import { endpointSliceController } from "../../worker/controllers/endpoint-slice.ts";
import { endpointsController } from "../../worker/controllers/endpoints.ts";
import { replicaSetAdoption, replicaSetController } from "../../worker/controllers/replica-set.ts";
import { serviceAccountController } from "../../worker/controllers/service-account.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../worker/kinds/apps/replica-set.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { type Controller, defineController, self } from "../../worker/runtime/controller.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

export interface FakeNode {
  /** Whether a pod becomes ready by itself; every pod, unless a test says otherwise. */
  isReady(pod: Pod): boolean;
  /** Whether a pod that is being deleted stays. */
  lingers(pod: Pod): boolean;
  /** Why a controller may not create an object of this kind now, if it may not: asked before each create. */
  refusal(kind: { readonly plural: string }): ApiError | undefined;
}

/** A cluster of these controllers and a node that does what `node` says. */
export function workloadCluster() {
  const node: FakeNode = { isReady: () => true, lingers: () => false, refusal: () => undefined };
  const workloads = [
    deploymentController,
    deploymentAdoption,
    replicaSetController,
    replicaSetAdoption,
    endpointsController,
    endpointSliceController,
  ];
  const controllers = [...workloads.map((one) => refusing(one, node)), serviceAccountController, fakeNode(node)];
  const cluster = newCluster({ controllers });
  cluster.runUntilQuiet();
  return { cluster, node };
}

function refusing(controller: Controller, node: FakeNode): Controller {
  return {
    ...controller,
    reconcile: (request, context) => {
      const create: typeof context.client.create = (kind, draft) => {
        const refusal = node.refusal(kind);
        if (refusal) throw refusal;
        return context.client.create(kind, draft);
      };
      return controller.reconcile(request, { ...context, client: { ...context.client, create } });
    },
  };
}

function fakeNode(node: FakeNode): Controller {
  return defineController({
    name: "fake-node",
    user: "admin-of-nodes",
    component: "fake-node",
    watches: [self(pods)],
    reconcile({ namespace, name }, { client, nowMs }) {
      const pod = client.get(pods, namespace, name);
      if (!pod) return undefined;
      if (pod.metadata.deletionTimestamp) {
        if (!node.lingers(pod)) client.delete(pods, namespace, name, { gracePeriodSeconds: 0 });
        return undefined;
      }
      if (!pod.spec.nodeName) {
        const all = client.list(nodes).map(({ metadata }) => metadata.name ?? "");
        const emptiest = all.sort(
          (a, b) => client.byIndexValue(pods, a).length - client.byIndexValue(pods, b).length,
        )[0];
        client.bind(namespace, name, pod.metadata.uid ?? "", emptiest ?? "");
        return undefined;
      }
      if (pod.status.phase !== "Pending") return undefined;
      client.updateStatus(pods, running(pod, node.isReady(pod), nowMs));
      return undefined;
    },
  });
}

function running(pod: Pod, ready: boolean, nowMs: number): Pod {
  const ip = addressOf(pod.metadata.uid ?? "");
  return withReady({ ...pod, status: { ...pod.status, phase: "Running", podIP: ip, podIPs: [{ ip }] } }, ready, nowMs);
}

function withReady(pod: Pod, ready: boolean, nowMs: number): Pod {
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== "Ready");
  const condition = { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: rfc3339(nowMs) };
  return { ...pod, status: { ...pod.status, conditions: [...others, condition] } };
}

/** An address of its own for each pod. */
function addressOf(uid: string): string {
  const number = Number.parseInt(uid.slice(0, 6), 16);
  return `10.${number >>> 16}.${(number >>> 8) & 0xff}.${number & 0xff}`;
}

export function setReady(cluster: TestCluster, pod: Pod, ready: boolean): void {
  const current = cluster.get(pods, pod.metadata.namespace ?? "", pod.metadata.name ?? "");
  cluster.client.updateStatus(pods, withReady(current, ready, cluster.clock.nowMs()));
}

/** The pods of the namespace default that are not being deleted, in order of their names. */
export function podsOf(cluster: TestCluster): Pod[] {
  return cluster.client.list(pods, { namespace: "default" }).filter(({ metadata }) => !metadata.deletionTimestamp);
}

/** The ReplicaSets of the namespace default, oldest first. */
export function setsOf(cluster: TestCluster): ReplicaSet[] {
  const revision = (set: ReplicaSet) => Number(set.metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  return [...cluster.client.list(replicaSets, { namespace: "default" })].sort((a, b) => revision(a) - revision(b));
}

export function web(cluster: TestCluster): Deployment {
  return cluster.get(deployments, "default", "web");
}

export function applyWeb(cluster: TestCluster, spec: Partial<Deployment["spec"]> = {}): Deployment {
  return cluster.apply(deployments, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1" }] } },
      ...spec,
    },
  });
}

export function setImage(cluster: TestCluster, image: string): void {
  cluster.edit(deployments, "default", "web", ({ spec }) => {
    for (const container of spec.template.spec.containers) container.image = image;
  });
}

export function imageOf(pod: Pod | ReplicaSet): string {
  const spec = "template" in pod.spec ? pod.spec.template.spec : pod.spec;
  return spec.containers[0]?.image ?? "";
}

export function applyService(cluster: TestCluster, spec: Partial<Service["spec"]> = {}): Service {
  return cluster.apply(services, {
    metadata: { name: "web", namespace: "default", labels: { tier: "front" } },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
}

/** After every change since `from`: how many pods of a ReplicaSet were active, and how many of them ready. */
export function podHistory(cluster: TestCluster, from: number): { active: number; ready: number }[] {
  const alive = new Map<string, boolean>();
  const history: { active: number; ready: number }[] = [];
  for (const change of cluster.changes) {
    if (change.resource !== "pods" || change.namespace !== "default") continue;
    const pod = change.object as Pod;
    const isActive = change.type !== "DELETED" && !pod.metadata.deletionTimestamp && controllerOf(pod) !== undefined;
    if (!isActive) alive.delete(change.name);
    else
      alive.set(
        change.name,
        pod.status.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false,
      );
    if (change.revision <= from) continue;
    history.push({ active: alive.size, ready: [...alive.values()].filter(Boolean).length });
  }
  return history;
}
