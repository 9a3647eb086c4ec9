// A sandbox as the live view shows it: one informer for each kind, and one word for how the connection is.
import { type ReadonlySignal, computed } from "@preact/signals";
import type { Deployment, ReplicaSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Event, Namespace, Node, Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type ClusterAccess, collectionOf } from "../api/cluster.ts";
import { type Collection, newCollection } from "./collection.ts";
import { type LinkState, type Timing, inform } from "./informer.ts";
import { longestMs as backoffLimitMs } from "./backoff.ts";

export interface ClusterState {
  readonly namespaces: Collection<Namespace>;
  readonly nodes: Collection<Node>;
  readonly pods: Collection<Pod>;
  readonly replicaSets: Collection<ReplicaSet>;
  readonly deployments: Collection<Deployment>;
  readonly services: Collection<Service>;
  readonly events: Collection<Event>;
  /** The worst of them. */
  readonly link: ReadonlySignal<LinkState>;
  readonly loaded: ReadonlySignal<boolean>;
}

/** Lives until the signal aborts. */
export function followCluster(access: ClusterAccess, signal: AbortSignal): ClusterState {
  const begin = <T extends KubeObject>(path: string): Collection<T> => {
    const { collection, listener } = newCollection<T>();
    void inform(collectionOf<T>(access, path), listener, timing, signal);
    return collection;
  };
  const collections = {
    namespaces: begin<Namespace>("/api/v1/namespaces"),
    nodes: begin<Node>("/api/v1/nodes"),
    deployments: begin<Deployment>("/apis/apps/v1/deployments"),
    replicaSets: begin<ReplicaSet>("/apis/apps/v1/replicasets"),
    pods: begin<Pod>("/api/v1/pods"),
    services: begin<Service>("/api/v1/services"),
    events: begin<Event>("/api/v1/events"),
  };
  const all = Object.values(collections);
  return {
    ...collections,
    link: computed(() => worst(all.map(({ state }) => state.value))),
    loaded: computed(() => all.every(({ loaded }) => loaded.value)),
  };
}

const ranking = ["live", "connecting", "waiting", "refused"] as const;

function worst(states: readonly LinkState[]): LinkState {
  const rank = ({ phase }: LinkState) => ranking.indexOf(phase);
  return states.reduce((one, other) => (rank(other) > rank(one) ? other : one));
}

const timing: Timing = {
  silenceMs: 150_000,
  random: Math.random,
  wait: (ms, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = new AbortController();
    const end = () => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { signal: done.signal });
    // Back on the network: no need to sit a backoff out.
    if (ms <= backoffLimitMs) addEventListener("online", end, { signal: done.signal });
    return promise;
  },
};
