// Finds objects related to an object: owners, owned objects, references in both directions, and targets of traffic.
import type { Pod, PodSpec, Service } from "../../shared/k8s/api/core-v1.ts";
import { type KubeObject, getControllerOf } from "../../shared/k8s/meta.ts";
import { labelSelectorAsSelector, selectorFromSet } from "../../shared/k8s/selectors/labels.ts";
import { isObject } from "../../shared/schema/json-values.ts";
import type { ClusterState } from "../live/cluster-state.ts";
import type { ObjectRef } from "../live/reference.ts";
import { subjectOf, workloadsOf } from "../view/context.ts";

export type Relation = "owners" | "owns" | "pods" | "services" | "node" | "uses" | "usedBy" | "target";

export interface Related {
  readonly relation: Relation;
  readonly kind: string;
  readonly ref: ObjectRef;
}

const shownAtMost = 60;

/** Returns the related objects. The collections that it reads are followed from then on. */
export function relatedTo(resource: string, kind: string, object: KubeObject, cluster: ClusterState): Related[] {
  const relations = [
    ...ownersOf(object, cluster),
    ...ownedBy(object, cluster),
    ...namedBy(resource, kind, object, cluster),
  ];
  return relations.slice(0, shownAtMost);
}

/** Returns the pods that an object runs or sends traffic to. */
export function podsFor(resource: string, object: KubeObject, cluster: ClusterState): readonly Pod[] {
  const { namespace, name, uid } = object.metadata;
  const here = () => cluster.pods.all.value.filter(({ metadata }) => metadata.namespace === namespace);
  switch (resource) {
    case "services":
      return selectedBy((object as Service).spec.selector, here());
    case "nodes":
      return cluster.pods.all.value.filter(({ spec }) => spec.nodeName === name);
    case "deployments.apps": {
      const isOwned = (owned: KubeObject) => getControllerOf(owned)?.uid === uid;
      const sets = new Set(cluster.replicaSets.all.value.filter(isOwned).map(({ metadata }) => metadata.uid));
      return here().filter((pod) => sets.has(getControllerOf(pod)?.uid));
    }
    case "replicasets.apps":
    case "statefulsets.apps":
    case "daemonsets.apps":
    case "jobs.batch":
    case "replicationcontrollers":
      return here().filter((pod) => getControllerOf(pod)?.uid === uid);
    case "poddisruptionbudgets.policy":
    case "networkpolicies.networking.k8s.io": {
      const { selector, podSelector } = (object as unknown as { spec: { selector?: object; podSelector?: object } })
        .spec;
      const matches = labelSelectorAsSelector(selector ?? podSelector ?? {});
      return here().filter(({ metadata }) => matches.matches(metadata.labels ?? {}));
    }
    default:
      return [];
  }
}

export function selectedBy(
  selector: Readonly<Record<string, string>> | undefined,
  pods: readonly Pod[],
): readonly Pod[] {
  if (!selector || Object.keys(selector).length === 0) return [];
  const matches = selectorFromSet(selector);
  return pods.filter(({ metadata }) => matches.matches(metadata.labels ?? {}));
}

function ownersOf({ metadata }: KubeObject, cluster: ClusterState): Related[] {
  return (metadata.ownerReferences ?? []).flatMap((owner) => {
    const ref = subjectOf(cluster, { ...owner, namespace: metadata.namespace ?? "" });
    return ref ? [{ relation: "owners" as const, kind: owner.kind, ref }] : [];
  });
}

function ownedBy({ metadata }: KubeObject, cluster: ClusterState): Related[] {
  const isOwned = (owned: KubeObject) =>
    owned.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false;
  return Object.entries(workloadsOf(cluster)).flatMap(([kind, { all }]) =>
    all.value.filter(isOwned).flatMap((workload) => relatedAs("owns", kind, workload, cluster)),
  );
}

function relatedAs(relation: Relation, kind: string, { metadata }: KubeObject, cluster: ClusterState): Related[] {
  return related(relation, kind, metadata.namespace ?? "", metadata.name ?? "", cluster);
}

const groupVersions: Readonly<Record<string, string>> = {
  Deployment: "apps/v1",
  ReplicaSet: "apps/v1",
  StatefulSet: "apps/v1",
  DaemonSet: "apps/v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
  Ingress: "networking.k8s.io/v1",
};

