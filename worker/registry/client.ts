// The in-process client: how controllers, the scheduler and the kubelet read and write. The same pipeline as for users, under
// the identity of the controller. Synchronous: no interleaving, no stale caches. Returned objects are frozen.
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Attributes, Decision, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Selector } from "../../shared/k8s/selectors/labels.ts";

export interface ListQuery {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: Selector | undefined;
  /** Only what comes after this key. */
  readonly after?: { readonly namespace: string; readonly name: string } | undefined;
}

/** The cluster as it was at a moment, and until when it stayed so: Infinity if nothing was written since. */
export interface Moment {
  readonly client: Client;
  readonly untilMs: number;
}

/** All methods throw `ApiError` as the API would answer. */
export interface Client {
  /** The ranges of addresses that the cluster hands out. */
  readonly network: ClusterNetwork;
  /** Which feature gates are on. */
  readonly features: Features;
  /** The meter of the cluster. */
  readonly meter: WorkMeter;
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined;
  /** In key order (namespace, name). */
  list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[];
  /** The same, read as it is looked at: for what may be too many to hold. */
  each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T>;
  /** How many there are, in all namespaces; costs nothing. */
  count<T extends KubeObject>(kind: Kind<T>): number;
  /** Objects whose ownerReferences name this uid as controller; from an index, never a scan. */
  controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[];
  /** Their names, without reading them. */
  controlledNames<T extends KubeObject>(
    kind: Kind<T>,
    ownerUid: string,
  ): readonly { readonly namespace: string; readonly name: string }[];
  /** Objects of a namespace that no owner controls, in key order; where those are few, the others are not read. */
  orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T>;
  /** Objects of any kind whose ownerReferences name this uid, with their kind; read as they are looked at. */
  dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }>;
  /** Objects of that name in any namespace. */
  named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[];
  /** Objects by the kind's `indexValue` (pods by node name); from an index. */
  byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[];
  /** The index value of each object, by name: for what is asked of many objects that would be long to read. */
  indexValues<T extends KubeObject>(kind: Kind<T>): readonly { readonly name: string; readonly indexValue: string }[];
  /** Objects of a namespace whose names begin so, in key order: a range of the key, so that nothing has to be kept for it. */
  beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[];
  /** The kind of an apiVersion and kind, if it is served. */
  kindOf(apiVersion: string, kind: string): Kind | undefined;
  /** The kind of an apiVersion and a plural name, if it is served. */
  kindAt(apiVersion: string, plural: string): Kind | undefined;
  /** Whether somebody may do something, as a subject access review tells it. */
  decide(user: UserInfo, attributes: Attributes): Decision;
  /**
   * Returns a client that reads what was current at a moment, as far back as the log tells, without events and leases. Later moments are
   * read as now. It writes as this one does. `through`: the client that reads what is current, if it is another than this one.
   */
  at(atMs: number, through?: Client): Moment;
  /** Returns the times at which an object was written after a moment, in order. */
  writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[];
  /** Every kind that is stored here (for namespace deletion and garbage collection). */
  kinds(): readonly Kind[];

  /** `draft.metadata.namespace` and `name` or `generateName` say where. */
  create<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** Conflict if `resourceVersion` is given and stale. Writing what is there already writes nothing. */
  update<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** The same for a subresource that is written like the object: status, finalize. */
  updateSubresource<T extends KubeObject>(kind: Kind<T>, subresource: string, draft: Draft<T>): T;
  updateStatus<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** Answers NotFound as an ApiError; use `tryDelete` where absence is fine. */
  delete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): void;
  tryDelete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): boolean;
  /** Posts to a subresource: `act(pods, "eviction", ns, name, body)`. */
  act<T extends KubeObject>(kind: Kind<T>, subresource: string, namespace: string, name: string, body: unknown): void;
  /** Binds a pod to a node, as POST pods/{name}/binding: sets spec.nodeName and the PodScheduled condition. */
  bind(namespace: string, podName: string, podUid: string, nodeName: string): void;
}
