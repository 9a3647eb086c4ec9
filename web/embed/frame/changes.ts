// Reports changes of a cluster to the page around the frame, batched and bounded.
import { effect } from "@preact/signals";
import { embedLimits } from "../../../shared/base/embed-limits.ts";
import type { ChangedObject } from "../../../shared/contract/hosted/embed-messages.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { ClusterState } from "../../live/cluster-state.ts";
import type { Collection } from "../../live/collection.ts";

export interface ToldChanges {
  readonly objects: readonly ChangedObject[];
  /** The number of further changes that are not listed. */
  readonly more: number;
}

const gatherMs = 250;

/** Starts with the current objects. Returns a function that ends the reports. */
export function tellChanges(cluster: ClusterState, tell: (changes: ToldChanges) => void): () => void {
  let waiting: ChangedObject[] = [];
  let more = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const objects = waiting;
    const moreCount = more;
    waiting = [];
    more = 0;
    tell({ objects, more: moreCount });
  };
  const add = (change: ChangedObject) => {
    if (waiting.length < embedLimits.embedChanges) waiting.push(change);
    else more += 1;
    timer ??= setTimeout(flush, gatherMs);
  };
  const { namespaces, nodes, pods, replicaSets, deployments, services } = cluster;
  const followed: readonly [string, Collection<KubeObject>][] = [
    ["Namespace", namespaces],
    ["Node", nodes],
    ["Deployment", deployments],
    ["ReplicaSet", replicaSets],
    ["Pod", pods],
    ["Service", services],
  ];
  const stops = followed.map(([kind, collection]) => differences(kind, collection, add));
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

function differences<T extends KubeObject>(
  kind: string,
  { byUid, loaded }: Collection<T>,
  add: (change: ChangedObject) => void,
): () => void {
  let before: ReadonlyMap<string, T> | undefined;
  return effect(() => {
    const now = byUid.value;
    if (!loaded.value) return;
    const was = before;
    before = now;
    if (!was) return;
    const report = (change: ChangedObject["change"], { metadata: { namespace = "", name = "" } }: T) =>
      add({ change, kind, namespace, name });
    for (const [uid, object] of now) {
      const old = was.get(uid);
      if (!old) report("added", object);
      else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) report("modified", object);
    }
    for (const [uid, object] of was) if (!now.has(uid)) report("deleted", object);
  });
}
