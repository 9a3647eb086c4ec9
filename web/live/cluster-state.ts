// The state of a sandbox for views: an informer for each collection that a view reads, and one state of all connections.
import { type ReadonlySignal, computed, effect, signal } from "@preact/signals";
import type { CronJob, Job } from "../../shared/k8s/api/batch-v1.ts";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../shared/k8s/api/apps-v1.ts";
import type { Event, Namespace, Node, Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type ClusterAccess, ask, collectionOf } from "../api/cluster.ts";
import { newClient } from "../kubectl/cluster/client.ts";
import { type Discovery, type Mapping, discover, findKind, findResource } from "../kubectl/cluster/discovery.ts";
import { type Collection, newCollection } from "./collection.ts";
import { type LinkState, type ListSource, type Timing, inform } from "./informer.ts";
import { longestMs as backoffLimitMs } from "./backoff.ts";

export interface ClusterState {
  readonly access: ClusterAccess;
  readonly namespaces: Collection<Namespace>;
  readonly nodes: Collection<Node>;
  readonly pods: Collection<Pod>;
  readonly replicaSets: Collection<ReplicaSet>;
  readonly deployments: Collection<Deployment>;
  readonly statefulSets: Collection<StatefulSet>;
  readonly daemonSets: Collection<DaemonSet>;
  readonly jobs: Collection<Job>;
  readonly cronJobs: Collection<CronJob>;
  readonly services: Collection<Service>;
  readonly events: Collection<Event>;
  /**
   * Returns all objects of a path such as `/api/v1/secrets`. The first call starts an informer, which runs until the cluster is no longer
   * followed.
   */
  collection<T extends KubeObject>(path: string): Collection<T>;
  /** Follows a filtered collection, or one in another form such as Tables, until the signal aborts. */
  follow<T extends KubeObject>(source: ListSource<T>, signal: AbortSignal, gatherMs?: number): Collection<T>;
  /** The worst state of all connections. */
  readonly link: ReadonlySignal<LinkState>;
  /** The served resources. Undefined until discovery has loaded. */
  readonly served: ReadonlySignal<Discovery | undefined>;
  /** Loads discovery again, because the served resources may have changed. */
  reloadServed(): Promise<void>;
}

/** Follows a cluster until the signal aborts or the sandbox ends. */
export function followCluster(access: ClusterAccess, signal: AbortSignal): ClusterState {
  const { gate } = access;
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort());
  effect(() => {
    if (gate.ended.value) stop.abort();
  });
  const links = newLinks();
  const follow = <T extends KubeObject>(source: ListSource<T>, until: AbortSignal, gatherMs?: number) => {
    const { collection, listener } = newCollection<T>(gatherMs);
    const forget = links.add(collection.state);
    const ended = AbortSignal.any([until, stop.signal]);
    void inform(source, listener, timing, ended).finally(() => until.aborted && forget());
    return collection;
  };
  const collections = new Map<string, Collection<KubeObject>>();
  const collection = <T extends KubeObject>(path: string): Collection<T> => {
    const followed = collections.get(path) ?? follow<KubeObject>(collectionOf(access, path), stop.signal);
    collections.set(path, followed);
    // A path has objects of one type, which the caller names.
    return followed as unknown as Collection<T>;
  };
  return {
    access,
    collection,
    follow,
    get namespaces() {
      return collection<Namespace>("/api/v1/namespaces");
    },
    get nodes() {
      return collection<Node>("/api/v1/nodes");
    },
    get deployments() {
      return collection<Deployment>("/apis/apps/v1/deployments");
    },
    get replicaSets() {
      return collection<ReplicaSet>("/apis/apps/v1/replicasets");
    },
    get statefulSets() {
      return collection<StatefulSet>("/apis/apps/v1/statefulsets");
    },
    get daemonSets() {
      return collection<DaemonSet>("/apis/apps/v1/daemonsets");
    },
    get jobs() {
      return collection<Job>("/apis/batch/v1/jobs");
    },
    get cronJobs() {
      return collection<CronJob>("/apis/batch/v1/cronjobs");
    },
    get pods() {
      return collection<Pod>("/api/v1/pods");
    },
    get services() {
      return collection<Service>("/api/v1/services");
    },
    get events() {
      return collection<Event>("/api/v1/events");
    },
    link: computed<LinkState>(() => {
      const ended = gate.ended.value;
      return ended ? { phase: "refused", ...ended } : links.worst.value;
    }),
    ...newServedResources(access, stop.signal),
  };
}

/** Returns the mapping of a resource such as `deployments.apps`. */
export function mappingOf({ served }: ClusterState, resource: string): Mapping | undefined {
  return served.value && findResource(served.value, resource);
}

/** Returns the mapping of an owner reference or of an event's object. */
export function mappingOfKind({ served }: ClusterState, apiVersion: string, kind: string): Mapping | undefined {
  return served.value && findKind(served.value, apiVersion, kind);
}

function newServedResources(access: ClusterAccess, until: AbortSignal): Pick<ClusterState, "served" | "reloadServed"> {
  const served = signal<Discovery | undefined>(undefined);
  const client = newClient({
    fetch: (path, init) => ask(access, path, init),
    headers: {},
    signal: until,
    warn: () => undefined,
  });
  const reloadServed = async () => {
    if (access.gate.ended.value) return;
    try {
      served.value = await discover(client);
    } catch {
      // The informers report connection errors.
    }
  };
  void reloadServed();
  return { served, reloadServed };
}

const ranking = ["live", "connecting", "waiting", "refused"] as const;

/** Combines the states of all connections. Connections are added over time. */
function newLinks() {
  const states = signal<ReadonlySet<ReadonlySignal<LinkState>>>(new Set());
  const change = (alter: (set: Set<ReadonlySignal<LinkState>>) => void) => {
    // Deferred, because a collection may be requested while a signal that depends on this one is computed.
    queueMicrotask(() => {
      const next = new Set(states.peek());
      alter(next);
      states.value = next;
    });
  };
  return {
    add(state: ReadonlySignal<LinkState>): () => void {
      change((set) => set.add(state));
      return () => change((set) => set.delete(state));
    },
    worst: computed(() => worst([...states.value].map(({ value }) => value))),
  };
}

function worst(states: readonly LinkState[]): LinkState {
  const rank = ({ phase }: LinkState) => ranking.indexOf(phase);
  return states.reduce(
    (worst, candidate) => (rank(candidate) > rank(worst) ? candidate : worst),
    states[0] ?? { phase: "connecting" },
  );
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
    // When the browser is online again, the backoff ends early.
    if (ms <= backoffLimitMs) addEventListener("online", end, { signal: done.signal });
    return promise;
  },
};
