// What every part of a live view shares: the cluster, the namespace that is looked at, and the object that is looked into.
import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { must } from "../../shared/base/assert.ts";
import type { ObjectReference } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { ClusterState } from "../live/cluster-state.ts";
import type { Collection } from "../live/collection.ts";

const kindsShown = ["Deployment", "ReplicaSet", "Pod", "Service", "Node"] as const;

export type KindShown = (typeof kindsShown)[number];

export interface Selection {
  readonly kind: KindShown;
  readonly uid: string;
  readonly name: string;
}

export interface LiveContext {
  readonly cluster: ClusterState;
  /** Empty: all. */
  readonly namespace: Signal<string>;
  readonly selection: Signal<Selection | undefined>;
}

const Live = createContext<LiveContext | undefined>(undefined);

export const LiveProvider = Live.Provider;

export function useLive(): LiveContext {
  return must(useContext(Live), "a live view around this part");
}

export function newLiveContext(cluster: ClusterState, namespace: string): LiveContext {
  return { cluster, namespace: signal(namespace), selection: signal(undefined) };
}

export function collectionOf(cluster: ClusterState, kind: KindShown): Collection<KubeObject> {
  const { deployments, replicaSets, pods, services, nodes } = cluster;
  return { Deployment: deployments, ReplicaSet: replicaSets, Pod: pods, Service: services, Node: nodes }[kind];
}

export function select({ selection }: LiveContext, kind: KindShown, { metadata }: KubeObject): void {
  const { uid = "", name = "" } = metadata;
  selection.value = selection.value?.uid === uid ? undefined : { kind, uid, name };
}

/** What an event is about, if it is shown and still there. */
export function subjectOf(
  cluster: ClusterState,
  { kind, uid = "", name = "" }: ObjectReference,
): Selection | undefined {
  const shown = kindsShown.find((one) => one === kind);
  if (!shown) return undefined;
  const objects = collectionOf(cluster, shown).byUid.value;
  if (objects.has(uid)) return { kind: shown, uid, name };
  // Events of nodes carry the node's name for its uid.
  const node = shown === "Node" && [...objects.values()].find(({ metadata }) => metadata.name === name);
  return node ? { kind: shown, uid: node.metadata.uid ?? "", name } : undefined;
}
