// A node with the sums of its pods, updated pod by pod.
import type { Node, Taint } from "../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../shared/k8s/selectors/labels.ts";
import { quantityValue } from "../../shared/k8s/quantity.ts";
import type { PodInfo } from "./pod-info.ts";
import { type Resources, addResources, noResources, resourcesOf } from "./resources.ts";

/** The relevant fields of a Node. */
export interface NodeFacts {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  readonly allocatable: Resources;
  readonly allowedPodNumber: number;
  /** The sizes of the node's images in bytes, by name. */
  readonly images: ReadonlyMap<string, number>;
  readonly declaredFeatures: readonly string[];
}

export interface NodeInfo {
  readonly name: string;
  facts: NodeFacts;
  /** False if pods name the node but it does not exist. */
  exists: boolean;
  readonly pods: Map<string, PodInfo>;
  readonly requested: Resources;
  readonly nonZeroRequested: { milliCpu: number; memory: number };
  /** The pods with affinity terms. */
  readonly podsWithAffinity: Set<PodInfo>;
  readonly podsWithHostPorts: Set<PodInfo>;
}

export function emptyNode(name: string): NodeInfo {
  return {
    name,
    facts: noFacts,
    exists: false,
    pods: new Map(),
    requested: noResources(),
    nonZeroRequested: { milliCpu: 0, memory: 0 },
    podsWithAffinity: new Set(),
    podsWithHostPorts: new Set(),
  };
}

/** Copies a node with its pods, for simulating other sets of pods. */
export function copyOfNode(node: NodeInfo): NodeInfo {
  return {
    ...node,
    pods: new Map(node.pods),
    requested: { ...node.requested, scalars: new Map(node.requested.scalars) },
    nonZeroRequested: { ...node.nonZeroRequested },
    podsWithAffinity: new Set(node.podsWithAffinity),
    podsWithHostPorts: new Set(node.podsWithHostPorts),
  };
}

const noFacts: NodeFacts = {
  labels: {},
  taints: [],
  isUnschedulable: false,
  allocatable: noResources(),
  allowedPodNumber: 0,
  images: new Map(),
  declaredFeatures: [],
};

export function nodeFactsOf({ metadata, spec, status }: Node): NodeFacts {
  const images = (status.images ?? []).flatMap(({ names = [], sizeBytes = 0 }) =>
    names.map((name): [string, number] => [name, sizeBytes]),
  );
  return {
    labels: metadata.labels ?? {},
    taints: spec.taints ?? [],
    isUnschedulable: spec.unschedulable === true,
    allocatable: resourcesOf(status.allocatable),
    allowedPodNumber: quantityValue(status.allocatable?.pods ?? "0"),
    images: new Map(images),
    declaredFeatures: status.declaredFeatures ?? [],
  };
}

export function addPod(node: NodeInfo, pod: PodInfo): void {
  node.pods.set(pod.uid, pod);
  account(node, pod, 1);
  if (pod.terms) node.podsWithAffinity.add(pod);
  if (pod.hostPorts.length > 0) node.podsWithHostPorts.add(pod);
}

export function removePod(node: NodeInfo, pod: PodInfo): void {
  node.pods.delete(pod.uid);
  account(node, pod, -1);
  node.podsWithAffinity.delete(pod);
  node.podsWithHostPorts.delete(pod);
}

function account(node: NodeInfo, pod: PodInfo, sign: 1 | -1): void {
  addResources(node.requested, pod.requests, sign);
  node.nonZeroRequested.milliCpu += sign * pod.nonZeroRequests.milliCpu;
  node.nonZeroRequested.memory += sign * pod.nonZeroRequests.memory;
}
