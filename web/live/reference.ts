// References to objects of a sandbox, in the form of the page's URL: `deployments.apps/default/web`, `nodes/-/node-1`.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Mapping } from "../kubectl/cluster/discovery.ts";

export interface ObjectRef {
  /** `deployments.apps`; `pods`. */
  readonly resource: string;
  /** The namespace, or empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

export function refText({ resource, namespace, name }: ObjectRef): string {
  return `${resource}/${namespace || "-"}/${name}`;
}

export function readRef(text: string): ObjectRef | undefined {
  const [resource, namespace, ...name] = text.split("/");
  if (!resource || !namespace || name.join("/") === "") return undefined;
  return { resource, namespace: namespace === "-" ? "" : namespace, name: name.join("/") };
}

export function refOf(resource: string, { metadata }: KubeObject): ObjectRef {
  return { resource, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** The resources of the kinds that views need before discovery has loaded. */
const resourcesByKind: Readonly<Record<string, string>> = {
  Pod: "pods",
  Service: "services",
  Node: "nodes",
  Namespace: "namespaces",
  Deployment: "deployments.apps",
  ReplicaSet: "replicasets.apps",
  StatefulSet: "statefulsets.apps",
  DaemonSet: "daemonsets.apps",
  Job: "jobs.batch",
  CronJob: "cronjobs.batch",
};

export function resourceOfKind(kind: string): string | undefined {
  return resourcesByKind[kind];
}

/** Formats the object as an argument of kubectl: `deployment/web`, `widget.example.com/one`. */
export function argumentOf({ group, singular }: Pick<Mapping, "group" | "singular">, name: string): string {
  const isPlain =
    group === "" || /^(apps|batch|autoscaling|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)$/.test(group);
  return `${isPlain ? singular : `${singular}.${group}`}/${name}`;
}
