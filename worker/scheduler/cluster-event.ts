// What happened in the cluster, in the words in which plugins ask for another try (upstream: `ClusterEvent`).
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../shared/k8s/api/resource-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { type Resources, podRequests } from "./resources.ts";

export interface ObjectsByKind {
  Pod: Pod;
  Node: Node;
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  StorageClass: StorageClass;
  CSINode: CSINode;
  CSIDriver: CSIDriver;
  CSIStorageCapacity: CSIStorageCapacity;
  VolumeAttachment: VolumeAttachment;
  ResourceClaim: ResourceClaim;
  ResourceSlice: ResourceSlice;
  DeviceClass: DeviceClass;
}

type KindName = keyof ObjectsByKind;
type UpdateAction = "label" | "taint" | "allocatable" | "scaleDown" | "gates" | "tolerations" | "claims" | "features";
type Action = "add" | "update" | "delete" | UpdateAction;

/** `Node/taint`: a kind, and what became of one of its objects. */
export type ChangeName = `${KindName}/${Action}`;

export type Change = {
  [K in KindName]: {
    readonly kind: K;
    readonly names: readonly ChangeName[];
    readonly before: ObjectsByKind[K] | undefined;
    readonly after: ObjectsByKind[K] | undefined;
  };
}[KindName];

export function nodeChange(after: Node | undefined, before: Node | undefined): Change {
  return { kind: "Node", names: namesOf("Node", after, before, nodeUpdates), before, after };
}

/** A pod that has, or had, a node; or the waiting pod itself. */
export function podChange(after: Pod | undefined, before: Pod | undefined): Change {
  return { kind: "Pod", names: namesOf("Pod", after, before, podUpdates), before, after };
}

/** Of the other kinds it is enough to know whether an object came, changed or went. */
export function objectChange<K extends Exclude<KindName, "Pod" | "Node">>(
  kind: K,
  after: ObjectsByKind[K] | undefined,
  before: ObjectsByKind[K] | undefined,
): Change {
  // The kind says of which type both are.
  return { kind, names: namesOf(kind, after, before, () => ["update"]), before, after } as unknown as Change;
}

function namesOf<T>(
  kind: KindName,
  after: T | undefined,
  before: T | undefined,
  updates: (after: T, before: T) => readonly Action[],
): ChangeName[] {
  if (after === undefined) return [`${kind}/delete`];
  if (before === undefined) return [`${kind}/add`];
  return updates(after, before).map((action): ChangeName => `${kind}/${action}`);
}

function nodeUpdates(after: Node, before: Node): Action[] {
  const actions: Action[] = [];
  const isUncordoned = before.spec.unschedulable === true && !after.spec.unschedulable;
  if (isUncordoned || !semanticEqual(after.spec.taints, before.spec.taints)) actions.push("taint");
  if (!semanticEqual(after.status.allocatable, before.status.allocatable)) actions.push("allocatable");
  if (!semanticEqual(after.metadata.labels, before.metadata.labels)) actions.push("label");
  if (!semanticEqual(after.status.declaredFeatures, before.status.declaredFeatures)) actions.push("features");
  return actions;
}

function podUpdates(after: Pod, before: Pod): Action[] {
  const actions: Action[] = [];
  if (!semanticEqual(after.metadata.labels, before.metadata.labels)) actions.push("label");
  if (isScaledDown(after, before)) actions.push("scaleDown");
  const gates = ({ spec }: Pod) => spec.schedulingGates?.length ?? 0;
  if (gates(before) > 0 && gates(after) === 0) actions.push("gates");
  if ((after.spec.tolerations?.length ?? 0) !== (before.spec.tolerations?.length ?? 0)) actions.push("tolerations");
  const claims = ({ status }: Pod) => [status.resourceClaimStatuses, status.extendedResourceClaimStatus];
  if (!semanticEqual(claims(after), claims(before))) actions.push("claims");
  return actions.length > 0 ? actions : ["update"];
}

function isScaledDown(after: Pod, before: Pod): boolean {
  const parts = ({ spec, status }: Pod) => [
    spec.resources,
    spec.containers.map(({ resources }) => resources),
    spec.initContainers?.map(({ resources }) => resources),
    status.resources,
    status.containerStatuses?.map(({ resources, allocatedResources }) => [resources, allocatedResources]),
  ];
  if (semanticEqual(parts(after), parts(before))) return false;
  return isLess(podRequests(after, true).requests, podRequests(before, true).requests);
}

/** Whether any amount is less than it was. */
function isLess(after: Resources, before: Resources): boolean {
  return (
    after.milliCpu < before.milliCpu ||
    after.memory < before.memory ||
    after.ephemeralStorage < before.ephemeralStorage ||
    [...before.scalars].some(([name, amount]) => (after.scalars.get(name) ?? 0) < amount)
  );
}
