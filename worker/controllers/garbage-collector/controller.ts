// The garbage collector: deletes objects without remaining owners, and performs foreground and orphaning deletions.
//
// It keeps no graph. The dependents of a changed object come from the store's index, and the state of an owner is read when needed. Objects
// without owners and without a finalizer of the collector cause no requests.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, type Request, type Watch, defineController, watch } from "../../runtime/controller.ts";
import {
  attemptToDeleteItem,
  processDeletingDependentsItem,
  attemptToOrphanWorker,
  isAwaitingDependents,
  isOrphaning,
  ownerOf,
} from "./deletion.ts";

const defaultIgnoredResources: readonly string[] = ["events", "events.events.k8s.io"];

/** Returns the garbage collector for the stored kinds. */
export function garbageCollector(kinds: readonly Kind[]): Controller {
  return defineController({
    name: "garbage-collector-controller",
    user: "system:serviceaccount:kube-system:generic-garbage-collector",
    component: "garbage-collector-controller",
    watches: kinds.filter(isCollected).map(collectionWatch),
    watchesOf: (kind) => (isCollected(kind) ? [collectionWatch(kind)] : []),
    reconcile(request, { client, event }) {
      const requested = requestedObject(request, client);
      if (!requested) return;
      if (isOrphaning(requested.object)) return attemptToOrphanWorker(client, requested) ? undefined : { afterMs: 0 };
      if (isAwaitingDependents(requested.object)) processDeletingDependentsItem(client, requested);
      else if (!requested.object.metadata.deletionTimestamp) attemptToDeleteItem(client, requested, event);
      return undefined;
    },
  });
}

function isCollected(kind: Kind): boolean {
  const isCollectable = ["delete", "list", "watch"].every((verb) => kind.verbs.some((supported) => supported === verb));
  return isCollectable && kind.conversion?.hub === undefined && !defaultIgnoredResources.includes(kind.resource);
}

function collectionWatch(kind: Kind): Watch {
  return watch<KubeObject>(kind, (next, previous, client) => {
    if (!next) return previous ? afterRemoval(previous, client) : [];
    return afterWrite(kind, next, previous, client);
  });
}

/** Requests the dependents of a removed object, and the owners that waited for it. */
function* afterRemoval(removed: KubeObject, client: Client): Generator<Request> {
  for (const { kind, object } of client.dependents(removed.metadata.uid ?? "")) yield objectRequest(kind, object);
  yield* waitingOwners(removed, removed.metadata.ownerReferences ?? [], client);
}

function* afterWrite(
  kind: Kind,
  next: KubeObject,
  previous: KubeObject | undefined,
  client: Client,
): Generator<Request> {
  if (isOrphaning(next) && !(previous && isOrphaning(previous))) yield objectRequest(kind, next);
  if (isAwaitingDependents(next) && !(previous && isAwaitingDependents(previous))) {
    for (const { kind: dependentKind, object } of client.dependents(next.metadata.uid ?? ""))
      yield objectRequest(dependentKind, object);
    yield objectRequest(kind, next);
  }
  const owners = next.metadata.ownerReferences ?? [];
  const before = previous?.metadata.ownerReferences ?? [];
  if (owners.length === 0 && before.length === 0) return;
  if (previous && JSON.stringify(owners) === JSON.stringify(before)) return;
  yield* waitingOwners(
    next,
    before.filter((reference) => isUnblocked(reference, owners)),
    client,
  );
  if (owners.some((reference) => !isAtRest(next, reference, client))) yield objectRequest(kind, next);
}

/** Reports whether a previous owner reference no longer blocks a foreground deletion. */
function isUnblocked(old: OwnerReference, owners: readonly OwnerReference[]): boolean {
  return (
    old.blockOwnerDeletion === true &&
    !owners.some((candidate) => candidate.uid === old.uid && candidate.blockOwnerDeletion === true)
  );
}

/** Reports whether an owner exists and does not wait, so that its dependents need no work. */
function isAtRest(dependent: KubeObject, reference: OwnerReference, client: Client): boolean {
  const owner = ownerOf(dependent, reference, client);
  return owner.state === "solid";
}

/** Returns the referenced owners whose deletion waits for their dependents. */
function* waitingOwners(
  dependent: KubeObject,
  references: readonly OwnerReference[],
  client: Client,
): Generator<Request> {
  for (const reference of references) {
    const owner = ownerOf(dependent, reference, client);
    if (owner.state === "waiting") yield objectRequest(owner.kind, owner.object);
  }
}

/** Returns a request for an object. Names contain no slash, so the first one separates the resource. */
function objectRequest(kind: Kind, object: KubeObject): Request {
  return { namespace: object.metadata.namespace ?? "", name: `${kind.resource}/${object.metadata.name ?? ""}` };
}

/** Returns the object of a request, if it still exists. */
function requestedObject(request: Request, client: Client): { kind: Kind; object: KubeObject } | undefined {
  const slash = request.name.indexOf("/");
  const resource = request.name.slice(0, slash);
  const kind = client.kinds().find((candidate) => candidate.resource === resource);
  const object = kind && client.get(kind, request.namespace, request.name.slice(slash + 1));
  return kind && object ? { kind, object } : undefined;
}
