// The interface of controllers. A controller is a value; its `reconcile` is synchronous, idempotent and level-based.
import type { Random } from "../../shared/base/random.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../registry/client.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import type { EventRecorder } from "./events.ts";

/** The key of a reconcile, never an event. Cluster-scoped objects have the namespace "". */
export interface Request {
  readonly namespace: string;
  readonly name: string;
}

/** Maps a change of one kind to requests. `previous` is undefined for a creation, `next` for a deletion. */
export interface Watch<Memory = unknown> {
  readonly kind: Kind;
  /** The kind of the objects that its requests name, if there is one. */
  readonly about?: Kind;
  requests(
    next: KubeObject | undefined,
    previous: KubeObject | undefined,
    client: Client,
    memory: Memory,
  ): Iterable<Request>;
}

export interface ReconcileContext<Memory = unknown> {
  readonly client: Client;
  /** The controller's memory, as its `memory` created it. */
  readonly memory: Memory;
  readonly nowMs: number;
  readonly random: Random;
  readonly event: EventRecorder;
  /** Makes outbound calls in parallel. Throws `PendingCalls` until the answers have arrived. */
  ask(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /**
   * Reports whether the reconcile has no budget for more writes. After a reconcile has called this, it is no longer stopped between writes:
   * once the result is true, it must write its results and return `afterMs: 0`.
   */
  isBudgetSpent(): boolean;
  /** The number of failed attempts since the last success. */
  readonly attempts: number;
  /** The saved state of the last reconcile, if the request has stayed in the queue since. */
  readonly savedState?: string | undefined;
  /** Whether writes must not depend on evictions, because the cluster has a seed. */
  readonly isSeeded: boolean;
}

/** The result of a reconcile. `afterMs` is the maximum delay before the next reconcile. Undefined: wait for a change. */
export interface Result {
  readonly afterMs?: number;
  /** A small state that no object holds. Saved with the request and passed to the next reconcile, also after a restart. */
  readonly savedState?: string;
}

/** Saves a controller's memory as JSON, and restores it. */
export interface MemoryFormat<Memory> {
  /** Returns a JSON value; undefined if nothing differs from a new memory. */
  save(memory: Memory): unknown;
  /** Restores a new memory. `saved` is a value that `save` returned. */
  restore(memory: Memory, saved: unknown): void;
}

/** Returns the format of a memory whose state is one map with JSON values. */
export function mapFormat<Memory, Value>(mapOf: (memory: Memory) => Map<string, Value>): MemoryFormat<Memory> {
  return {
    save: (memory) => (mapOf(memory).size === 0 ? undefined : [...mapOf(memory)]),
    restore: (memory, saved) => {
      // `save` wrote it.
      for (const [key, value] of saved as readonly (readonly [string, Value])[]) mapOf(memory).set(key, value);
    },
  };
}

export interface Controller<Memory = unknown> {
  /**
   * The name of the controller in kube-controller-manager, in kebab-case. Also the name of its queue and of its default identity,
   * `system:serviceaccount:kube-system:<name>`.
   */
  readonly name: string;
  /** The user of its writes, if it is not that service account: `system:kube-scheduler`, `system:node:x`. */
  readonly user?: string;
  /** The `source.component` of its events. */
  readonly component: string;
  /** Creates the controller's in-memory state of one cluster when the cluster is opened. Lost on eviction. */
  readonly memory?: () => Memory;
  /** Saves the state in memory on which writes depend. Used only in seeded clusters, whose writes must not depend on evictions. */
  readonly memoryFormat?: MemoryFormat<NoInfer<Memory>>;
  readonly watches: readonly Watch<NoInfer<Memory>>[];
  /** Returns the watches of a kind that a CustomResourceDefinition added at run time. */
  watchesOf?(kind: Kind): readonly Watch<NoInfer<Memory>>[];
  /**
   * Whether a reconcile must never be stopped between writes, because its in-memory state would no longer match the store. Such a reconcile
   * bounds its own work.
   */
  readonly isNeverStopped?: boolean;
  /** Reconciles a request. A thrown ApiError is retried with backoff (5 ms doubling to 1000 s); any other error drops the request. */
  reconcile(request: Request, context: ReconcileContext<NoInfer<Memory>>): Result | undefined;
}

export function defineController<Memory>(controller: Controller<Memory>): Controller<Memory> {
  return controller;
}

/** Returns a watch that requests the changed object itself. */
export function self<T extends KubeObject>(
  kind: Kind<T>,
  when?: (next: T | undefined, previous: T | undefined) => boolean,
): Watch {
  const watchOfKind = watch(kind, function* (next, previous) {
    if (when && !when(next, previous)) return;
    const object = next ?? previous;
    if (object) yield requestOf(object);
  });
  return { ...watchOfKind, about: watchOfKind.kind };
}

/** Returns a watch that requests the controlling owner of the changed object. If the owner changed, both owners are requested. */
export function controllerOwner<T extends KubeObject>(kind: Kind<T>, owner: Kind): Watch {
  const watchOfKind = watch(kind, function* (next, previous) {
    const ownerNames = new Set<string>();
    for (const object of [next, previous]) {
      const reference = object?.metadata.ownerReferences?.find((candidate) => candidate.controller === true);
      if (!reference || reference.kind !== owner.kind || reference.apiVersion !== owner.apiVersion) continue;
      if (ownerNames.has(reference.name)) continue;
      ownerNames.add(reference.name);
      yield { namespace: object?.metadata.namespace ?? "", name: reference.name };
    }
  });
  return { ...watchOfKind, about: owner };
}

/** Returns a watch with any mapping, typed by its kind. */
export function watch<T extends KubeObject, Memory = unknown>(
  kind: Kind<T>,
  requests: (next: T | undefined, previous: T | undefined, client: Client, memory: Memory) => Iterable<Request>,
): Watch<Memory> {
  // The informer passes only objects of `kind` to a watch of `kind`.
  return { kind: kind, requests: requests as Watch<Memory>["requests"] };
}

export function requestOf(object: KubeObject): Request {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}
