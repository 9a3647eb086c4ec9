// The state of a cluster that must not depend on lost processes: names, addresses, nodes and times are removed.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { getControllerOf } from "../../shared/k8s/meta.ts";
import type { Client } from "../../worker/registry/client.ts";
import { viewOf } from "./checks/view.ts";

/** Returns one line for each object, in order. Equal states give equal lists. */
export function normalised(client: Client): string[] {
  const view = viewOf(client);
  const byUid = new Map(view.all.map((object) => [object.metadata.uid ?? "", object]));
  const lines = [
    ...view.all.filter(({ kind }) => namedKinds.has(kind)).map((object) => line(object, byUid, [])),
    ...view.deployments.map((deployment) =>
      line(deployment, byUid, [deployment.spec, counts(deployment.status), conditions(deployment.status)]),
    ),
    ...view.replicaSets.map((replicaSet) => line(replicaSet, byUid, [replicaSet.spec, counts(replicaSet.status)])),
    // Pods of nobody go with their node, and which one that is is chance.
    ...view.pods
      .filter(getControllerOf)
      .map((pod) => line(pod, byUid, [images(pod), pod.status.phase, conditions(pod.status)])),
    ...view.statefulSets.map((statefulSet) => line(statefulSet, byUid, [statefulSet.spec, counts(statefulSet.status)])),
    ...view.daemonSets.map((daemonSet) => line(daemonSet, byUid, [daemonSet.spec, counts(daemonSet.status)])),
    ...view.replicationControllers.map((replicationController) =>
      line(replicationController, byUid, [replicationController.spec, counts(replicationController.status)]),
    ),
    ...view.jobs.map((job) =>
      line(job, byUid, [counts(job.status), job.status.completedIndexes, conditions(job.status)]),
    ),
    ...view.budgets.map((budget) => line(budget, byUid, [budget.spec, counts(budget.status)])),
    ...view.nodes.map((node) => line(node, byUid, [node.spec.unschedulable, node.spec.taints])),
    ...view.services.map((service) =>
      line(service, byUid, [service.spec.selector, service.spec.type, service.spec.ports?.length]),
    ),
    ...view.endpoints.map((endpoint) =>
      line(
        endpoint,
        byUid,
        endpoint.subsets?.map((s) => [s.addresses?.length, s.notReadyAddresses?.length]),
      ),
    ),
  ];
  return lines.sort();
}

const namedKinds = new Set(["Namespace", "ConfigMap", "ServiceAccount", "Secret", "Lease"]);

function line(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>, what: unknown): string {
  const { kind, metadata } = object;
  const owner = byUid.get(getControllerOf(object)?.uid ?? "");
  // Pods have names by chance; they are told apart by what they belong to.
  const name = metadata.generateName ?? metadata.name;
  const place = `${kind} ${metadata.namespace ?? ""}/${name ?? ""} of ${owner?.metadata.name ?? "nobody"}`;
  return `${place} ${JSON.stringify([metadata.labels, metadata.finalizers, what])}`;
}

function images({ spec }: { spec: { containers: { image?: string }[] } }) {
  return spec.containers.map(({ image }) => image);
}

function counts(status: object) {
  return Object.entries(status).filter(
    ([key, value]) => typeof value === "number" && key !== "observedGeneration" && key !== "collisionCount",
  );
}

function conditions({ conditions: all = [] }: { conditions?: { type: string; status: string; reason?: string }[] }) {
  return all.map(({ type, status, reason }) => [type, status, reason]).sort();
}
