// The in-process client of controllers, the scheduler and the kubelet. Its writes run through the same pipeline as users' writes, with the
// identity of the controller. It is synchronous, so reads are never stale. Returned objects are frozen.
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Attributes, Decision, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { Kind } from "../kinds/kind.ts";
import type { ApiServerState } from "./registry.ts";
import type { Selector } from "../../shared/k8s/selectors/labels.ts";

export interface ListQuery {
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: Selector | undefined;
  /** Only keys after this one are returned. */
  readonly after?: { readonly namespace: string; readonly name: string } | undefined;
}

/** A client that reads a past state, and the time until which that state was current: Infinity if nothing was written since. */
export interface Moment {
  readonly client: Client;
  readonly untilMs: number;
}

/** The methods of a client. All throw the `ApiError` that the API would return. */
export interface Client {
  /** The address ranges of the cluster. */
  readonly network: ClusterNetwork;
  /** The enabled feature gates. */
  readonly features: Features;
  /** The release of the API server. */
  readonly release: Release;
  /** The settings of the API server on its node. Undefined: those of the installation. */
  readonly apiServer?: ApiServerState | undefined;
  /** The work meter of the cluster. */
  readonly meter: WorkMeter;
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined;
  /** Lists objects in key order (namespace, name). */
  list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[];
  /** Iterates over objects lazily in key order. For lists that may be too long for memory. */
  each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T>;
  /** Counts the objects in all namespaces, at no cost. */
  count<T extends KubeObject>(kind: Kind<T>): number;
  /** Lists objects whose ownerReferences have this uid as controller. Uses an index, never a scan. */
  controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[];
  /** Lists the names of those objects without reading them. */
  controlledNames<T extends KubeObject>(
    kind: Kind<T>,
    ownerUid: string,
  ): readonly { readonly namespace: string; readonly name: string }[];
  /** Iterates in key order over objects of a namespace without a controlling owner. If they are few, no other object is read. */
  orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T>;
  /** Iterates lazily over objects of any kind whose ownerReferences have this uid. */
  dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }>;
  /** Lists objects with a name in any namespace. */
  named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[];
  /** Lists objects by the kind's `indexValue` (pods by node name). Uses an index. */
  byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[];
  /** Returns the name and the index value of each object, without reading the objects. */
  indexValues<T extends KubeObject>(kind: Kind<T>): readonly { readonly name: string; readonly indexValue: string }[];
  /** Lists objects of a namespace whose names start with a prefix, in key order. Reads a range of keys. */
  beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[];
  /** Finds a served kind by apiVersion and kind. */
  kindOf(apiVersion: string, kind: string): Kind | undefined;
  /** Finds a served kind by apiVersion and plural name. */
  kindAt(apiVersion: string, plural: string): Kind | undefined;
  /** Authorizes a user's request, as a SubjectAccessReview does. */
  decide(user: UserInfo, attributes: Attributes): Decision;
  /**
   * Returns a client that reads the state at a past time, without events and leases, as far back as the log reaches. For later times it
   * reads the current state. Its writes are those of this client. `through` is the client for current reads, by default this one.
   */
  at(atMs: number, through?: Client): Moment;
  /** Returns the times at which an object was written after a time, in order. */
  writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[];
  /** Returns every stored kind (for namespace deletion and garbage collection). */
  kinds(): readonly Kind[];

  /** Creates an object. `draft.metadata` has its namespace, and its name or generateName. */
  create<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** Updates an object. Throws Conflict if `resourceVersion` is set and stale. An update without changes writes nothing. */
  update<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** Updates a subresource that is written like the object: status, finalize. */
  updateSubresource<T extends KubeObject>(kind: Kind<T>, subresource: string, draft: Draft<T>): T;
  updateStatus<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T;
  /** Deletes an object. Throws NotFound if it does not exist; see `tryDelete`. */
  delete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): void;
  tryDelete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): boolean;
  /** Posts to a subresource: `act(pods, "eviction", ns, name, body)`. */
  act<T extends KubeObject>(kind: Kind<T>, subresource: string, namespace: string, name: string, body: unknown): void;
  /** Binds a pod to a node, as POST pods/{name}/binding does: sets spec.nodeName and the PodScheduled condition. */
  bind(namespace: string, podName: string, podUid: string, nodeName: string): void;
}
