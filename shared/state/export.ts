// Exports a state as objects for `kubectl apply` in another cluster: the fields that users wrote, without those that the cluster added.
import type { FieldsV1, ManagedFieldsEntry } from "../k8s/api/meta-v1.ts";
import { getControllerOf, type KubeObject } from "../k8s/meta.ts";
import { copyJson, isObject, type JsonObject } from "../schema/json-values.ts";
import type { StateEntry } from "./format.ts";
import type { StateFile } from "./read-state.ts";

/** Field managers of a cluster's own components. */
const components = new Set(["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"]);
/** Resources that are not exported, because controllers of the other cluster create them. */
const excludedResources = new Set([
  "events",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
  "controllerrevisions.apps",
]);
/** Kinds that are exported first, in this order. */
const firstResources = [
  "namespaces",
  "customresourcedefinitions.apiextensions.k8s.io",
  "priorityclasses.scheduling.k8s.io",
  "runtimeclasses.node.k8s.io",
  "storageclasses.storage.k8s.io",
  "serviceaccounts",
  "secrets",
  "configmaps",
  "persistentvolumes",
  "persistentvolumeclaims",
];
/** Kinds that are exported last, because they change or refuse objects that come after them. */
const lastResources = [
  "apiservices.apiregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
];
/** The fields that a cluster sets in a spec if the user does not. */
const assigned = [
  "clusterIP",
  "clusterIPs",
  "healthCheckNodePort",
  "nodeName",
  "volumeName",
  "podCIDR",
  "podCIDRs",
  "providerID",
];
const jobLabels = ["controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"];
const tokenVolume = "kube-api-access-";

const systemNamespaces = ["kube-system", "kube-public", "kube-node-lease"];

/** An object with the fields that the export reads. */
interface ExportedObject extends KubeObject {
  spec?: JsonObject;
  status?: unknown;
  type?: unknown;
  data?: unknown;
}

export function* exportedObjects(file: StateFile): Generator<KubeObject> {
  const entries = [...file.entries()].filter(({ resource }) => !excludedResources.has(resource));
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry) }));
  for (const { entry } of ranked.sort((a, b) => a.rank - b.rank)) {
    // The store of a cluster wrote the text.
    const object = JSON.parse(file.text(entry)) as KubeObject;
    if (isUserObject(object)) yield appliedForm(object);
  }
}

function rankOf({ resource }: StateEntry): number {
  const [before, after] = [firstResources.indexOf(resource), lastResources.indexOf(resource)];
  if (before >= 0) return before;
  return firstResources.length + 1 + after;
}

function isUserObject(object: KubeObject): boolean {
  const { managedFields, deletionTimestamp, labels } = object.metadata;
  if (deletionTimestamp !== undefined || getControllerOf(object)) return false;
  if (labels?.["kube-aggregator.kubernetes.io/automanaged"] !== undefined) return false;
  if (managedFields?.length) return managedFields.some(isUserEntry);
  // Unchanged accounts are left out: every namespace gets one, and the other cluster has its own.
  return object.metadata.name !== "default" && !systemNamespaces.includes(object.metadata.namespace ?? "");
}

function isUserEntry({ manager = "", subresource }: ManagedFieldsEntry): boolean {
  return !components.has(manager) && subresource !== "status";
}

/** Returns the fields of an object that users wrote, as `kubectl apply` takes them. */
export function appliedForm(stored: KubeObject): KubeObject {
  const { managedFields = [], ...userMetadata } = stored.metadata;
  const users = managedFields.filter(isUserEntry).map(fieldsOf);
  const componentFields = managedFields.filter((entry) => !isUserEntry(entry)).map(fieldsOf);
  const object = copyJson<ExportedObject>({ ...stored, metadata: userMetadata });
  delete object.status;
  const { metadata } = object;
  for (const field of [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "selfLink",
    "ownerReferences",
  ] as const)
    delete metadata[field];
  for (const field of ["labels", "annotations"] as const) {
    const values = metadata[field] ?? {};
    for (const key of Object.keys(values))
      if (isSetByComponent(componentFields, users, ["metadata", field, key])) delete values[key];
    if (Object.keys(values).length === 0) delete metadata[field];
  }
  const finalizers =
    metadata.finalizers?.filter((finalizer) => users.some((fields) => hasFinalizer(fields, finalizer))) ?? [];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (object.type === "kubernetes.io/service-account-token") delete object.data;
  if (isObject(object.spec)) cleanSpec(object, object.spec, users, componentFields);
  return object;
}

function cleanSpec(
  object: ExportedObject,
  spec: JsonObject,
  users: readonly FieldsV1[],
  componentFields: readonly FieldsV1[],
): void {
  for (const field of Object.keys(spec)) {
    const isAssigned = assigned.includes(field) && !users.some((fields) => has(fields, ["spec", field]));
    if (isAssigned || isSetByComponent(componentFields, users, ["spec", field])) delete spec[field];
  }
  if (object.kind === "Service" && Array.isArray(spec["ports"]) && !JSON.stringify(users).includes('"f:nodePort"')) {
    for (const port of spec["ports"]) if (isObject(port)) delete port["nodePort"];
  }
  if (object.kind === "Namespace") delete spec["finalizers"];
  if (object.kind === "Pod") withoutTokens(spec);
  if (object.kind === "Job" && spec["manualSelector"] !== true) {
    delete spec["selector"];
    const { template } = spec;
    const metadata = isObject(template) ? template["metadata"] : undefined;
    for (const labels of [object.metadata.labels, isObject(metadata) ? metadata["labels"] : undefined])
      if (isObject(labels)) for (const label of jobLabels) delete labels[label];
  }
}

/** Removes the token volumes that admission adds to each pod, because the other cluster adds its own. */
function withoutTokens(spec: JsonObject): void {
  const isToken = (volume: unknown) => isObject(volume) && String(volume["name"]).startsWith(tokenVolume);
  const without = (from: JsonObject, field: string) => {
    const list = from[field];
    if (!Array.isArray(list)) return;
    const rest = list.filter((volume) => !isToken(volume));
    if (rest.length > 0) from[field] = rest;
    else delete from[field];
  };
  without(spec, "volumes");
  for (const field of ["containers", "initContainers"]) {
    const containers = spec[field];
    if (Array.isArray(containers))
      for (const container of containers) if (isObject(container)) without(container, "volumeMounts");
  }
}

/** Reports whether a component, and no user, has set the field. */
function isSetByComponent(
  componentFields: readonly FieldsV1[],
  users: readonly FieldsV1[],
  path: readonly string[],
): boolean {
  return componentFields.some((fields) => has(fields, path)) && !users.some((fields) => has(fields, path));
}

function has(fields: FieldsV1, path: readonly string[]): boolean {
  let at: unknown = fields;
  for (const step of path) at = isObject(at) ? at[`f:${step}`] : undefined;
  return at !== undefined;
}

function hasFinalizer(fields: FieldsV1, finalizer: string): boolean {
  const { "f:metadata": metadata } = fields as JsonObject;
  const set = isObject(metadata) ? metadata["f:finalizers"] : undefined;
  return isObject(set) && set[`v:${JSON.stringify(finalizer)}`] !== undefined;
}

function fieldsOf({ fieldsV1 = {} }: ManagedFieldsEntry): FieldsV1 {
  // The schema does not describe the content, which is a tree of names.
  return fieldsV1 as FieldsV1;
}
