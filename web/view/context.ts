// The context of a live view: the cluster, the opened object, and navigation.
import { type ReadonlySignal, computed } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { must } from "../../shared/base/assert.ts";
import type { ObjectReference } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { States } from "../api/states.ts";
import { groupResource } from "../kubectl/cluster/discovery.ts";
import { type ClusterState, mappingOfKind } from "../live/cluster-state.ts";
import type { Collection } from "../live/collection.ts";
import type { Place } from "../live/place.ts";
import { type ObjectRef, readRef, refOf, refText, resourceOfKind } from "../live/reference.ts";
import type { WorkloadKind } from "../live/workloads.ts";

export interface LiveContext {
  readonly cluster: ClusterState;
  readonly place: Place;
  /** The states of a sandbox in the console. Undefined elsewhere. */
  readonly states: States | undefined;
  /** The namespace, or empty for all. */
  readonly namespace: ReadonlySignal<string>;
  /** The object whose detail is shown. */
  readonly opened: ReadonlySignal<ObjectRef | undefined>;
  /** Returns the address at which a frame shows a port. Undefined where the user may not have one. */
  readonly preview: ((of: ObjectRef & { readonly port: number }) => Promise<string>) | undefined;
}

const Live = createContext<LiveContext | undefined>(undefined);

export const LiveProvider = Live.Provider;

export function useLive(): LiveContext {
  return must(useContext(Live), "a live view around this part");
}

export function newLiveContext(
  cluster: ClusterState,
  place: Place,
  { states, preview }: Partial<Pick<LiveContext, "states" | "preview">> = {},
): LiveContext {
  return {
    cluster,
    place,
    states,
    preview,
    namespace: computed(() => place.get("ns")),
    opened: computed(() => readRef(place.get("open"))),
  };
}

export function open({ place }: LiveContext, ref: ObjectRef | undefined, pane = ""): void {
  place.go({ open: ref ? refText(ref) : "", pane });
}

/** Opens an object of a kind in the overview, or closes it if it is open. */
export function toggle(live: LiveContext, kind: string, object: KubeObject): void {
  const resource = resourceOfKind(kind);
  if (!resource) return;
  const ref = refOf(resource, object);
  open(live, isOpened(live, ref) ? undefined : ref);
}

export function isOpened({ place }: LiveContext, ref: ObjectRef): boolean {
  return place.get("open") === refText(ref);
}

export function workloadsOf(cluster: ClusterState): Readonly<Record<WorkloadKind, Collection<KubeObject>>> {
  const { deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs, pods } = cluster;
  return {
    Deployment: deployments,
    ReplicaSet: replicaSets,
    StatefulSet: statefulSets,
    DaemonSet: daemonSets,
    CronJob: cronJobs,
    Job: jobs,
    Pod: pods,
  };
}

/** Reports whether all collections of the overview have loaded. */
export function isLoaded(cluster: ClusterState): boolean {
  const { namespaces, nodes, services, events } = cluster;
  const all = [...Object.values(workloadsOf(cluster)), namespaces, nodes, services, events];
  // Each signal is read, so that all collections are followed from the beginning.
  return all.map(({ loaded }) => loaded.value).every(Boolean);
}

/** Returns the object of an event or owner reference. Undefined if its kind is not known yet. */
export function subjectOf(
  cluster: ClusterState,
  { apiVersion = "", kind = "", namespace = "", name = "" }: ObjectReference,
): ObjectRef | undefined {
  const mapping = mappingOfKind(cluster, apiVersion, kind);
  const resource = mapping ? groupResource(mapping) : resourceOfKind(kind);
  if (!resource || !name) return undefined;
  const isInNone = mapping ? !mapping.namespaced : kind === "Node" || kind === "Namespace";
  return { resource, namespace: isInNone ? "" : namespace, name };
}