function related(relation: Relation, kind: string, namespace: string, name: string, cluster: ClusterState): Related[] {
  const ref = name ? subjectOf(cluster, { apiVersion: groupVersions[kind] ?? "v1", kind, namespace, name }) : undefined;
  return ref ? [{ relation, kind, ref }] : [];
}

function namedBy(resource: string, kind: string, object: KubeObject, cluster: ClusterState): Related[] {
  const { namespace = "", name = "" } = object.metadata;
  const pods = (relation: Relation, all: readonly Pod[]) =>
    all.flatMap((pod) => relatedAs(relation, "Pod", pod, cluster));
  switch (resource) {
    case "pods":
      return aroundPod(object as Pod, cluster);
    case "services":
      return [...pods("pods", podsFor(resource, object, cluster)), ...ingressesTo(namespace, name, cluster)];
    case "nodes":
    case "poddisruptionbudgets.policy":
    case "networkpolicies.networking.k8s.io":
      return pods("pods", podsFor(resource, object, cluster));
    case "configmaps":
    case "secrets":
    case "persistentvolumeclaims":
    case "serviceaccounts": {
      const users = cluster.pods.all.value.filter(
        ({ metadata, spec }) =>
          metadata.namespace === namespace &&
          namesIn(spec).some((reference) => reference.kind === kind && reference.name === name),
      );
      return pods("usedBy", users);
    }
    case "horizontalpodautoscalers.autoscaling": {
      const { scaleTargetRef: target } = (
        object as unknown as { spec: { scaleTargetRef: { kind: string; name: string } } }
      ).spec;
      return related("target", target.kind, namespace, target.name, cluster);
    }
    default:
      return [];
  }
}

function aroundPod(pod: Pod, cluster: ClusterState): Related[] {
  const { namespace = "" } = pod.metadata;
  const services = cluster.services.all.value.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && selectedBy(spec.selector, [pod]).length > 0,
  );
  return [
    ...services.flatMap((service) => relatedAs("services", "Service", service, cluster)),
    ...related("node", "Node", "", pod.spec.nodeName ?? "", cluster),
    ...namesIn(pod.spec).flatMap(({ kind, name }) => related("uses", kind, namespace, name, cluster)),
  ];
}

function ingressesTo(namespace: string, service: string, cluster: ClusterState): Related[] {
  return cluster
    .collection("/apis/networking.k8s.io/v1/ingresses")
    .all.value.filter((ingress) => ingress.metadata.namespace === namespace && servicesOf(ingress).includes(service))
    .flatMap((ingress) => relatedAs("usedBy", "Ingress", ingress, cluster));
}

/** Returns the names of the services that an Ingress routes to. */
export function servicesOf(ingress: KubeObject): string[] {
  const names: string[] = [];
  const look = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(look);
    if (!isObject(value)) return;
    const { service } = value;
    if (isObject(service) && typeof service.name === "string") names.push(service.name);
    Object.values(value).forEach(look);
  };
  look((ingress as unknown as { spec?: unknown }).spec);
  return [...new Set(names)];
}

/** Returns the ConfigMaps, Secrets, claims and the service account that a pod references, without duplicates. */
function namesIn(spec: PodSpec): { readonly kind: string; readonly name: string }[] {
  const references = new Map<string, { kind: string; name: string }>();
  const add = (kind: string, name: string | undefined) => {
    if (name) references.set(`${kind}/${name}`, { kind, name });
  };
  add("ServiceAccount", spec.serviceAccountName);
  for (const volume of spec.volumes ?? []) {
    add("ConfigMap", volume.configMap?.name);
    add("Secret", volume.secret?.secretName);
    add("PersistentVolumeClaim", volume.persistentVolumeClaim?.claimName);
    for (const source of volume.projected?.sources ?? []) {
      add("ConfigMap", source.configMap?.name);
      add("Secret", source.secret?.name);
    }
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add("ConfigMap", configMapRef?.name);
      add("Secret", secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add("ConfigMap", valueFrom?.configMapKeyRef?.name);
      add("Secret", valueFrom?.secretKeyRef?.name);
    }
  }
  for (const { name } of spec.imagePullSecrets ?? []) add("Secret", name);
  return [...references.values()];
}
