// Cluster events that may make unschedulable pods schedulable: objects that were added, updated or deleted.
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

export interface ObjectsByResource {
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

type EventResource = keyof ObjectsByResource;
type ActionType =
  | "Add"
  | "Update"
  | "Delete"
  | "UpdateNodeAllocatable"
  | "UpdateNodeLabel"
  | "UpdateNodeTaint"
  | "UpdateNodeDeclaredFeature"
  | "UpdatePodLabel"
  | "UpdatePodScaleDown"
  | "UpdatePodSchedulingGatesEliminated"
  | "UpdatePodToleration"
  | "UpdatePodGeneratedResourceClaim";

/** A resource and an action on one of its objects. */
export type EventName = `${EventResource}/${ActionType}`;

export type ClusterEvent = {
  [K in EventResource]: {
    readonly resource: K;
    readonly names: readonly EventName[];
    readonly oldObj: ObjectsByResource[K] | undefined;
    readonly newObj: ObjectsByResource[K] | undefined;
  };
}[EventResource];

export function nodeEvent(newObj: Node | undefined, oldObj: Node | undefined): ClusterEvent {
  return { resource: "Node", names: namesOf("Node", newObj, oldObj, nodeUpdates), oldObj, newObj };
}

/** Returns the event of a change of a pod that has or had a node, or of the unschedulable pod itself. */
export function podEvent(newObj: Pod | undefined, oldObj: Pod | undefined): ClusterEvent {
  return { resource: "Pod", names: namesOf("Pod", newObj, oldObj, podUpdates), oldObj, newObj };
}

/** Returns the event of another resource, which is one of add, update and delete. */
export function objectEvent<K extends Exclude<EventResource, "Pod" | "Node">>(
  resource: K,
  newObj: ObjectsByResource[K] | undefined,
  oldObj: ObjectsByResource[K] | undefined,
): ClusterEvent {
  const names = namesOf(resource, newObj, oldObj, () => ["Update"]);
  // The resource determines the type of both objects.
  return { resource, names, oldObj, newObj } as unknown as ClusterEvent;
}

function namesOf<T>(
  resource: EventResource,
  after: T | undefined,
  before: T | undefined,
  updates: (after: T, before: T) => readonly ActionType[],
): EventName[] {
  if (after === undefined) return [`${resource}/Delete`];
  if (before === undefined) return [`${resource}/Add`];
  return updates(after, before).map((action): EventName => `${resource}/${action}`);
}

function nodeUpdates(after: Node, before: Node): ActionType[] {
  const actions: ActionType[] = [];
  const isUncordoned = before.spec.unschedulable === true && !after.spec.unschedulable;
  if (isUncordoned || !semanticEqual(after.spec.taints, before.spec.taints)) actions.push("UpdateNodeTaint");
  if (!semanticEqual(after.status.allocatable, before.status.allocatable)) actions.push("UpdateNodeAllocatable");
  if (!semanticEqual(after.metadata.labels, before.metadata.labels)) actions.push("UpdateNodeLabel");
  if (!semanticEqual(after.status.declaredFeatures, before.status.declaredFeatures))
    actions.push("UpdateNodeDeclaredFeature");
  return actions;
}

function podUpdates(after: Pod, before: Pod): ActionType[] {
  const actions: ActionType[] = [];
  if (!semanticEqual(after.metadata.labels, before.metadata.labels)) actions.push("UpdatePodLabel");
  if (isScaledDown(after, before)) actions.push("UpdatePodScaleDown");
  const gates = ({ spec }: Pod) => spec.schedulingGates?.length ?? 0;
  if (gates(before) > 0 && gates(after) === 0) actions.push("UpdatePodSchedulingGatesEliminated");
  if ((after.spec.tolerations?.length ?? 0) !== (before.spec.tolerations?.length ?? 0))
    actions.push("UpdatePodToleration");
  const claims = ({ status }: Pod) => [status.resourceClaimStatuses, status.extendedResourceClaimStatus];
  if (!semanticEqual(claims(after), claims(before))) actions.push("UpdatePodGeneratedResourceClaim");
  return actions.length > 0 ? actions : ["Update"];
}

function isScaledDown(after: Pod, before: Pod): boolean {
  const relevantFields = ({ spec, status }: Pod) => [
    spec.resources,
    spec.containers.map(({ resources }) => resources),
    spec.initContainers?.map(({ resources }) => resources),
    status.resources,
    status.containerStatuses?.map(({ resources, allocatedResources }) => [resources, allocatedResources]),
  ];
  if (semanticEqual(relevantFields(after), relevantFields(before))) return false;
  return isLess(podRequests(after, { asRunning: true }).requests, podRequests(before, { asRunning: true }).requests);
}

/** Reports whether any amount has decreased. */
function isLess(after: Resources, before: Resources): boolean {
  return (
    after.milliCpu < before.milliCpu ||
    after.memory < before.memory ||
    after.ephemeralStorage < before.ephemeralStorage ||
    [...before.scalars].some(([name, amount]) => (after.scalars.get(name) ?? 0) < amount)
  );
}
