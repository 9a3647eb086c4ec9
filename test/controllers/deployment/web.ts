// The Deployment "web" with its Service, for tests of workloads.
import type { Deployment, ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { deploymentAdoption, deploymentController } from "../../../worker/controllers/deployment/controller.ts";
import { endpointSliceController } from "../../../worker/controllers/endpoint-slice/controller.ts";
import { endpointsController } from "../../../worker/controllers/endpoints.ts";
import { replicaSetAdoption, replicaSetController } from "../../../worker/controllers/replica-set/controller.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { addNode, bed } from "../bed.ts";
import { type TestCluster } from "../../cluster.ts";

/** Returns a cluster of these controllers, with kubelets controlled by `node`. */
export function workloadCluster() {
  const controllers = [
    deploymentController,
    deploymentAdoption,
    replicaSetController,
    replicaSetAdoption,
    endpointsController,
    endpointSliceController,
  ];
  const { cluster, kubelets } = bed(controllers, []);
  // The label lets the cluster's DNS find a node, too.
  for (const name of ["n1", "n2", "n3"]) addNode(cluster, name, { "kubernetes.io/os": "linux" });
  cluster.runUntilQuiet();
  return { cluster, node: kubelets };
}

/** Returns the pods of the namespace default that are not being deleted, ordered by name. */
export function podsOf(cluster: TestCluster): Pod[] {
  return cluster.client.list(pods, { namespace: "default" }).filter(({ metadata }) => !metadata.deletionTimestamp);
}

/** Returns the ReplicaSets of the namespace default, oldest first. */
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

/** Returns for every change since `from` the number of active pods of a ReplicaSet, and of ready ones. */
export function podHistory(cluster: TestCluster, from: number): { active: number; ready: number }[] {
  const alive = new Map<string, boolean>();
  const history: { active: number; ready: number }[] = [];
  for (const change of cluster.changes) {
    if (change.resource !== "pods" || change.namespace !== "default") continue;
    const pod = change.object as Pod;
    const isActive = change.type !== "DELETED" && !pod.metadata.deletionTimestamp && getControllerOf(pod) !== undefined;
    if (!isActive) alive.delete(change.name);
    else
      alive.set(
        change.name,
        pod.status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false,
      );
    if (change.revision <= from) continue;
    history.push({ active: alive.size, ready: [...alive.values()].filter(Boolean).length });
  }
  return history;
}
