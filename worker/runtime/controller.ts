// What a controller is: a value. Synchronous, idempotent, level-based.
import type { Random } from "../../shared/base/random.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../registry/client.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import type { EventRecorder } from "./events.ts";

/** What is reconciled: a name, never an event. Cluster-scoped objects have the namespace "". */
export interface Request {
  readonly namespace: string;
  readonly name: string;
}

/** Turns a change of one kind into requests. `previous` is absent for a creation, `next` for a deletion. */
export interface Watch<Memory = unknown> {
  readonly kind: Kind;
  /** The kind of the objects that its requests name, where that is known. */
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
  /** The controller's own, as its `memory` made it. */
  readonly memory: Memory;
  readonly nowMs: number;
  readonly random: Random;
  readonly event: EventRecorder;
  /** Asks outside, all at once: throws `PendingCalls` until the answers are there. */
  ask(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /**
   * Reports whether the turn has no room for more writes. A reconcile that asks is not stopped between two writes any more: once this is
   * true, it writes what it has come to, and returns `afterMs: 0` to go on.
   */
  isTurnOver(): boolean;
  /** Failed attempts since the last success, 0 at first. */
  readonly attempts: number;
  /** What the last reconcile returned, if the request has stood in the queue since. */
  readonly savedState?: string | undefined;
}

/** `afterMs`: reconcile again then, at the latest. Nothing: wait for a change. */
export interface Result {
  readonly afterMs?: number;
  /** Saved with the request and handed to that reconcile, also after a restart: the little that no object holds. */
  readonly savedState?: string;
}

export interface Controller<Memory = unknown> {
  /** kube-controller-manager's name in kebab-case: also the queue's, and (as `system:serviceaccount:kube-system:<name>`) the default identity. */
  readonly name: string;
  /** The user that its writes are made as, where it is not that service account: `system:kube-scheduler`, `system:node:x`. */
  readonly user?: string;
  /** `source.component` of its events. */
  readonly component: string;
  /** What it remembers of one cluster between changes: made when the cluster is opened, lost when it is evicted. */
  readonly memory?: () => Memory;
  readonly watches: readonly Watch<NoInfer<Memory>>[];
  /** The same for a kind that a definition brought at run time. */
  watchesOf?(kind: Kind): readonly Watch<NoInfer<Memory>>[];
  /** It is never stopped between two writes: what it remembers would not be true any more. It bounds what one reconcile does itself. */
  readonly isWhole?: boolean;
  /** A thrown ApiError is retried with backoff (5 ms doubling to 1000 s); anything else stops this request. */
  reconcile(request: Request, context: ReconcileContext<NoInfer<Memory>>): Result | undefined;
}

export function defineController<Memory>(controller: Controller<Memory>): Controller<Memory> {
  return controller;
}

/** The changed object itself. */
export function self<T extends KubeObject>(
  kind: Kind<T>,
  when?: (next: T | undefined, previous: T | undefined) => boolean,
): Watch {
  const found = watch(kind, function* (next, previous) {
    if (when && !when(next, previous)) return;
    const object = next ?? previous;
    if (object) yield requestOf(object);
  });
  return { ...found, about: found.kind };
}

/** The controlling owner of the changed object, if of that kind; both, when the owner changed. */
export function controllerOwner<T extends KubeObject>(kind: Kind<T>, owner: Kind): Watch {
  const found = watch(kind, function* (next, previous) {
    const seen = new Set<string>();
    for (const object of [next, previous]) {
      const reference = object?.metadata.ownerReferences?.find((one) => one.controller === true);
      if (!reference || reference.kind !== owner.kind || reference.apiVersion !== owner.apiVersion) continue;
      if (seen.has(reference.name)) continue;
      seen.add(reference.name);
      yield { namespace: object?.metadata.namespace ?? "", name: reference.name };
    }
  });
  return { ...found, about: owner };
}

/** Any mapping, typed by its kind. */
export function watch<T extends KubeObject, Memory = unknown>(
  kind: Kind<T>,
  requests: (next: T | undefined, previous: T | undefined, client: Client, memory: Memory) => Iterable<Request>,
): Watch<Memory> {
  // The informer only ever hands objects of `kind` to a watch of `kind`.
  return { kind: kind, requests: requests as Watch<Memory>["requests"] };
}

export function requestOf(object: KubeObject): Request {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}
